package llmtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"runtime/pprof"
	"strings"
	"testing/synctest"
	"time"
)

// keyChecks are about the key.
func (a askerTest) keyChecks() []check {
	return []check{{"key", a.key}, {"key-hidden", a.keyHidden}}
}

func (a askerTest) key(r *report) {
	b := a.bench(r, "-- fault status 503 --\nbusy\n-- reply --\nfine\n", setup{})
	b.ask("go")
	for _, header := range b.asked() {
		if got := header.Get("Authorization"); got != "Bearer "+testKey {
			r.errorf("the header Authorization is %q, want the key", got)
		}
	}
	if len(b.asked()) == 0 {
		r.errorf("the server was not asked")
	}
}

// keyHidden: a server that repeats the key does not make the Asker tell it.
func (a askerTest) keyHidden(r *report) {
	var logged bytes.Buffer
	old := log.Writer()
	log.SetOutput(&logged)
	defer log.SetOutput(old)
	for _, fault := range []string{
		"-- fault status 401 --\nIncorrect API key provided: " + testKey + "\n",
		"-- fault errframe message=\"bad key " + testKey + "\" --\none\n",
		"-- fault raw type=text/html --\n<p>bad key " + testKey + "</p>\n",
		"-- fault cut --\none\n",
	} {
		b := a.bench(r, strings.Replace(fault, " --\n", " times=20 --\n", 1), setup{})
		e := b.ask("go")
		for _, verb := range []string{"%v", "%+v", "%#v"} {
			if text := fmt.Sprintf(verb, e.err); strings.Contains(text, testKey) {
				r.errorf("the error, printed with %s, holds the key: %s", verb, strings.ReplaceAll(text, testKey, "[the key]"))
			}
		}
	}
	if strings.Contains(logged.String(), testKey) {
		r.errorf("the log holds the key")
	}
}

// leakChecks are about what stays behind.
func (a askerTest) leakChecks() []check {
	return []check{{"body-closed", a.bodyClosed}, {"goroutines", a.goroutines}}
}

// bodyClosed: an answer that is given up is not kept open.
func (a askerTest) bodyClosed(r *report) {
	ended := make(chan struct{}, mostTries)
	b := a.bench(r, "-- reply --\nfine\n", setup{wrap: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			babble(w, r)
			ended <- struct{}{}
		})
	}})
	b.ask("go")
	time.Sleep(5 * time.Second)
	synctest.Wait()
	if asked := len(b.asked()); len(ended) < asked {
		r.errorf("the body of an answer was not closed: the server still sends %d of %d", asked-len(ended), asked)
	}
}

// babble sends a broken piece of a reply, and then more for a long time.
func babble(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	piece := `data: {"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("x", 1000) + `"}}]}` + "\n\n"
	text := "data: {\"choices\":[{\"del\n\n"
	for range 1000 {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-time.After(time.Second):
		}
		text = piece
	}
}

// goroutines: none is left when the asks have ended and idle connections are
// closed.
func (a askerTest) goroutines(r *report) {
	const label = "llmtest-conformance"
	pprof.Do(r.t.Context(), pprof.Labels(label, r.t.Name()), func(context.Context) {
		for _, text := range []string{"-- reply --\nfine\n", "-- fault cut times=20 --\none\n", "-- fault status 400 --\nno\n", "-- fault timeout times=20 --\n"} {
			b := a.bench(r, text, setup{})
			b.askFor(10*time.Second, "go")
			b.close()
		}
	})
	synctest.Wait()
	if n := labelled(label, r.t.Name()); n > 0 {
		r.errorf("%d goroutines are left behind", n)
	}
}

// labelled returns how many goroutines there are with a label.
func labelled(label, value string) int {
	var b bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&b, 1) // a buffer takes it
	want, n := fmt.Sprintf("%q:%q", label, value), 0
	for stack := range strings.SplitSeq(b.String(), "\n\n") {
		if strings.Contains(stack, want) {
			count := 1
			_, _ = fmt.Sscanf(strings.TrimSpace(stack), "%d @", &count)
			n += count
		}
	}
	return n
}
