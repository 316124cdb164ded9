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
	require.EqualError(t, err, "tool boom panicked: disk full")
	require.NotErrorIs(t, err, errDisk, "a panic is not the error it was thrown with")
	panicked, ok := errors.AsType[*tools.PanicError](err)
	require.True(t, ok)
	assert.Contains(t, string(panicked.Stack), "tools_test.go")
}

// A brokenError is the commonest slip with errors: nil, but not nil.
type brokenError struct{ error }

func (e *brokenError) Error() string { return e.error.Error() }
func (e *brokenError) Unwrap() error { return e.error }

func TestDoTypedNil(t *testing.T) {
	for _, bad := range []error{(*brokenError)(nil), errors.Join((*brokenError)(nil)), fmt.Errorf("x: %w", error((*brokenError)(nil)))} {
		tool := tools.Tool{Name: "x", Call: func(context.Context, string) (string, error) { return "", bad }}
		_, err := tool.Do(t.Context(), "")
		require.EqualError(t, err, "tool x panicked: runtime error: invalid memory address or nil pointer dereference")
	}
	assert.EqualError(t, &tools.FatalError{}, "<nil>")
}

func TestPanicValues(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{"text", "tool x panicked: text"},
		{7, "tool x panicked: 7"},
		{time.Second, "tool x panicked: 1s"},
		{struct{ p *int }{new(int)}, "tool x panicked: struct { p *int }"},
		{tools.Fatal(errDisk), "tool x panicked: disk full"},
	} {
		tool := tools.Tool{Name: "x", Call: func(context.Context, string) (string, error) { panic(c.value) }}
		_, err := tool.Do(t.Context(), "")
		assert.EqualError(t, err, c.want)
		assert.False(t, tools.IsFatal(err), "a panic ends no run")
	}
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

func TestTimeoutKeepsWords(t *testing.T) {
	for _, c := range []struct {
		name  string
		late  func(context.Context) error
		want  string
		fatal bool
	}{
		{"fatal", func(ctx context.Context) error { return tools.Fatal(fmt.Errorf("db corrupt: %w", ctx.Err())) }, "db corrupt: context deadline exceeded", true},
		{"own words", func(ctx context.Context) error { return fmt.Errorf("3 of 5 files moved: %w", ctx.Err()) }, "3 of 5 files moved: context deadline exceeded", false},
		{"panic", func(ctx context.Context) error { panic(ctx.Err()) }, "tool slow panicked: context deadline exceeded", false},
		{"no words", func(ctx context.Context) error { return context.Cause(ctx) }, "slow gave no result within 1s: timeout", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := tools.Tool{Name: "slow", Call: func(ctx context.Context, _ string) (string, error) {
					<-ctx.Done()
					return "", c.late(ctx)
				}}
				_, err := tools.Timeout(slow, time.Second).Call(t.Context(), "")
				require.EqualError(t, err, c.want)
				assert.Equal(t, c.fatal, tools.IsFatal(err))
			})
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := tools.Timeout(waits(0, false, "done", nil), time.Second).Call(ctx, "")
	require.ErrorIs(t, err, context.Canceled, "it was not even started")
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
