package workspace

import (
	"bytes"
	"encoding/binary"
	"os"
	"runtime"
	"syscall"
)

// processors are the kinds of processor as the kernel numbers them for filters
// (AUDIT_ARCH_*). All have 64 bits and the lowest byte first.
var processors = map[string]uint32{
	"amd64":   0xC000003E,
	"arm64":   0xC00000B7,
	"riscv64": 0xC00000F3,
}

// refusedCalls are system calls that reach what no namespace keeps apart: the
// key rings of the user, and io_uring, which makes other calls past the filter.
// The numbers of the latter are the same everywhere.
var refusedCalls = []uint32{
	syscall.SYS_KEYCTL, syscall.SYS_ADD_KEY, syscall.SYS_REQUEST_KEY,
	425, 426, 427, // io_uring_setup, _enter, _register
}

const socketCall = syscall.SYS_SOCKET

// allowedSockets are the families that a network namespace keeps apart. Others,
// such as those of virtual machines, lead out of it.
var allowedSockets = []uint32{syscall.AF_UNIX, syscall.AF_INET, syscall.AF_INET6, syscall.AF_NETLINK}

// filter is the filter of system calls for this kind of processor, or nil.
var filter = makeFilter(processors[runtime.GOARCH])

// An instruction of a filter (struct sock_filter).
type instruction struct {
	Code   uint16
	JT, JF uint8 // how many instructions to skip if a comparison holds, or not
	K      uint32
}

// makeFilter returns a filter in the form the kernel takes. A refused call fails
// as one that the kernel does not have, a socket as one of an unknown family.
func makeFilter(processor uint32) []byte {
	const (
		load, equal, atLeast, end = 0x20, 0x15, 0x35, 0x06
		number, kind, argument    = 0, 4, 16 // where these stand in struct seccomp_data
		allow, fail               = 0x7FFF0000, 0x00050000
		otherABI                  = 0x40000000 // calls of amd64 with 32-bit pointers
	)
	if processor == 0 {
		return nil
	}
	refuse := instruction{end, 0, 0, fail | uint32(syscall.ENOSYS)}
	program := []instruction{
		{load, 0, 0, kind}, {equal, 1, 0, processor}, refuse,
		{load, 0, 0, number}, {atLeast, 0, 1, otherABI}, refuse,
	}
	for _, call := range refusedCalls {
		program = append(program, instruction{equal, 0, 1, call}, refuse)
	}
	program = append(program, instruction{equal, 1, 0, socketCall},
		instruction{end, 0, 0, allow}, instruction{load, 0, 0, argument})
	for _, family := range allowedSockets {
		program = append(program, instruction{equal, 0, 1, family}, instruction{end, 0, 0, allow})
	}
	program = append(program, instruction{end, 0, 0, fail | uint32(syscall.EAFNOSUPPORT)})
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, program) // a buffer takes everything
	return b.Bytes()
}

// filterPipe returns a pipe that holds the filter, which is shorter than what a
// pipe takes.
func filterPipe() (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if _, err := w.Write(filter); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}
