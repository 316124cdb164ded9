package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
)

// wantMessages are the messages of a prompt, made anew with encoding/json.
func wantMessages(t testing.TB, prompt string, parts []llm.Part) string {
	type message struct {
		Role    llm.Role `json:"role"`
		Content string   `json:"content"`
	}
	var all []message
	from := 0
	for _, p := range parts {
		text := prompt[from:p.End]
		from = p.End
		if n := len(all); text == "" {
			continue
		} else if n > 0 && all[n-1].Role == p.Role {
			all[n-1].Content += text
		} else {
			all = append(all, message{p.Role, text})
		}
	}
	if len(all) == 0 {
		all = []message{{llm.User, prompt}}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(all))
	return strings.TrimSuffix(b.String(), "\n")
}

// sender returns a client and a func that asks it and returns the messages that
// were sent.
func sender(t testing.TB) (*openai.Client, func(prompt string, parts []llm.Part) string) {
	type sentKey struct{}
	model := &openai.Client{BaseURL: "http://server.test/v1", Model: "m", Tries: 1}
	model.HTTP = &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		data, err := io.ReadAll(r.Body)
		if err != nil || int64(len(data)) != r.ContentLength {
			return nil, fmt.Errorf("length %d, want %d: %w", len(data), r.ContentLength, err)
		}
		*r.Context().Value(sentKey{}).(*string) = string(data)
		return response(r, 200, nil, whole("ok")), nil
	})}
	return model, func(prompt string, parts []llm.Part) string {
		var sent string
		_, err := model.Ask(context.WithValue(llm.WithParts(t.Context(), parts), sentKey{}, &sent), prompt)
		assert.NoError(t, err)
		_, messages, _ := strings.Cut(sent, `"messages":`)
		return strings.TrimSuffix(messages, "}")
	}
}

// A conversation is a prompt that grows.
type conversation struct {
	prompt strings.Builder
	parts  []llm.Part
}

func (c *conversation) add(role llm.Role, text string) {
	c.prompt.WriteString(text)
	c.parts = append(c.parts, llm.Part{Role: role, End: c.prompt.Len()})
}

func TestMemory(t *testing.T) {
	_, send := sender(t)
	ask := func(prompt string, parts []llm.Part) {
		t.Helper()
		assert.Equal(t, wantMessages(t, prompt, parts), send(prompt, parts))
	}
	prompt, p := parts("suauau", "rules", "task", "act", "obs", "act 2", "obs 2")
	end := func(n int) string { return prompt[:p[n-1].End] }

	ask(end(2), p[:2])
	ask(end(2), p[:2]) // the same again
	ask(end(4), p[:4])
	ask(prompt, p)

	// Two that go on from the same prompt, and one from each.
	fork, forked := parts("suau", "rules", "task", "other", "obs")
	ask(end(2), p[:2])
	ask(fork, forked)
	ask(prompt, p)
	ask(fork+"x", append(slices.Clip(forked), llm.Part{Role: llm.Assistant, End: len(fork) + 1}))
	ask(prompt+"y", append(slices.Clip(p), llm.Part{Role: llm.User, End: len(prompt) + 1}))

	// The same texts with other parts.
	for _, roles := range []string{"uuauau", "suuuau", "sauaua", "suauaa", "uuuuuu"} {
		_, others := parts(roles, "rules", "task", "act", "obs", "act 2", "obs 2")
		ask(prompt, others)
		ask(end(4), others[:4])
	}
	_, shifted := parts("suauau", "rule", "stas", "kact", "ob", "sact ", "2obs 2")
	ask(prompt, shifted)

	// A shorter prompt, and another one of the same length.
	ask("ru", []llm.Part{{Role: llm.User, End: 2}})
	ask("xx", []llm.Part{{Role: llm.User, End: 2}})
	ask("xxx", []llm.Part{{Role: llm.User, End: 3}})
	ask("xxxx", []llm.Part{{Role: llm.System, End: 4}})
}

func TestMemoryOneMessage(t *testing.T) {
	model, send := sender(t)
	prompt, p := parts("suau", "rules", "task", "act", "obs")
	one := func(prompt string) string { return wantMessages(t, prompt, nil) }
	assert.Equal(t, one("rules"), send("rules", nil))
	assert.Equal(t, one(prompt), send(prompt, nil))
	assert.Equal(t, wantMessages(t, prompt, p), send(prompt, p))
	model.OneMessage = true
	assert.Equal(t, one(prompt), send(prompt, p))
	assert.Equal(t, one(prompt+"more"), send(prompt+"more", nil))
}

// TestMemoryMany runs more conversations at once than are remembered.
func TestMemoryMany(t *testing.T) {
	_, send := sender(t)
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			var c conversation
			c.add(llm.System, "rules for <all>\n")
			c.add(llm.User, fmt.Sprintf("task %d", i%150)) // some share a task
			for n := range 4 {
				prompt := c.prompt.String()
				if got := send(prompt, slices.Clip(c.parts)); got != wantMessages(t, prompt, c.parts) {
					t.Errorf("conversation %d, ask %d: sent %s", i, n, got)
				}
				c.add(llm.Assistant, fmt.Sprintf("act \"%d\"", n))
				c.add(llm.User, strings.Repeat("é\n", i%50))
			}
		})
	}
	group.Wait()
}

// TestMemoryEarlyAnswer holds that a request which is still being sent when its
// answer has come does not change while the next one is made.
func TestMemoryEarlyAnswer(t *testing.T) {
	var group sync.WaitGroup
	var want []string
	model := &openai.Client{BaseURL: "http://server.test/v1", Model: "m"}
	next := make(chan struct{})
	model.HTTP = &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		want := want[len(want)-1]
		group.Go(func() {
			<-next
			data, err := io.ReadAll(r.Body)
			assert.NoError(t, err)
			assert.Contains(t, string(data), `"messages":`+want+"}")
		})
		return response(r, 200, nil, whole("ok")), nil
	})}
	var c conversation
	for n := range 50 {
		c.add([]llm.Role{llm.User, llm.Assistant}[n%2], strings.Repeat("\"x\"", 10*n))
		want = append(want, wantMessages(t, c.prompt.String(), c.parts))
		_, err := model.Ask(llm.WithParts(t.Context(), slices.Clip(c.parts)), c.prompt.String())
		require.NoError(t, err)
		if n == 10 {
			close(next) // from now on they are read while others are made
		}
	}
	group.Wait()
}

// TestMemoryLimit holds which prompts are remembered: the latest, as many as fit.
func TestMemoryLimit(t *testing.T) {
	const mib = 1 << 20
	assert.Equal(t, []int{6 * mib, 7 * mib, mib}, openai.Kept(5*mib, 6*mib, 7*mib, mib))
	assert.Equal(t, []int{mib}, openai.Kept(mib, 17*mib, mib))
	assert.Empty(t, openai.Kept(mib, 17*mib))
	assert.Len(t, openai.Kept(make([]int, 100)...), 64)
}

// FuzzMessages asks with every prefix of a prompt that ends with a part, in the
// order of growth and then once more with other roles.
func FuzzMessages(f *testing.F) {
	f.Add("rules\n\nTASK: x\n\nACT: y\nOBS: z", []byte{15, 24, 21, 20})
	f.Add("a\xe2\x82\xacb\xff\u2028<&>\"\\\x00", []byte{4, 4, 4, 7, 8, 9, 10, 11})
	f.Add("é🙂", []byte{3, 3, 3, 3, 3, 3})
	f.Add("é🙂", []byte{3, 1, 3, 2, 4, 0, 4, 1, 3, 5})
	f.Add("", []byte{1, 2})
	f.Add("é🙂", []byte{1, '0'})
	f.Add("x", []byte{})
	f.Fuzz(func(t *testing.T, text string, places []byte) {
		if len(places) > 100 || len(text) > 1<<16 {
			return
		}
		_, send := sender(t)
		roles := []llm.Role{llm.System, llm.User, llm.Assistant}
		for shift := range 2 {
			var c conversation
			for i, place := range places {
				left := text[c.prompt.Len():]
				n := min(int(place)/3, len(left))
				if i == len(places)-1 {
					n = len(left)
				}
				c.add(roles[(int(place)+shift)%3], left[:n])
				prompt, parts := c.prompt.String(), c.parts
				assert.Equal(t, wantMessages(t, prompt, parts), send(prompt, parts))
				assert.Equal(t, wantMessages(t, prompt, nil), send(prompt, nil))
			}
		}
	})
}
