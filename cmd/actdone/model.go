package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/actdone/actdone/llm/openai"
	"github.com/actdone/actdone/react"
)

// A choice says which model is asked, where, and how.
type choice struct {
	model       string
	base        string
	oneMessage  bool
	noStream    bool
	temperature float64
}

// modelFlags are the flags that say nothing about a script.
var modelFlags = []string{"model", "base-url", "one-message", "no-stream", "early-stop", "temperature", "record"}

// flags adds the flags that fill c.
func (c *choice) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&c.model, "model", "", "the model's `name` (default $OPENAI_MODEL)")
	flags.StringVar(&c.base, "base-url", "", "the `address` of the API (default $OPENAI_BASE_URL, or OpenAI's)")
	flags.BoolVar(&c.oneMessage, "one-message", false, "send the prompt as one message, for models that take no system message")
	flags.BoolVar(&c.noStream, "no-stream", false, "ask for whole replies")
	flags.Float64Var(&c.temperature, "temperature", 0, "how freely the model picks its words, a `number` from 0 (default the server's)")
}

// client returns what asks the model, or a *noModelError if there is none to
// ask. The flags win over the environment.
func (c *choice) client(cmd *cobra.Command) (*openai.Client, error) {
	c.model = cmp.Or(c.model, os.Getenv("OPENAI_MODEL"))
	c.base = strings.TrimRight(cmp.Or(c.base, os.Getenv("OPENAI_BASE_URL"), openai.DefaultBaseURL), "/")
	c.base = strings.TrimSuffix(c.base, "/chat/completions")
	if err := checkBase(c.base); err != nil {
		return nil, err
	}
	if c.model == "" || !c.named() && !hasKey() {
		return nil, &noModelError{model: c.model}
	}
	client := &openai.Client{
		BaseURL:    c.base,
		Model:      c.model,
		OneMessage: c.oneMessage,
		Plain:      c.noStream,
	}
	if cmd.Flags().Changed("temperature") {
		if !(c.temperature >= 0 && c.temperature <= math.MaxFloat32) {
			return nil, fmt.Errorf("--temperature %v: want 0 or more", c.temperature)
		}
		client.Temperature = &c.temperature
	}
	return client, client.Check()
}

// named reports whether the user has named a server, other than OpenAI's.
func (c *choice) named() bool { return c.base != openai.DefaultBaseURL }

func hasKey() bool { return os.Getenv("OPENAI_API_KEY") != "" }

// shortKey is the length of a text that stands for no key ("none", "ollama").
const shortKey = 8

// keys returns what no model is to be shown: the key that models are asked with.
func keys() []string {
	if key := strings.TrimSpace(os.Getenv("OPENAI_API_KEY")); len(key) >= shortKey {
		return []string{key}
	}
	return nil
}

// checkBase reports an address that cannot be one. It is not repeated in the
// error, for it may hold a key.
func checkBase(base string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("the base URL wants a scheme and a host, such as http://127.0.0.1:11434/v1")
	case u.RawQuery != "" || u.User != nil:
		return errors.New("the base URL holds a query or a user; a key goes into OPENAI_API_KEY")
	}
	return nil
}

// judge returns what went wrong with a run, with what to do about it.
func (c *choice) judge(ctx context.Context, _ react.Result, err error) []error {
	if err == nil {
		return nil
	}
	text := oneLine(err.Error())
	if hint := c.hint(ctx, err); hint != "" {
		text += "; " + hint
	}
	return []error{errors.New(text)}
}

// A noModelError means that there is no model to ask.
type noModelError struct {
	model   string // its name; "" if that is what is missing
	command string // the command to type again, with %s for the flags that were missing
	found   []localServer
}

const noModelText = `%s; three ways on:
a key       export OPENAI_API_KEY=...
            actdone run --model gpt-5-mini TASK
a server    of your own, such as one of these (docs/MODELS.md has more):
            OLLAMA_CONTEXT_LENGTH=32768 ollama serve   (and: ollama pull qwen3)
              actdone run --base-url http://127.0.0.1:11434/v1 --model qwen3 TASK
            llama-server -m model.gguf -c 32768
              actdone run --base-url http://127.0.0.1:8080/v1 --model default TASK
            vllm serve Qwen/Qwen3-8B
              actdone run --base-url http://127.0.0.1:8000/v1 --model Qwen/Qwen3-8B TASK
no model    actdone demo, or a script of your own: actdone run --script FILE TASK`

func (e *noModelError) Error() string {
	missing := "no model to ask: --model or OPENAI_MODEL names one"
	if e.model != "" {
		missing = "no key to ask OpenAI with: OPENAI_API_KEY holds it"
	}
	var b strings.Builder
	fmt.Fprintf(&b, noModelText, missing)
	for _, s := range e.found {
		b.WriteString("\n" + e.offer(s))
	}
	return b.String()
}

// offer says how to use a server that was found.
func (e *noModelError) offer(s localServer) string {
	model, others := s.pick()
	if model == "" {
		return fmt.Sprintf("found       a server at %s, but it lists no model", s.base)
	}
	text := fmt.Sprintf("found       a server at %s with the model %s", s.base, model)
	if len(others) > 0 {
		text += " (also " + strings.Join(others, ", ") + ")"
	}
	flags := "--base-url " + quoted(s.base) + " --model " + quoted(model)
	return text + "; to ask it:\n            " + fmt.Sprintf(e.command, flags)
}

// again returns the command as it was typed, but for the model and its server,
// whose place is marked by %s.
func again(cmd *cobra.Command, args []string) string {
	words := []string{cmd.CommandPath(), "%s"}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		switch {
		case f.Name == "model" || f.Name == "base-url":
			return
		case f.Value.Type() == "bool":
			words = append(words, literal("--"+f.Name+"="+value))
			return
		case f.Value.Type() == "stringSlice":
			value = strings.Trim(value, "[]")
		case f.Value.Type() == "stringArray":
			for _, value := range f.Value.(pflag.SliceValue).GetSlice() {
				words = append(words, "--"+f.Name, literal(quoted(value)))
			}
			return
		}
		words = append(words, "--"+f.Name, literal(quoted(value)))
	})
	switch {
	case len(args) > 0:
		words = append(words, literal(quoted(args[0])))
	case cmd.Name() != "chat":
		words = append(words, "TASK")
	}
	return strings.Join(words, " ")
}

// literal returns s with its percent signs doubled, for a format.
func literal(s string) string { return strings.ReplaceAll(s, "%", "%%") }
