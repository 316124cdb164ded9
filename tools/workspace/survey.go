package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	surveyed     = 64 << 20 // bytes of a file that are counted
	surveyedDeep = 1 << 30  // the same, when the lines asked for lie further on
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// A survey is what is known of a file before lines of it are shown.
type survey struct {
	size     int64 // bytes counted
	whole    bool  // they are the whole file
	newlines int
	crlf     int // newlines after a carriage return
	last     byte
	bom      bool
	utf8     bool
}

// lines counts the lines, including one without a newline.
func (s survey) lines() int {
	if s.size > 0 && s.last != '\n' {
		return s.newlines + 1
	}
	return s.newlines
}

// errTooFar begins the error about lines that are not found in reasonable time.
var errTooFar = errors.New("the lines asked for are not in the first")

// takeSurvey counts f as far as want needs it.
func takeSurvey(ctx context.Context, f *regular, want span) (survey, error) {
	s, err := surveyTo(ctx, f, surveyed)
	if err != nil || s.whole || want.tail == 0 && want.first <= s.lines() {
		return s, err
	}
	s, err = surveyTo(ctx, f, surveyedDeep)
	if err == nil && !s.whole && (want.tail > 0 || want.first > s.lines()) {
		err = fmt.Errorf("%w %s bytes of %s", errTooFar, comma(surveyedDeep), quotePath(f.asked))
	}
	return s, err
}

// surveyTo counts up to limit bytes.
func surveyTo(ctx context.Context, f io.ReaderAt, limit int64) (survey, error) {
	s := survey{utf8: true}
	buffer := make([]byte, 64<<10)
	part := 0 // bytes of an incomplete rune at the start of buffer
	for s.size < limit {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		n, err := f.ReadAt(buffer[part:min(int64(len(buffer)), int64(part)+limit-s.size)], s.size)
		s.count(buffer[part : part+n])
		part = s.checkRunes(buffer[:part+n], err == io.EOF)
		if err == io.EOF {
			s.whole = true
			return s, nil
		}
		if err != nil {
			return s, fmt.Errorf("read file: %w", err)
		}
	}
	_, err := f.ReadAt(buffer[:1], limit)
	s.whole = err == io.EOF
	return s, nil
}

// count counts the line ends in the next bytes of the file.
func (s *survey) count(b []byte) {
	if len(b) == 0 {
		return
	}
	if s.size == 0 {
		s.bom = bytes.HasPrefix(b, byteOrderMark)
	}
	if s.last == '\r' && b[0] == '\n' {
		s.crlf++
	}
	s.newlines += bytes.Count(b, []byte("\n"))
	s.crlf += bytes.Count(b, []byte("\r\n"))
	s.size += int64(len(b))
	s.last = b[len(b)-1]
}

// checkRunes notes whether b is UTF-8. It moves an incomplete rune from the end
// of b to its start and returns the rune's length.
func (s *survey) checkRunes(b []byte, end bool) int {
	whole := b
	if !end {
		whole = wholeRunes(b)
	}
	s.utf8 = s.utf8 && utf8.Valid(whole)
	return copy(b, b[len(whole):])
}

// notes lists what is special about the file.
func (s survey) notes() []string {
	var notes []string
	add := func(is bool, note string) {
		if is {
			notes = append(notes, note)
		}
	}
	add(s.crlf > 0 && s.crlf == s.newlines, "crlf")
	add(s.crlf > 0 && s.crlf < s.newlines, "mixed line ends")
	add(s.bom, "bom")
	add(!s.utf8, "not utf-8")
	add(s.whole && s.size > 0 && s.last != '\n', "last line has no newline")
	return notes
}
