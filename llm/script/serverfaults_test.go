package script_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestServerFaults looks at what goes over the wire.
func TestServerFaults(t *testing.T) {
	const (
		first  = `{"role":"assistant","content":""}|{"content":"one "}|{"content":"two "}`
		broken = `{"choices":[{"del`
	)
	for _, c := range []struct {
		fault  string
		body   string
		code   int
		header [2]string
		want   string // texts of a stream, as events below, or the body
		breaks bool   // the connection breaks
	}{
		{"status 429 retry-after=20s", user, 429, [2]string{"Retry-After", "20"}, `{"error":{"message":"one two three","type":"requests","param":null,"code":"rate_limit_exceeded"}}`, false},
		{"status 503", stream, 503, [2]string{"Retry-After", ""}, `{"error":{"message":"one two three","type":"server_error","param":null,"code":null}}`, false},
		{"status 401", stream, 401, [2]string{"Content-Type", "application/json"}, `{"error":{"message":"one two three","type":"invalid_request_error","param":null,"code":null}}`, false},
		{"raw type=text/html", stream, 200, [2]string{"Content-Type", "text/html"}, "one two three", false},
		{"raw", user, 200, [2]string{"Content-Type", "text/plain; charset=utf-8"}, "one two three", false},
		{"cut after=2", stream, 200, [2]string{"Content-Type", "text/event-stream"}, first, false},
		{"reset after=2", stream, 200, [2]string{}, first, true},
		{"badjson after=2", stream, 200, [2]string{}, first + "|" + broken + "|[DONE]", false},
		{"errframe after=2 message=busy", stream, 200, [2]string{}, first + `|{"error":{"message":"busy","type":"server_error","param":null,"code":null}}`, false},
		{"errframe after=0", stream, 200, [2]string{}, `{"role":"assistant","content":""}|{"error":{"message":"the server had an error","type":"server_error","param":null,"code":null}}`, false},
		{"empty", stream, 200, [2]string{}, `|[DONE]`, false},
		{"empty", user, 200, [2]string{}, `"choices":[],`, false},
		{"badjson after=2", user, 200, [2]string{"Content-Type", "application/json"}, broken, false},
		{"errframe after=2 message=busy", user, 200, [2]string{}, `{"error":{"message":"busy","type":"server_error","param":null,"code":null}}`, false},
		{"cut after=2", user, 200, [2]string{}, `"message":{"role":"assistant","content":"one two `, false},
		{"reset after=2", user, 200, [2]string{}, `"message":{"role":"assistant","content":"one two `, true},
	} {
		t.Run(c.fault, func(t *testing.T) {
			text := "one two three\n"
			if strings.HasPrefix(c.fault, "empty") {
				text = ""
			}
			p, s := served(t, "-- fault "+c.fault+" --\n"+text+"-- reply --\nyes\n")
			server := httptest.NewServer(s)
			t.Cleanup(server.Close)
			resp, err := http.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(c.body))
			require.NoError(t, err)
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			assert.Equal(t, c.breaks, err != nil, "%v", err)
			assert.Equal(t, c.code, resp.StatusCode)
			if c.header[0] != "" {
				assert.Equal(t, c.header[1], resp.Header.Get(c.header[0]))
			}
			if strings.HasPrefix(string(body), "data: ") {
				assert.Equal(t, c.want, events(t, string(body)))
			} else {
				assert.Contains(t, string(body), c.want)
			}
			assert.Equal(t, 200, post(s, c.body).Code, "after a fault the script goes on")
			assert.NoError(t, p.Check())
		})
	}
}

// events returns the deltas of a stream, joined, and what is none as it is.
func events(t *testing.T, body string) string {
	t.Helper()
	var all []string
	for event := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		data := strings.TrimPrefix(event, "data: ")
		var chunk struct {
			Choices []struct {
				Delta json.RawMessage `json:"delta"`
			} `json:"choices"`
			Error any `json:"error"`
		}
		switch err := json.Unmarshal([]byte(data), &chunk); {
		case err != nil || chunk.Error != nil:
			all = append(all, data)
		case len(chunk.Choices) == 0:
			all = append(all, "")
		default:
			all = append(all, string(chunk.Choices[0].Delta))
		}
	}
	return strings.Join(all, "|")
}

// TestServerSilence waits for a server that says nothing.
func TestServerSilence(t *testing.T) {
	for _, c := range []struct{ fault, body, want string }{
		{"timeout", user, ""},
		{"timeout", stream, ""},
		{"hang after=1", stream, `{"role":"assistant","content":""}|{"content":"one "}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			text := "one two\n"
			if c.fault == "timeout" {
				text = ""
			}
			p, s := served(t, "-- fault "+c.fault+" --\n"+text+"-- reply --\nyes\n")
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", strings.NewReader(c.body))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			start := time.Now()
			s.ServeHTTP(w, r)
			assert.Equal(t, time.Hour, time.Since(start))
			if c.want != "" {
				assert.Equal(t, c.want, events(t, w.Body.String()))
			} else {
				assert.Empty(t, w.Body.String())
			}
			assert.True(t, s.Calls()[0].BrokeOff)
			assert.Equal(t, 200, post(s, c.body).Code)
			assert.NoError(t, p.Check())
		})
	}
}

// TestServerDelays waits as the script says.
func TestServerDelays(t *testing.T) {
	for body, want := range map[string]time.Duration{user: 30 * time.Second, stream: 50 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			_, s := served(t, "-- reply delay=30s gap=10s chunk=1 --\nabc\n")
			start := time.Now()
			assert.Equal(t, 200, post(s, body).Code)
			assert.Equal(t, want, time.Since(start))
		})
	}
}
