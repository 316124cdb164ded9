package llm_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
)

func TestErrorTexts(t *testing.T) {
	long, fits, noRunes := strings.Repeat("ä", 1000), strings.Repeat("x", 200), strings.Repeat("\x80", 300)
	for _, c := range []struct {
		err  error
		want string
	}{
		{&llm.TruncatedError{Text: "ACT: ba", Reason: "length"}, `reply cut (length) after "ACT: ba"`},
		{&llm.TruncatedError{Reason: "connection broke", Err: io.ErrUnexpectedEOF}, `reply cut (connection broke) after "": unexpected EOF`},
		{&llm.StatusError{Code: 429, Message: "slow down", RetryAfter: 20 * time.Second}, "server answered 429: slow down (retry after 20s)"},
		{&llm.StatusError{Code: 503}, "server answered 503"},
		{&llm.DecodeError{Body: "<html>", Err: errors.New("invalid character")}, `server's answer cannot be read: "<html>": invalid character`},
		{&llm.StatusError{Message: "overloaded"}, "server reported an error: overloaded"},
		{&llm.ConnectionError{Host: "http://localhost:1", Err: io.EOF}, "connection to http://localhost:1: EOF"},
		{&llm.RefusedError{Reason: "content_filter"}, "reply refused (content_filter)"},
		{&llm.RefusedError{Reason: "refusal", Text: "No."}, `reply refused (refusal): "No."`},
		{&llm.TruncatedError{Text: long + "end", Reason: "length"}, `reply cut (length) after "…` + strings.Repeat("ä", 98) + `end"`},
		{&llm.StatusError{Code: 500, Message: long}, "server answered 500: " + strings.Repeat("ä", 100) + "…"},
		{&llm.StatusError{Code: 500, Message: "x" + long}, "server answered 500: x" + strings.Repeat("ä", 99) + "…"},
		{&llm.StatusError{Code: 500, Message: fits}, "server answered 500: " + fits},
		{&llm.StatusError{Code: 500, Message: noRunes}, "server answered 500: …"},
		{&llm.TruncatedError{Text: fits, Reason: "length"}, `reply cut (length) after "` + fits + `"`},
		{&llm.TruncatedError{Text: noRunes, Reason: "length"}, `reply cut (length) after "…"`},
		{&llm.StatusError{Code: 429, RetryAfter: 365 * 24 * time.Hour}, "server answered 429 (retry after 8760h0m0s)"},
		{&llm.StatusError{Code: 429, RetryAfter: 365*24*time.Hour + 1}, "server answered 429 (retry after more than a year)"},
	} {
		assert.EqualError(t, c.err, c.want)
	}
	assert.ErrorIs(t, &llm.TruncatedError{Err: io.ErrUnexpectedEOF}, io.ErrUnexpectedEOF)
	assert.ErrorIs(t, &llm.DecodeError{Err: io.EOF}, io.EOF)
}

func TestTrace(t *testing.T) {
	llm.ContextTrace(t.Context()).Delta("nobody listens")

	var heard []string
	note := func(who string) *llm.Trace {
		return &llm.Trace{
			Delta: func(text string) { heard = append(heard, who+" "+text) },
			Usage: func(u llm.Usage) { heard = append(heard, who+" usage") },
		}
	}
	ctx := llm.WithTrace(t.Context(), note("outer"))
	ctx = llm.WithTrace(ctx, &llm.Trace{Retry: func(err error) { heard = append(heard, err.Error()) }})
	ctx = llm.WithTrace(ctx, note("inner"))
	trace := llm.ContextTrace(ctx)
	trace.Delta("a")
	trace.Retry(errors.New("again"))
	trace.Usage(llm.Usage{Prompt: 1})
	trace.Reasoning("nobody")
	assert.Equal(t, []string{"inner a", "outer a", "again", "inner usage", "outer usage"}, heard)
}

func TestWithoutTrace(t *testing.T) {
	ctx := llm.WithTrace(t.Context(), &llm.Trace{Delta: func(string) { t.Error("heard") }})
	ctx = llm.WithParts(ctx, []llm.Part{{End: 1}})
	assert.Equal(t, ctx, llm.WithTrace(ctx, nil))
	quiet := llm.WithoutTrace(ctx)
	llm.ContextTrace(quiet).Delta("x")
	assert.Nil(t, llm.ContextParts(quiet))
	heard := ""
	llm.ContextTrace(llm.WithTrace(quiet, &llm.Trace{Delta: func(s string) { heard = s }})).Delta("x")
	assert.Equal(t, "x", heard)
}

func TestParts(t *testing.T) {
	assert.Nil(t, llm.ContextParts(context.Background()))
	parts := []llm.Part{{Role: llm.System, Name: "instructions", End: 3}, {Role: llm.User, Name: "task", End: 9}}
	assert.Equal(t, parts, llm.ContextParts(llm.WithParts(t.Context(), parts)))
}

func TestAskFunc(t *testing.T) {
	var a llm.Asker = llm.AskFunc(func(_ context.Context, p string) (string, error) { return p + "!", nil })
	reply, err := a.Ask(t.Context(), "x")
	require.NoError(t, err)
	assert.Equal(t, "x!", reply)
}
