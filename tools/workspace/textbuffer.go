package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// maxSearchedFile is the size of the largest file that grep searches.
const maxSearchedFile = 4 << 20

// openFile opens the file e, unless something else has taken its place. It
// never waits.
func (e entry) openFile() (*os.File, error) {
	f, err := e.dir.OpenFile(e.Name(), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	was, err := e.Info()
	if err == nil {
		var is fs.FileInfo
		if is, err = f.Stat(); err == nil && (!is.Mode().IsRegular() || !os.SameFile(was, is)) {
			err = fmt.Errorf("%s changed while it was opened", e.below)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

var (
	errLargeText = errors.New("too large to be searched")
	errNotText   = errors.New("not text")
)

// A textBuffer holds one text file after the other.
type textBuffer struct{ bytes []byte }

// read reads a file, without a byte order mark and with plain line ends. The
// text is good until the next call.
func (b *textBuffer) read(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	if size > maxSearchedFile {
		return nil, errLargeText
	}
	if int64(len(b.bytes)) < size {
		b.bytes = make([]byte, max(size, 64<<10))
	}
	start, err := readUpTo(f, b.bytes[:min(size, 4*sniffed)])
	if err != nil {
		return nil, err
	}
	if isBinary(start[:min(len(start), sniffed)]) {
		return nil, errNotText
	}
	rest, err := readUpTo(f, b.bytes[len(start):size])
	return plainLines(bytes.TrimPrefix(b.bytes[:len(start)+len(rest)], byteOrderMark)), err
}

// readUpTo fills b from f. If the file has become shorter, the rest of b is left
// away.
func readUpTo(f *os.File, b []byte) ([]byte, error) {
	n, err := io.ReadFull(f, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return b[:n], err
}

// plainLines takes the carriage returns before newlines out of text, in place.
func plainLines(text []byte) []byte {
	to := bytes.Index(text, []byte("\r\n"))
	if to < 0 {
		return text
	}
	for from := to; from < len(text); {
		next := bytes.Index(text[from+1:], []byte("\r\n"))
		end := len(text)
		if next >= 0 {
			end = from + 1 + next
		}
		to += copy(text[to:], text[from+1:end])
		from = end
	}
	return text[:to]
}
