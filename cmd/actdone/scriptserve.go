package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/llm/script"
)

const serveLong = `Serve plays a script as a server of the OpenAI API, for clients in any language:
chat completions, whole and as streams, with function calls, and the script's
faults. For example, in a shell:

    actdone script serve count.txtar > address &
    server=$!
    until [ -s address ]; do sleep 0.1; done
    OPENAI_BASE_URL=$(head -1 address) OPENAI_API_KEY=none python agent.py
    kill $server; wait $server

The first line of standard output is the base URL. What is asked is told on
standard error, a line for each request and the text that it adds to the one
before, without the secrets that can be known by their looks or from the
environment.

The server listens on this machine's loopback network only. It goes on until it is
interrupted, also when all replies are used, for an ask too many is a mistake like
one too few. The exit status is 0 if everything was as scripted, 1 if a reply is
left over, an ask was not expected, or a prompt or request was not as it should
be.`

func newScriptServe() *cobra.Command {
	address := ""
	cmd := &cobra.Command{
		Use:   "serve FILE",
		Short: "Play a script as a server of the OpenAI API",
		Long:  serveLong,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%s, want one; for example: %s testdata/count.txtar", counted(len(args), "script", "scripts"), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return serveScript(cmd, args[0], address) },
	}
	cmd.Flags().StringVar(&address, "addr", "127.0.0.1:0", "the `address` to listen on; port 0 is one that is free")
	return cmd
}

// serveScript serves a script until the context of cmd ends or there is an
// interrupt.
func serveScript(cmd *cobra.Command, name, address string) error {
	data, err := readInput(name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	s, err := script.Parse(inputName(name), data)
	if err != nil {
		return scrubbed(err)
	}
	player := &script.Player{Script: s}
	server, err := script.NewServer(player)
	if err != nil {
		return err
	}
	server.Log = (&journal{w: cmd.ErrOrStderr(), secrets: script.Environ()}).add
	listener, err := script.Listen(address)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	if _, err := fmt.Fprintf(cmd.OutOrStdout(), "http://%s/v1\n", listener.Addr()); err != nil {
		return fail(errors.Join(err, listener.Close()))
	}
	err = listen(ctx, listener, server)
	return fail(append(player.Untold(nil), err)...)
}

// farewell is how long requests under way have when the server is stopped. Those
// that wait end at once.
const farewell = time.Second

// listen answers requests until ctx ends, and those under way with it.
func listen(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if server.Shutdown(last) != nil {
		server.Close()
	}
	<-ended
	return nil
}

// A journal tells of the requests that a server got.
type journal struct {
	mu      sync.Mutex
	w       io.Writer
	secrets script.Secrets
}

// add tells of a request that is done with.
func (j *journal) add(r script.Served) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintln(j.w, j.shown(requestLine(r)))
	if r.Added != "" {
		fmt.Fprintln(j.w, margin+strings.ReplaceAll(j.shown(r.Added), "\n", "\n"+margin))
	}
}

// shown makes text fit to be shown.
func (j *journal) shown(text string) string {
	return shortened(strings.TrimPrefix(j.secrets.Scrub(text), "\n"), showLines)
}

// requestLine says in a line what became of a request.
func requestLine(r script.Served) string {
	words := []string{r.Time.Format("15:04:05.000"), r.Method, r.Path}
	add := func(word string, ok bool) {
		if ok {
			words = append(words, word)
		}
	}
	add(fmt.Sprintf("%d", r.Code), r.Code != 0)
	add("lane "+r.Lane, r.Lane != "")
	add(fmt.Sprintf("ask %d", r.Ask), r.Ask != 0)
	line := strings.Join(words, " ") + ": " + r.Status
	for _, note := range []struct {
		text string
		ok   bool
	}{
		{" (" + r.At + ")", r.At != ""},
		{", again", r.Again},
		{fmt.Sprintf(", try %d", r.Retry+1), r.Retry > 0},
		{", recorded for another prompt", r.Stale},
		{", the client broke off", r.BrokeOff},
		{": " + oneLine(r.Refused), r.Refused != ""},
	} {
		if note.ok {
			line += note.text
		}
	}
	return line
}
