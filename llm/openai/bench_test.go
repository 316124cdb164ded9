package openai_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
)

// discard is a transport that reads nothing of a request and answers with a
// stream.
var discard = roundTripper(func(r *http.Request) (*http.Response, error) {
	_ = r.Body.Close()
	return &http.Response{StatusCode: 200, Header: streamHeader, Body: io.NopCloser(strings.NewReader(benchReply)), Request: r}, nil
})

var streamHeader = http.Header{"Content-Type": {"text/event-stream"}}

var benchReply = chunk("I look.\nACT: ") + chunk("read_file a.go") + finish("stop") + end

// acts lets ask see the prompts of a run with 1,000 acts and observations of
// 1 KiB.
func acts(ask func(prompt string, parts []llm.Part)) {
	observation := "\nOBS:\n```obs\n" + strings.Repeat("func f(a, b int) \"x\"\n", 48) + "\n```"
	var c conversation
	c.add(llm.System, strings.Repeat("rules of the protocol\n", 60))
	c.add(llm.User, "\n\nTASK: fix it")
	for range 1000 {
		ask(c.prompt.String(), slices.Clip(c.parts))
		c.add(llm.Assistant, "\n\nI look.\nACT: read_file a.go")
		c.add(llm.User, observation)
	}
}

func BenchmarkAsk(b *testing.B) {
	client := &http.Client{Transport: discard}
	post := func(length int, body io.Reader) []byte {
		req, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://server.test/v1/chat/completions", body)
		req.ContentLength = int64(length)
		resp, err := client.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		reply, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		return reply
	}
	b.Run("client", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			model := &openai.Client{BaseURL: "http://server.test/v1", Model: "m", HTTP: client}
			acts(func(prompt string, parts []llm.Part) {
				if _, err := model.Ask(llm.WithParts(b.Context(), parts), prompt); err != nil {
					b.Fatal(err)
				}
			})
		}
	})
	b.Run("whole-json", func(b *testing.B) { // what a client does that encodes every request anew
		type message struct {
			Role    llm.Role `json:"role"`
			Content string   `json:"content"`
		}
		for b.Loop() {
			acts(func(prompt string, parts []llm.Part) {
				messages := make([]message, len(parts))
				from := 0
				for i, p := range parts {
					messages[i], from = message{p.Role, prompt[from:p.End]}, p.End
				}
				data, _ := json.Marshal(map[string]any{"model": "m", "stream": true, "messages": messages})
				post(len(data), bytes.NewReader(data))
			})
		}
	})
	floor := func(read func(reply []byte)) func(b *testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var body []byte
				done := 0
				acts(func(prompt string, _ []llm.Part) {
					quoted, _ := json.Marshal(prompt[done:])
					body, done = append(body, quoted...), len(prompt)
					read(post(len(body), bytes.NewReader(body)))
				})
			}
		}
	}
	// Both escape what is new only; the first takes the reply for mere bytes.
	b.Run("floor", floor(func([]byte) {}))
	b.Run("floor-decoded", floor(func(reply []byte) {
		for line := range bytes.Lines(reply) {
			var event struct {
				Choices []struct {
					Delta  struct{ Content string }
					Finish string `json:"finish_reason"`
				}
			}
			if data, ok := bytes.CutPrefix(line, []byte("data: {")); ok && json.Unmarshal(append([]byte("{"), data...), &event) != nil {
				b.Fatal("reply")
			}
		}
	}))
}

// turns lets chat see the conversations of a run with 1,000 calls and results of
// 1 KiB.
func turns(chat func(messages []llm.Message)) {
	result := strings.Repeat("func f(a, b int) \"x\"\n", 48)
	messages := []llm.Message{{Role: llm.System, Text: strings.Repeat("rules\n", 60)}, {Role: llm.User, Text: "fix it"}}
	for n := range 1000 {
		chat(slices.Clip(messages))
		id := fmt.Sprint("call", n)
		messages = append(messages,
			llm.Message{Role: llm.Assistant, Text: "I look.", Calls: []llm.ToolCall{{ID: id, Name: "read_file", Arguments: `{"path":"a.go"}`}}},
			llm.Message{Role: llm.ToolResult, CallID: id, Text: result})
	}
}

// BenchmarkChat compares a client that remembers what it has encoded with one that
// meets every conversation for the first time.
func BenchmarkChat(b *testing.B) {
	for _, forgets := range []bool{false, true} {
		b.Run(map[bool]string{false: "client", true: "forgetful"}[forgets], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var model *openai.Client
				turns(func(messages []llm.Message) {
					if model == nil || forgets {
						model = &openai.Client{BaseURL: "http://server.test/v1", Model: "m", HTTP: &http.Client{Transport: discard}}
					}
					if _, err := model.Chat(b.Context(), llm.ChatRequest{Messages: messages}); err != nil {
						b.Fatal(err)
					}
				})
			}
		})
	}
}
