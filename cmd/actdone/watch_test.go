package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/llm"
)

// frames splits what w has printed since the last call.
func frames(w *watch, out *bytes.Buffer) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := out.String()
	out.Reset()
	return strings.Split(strings.TrimPrefix(text, "\r"), "\r")
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		w := &watch{w: &out, width: func() int { return 40 }}
		w.begin(3)
		assert.Equal(t, []string{" 3. ⠋ 0s · asking\x1b[K"}, frames(w, &out))
		time.Sleep(1050 * time.Millisecond)
		synctest.Wait()
		all := frames(w, &out)
		assert.Len(t, all, 10)
		assert.Equal(t, " 3. ⠋ 1s · asking\x1b[K", all[9])

		w.reasoning("Let me\nthink")
		time.Sleep(tick)
		synctest.Wait()
		assert.Equal(t, []string{" 3. ⠙ 1s · thinking · think\x1b[K"}, frames(w, &out))

		w.text("I look into the file.\nACT: read_file a/very/long/name.txt")
		time.Sleep(tick)
		synctest.Wait()
		all = frames(w, &out)
		assert.Equal(t, []string{" 3. ⠹ 1s · 57 bytes · …ry/long/name.txt\x1b[K"}, all)

		w.again(func() { out.WriteString("actdone: told\n") })
		assert.Equal(t, []string{"\x1b[Kactdone: told\n", " 3. ⠹ 1s · asking again\x1b[K"}, frames(w, &out))
		w.end()
		assert.Equal(t, "\r\x1b[K", out.String())
		w.end()
		assert.Equal(t, "\r\x1b[K", out.String(), "once")
	})
}

func TestWatchColour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		w := &watch{w: &out, width: func() int { return 40 }, colour: true}
		w.begin(1)
		w.text("a\x1b[31m\tb")
		time.Sleep(tick)
		synctest.Wait()
		assert.Equal(t, []string{" 1. \x1b[2m⠋ 0s · asking\x1b[0m\x1b[K", " 1. \x1b[2m⠙ 0s · 8 bytes · a\\u001b[31m b\x1b[0m\x1b[K"}, frames(w, &out))
		w.end()
	})
}

// TestWatchNil: no watch shows nothing, but what there is to tell is told.
func TestWatchNil(t *testing.T) {
	var w *watch
	told := false
	w.begin(1)
	w.again(func() { told = true })
	w.end()
	assert.True(t, told)
}

// TestWatchWidth: whatever is shown, it fits on the line.
func TestWatchWidth(t *testing.T) {
	for _, text := range []string{"", "ACT: list", strings.Repeat("長い行", 50), strings.Repeat("x", 5000), "a\r\n\n\tb"} {
		for width := 0; width < 60; width += 7 {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				w := &watch{w: &out, width: func() int { return width }}
				w.begin(1)
				w.text(text)
				time.Sleep(tick)
				synctest.Wait()
				w.end()
				for _, frame := range frames(w, &out) {
					frame = strings.TrimSuffix(frame, "\x1b[K")
					assert.Less(t, cells(frame), max(width, 5), "%q", frame)
				}
			})
		}
	}
}

func TestLastLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"a":                "a",
		"a\nb":             "b",
		"a\nb\n":           "b\n",
		"a\nb\n\n ":        "b\n\n ",
		"\n\na b":          "a b",
		"one\r\ntwo":       "two",
		"x\n" + "ü" + "\n": "ü\n",
	} {
		assert.Equal(t, want, lastLine(text), "%q", text)
	}
	assert.LessOrEqual(t, len(lastLine(strings.Repeat("ü", 2000))), mostLine)
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                       "0.0s",
		2340 * time.Millisecond: "2.3s",
		61 * time.Second:        "1m1s",
	} {
		assert.Equal(t, want, seconds(d))
	}
}

func TestSummary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &meter{begun: time.Now()}
		time.Sleep(12340 * time.Millisecond)
		assert.Equal(t, "", m.summary(0))
		assert.Equal(t, "1 ask in 12s", m.summary(1))
		m.add(llm.Usage{Prompt: 100, Reply: 7})
		assert.Equal(t, "1 ask in 12s; tokens: 100 prompt, 7 reply", m.summary(1))
		m.add(llm.Usage{Prompt: 120, Cached: 90, Reply: 8})
		assert.Equal(t, "3 asks in 12s; tokens: 220 prompt (90 cached), 15 reply (told for 2 of 3 asks)", m.summary(3))
		assert.Equal(t, "", (*meter)(nil).summary(3))
	})
}
