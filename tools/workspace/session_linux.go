package workspace

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// awaitExit returns when the command has exited, without reaping it.
func awaitExit(cmd *exec.Cmd) {
	const onePID = 1   // P_PID
	var info [128]byte // siginfo_t, which is not looked at
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, onePID, uintptr(cmd.Process.Pid),
			uintptr(unsafe.Pointer(&info)), syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if errno != syscall.EINTR {
			return
		}
	}
}

// attributes makes a program the first of a session. It is killed at the end of
// the thread that starts it, so also at that of this program.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// groups returns the process groups of the session that have a living process.
// Without a /proc it knows none.
func (s session) groups() []int {
	var groups []int
	for _, pid := range processes() {
		if !s.has(pid) {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // gone meanwhile
		}
		group, alive := parseStat(string(stat))
		if alive && !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	return groups
}

// has reports whether a process belongs to the session.
func (s session) has(pid int) bool {
	id, _, errno := syscall.RawSyscall(syscall.SYS_GETSID, uintptr(pid), 0, 0)
	return errno == 0 && int(id) == s.id
}

// processes returns the ids of all processes.
func processes() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// parseStat takes what it needs from a line of /proc/PID/stat:
// "pid (name) state parent group session …", where name may hold anything.
func parseStat(stat string) (group int, alive bool) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 3 || fields[0] == "Z" || fields[0] == "X" {
		return 0, false
	}
	group, err := strconv.Atoi(fields[2])
	return group, err == nil
}
