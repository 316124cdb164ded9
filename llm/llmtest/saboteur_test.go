package llmtest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/llmtest"
)

// A saboteur is a small client of its own with one mistake, named as the subtest
// that must catch it. Without one it is a good client.
type saboteur struct {
	mistake string
	ep      llmtest.Endpoint
	t       *testing.T

	mu     sync.Mutex
	cache  map[string]string
	latest string
}

func (s *saboteur) has(mistake string) bool { return s.mistake == mistake }

func (s *saboteur) Ask(ctx context.Context, prompt string) (string, error) {
	if ctx.Err() != nil {
		if !s.has("cancel-before") {
			return "", ctx.Err()
		}
		ctx = context.WithoutCancel(ctx)
	}
	if s.has("goroutines") {
		go func() { <-s.t.Context().Done() }()
	}
	if reply, ok := s.remembered(prompt); ok {
		return reply, nil
	}
	reply, err := s.try(ctx, s.changed(prompt))
	if s.has("deadline") && errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("timed out")
	}
	s.remember(prompt, reply, err)
	return reply, err
}

// remembered has a reply to an earlier prompt.
func (s *saboteur) remembered(prompt string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reply, ok := s.cache[prompt]
	return reply, ok
}

func (s *saboteur) remember(prompt, reply string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.has("memory") && err == nil {
		if s.cache == nil {
			s.cache = map[string]string{}
		}
		s.cache[prompt] = reply
	}
}

// changed returns the prompt that is sent.
func (s *saboteur) changed(prompt string) string {
	switch {
	case s.has("prompt"):
		return strings.TrimLeft(prompt, " ")
	case s.has("prompt-large"):
		return prompt[:min(len(prompt), 1<<19)]
	case s.has("concurrent"):
		s.mu.Lock()
		s.latest = prompt
		s.mu.Unlock()
		time.Sleep(time.Millisecond)
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.latest
	}
	return prompt
}

// errLater is an error after which the ask may be sent again.
type errLater struct {
	error
	wait time.Duration
}

func (e *errLater) Unwrap() error { return e.error }

// try asks until there is a reply or no hope.
func (s *saboteur) try(ctx context.Context, prompt string) (string, error) {
	tries := 3
	if s.has("retry-bounded") {
		tries = 50
	}
	for n := 1; ; n++ {
		reply, err := s.once(ctx, prompt)
		later, ok := err.(*errLater)
		if !ok {
			return reply, err
		}
		if deadline, ok := ctx.Deadline(); n == tries || ok && time.Until(deadline) < later.wait && !s.has("retry-deadline") {
			return "", later.error
		}
		if !s.has("retry-told") {
			llm.ContextTrace(ctx).Retry(later.error)
		}
		if err := s.pause(ctx, max(later.wait, time.Second)); err != nil {
			return "", err
		}
	}
}

func (s *saboteur) pause(ctx context.Context, d time.Duration) error {
	if s.has("retry-deadline") {
		time.Sleep(4 * d)
		return ctx.Err()
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// once sends one request.
func (s *saboteur) once(ctx context.Context, prompt string) (string, error) {
	own := ctx
	if _, ok := ctx.Deadline(); !ok && (s.has("fault-timeout") || s.has("fault-hang")) {
		own = context.WithoutCancel(ctx)
	}
	req, _ := http.NewRequestWithContext(own, http.MethodPost, s.ep.BaseURL+"/chat/completions", bytes.NewReader(s.body(ctx, prompt)))
	req.Header.Set("Content-Type", "application/json")
	if !s.has("key") {
		req.Header.Set("Authorization", "Bearer "+s.ep.Key)
	} else {
		req.Header.Set("Authorization", s.ep.Key)
	}
	if s.has("fault-hang") {
		stop := s.cancelling(ctx, req)
		defer stop()
	}
	resp, err := s.ep.Client.Do(req)
	switch {
	case err != nil && ctx.Err() != nil:
		return "", fmt.Errorf("ask: %w", ctx.Err())
	case err != nil && s.has("connection"):
		return "", fmt.Errorf("cannot connect: %w", err)
	case err != nil:
		return "", &llm.ConnectionError{Host: s.ep.BaseURL, Err: err}
	}
	if !s.has("body-closed") {
		defer resp.Body.Close()
	}
	if s.has("fault-timeout") {
		stop := context.AfterFunc(ctx, func() { resp.Body.Close() })
		defer stop()
	}
	return s.read(ctx, resp)
}

// cancelling makes the request end with ctx until the header is there.
func (s *saboteur) cancelling(ctx context.Context, req *http.Request) func() bool {
	own, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.latest != "header" {
			cancel()
		}
	})
	*req = *req.WithContext(own)
	return stop
}

// body returns the request.
func (s *saboteur) body(ctx context.Context, prompt string) []byte {
	type message struct {
		Role    llm.Role `json:"role"`
		Content string   `json:"content"`
	}
	var messages []message
	from := 0
	for _, part := range llm.ContextParts(ctx) {
		text := prompt[from:part.End]
		if s.has("parts") {
			text = strings.TrimSpace(text)
		}
		messages, from = append(messages, message{part.Role, text}), part.End
	}
	if messages == nil {
		messages = []message{{llm.User, prompt}}
	}
	request := map[string]any{"model": s.ep.Model, "messages": messages, "stream": !s.ep.Plain}
	if !s.ep.Plain {
		request["stream_options"] = map[string]any{"include_usage": true}
	}
	data, _ := json.Marshal(request)
	return data
}

// read reads an answer.
func (s *saboteur) read(ctx context.Context, resp *http.Response) (string, error) {
	if resp.StatusCode != 200 {
		data, _ := io.ReadAll(resp.Body)
		return "", s.status(resp, data)
	}
	s.mu.Lock()
	if s.has("fault-hang") {
		s.latest = "header"
	}
	s.mu.Unlock()
	a := &answerOf{saboteur: s, trace: llm.ContextTrace(ctx)}
	reply, err := a.take(ctx, resp)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("ask: %w", ctx.Err())
	}
	return reply, err
}

// status is the error of a status.
func (s *saboteur) status(resp *http.Response, data []byte) error {
	var body struct{ Error struct{ Message string } }
	_ = json.Unmarshal(data, &body)
	e := &llm.StatusError{Code: resp.StatusCode, Message: s.hide(body.Error.Message)}
	header := resp.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(header); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(header); err == nil && !s.has("retry-after-date") {
		e.RetryAfter = time.Until(at)
	}
	if s.has("retry-after") && resp.StatusCode == 429 && e.RetryAfter == 20*time.Second && len(header) < 4 {
		return &errLater{e, 0}
	}
	if e.Code == 429 || e.Code >= 500 || e.Code == 401 && s.has("no-retry") {
		return &errLater{e, e.RetryAfter}
	}
	if e.Code == 400 && s.has("fault-status") {
		return fmt.Errorf("cannot connect: %s", e.Message)
	}
	return e
}

func (s *saboteur) hide(text string) string {
	if s.has("key-hidden") {
		return text
	}
	return strings.ReplaceAll(text, s.ep.Key, "[key]")
}

// An answerOf is an answer of the status 200 being read.
type answerOf struct {
	*saboteur
	trace   llm.Trace
	text    strings.Builder
	refused string
	finish  string
	choices bool
	lax     bool // whether a stream that just ends is taken for whole
}

// take reads the answer, whatever it is.
func (a *answerOf) take(ctx context.Context, resp *http.Response) (string, error) {
	body := bufio.NewReader(resp.Body)
	if a.has("reply-split") {
		body = bufio.NewReader(&validReader{resp.Body})
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return a.whole(body)
	}
	for {
		line, err := body.ReadString('\n')
		data, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "data: ")
		switch {
		case err == io.EOF:
			return a.end()
		case err != nil && a.has("fault-reset") && ctx.Err() == nil:
			a.lax = true
			return a.end()
		case err != nil:
			return "", &llm.TruncatedError{Text: a.text.String(), Reason: "connection broke", Err: err}
		case data == "[DONE]":
			return a.end()
		case !ok:
			continue
		}
		if err := a.event(data); err != nil {
			return "", err
		}
	}
}

// A validReader makes valid UTF-8 of what it reads, each piece by itself.
type validReader struct{ io.Reader }

func (r *validReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p[:len(p)/4])
	return copy(p, strings.ToValidUTF8(string(p[:n]), "?")), err
}

type event struct {
	Choices []struct {
		Delta, Message struct{ Content, Refusal string }
		Finish         string `json:"finish_reason"`
	}
	Usage *struct {
		Prompt  int `json:"prompt_tokens"`
		Reply   int `json:"completion_tokens"`
		Details struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
	Error *struct{ Message string }
}

// event takes an event of a stream.
func (a *answerOf) event(data string) error {
	var e event
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		if a.has("fault-badjson") {
			a.lax = true
			return nil
		}
		return &llm.DecodeError{Code: 200, Body: a.hide(data), Err: err}
	}
	if a.lax = a.lax || e.Error != nil && a.has("fault-errframe"); e.Error != nil && !a.lax {
		return &llm.StatusError{Message: a.hide(e.Error.Message)}
	}
	for _, c := range e.Choices {
		a.choices = true
		a.say(c.Delta.Content + c.Message.Content)
		a.refused += c.Delta.Refusal + c.Message.Refusal
		if c.Finish != "" {
			a.finish = c.Finish
		}
	}
	a.usage(e)
	return nil
}

func (a *answerOf) usage(e event) {
	if e.Usage == nil || e.Usage.Prompt == 0 {
		return
	}
	u := llm.Usage{Prompt: e.Usage.Prompt, Reply: e.Usage.Reply, Cached: e.Usage.Details.Cached}
	if a.has("usage") {
		u.Prompt -= u.Cached
	}
	a.trace.Usage(u)
}

// say takes text.
func (a *answerOf) say(text string) {
	a.text.WriteString(text)
	if a.has("trace") {
		text = strings.TrimSpace(text)
	}
	a.trace.Delta(text)
}

// whole reads an answer that is no stream.
func (a *answerOf) whole(body io.Reader) (string, error) {
	data, _ := io.ReadAll(body)
	if !json.Valid(data) {
		if a.has("fault-raw") {
			return string(data), nil
		}
		return "", &llm.DecodeError{Code: 200, Body: a.hide(string(data))}
	}
	if err := a.event(string(data)); err != nil {
		return "", err
	}
	reply, err := a.end()
	if a.has("plain") {
		reply = strings.ReplaceAll(reply, "\n", " ")
	}
	return reply, err
}

// end says what has come.
func (a *answerOf) end() (string, error) {
	text := a.text.String()
	switch {
	case a.refused != "" && !a.has("refusal"):
		return "", &llm.RefusedError{Text: a.refused, Reason: "refusal"}
	case a.refused != "":
		return a.refused, nil
	case a.finish == "content_filter" && !a.has("content-filter"):
		return "", &llm.RefusedError{Text: text, Reason: a.finish}
	case a.finish == "length" && !a.has("length"):
		return "", &llm.TruncatedError{Text: text, Reason: a.finish}
	case !a.choices && a.has("fault-empty"):
		return "", nil
	case !a.choices:
		return "", llm.ErrNoReply
	case a.finish == "" && !a.lax && !a.has("fault-cut"):
		return "", &llm.TruncatedError{Text: text, Reason: "stream ended without a finish reason"}
	case text == "" && !a.has("no-reply"):
		return "", llm.ErrNoReply
	}
	if a.has("reply") && !a.ep.Plain {
		text = strings.TrimSpace(text)
	}
	return text, nil
}

// mistakes are those of the saboteurs: each is the name of the subtest of TestAsker
// that catches it.
var mistakes = []string{
	"prompt", "prompt-large", "parts", "reply", "reply-split", "plain", "trace", "usage", "memory", "concurrent",
	"no-reply", "length", "content-filter", "refusal",
	"fault-status", "fault-cut", "fault-reset", "fault-badjson", "fault-errframe", "fault-empty", "fault-raw",
	"cancel-before", "fault-timeout", "fault-hang", "deadline", "connection",
	"no-retry", "retry-after", "retry-after-date", "retry-bounded", "retry-deadline", "retry-told",
	"key", "key-hidden", "body-closed", "goroutines",
}

// heavy reports whether a subtest takes long under the race detector.
func heavy(name string) bool {
	return name == "prompt-large" || name == "concurrent" || name == "reply-split"
}

// TestSaboteurs holds that each mistake of a client is caught, by its own subtest
// and no other.
func TestSaboteurs(t *testing.T) {
	for _, mistake := range append([]string{""}, mistakes...) {
		t.Run(mistake, func(t *testing.T) {
			found := llmtest.CheckAsker(t, func(t *testing.T, ep llmtest.Endpoint) llm.Asker {
				return &saboteur{mistake: mistake, ep: ep, t: t}
			}, func(name string) bool { return heavy(name) && spared && mistake != "" && mistake != name })
			caught(t, mistake, found)
		})
	}
}
