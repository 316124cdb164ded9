package script

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// all is the After of a fault before which the whole text arrives.
const all = -1

// addFault reads a fault into a step.
func (p *parser) addFault(step *Step, h head, from block) (err error) {
	f := &Fault{Kind: h.words[0], After: all, Type: h.get("type"), Message: h.get("message")}
	step.Fault = f
	if f.Section, err = p.text(h, from); err != nil {
		return err
	}
	if err = f.take(h); err != nil {
		return p.errorf(from.line, "%w", err)
	}
	if (f.Kind == "timeout" || f.Kind == "empty") && strings.TrimSpace(f.Text) != "" {
		return p.errorf(from.line, "fault %s sends nothing; delete the text under it", f.Kind)
	}
	return nil
}

// take sets what the marker says.
func (f *Fault) take(h head) (err error) {
	for _, o := range h.options {
		switch o.key {
		case "after":
			f.After, err = number(o.key, o.value, 0)
		case "retry-after":
			f.RetryAfter, err = duration(o.key, o.value)
			if err == nil && f.RetryAfter%time.Second != 0 {
				err = fmt.Errorf("retry-after=%s; servers say it in whole seconds", o.value)
			}
		case "type":
			if !strings.Contains(o.value, "/") {
				err = fmt.Errorf("type=%s; want a media type such as text/html", o.value)
			}
		}
		if err != nil {
			return err
		}
	}
	if f.Kind == "status" {
		return f.takeStatus(h.words[1])
	}
	return nil
}

func (f *Fault) takeStatus(code string) (err error) {
	f.Status, err = strconv.Atoi(code)
	if err != nil || f.Status < 300 || f.Status > 599 {
		return fmt.Errorf("status %s; want an HTTP status from 300 to 599", code)
	}
	return nil
}

// head returns the fault's marker.
func (f *Fault) head() head {
	h := head{kind: "fault", words: []string{f.Kind}}
	switch f.Kind {
	case "status":
		h.words = append(h.words, strconv.Itoa(f.Status))
		if f.RetryAfter > 0 {
			h.add("retry-after", shortDuration(f.RetryAfter))
		}
	case "raw":
		h.add("type", f.Type)
	case "errframe":
		h.add("message", f.Message)
	}
	if f.After > all && f.arrives() {
		h.add("after", strconv.Itoa(f.After))
	}
	return h
}

// arrives reports whether the fault's text is what arrives before it.
func (f *Fault) arrives() bool {
	switch f.Kind {
	case "hang", "cut", "reset", "badjson", "errframe":
		return true
	}
	return false
}

// words returns the server's words of status and errframe.
func (f *Fault) words() string {
	switch {
	case f.Kind == "status" && f.Text != "":
		return f.Text
	case f.Kind == "status":
		return http.StatusText(f.Status)
	case f.Message != "":
		return f.Message
	}
	return "the server had an error"
}

// String returns the fault as its marker has it, such as "fault status 429".
func (f *Fault) String() string {
	if f.Kind == "status" {
		return "fault status " + strconv.Itoa(f.Status)
	}
	return "fault " + f.Kind
}
