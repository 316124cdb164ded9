package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/actdone/actdone/tools"
)

const (
	minSecret      = 4       // bytes; a shorter one would take ordinary words away
	minSecretLine  = 16      // bytes of a line of a secret that counts as one itself
	redactedAtOnce = 4 << 10 // bytes that a redactor gathers before it looks at them
)

// marks are what may stand for a secret. The first is taken that no secret
// overlaps, for a secret must not arise from the mark either.
var marks = []string{"[redacted]", "***", "###", "~~~"}

// secrets are the texts that no tool may show. The zero value has none.
type secrets struct {
	list    [][]byte  // the longest first
	first   [256]bool // bytes that secrets begin with
	longest int
	mark    string
}

// newSecrets prepares texts that are to be hidden. White space around them is
// no part of them, and a text of nothing else is passed over. Long lines of a text of several lines are hidden too, since
// tools show files line by line.
func newSecrets(texts []string) (*secrets, error) {
	s := &secrets{}
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if len(text) < minSecret {
			return nil, fmt.Errorf("Config.Redact has a secret of %s; want %d or more", count(len(text), "byte", "bytes"), minSecret)
		}
		s.list = append(s.list, []byte(text))
		for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
			if line = strings.TrimSpace(line); len(line) >= minSecretLine {
				s.list = append(s.list, []byte(line))
			}
		}
	}
	slices.SortFunc(s.list, func(a, b []byte) int { return cmp.Compare(len(b), len(a)) })
	for _, secret := range s.list {
		s.first[secret[0]] = true
		s.longest = max(s.longest, len(secret))
	}
	i := slices.IndexFunc(marks, func(mark string) bool { return !slices.ContainsFunc(s.list, overlaps(mark)) })
	if i < 0 {
		return nil, errors.New("Config.Redact has secrets that look like " + strings.Join(marks, " and ") + "; leave one of them out")
	}
	s.mark = marks[i]
	return s, nil
}

// overlaps returns what reports whether a secret could be read where mark
// stands, with or without the text around it.
func overlaps(mark string) func(secret []byte) bool {
	return func(secret []byte) bool {
		text := string(secret)
		if strings.Contains(text, mark) || strings.Contains(mark, text) {
			return true
		}
		for i := 1; i < min(len(mark), len(text)); i++ {
			if strings.HasSuffix(text, mark[:i]) || strings.HasPrefix(text, mark[len(mark)-i:]) {
				return true
			}
		}
		return false
	}
}

// in reports whether any secret is in b.
func (s *secrets) in(b []byte) bool {
	return slices.ContainsFunc(s.list, func(secret []byte) bool { return bytes.Contains(b, secret) })
}

// at returns the length of the longest secret that b begins with, or 0.
func (s *secrets) at(b []byte) int {
	if !s.first[b[0]] {
		return 0
	}
	i := slices.IndexFunc(s.list, func(secret []byte) bool { return bytes.HasPrefix(b, secret) })
	if i < 0 {
		return 0
	}
	return len(s.list[i])
}

// refuseMark returns an error if data has a line with the mark that old has not,
// and old has a secret: the mark was copied from what a tool showed, and would
// take the place of the secret.
func (s *secrets) refuseMark(asked string, old, data []byte) error {
	if !bytes.Contains(data, []byte(s.mark)) || !s.in(old) {
		return nil
	}
	had := map[string]bool{}
	for line := range bytes.Lines(old) {
		had[string(bytes.TrimRight(line, "\r\n"))] = true
	}
	for line := range bytes.Lines(data) {
		line = bytes.TrimRight(line, "\r\n")
		if bytes.Contains(line, []byte(s.mark)) && !had[string(line)] {
			return fmt.Errorf("the text holds %s, which stands for a secret in %s; use edit_file with blocks that leave that line out", s.mark, quotePath(asked))
		}
	}
	return nil
}

// hide returns text without the secrets in it.
func (s *secrets) hide(text string) string {
	var out strings.Builder
	r := redactor{secrets: s, out: &out}
	io.WriteString(&r, text)
	r.Close()
	return out.String()
}

// discreet returns t without the secrets in what it answers, its errors and
// panics included.
func (w *Workspace) discreet(t tools.Tool) tools.Tool {
	if w.secrets.longest == 0 {
		return t
	}
	inner := t
	t.Call = func(ctx context.Context, input string) (string, error) {
		output, err := inner.Do(ctx, input)
		if err == nil {
			return w.secrets.hide(output), nil
		}
		if told := w.secrets.hide(err.Error()); told != err.Error() {
			err = &discreetError{told, err}
		}
		return w.secrets.hide(output), err
	}
	return t
}

// A discreetError is an error told in other words.
type discreetError struct {
	told string
	err  error
}

func (e *discreetError) Error() string { return e.told }
func (e *discreetError) Unwrap() error { return e.err }

// A redactor is a filter that puts a mark in the place of secrets, however the
// writes are cut. It holds back as much as the longest secret, since what is
// passed on can be cut off but not taken back. Secrets that overlap become one
// mark.
type redactor struct {
	secrets *secrets
	out     io.Writer
	held    []byte // not passed on yet
	covered int    // how many bytes at the start of held belong to a secret
	marked  bool   // what was passed on ends in the mark for them
}

// Write passes on what p decides. It never fails.
func (r *redactor) Write(p []byte) (int, error) {
	if r.secrets.longest == 0 {
		r.out.Write(p)
		return len(p), nil
	}
	r.held = append(r.held, p...)
	if ready := len(r.held) - r.secrets.longest + 1; ready >= redactedAtOnce {
		r.decide(ready)
	}
	return len(p), nil
}

// Close passes on what was held back. It is called once, after the last Write.
func (r *redactor) Close() { r.decide(len(r.held)) }

// decide passes on the first n bytes of what is held. A secret that begins in
// them ends in what is held, or is none.
func (r *redactor) decide(n int) {
	plain := 0 // where the bytes begin that are still to be passed on
	if r.covered > 0 || r.secrets.in(r.held) {
		plain = r.mark(n)
	} else {
		r.marked = r.marked && n == 0
	}
	r.out.Write(r.held[plain:n])
	r.held = append(r.held[:0], r.held[n:]...)
}

// mark passes on the first n bytes of what is held up to the end of the last
// secret that begins in them, and returns where that is.
func (r *redactor) mark(n int) (plain int) {
	for i := range n {
		r.covered = max(r.covered, r.secrets.at(r.held[i:]))
		if r.covered == 0 {
			r.marked = false
			continue
		}
		r.out.Write(r.held[plain:i])
		if !r.marked {
			io.WriteString(r.out, r.secrets.mark)
		}
		r.covered, r.marked, plain = r.covered-1, true, i+1
	}
	return plain
}
