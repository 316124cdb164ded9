package workspace

import (
	"bytes"
	"fmt"
	"io"
)

// maxEqual is how many equal lines in a row are passed on as they are.
const maxEqual = 20

// repeats passes lines on, and puts "[last line repeated N times]" in the place
// of more than maxEqual equal ones in a row.
type repeats struct {
	out     io.Writer
	last    []byte // the last line passed on; meaningless if shown is 0
	shown   int    // how many lines equal to last end what was passed on
	pending int    // how many more came since
}

// add takes a whole line, without its newline.
func (r *repeats) add(line []byte) {
	if !r.same(line) {
		r.settle()
	}
	if r.same(line) {
		r.pending++
		return
	}
	r.emit(line)
	r.shown = 1
}

func (r *repeats) same(line []byte) bool { return r.shown > 0 && bytes.Equal(line, r.last) }

// pass passes on a piece of a line too long to be compared.
func (r *repeats) pass(piece []byte) {
	r.settle()
	r.shown = 0
	r.out.Write(piece)
}

// settle passes on what is pending. The words that stand for it are a line like
// others, so cleaning a cleaned text changes nothing.
func (r *repeats) settle() {
	n := r.pending
	r.pending = 0
	if r.shown+n <= maxEqual {
		for range n {
			r.emit(r.last)
		}
		r.shown += n
		return
	}
	words := fmt.Appendf(nil, "[last line repeated %d times]", n)
	r.emit(words)
	r.shown = 1
}

func (r *repeats) emit(line []byte) {
	r.out.Write(line)
	r.out.Write([]byte{'\n'})
	r.last = append(r.last[:0], line...)
}
