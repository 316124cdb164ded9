package dialects_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// The same reply, in pieces and at once, must come to the same: law 10, with the
// loop that listens and with Stop alone.

// inPieces splits reply, also inside of runes and line ends. The cuts are the
// lengths of the pieces, over and over; without any each byte is a piece.
func inPieces(reply string, cuts []byte) (pieces []string) {
	for i := 0; reply != ""; i++ {
		n := 1
		if len(cuts) > 0 {
			n = min(int(cuts[i%len(cuts)])+1, len(reply))
		}
		pieces, reply = append(pieces, reply[:n]), reply[n:]
	}
	return pieces
}

// pieceTools are tools of each kind, under the names of the seeds.
func pieceTools() []tools.Tool {
	list := worldTools(nil)
	for i, name := range []string{"look", "run", "save"} {
		list = append(list, list[i])
		list[len(list)-1].Name = name
	}
	return list
}

// checkStopInPieces holds that the move at the place where Stop ends a streamed
// reply is that of the whole reply.
func checkStopInPieces(t *testing.T, p react.Protocol, reply string, pieces []string) {
	t.Helper()
	list, n := pieceTools(), 0
	stop := p.Stop(list)
	for _, piece := range pieces {
		if n += len(piece); stop(reply[:n]) {
			whole, err := p.Parse(reply, list)
			checkPart(t, p, reply[:n], list, whole, err)
			return
		}
	}
}

// streamer gives the reply in pieces, then answers. It ends with its context
// or, if it is deaf, gives the whole reply whatever happens.
func streamer(p react.Protocol, pieces []string, deaf bool) llm.AskFunc {
	asked := 0
	return func(ctx context.Context, _ string) (string, error) {
		if asked++; asked > 1 {
			return finish(p), nil
		}
		trace := llm.ContextTrace(ctx)
		for _, piece := range pieces {
			if trace.Delta(piece); ctx.Err() != nil && !deaf {
				return "", ctx.Err()
			}
		}
		return strings.Join(pieces, ""), nil
	}
}

// finish is a reply that ends the run.
func finish(p react.Protocol) string {
	for _, d := range all {
		if d.protocol == p {
			return d.done("x")
		}
	}
	return "DONE: x"
}

// checkLoopInPieces holds that a run comes to the same, whether the reply comes
// in pieces or at once and whether it is stopped early or not.
func checkLoopInPieces(t *testing.T, p react.Protocol, reply string, pieces []string) {
	t.Helper()
	run := func(early, deaf bool, pieces ...string) string {
		loop := react.Loop{LLM: streamer(p, pieces, deaf), Tools: pieceTools(), Protocol: p, EarlyStop: early, Retries: 1, MaxSteps: 3}
		result, err := loop.Run(t.Context(), "t")
		data, jsonErr := json.Marshal(result)
		require.NoError(t, jsonErr)
		return fmt.Sprintf("%s %v", data, err)
	}
	want := run(false, false, reply)
	require.Equal(t, want, run(false, false, pieces...), "%q in pieces", reply)
	if strings.Contains(reply, "<think") || strings.Contains(reply, "</think") {
		return
	}
	for _, deaf := range []bool{false, true} {
		require.Equal(t, want, run(true, deaf, reply), "%q, heard and stopped early, deaf %t", reply, deaf)
		require.Equal(t, want, run(true, deaf, pieces...), "%q in pieces, stopped early, deaf %t", reply, deaf)
	}
}

func checkPieces(t *testing.T, p react.Protocol, reply string, cuts []byte) {
	t.Helper()
	pieces := inPieces(reply, cuts)
	if !strings.Contains(reply, "<think") && !strings.Contains(reply, "</think") {
		checkStopInPieces(t, p, reply, pieces)
	}
	checkLoopInPieces(t, p, reply, pieces)
}

// protocolReplies are the replies of the conformance cases.
func protocolReplies(t testing.TB) (replies []string) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "protocol", "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		file, err := os.Open(path)
		require.NoError(t, err)
		defer file.Close()
		for lines := bufio.NewScanner(file); lines.Scan(); {
			var c struct {
				Reply       string `json:"reply"`
				ReplyBase64 []byte `json:"reply_base64"`
			}
			require.NoError(t, json.Unmarshal(lines.Bytes(), &c), "%s", path)
			replies = append(replies, c.Reply+string(c.ReplyBase64))
		}
	}
	return replies
}

// endings are what replies go on with after their move.
var endings = []string{"", "\n", "\nObservation: x\nmore\n", "\nOBS: x\nACT: look y\n", "\nmore\n", "\n```\n", "<|x|>", "\r\n\r\nObs"}

func fuzzPieces(f *testing.F, protocols []react.Protocol, replies []string) {
	for i, reply := range replies {
		f.Add(reply+endings[i%len(endings)], []byte{byte(i % 7)})
		f.Add(reply, []byte{byte(i % 3), 0, byte(i % 50)})
	}
	f.Fuzz(func(t *testing.T, reply string, cuts []byte) {
		for _, p := range protocols {
			checkPieces(t, p, reply, cuts)
		}
	})
}

// fuzzDialect is fuzzPieces for the dialects whose names begin with name.
func fuzzDialect(f *testing.F, name string) {
	var protocols []react.Protocol
	var replies []string
	for _, d := range all {
		if strings.HasPrefix(d.name, name) {
			protocols, replies = append(protocols, d.protocol), append(replies, d.replies()...)
		}
	}
	fuzzPieces(f, protocols, replies)
}

func FuzzPiecesActDone(f *testing.F) {
	fuzzPieces(f, []react.Protocol{react.ActDone{}}, protocolReplies(f))
}

func FuzzPiecesClassic(f *testing.F) { fuzzDialect(f, "classic") }
func FuzzPiecesBracket(f *testing.F) { fuzzDialect(f, "bracket") }
func FuzzPiecesFenced(f *testing.F)  { fuzzDialect(f, "fenced") }

// TestPieces holds the same for the seeds of all protocols in every protocol.
func TestPieces(t *testing.T) {
	replies := protocolReplies(t)
	protocols := []react.Protocol{react.ActDone{}}
	for _, d := range all {
		replies, protocols = append(replies, d.replies()...), append(protocols, d.protocol)
	}
	for i, reply := range replies {
		for _, p := range protocols {
			checkStopInPieces(t, p, reply, inPieces(reply, []byte{byte(i % 5)}))
		}
	}
}
