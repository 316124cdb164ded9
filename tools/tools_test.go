package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/tools"
)

var errDisk = errors.New("disk full")

func TestFatal(t *testing.T) {
	err := fmt.Errorf("write: %w", tools.Fatal(errDisk))
	assert.True(t, tools.IsFatal(err))
	require.ErrorIs(t, err, errDisk)
	assert.EqualError(t, err, "write: disk full")
	assert.False(t, tools.IsFatal(errDisk))
	assert.False(t, tools.IsFatal(nil))
	assert.NoError(t, tools.Fatal(nil))
}

func TestDo(t *testing.T) {
	tool := tools.Tool{Name: "boom", Call: func(_ context.Context, input string) (string, error) {
		if input == "error" {
			panic(errDisk)
		}
		panic(input)
	}}
	output, err := tool.Do(t.Context(), "out of range")
	assert.Empty(t, output)
	require.EqualError(t, err, "tool boom panicked: out of range")
	_, err = tool.Do(t.Context(), "error")
	require.ErrorIs(t, err, errDisk)
	panicked, ok := errors.AsType[*tools.PanicError](err)
	require.True(t, ok)
	assert.Contains(t, string(panicked.Stack), "tools_test.go")
}

func TestLinesText(t *testing.T) {
	for _, l := range []tools.Lines{tools.One, tools.Block, tools.Body} {
		data, err := json.Marshal(l)
		require.NoError(t, err)
		assert.Equal(t, `"`+l.String()+`"`, string(data))
		var back tools.Lines
		require.NoError(t, json.Unmarshal(data, &back))
		assert.Equal(t, l, back)
	}
	var l tools.Lines
	require.EqualError(t, l.UnmarshalText([]byte("two")), `lines "two": want one, block or body`)
	assert.Equal(t, "Lines(7)", tools.Lines(7).String())
}

// waits is a tool that returns output and err when d has passed, or sooner if
// it listens and its context ends.
func waits(d time.Duration, listens bool, output string, err error) tools.Tool {
	return tools.Tool{Name: "slow", Call: func(ctx context.Context, _ string) (string, error) {
		if !listens {
			time.Sleep(d)
			return output, err
		}
		select {
		case <-time.After(d):
			return output, err
		case <-ctx.Done():
			return "so far", ctx.Err()
		}
	}}
}

func TestTimeout(t *testing.T) {
	for _, c := range []struct {
		name   string
		tool   tools.Tool
		output string
		err    string
		took   time.Duration
	}{
		{"in time", waits(time.Second, true, "done", nil), "done", "", time.Second},
		{"own error", waits(time.Second, true, "half", errDisk), "half", "disk full", time.Second},
		{"own deadline", waits(time.Second, true, "", context.DeadlineExceeded), "", "context deadline exceeded", time.Second},
		{"listens", waits(time.Hour, true, "", nil), "so far", "slow gave no result within 10s: timeout", 10 * time.Second},
		{"deaf", waits(time.Hour, false, "late", nil), "", "slow gave no result within 10s: timeout", 10*time.Second + 250*time.Millisecond},
		{"a little late", waits(10*time.Second+time.Millisecond, false, "just", nil), "just", "", 10*time.Second + time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				output, err := tools.Timeout(c.tool, 10*time.Second).Call(t.Context(), "")
				assert.Equal(t, c.took, time.Since(start))
				assert.Equal(t, c.output, output)
				if c.err == "" {
					require.NoError(t, err)
				} else {
					require.EqualError(t, err, c.err)
				}
				time.Sleep(2 * time.Hour) // let an abandoned goroutine end
			})
		})
	}
}

func TestTimeoutCallerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := tools.Timeout(waits(time.Hour, false, "", nil), time.Minute).Call(ctx, "")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, tools.ErrTimeout)
		time.Sleep(2 * time.Hour)
	})
}

func TestTimeoutGoexitAndPanic(t *testing.T) {
	exits := tools.Tool{Name: "exits", Call: func(context.Context, string) (string, error) { runtime.Goexit(); return "", nil }}
	_, err := tools.Timeout(exits, time.Minute).Call(t.Context(), "")
	require.EqualError(t, err, "exits ended its goroutine without a result")
	boom := tools.Tool{Name: "boom", Call: func(context.Context, string) (string, error) { panic("x") }}
	_, err = tools.Timeout(boom, time.Minute).Call(t.Context(), "")
	require.EqualError(t, err, "tool boom panicked: x")
	fatal := tools.Tool{Name: "f", Call: func(context.Context, string) (string, error) { return "", tools.Fatal(errDisk) }}
	_, err = tools.Timeout(fatal, time.Minute).Call(t.Context(), "")
	assert.True(t, tools.IsFatal(err))
}

func TestTimeoutNone(t *testing.T) {
	output, err := tools.Timeout(waits(0, true, "x", nil), 0).Call(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, "x", output)
	assert.Nil(t, tools.Timeout(tools.Tool{Name: "x"}, time.Second).Call)
}

func ExampleTimeout() {
	deaf := tools.Tool{Name: "deaf", Call: func(context.Context, string) (string, error) {
		select {} // does not listen to its context
	}}
	_, err := tools.Timeout(deaf, 10*time.Millisecond).Call(context.Background(), "")
	fmt.Println(err)
	// Output: deaf gave no result within 10ms: timeout
}
