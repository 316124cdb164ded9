package react_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// The floor is what a run costs at the least: one strings.Builder,
// strings.Cut, a map of funcs. It trusts everything.
func floor(ctx context.Context, model llm.Asker, instructions, task string, list map[string]func(context.Context, string) (string, error)) (string, error) {
	var prompt strings.Builder
	prompt.WriteString(instructions)
	prompt.WriteString("\n\nTASK: ")
	prompt.WriteString(task)
	for {
		reply, err := model.Ask(ctx, prompt.String())
		if err != nil {
			return "", err
		}
		if _, answer, ok := strings.Cut(reply, "DONE: "); ok {
			return answer, nil
		}
		_, act, _ := strings.Cut(reply, "ACT: ")
		name, input, _ := strings.Cut(act, " ")
		call := list[name]
		if call == nil {
			return "", errors.New("unknown tool " + name)
		}
		output, err := call(ctx, input)
		if err != nil {
			return "", err
		}
		prompt.WriteString("\n\n")
		prompt.WriteString(reply)
		prompt.WriteString("\nOBS: ")
		prompt.WriteString(output)
	}
}

// benchRun is what a benchmark runs: acts with observations of 1 KiB.
type benchRun struct {
	replies []string
	tools   []tools.Tool
	funcs   map[string]func(context.Context, string) (string, error)
	head    string
}

func newBenchRun(acts int) benchRun {
	b := benchRun{tools: standardTools(), funcs: map[string]func(context.Context, string) (string, error){}}
	observation := strings.Repeat("0123456789abcde\n", 64)[:1<<10]
	observation = observation[:len(observation)-1] + "."
	for i := range b.tools {
		b.tools[i].Usage = "INPUT: does something useful with it"
		b.tools[i].Call = func(context.Context, string) (string, error) { return observation, nil }
		b.funcs[b.tools[i].Name] = b.tools[i].Call
	}
	for i := range acts {
		b.replies = append(b.replies, fmt.Sprintf("I look at the next file.\nACT: read_file dir/file%d.go", i))
	}
	b.replies = append(b.replies, "DONE: all read")
	b.head = react.ActDone{}.Instructions(b.tools, "", "")
	return b
}

func (b benchRun) loop() (string, error) {
	loop := react.Loop{LLM: &llm.ScriptedLLM{Replies: b.replies}, Tools: b.tools, MaxSteps: len(b.replies)}
	result, err := loop.Run(context.Background(), "read all files")
	return result.Answer, err
}

func (b benchRun) floor() (string, error) {
	return floor(context.Background(), &llm.ScriptedLLM{Replies: b.replies}, b.head, "read all files", b.funcs)
}

func BenchmarkRun(b *testing.B) {
	for _, acts := range []int{10, 100, 1000} {
		run := newBenchRun(acts)
		for name, f := range map[string]func() (string, error){"floor": run.floor, "loop": run.loop} {
			b.Run(fmt.Sprintf("%s/acts=%d", name, acts), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if answer, err := f(); err != nil || answer != "all read" {
						b.Fatal(answer, err)
					}
				}
			})
		}
	}
}

func BenchmarkParse(b *testing.B) {
	line := "a line of code that is not very long\n"
	for _, size := range []int{100, 1 << 10, 100 << 10} {
		for name, reply := range map[string]string{
			"thought": strings.Repeat(line, max(1, (size-30)/len(line))) + "ACT: read_file dir/file.go",
			"fence":   "ACT: write_file a.go\n```\n" + strings.Repeat(line, max(1, (size-30)/len(line))) + "```",
		} {
			list := standardTools()
			b.Run(fmt.Sprintf("%s/bytes=%d", name, size), func(b *testing.B) {
				b.SetBytes(int64(len(reply)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := react.Parse(reply, list); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestManyRunsAtOnce holds the heap of a run: 1,000 runs of 10 acts that are all
// under way at once.
func TestManyRunsAtOnce(t *testing.T) {
	const runs, acts, most = 1000, 10, 30 << 10
	run := newBenchRun(acts)
	var arrived, all sync.WaitGroup
	arrived.Add(runs)
	measured := make(chan struct{})
	last := llm.AskFunc(func(context.Context, string) (string, error) {
		arrived.Done()
		<-measured
		return "DONE: x", nil
	})
	before := heap()
	for range runs {
		all.Go(func() {
			asked := 0
			loop := react.Loop{Tools: run.tools, MaxSteps: acts + 1}
			loop.LLM = llm.AskFunc(func(ctx context.Context, prompt string) (string, error) {
				if asked++; asked > acts {
					return last.Ask(ctx, prompt)
				}
				return run.replies[asked-1], nil
			})
			if _, err := loop.Run(t.Context(), "t"); err != nil {
				t.Error(err)
			}
		})
	}
	arrived.Wait()
	each := (heap() - before) / runs
	close(measured)
	all.Wait()
	t.Logf("%d bytes of heap a run", each)
	require.Less(t, each, int64(most))
}

// heap returns the bytes in use after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
