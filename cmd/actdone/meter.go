package main

import (
	"fmt"
	"time"

	"github.com/actdone/actdone/llm"
)

// A meter adds up what a run costs. A nil meter has nothing to say.
type meter struct {
	begun time.Time
	told  int // how often the server told its tokens
	used  llm.Usage
}

func (m *meter) add(u llm.Usage) {
	m.told++
	m.used.Prompt += u.Prompt
	m.used.Cached += u.Cached
	m.used.Reply += u.Reply
}

// summary says in a line what the run took. Tokens are told if the server told
// them.
func (m *meter) summary(asks int) string {
	if m == nil || asks == 0 && m.told == 0 {
		return ""
	}
	text := fmt.Sprintf("%s in %s", count(asks, "ask"), seconds(time.Since(m.begun)))
	if m.told == 0 {
		return text
	}
	text += fmt.Sprintf("; tokens: %d prompt", m.used.Prompt)
	if m.used.Cached > 0 {
		text += fmt.Sprintf(" (%d cached)", m.used.Cached)
	}
	text += fmt.Sprintf(", %d reply", m.used.Reply)
	if m.told < asks {
		text += fmt.Sprintf(" (told for %d of %s)", m.told, count(asks, "ask"))
	}
	return text
}

// seconds prints a duration for people: tenths up to ten seconds, then whole
// ones.
func seconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// A jsonUsage is the tokens of a run in its last line of JSON.
type jsonUsage struct {
	Prompt int `json:"prompt"`
	Cached int `json:"cached"`
	Reply  int `json:"reply"`
	Told   int `json:"told"` // for how many asks the server told them
}

// json returns nil if no tokens were told.
func (m *meter) json() *jsonUsage {
	if m == nil || m.told == 0 {
		return nil
	}
	return &jsonUsage{m.used.Prompt, m.used.Cached, m.used.Reply, m.told}
}
