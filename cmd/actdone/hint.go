package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/actdone/actdone/llm"
)

const brokeOff = "the server broke off; its log may say why"

// hint says what to do about the error of an ask, or "".
func (c *choice) hint(ctx context.Context, err error) string {
	if e, ok := errors.AsType[*llm.StatusError](err); ok {
		return c.statusHint(ctx, e)
	}
	if e, ok := errors.AsType[*llm.TruncatedError](err); ok {
		if slices.Contains([]string{"length", "max_tokens"}, e.Reason) {
			return "the server's token limit for replies, or the model's context, is used up: raise it at the server (docs/MODELS.md)"
		}
		return brokeOff
	}
	if _, ok := errors.AsType[*llm.DecodeError](err); ok {
		return fmt.Sprintf("is %s the address of an OpenAI-compatible API? mostly it ends in /v1", c.base)
	}
	if errors.Is(err, llm.ErrNoReply) {
		return "a reasoning model may have spent all its tokens on thinking (docs/MODELS.md)"
	}
	return connectionHint(err)
}

// connectionHint is about servers that cannot be reached or do not answer.
func connectionHint(err error) string {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "is the base URL right?"
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" {
		return "is the server running, and is the base URL right?"
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		return brokeOff
	}
	return ""
}

// statusHint is about what the server says no to.
func (c *choice) statusHint(ctx context.Context, e *llm.StatusError) string {
	switch e.Code {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return c.requestHint(e)
	case http.StatusUnauthorized:
		if !hasKey() {
			return "the server wants a key: set OPENAI_API_KEY"
		}
		return "the server refuses the key: check OPENAI_API_KEY"
	case http.StatusPaymentRequired:
		return "the account has no credit left"
	case http.StatusForbidden:
		return "the key may not use this model or server: check OPENAI_API_KEY and --model"
	case http.StatusNotFound:
		return c.modelsHint(ctx)
	case http.StatusTooManyRequests:
		return "too many requests, or no quota left: wait, or check the account"
	}
	if e.Code >= 500 {
		if hint := c.rolesHint(e); hint != "" {
			return hint // llama.cpp has answered 500 for a template's error
		}
		return "the server is in trouble: its log may say why"
	}
	return ""
}

// requestHint is about requests that the server does not take.
func (c *choice) requestHint(e *llm.StatusError) string {
	switch hint := c.rolesHint(e); {
	case e.Code == http.StatusRequestEntityTooLarge || says(e, "context", "too long", "maximum length"):
		return "the prompt is too long for the model: raise the context size at the server (docs/MODELS.md), or let it read less"
	case hint != "":
		return hint
	case says(e, "temperature"):
		return "leave --temperature out for this model"
	case says(e, "model"):
		return "check --model"
	}
	return ""
}

// rolesHint is about models whose template does not take the messages as they
// are.
func (c *choice) rolesHint(e *llm.StatusError) string {
	if c.oneMessage || !says(e, "role", "alternate", "system message") {
		return ""
	}
	return "the model may want one message: try --one-message"
}

// says reports whether the server says one of the words.
func says(e *llm.StatusError, words ...string) bool {
	message := strings.ToLower(e.Message)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(message, word) })
}

// listTime is how long a message may wait for the names of models.
const listTime = 2 * time.Second

// modelsHint names the models there are, if the server tells without a key.
func (c *choice) modelsHint(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	models, _ := modelsAt(ctx, c.base)
	model, others := localServer{models: models}.pick()
	if model == "" {
		return "check --model and --base-url"
	}
	return "check --model; the server has " + strings.Join(append([]string{model}, others...), ", ")
}
