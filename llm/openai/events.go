package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/sashabaranov/go-openai"
	"github.com/tmaxmax/go-sse"

	"github.com/actdone/actdone/llm"
)

// endMark is the event that ends a stream.
const endMark = "data: [DONE]\n\n"

// mostEvent is the longest event that is read, in bytes.
const mostEvent = 16 << 20

// events reads a stream of server-sent events and hands it on with one chunk a
// line, in the library's own shape: no comments, no other fields, no chunk over
// several lines.
type events struct {
	wire  *wire
	body  io.Closer
	next  func() (sse.Event, error, bool)
	stop  func()
	ready []byte
	err   error
}

func newEvents(w *wire, from io.Reader, body io.Closer) *events {
	e := &events{wire: w, body: body}
	// The blank line lets an event count that the server forgot to end.
	whole := io.MultiReader(from, strings.NewReader("\n\n"))
	e.next, e.stop = iter.Pull2(iter.Seq2[sse.Event, error](sse.Read(whole, &sse.ReadConfig{MaxEventSize: mostEvent})))
	return e
}

// Read gives the next bytes of the clean stream.
func (e *events) Read(p []byte) (int, error) {
	for len(e.ready) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.advance()
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// Close ends the request.
func (e *events) Close() error {
	err := e.body.Close()
	e.stop()
	return err
}

// advance reads the next event.
func (e *events) advance() {
	event, err, ok := e.next()
	switch {
	case !ok:
		e.err = io.EOF
	case err != nil:
		e.err = err
	default:
		e.take(strings.TrimSpace(event.Data))
	}
}

// take makes the chunks of an event ready. Some servers put every chunk on a
// line of its own without a blank one between, so an event that is no chunk as a
// whole is taken line by line.
func (e *events) take(data string) {
	if e.chunk(data) {
		return
	}
	for line := range strings.SplitSeq(data, "\n") {
		if line = strings.TrimSpace(line); e.err == nil && !e.chunk(line) {
			e.unread(line)
		}
	}
}

// chunk makes one chunk ready. It reports whether data is one.
func (e *events) chunk(data string) bool {
	switch data {
	case "":
		return true
	case "[DONE]":
		e.wire.whole = true
		e.ready = append(e.ready, endMark...)
		return true
	}
	chunk, err := normalize([]byte(data))
	if err != nil {
		return false
	}
	if chunk.err != nil {
		e.err = chunk.err
		return true
	}
	e.ready = append(e.ready, chunk.line()...)
	return true
}

// unread is the end of a stream with an event that cannot be read: if nothing
// follows, the stream was cut in it.
func (e *events) unread(data string) {
	_, err, ok := e.next()
	switch {
	case !ok:
		e.err = io.EOF
	case err != nil:
		e.err = err
	default:
		e.err = &llm.DecodeError{Code: 200, Body: data, Err: errors.New("an event of the stream is no JSON of the API")}
	}
}

// A chunk is a piece of a reply in the library's shape, with the fields that
// count, or an error in its place.
type chunk struct {
	Choices []choice      `json:"choices"`
	Usage   *openai.Usage `json:"usage,omitempty"`
	err     *llm.StatusError
}

type choice struct {
	Index int `json:"index"`
	Delta struct {
		Content   string `json:"content,omitempty"`
		Reasoning string `json:"reasoning_content,omitempty"`
		Refusal   string `json:"refusal,omitempty"`
	} `json:"delta"`
	Finish string `json:"finish_reason,omitempty"`
}

// line returns the chunk as an event.
func (c chunk) line() []byte {
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // unreachable: it holds texts and numbers only
	}
	return append(append([]byte("data: "), data...), "\n\n"...)
}

// normalize reads a chunk or a whole reply as servers write them.
func normalize(data []byte) (chunk, error) {
	var in struct {
		Choices []struct {
			Index   int             `json:"index"`
			Delta   *piece          `json:"delta"`
			Message piece           `json:"message"`
			Text    content         `json:"text"`
			Finish  any             `json:"finish_reason"`
			Error   json.RawMessage `json:"error"`
		} `json:"choices"`
		Usage *usage          `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return chunk{}, err
	}
	var out chunk
	if failed(in.Error) {
		out.err = reported(in.Error)
		return out, nil
	}
	for _, c := range in.Choices {
		if failed(c.Error) {
			out.err = reported(c.Error)
			return out, nil
		}
		// A server may send the whole message once more at a stream's end.
		piece := *cmp.Or(c.Delta, &c.Message)
		choice := choice{Index: c.Index, Finish: wordsOf(c.Finish)}
		choice.Delta.Content = string(cmp.Or(piece.Content, c.Text))
		choice.Delta.Reasoning = string(cmp.Or(piece.ReasoningContent, piece.Reasoning))
		choice.Delta.Refusal = string(piece.Refusal)
		out.Choices = append(out.Choices, choice)
	}
	if in.Usage != nil {
		out.Usage = in.Usage.counted()
	}
	return out, nil
}

// failed reports whether an error field holds one.
func failed(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", "false", `""`, "{}":
		return false
	}
	return true
}

// reported reads an error that came in place of a reply.
func reported(raw json.RawMessage) *llm.StatusError {
	var shape struct {
		Code   json.RawMessage `json:"code"`
		Status json.RawMessage `json:"status"`
	}
	_ = json.Unmarshal(raw, &shape) // an error that is a text has neither
	e := &llm.StatusError{Message: words(raw)}
	for _, number := range []json.RawMessage{shape.Code, shape.Status} {
		if n, err := strconv.Atoi(strings.Trim(string(number), `"`)); err == nil && n >= 400 && n < 600 {
			e.Code = n
		}
	}
	if e.Message == "" {
		e.Message = string(raw)
	}
	return e
}

// A piece is a message or a part of one. Servers that send reasoning under both
// names send the same.
type piece struct {
	Content          content `json:"content"`
	ReasoningContent content `json:"reasoning_content"`
	Reasoning        content `json:"reasoning"`
	Refusal          content `json:"refusal"`
}

// content is a text, null, or a list of parts whose texts count.
type content string

// UnmarshalJSON reads any of them.
func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content(text)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*c += content(p.Text)
	}
	return nil
}

// usage is the token counts as servers write them, some with a decimal point.
type usage struct {
	Prompt     float64 `json:"prompt_tokens"`
	Completion float64 `json:"completion_tokens"`
	Details    struct {
		Cached float64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CacheRead float64 `json:"cache_read_input_tokens"`
	CacheHit  float64 `json:"prompt_cache_hit_tokens"`
}

func (u *usage) counted() *openai.Usage {
	return &openai.Usage{
		PromptTokens:        int(u.Prompt),
		CompletionTokens:    int(u.Completion),
		PromptTokensDetails: &openai.PromptTokensDetails{CachedTokens: int(max(u.Details.Cached, u.CacheRead, u.CacheHit))},
	}
}
