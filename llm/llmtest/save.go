package llmtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/script"
)

// save writes what was asked, and what a recorded model said, into the script's
// file, if the switches say so.
func (p *Player) save() error {
	if !p.mode.writes() {
		return nil
	}
	data, err := p.rewritten()
	if err != nil {
		return err
	}
	return replaceFile(p.path, data)
}

// rewritten returns the script with what was asked, and the replies of a
// recording. It holds no secrets.
func (p *Player) rewritten() ([]byte, error) {
	p.Rewrite(p.goldens || p.mode.record && hasGoldens(p.Script))
	if p.mode.record {
		p.sign()
	}
	secrets := script.Environ()
	data := string(p.Script.Bytes())
	if p.dir != "" && strings.Contains(data, p.dir) {
		return nil, fmt.Errorf("%s: nothing is written: the folder of this run (%s) stands in what would be, and the next run has another; keep it out of the agent's text, or write into the section script: normalize tempdir", p.Script.Name, p.dir)
	}
	for _, leak := range secrets.Find(data) {
		if leak.ByShape && !p.Scrub {
			return nil, fmt.Errorf("%s: nothing is written: %s looks like a secret (%s); set Scrub to replace it",
				p.Script.Name, p.whereIs(leak), leak.Kind)
		}
	}
	return []byte(secrets.Scrub(data)), nil
}

// whereIs says where a secret stands: in which step, or else in which line.
func (p *Player) whereIs(leak script.Leak) string {
	found := func(what string, text string) string {
		for _, own := range (script.Secrets{}).Find(text) {
			if own.Kind == leak.Kind {
				return fmt.Sprintf("the %s, line %d, column %d,", what, own.Line, own.Column)
			}
		}
		return ""
	}
	for _, lane := range p.Script.Lanes {
		for i, step := range lane.Steps {
			ask := fmt.Sprintf(" of ask %d of lane %s", i+1, lane.Name)
			where := cmp.Or(found("prompt"+ask, step.Prompt.Text), found("added text"+ask, step.Added.Text), found("reply"+ask, step.Reply.Text))
			for _, call := range step.Calls {
				where = cmp.Or(where, found("call"+ask, call.Arguments))
			}
			if where != "" {
				return where
			}
		}
	}
	return fmt.Sprintf("line %d, column %d,", leak.Line, leak.Column)
}

// sign writes day and model beside the replies of a recording.
func (p *Player) sign() {
	for _, lane := range p.Script.Lanes {
		for _, step := range lane.Steps {
			if step.HashOf != "" {
				step.On, step.Model = time.Now().Format(time.DateOnly), p.LiveName
			}
		}
	}
}

// hasGoldens reports whether a script says what it is asked.
func hasGoldens(s *script.Script) bool {
	return slices.ContainsFunc(s.Lanes, func(lane *script.Lane) bool {
		return slices.ContainsFunc(lane.Steps, func(step *script.Step) bool { return step.Prompt.Line > 0 || step.Added.Line > 0 })
	})
}

// replaceFile writes a file in one go, unless it holds data already. A symbolic
// link stays one.
func replaceFile(path string, data []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".llmtest-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // which is gone if all went well
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(permOf(path)), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// permOf returns the permissions of a file, or those of a new one.
func permOf(path string) os.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}

// keepPartial keeps what a recording has come to although the test has failed.
func (p *Player) keepPartial(t testing.TB) {
	t.Helper()
	if !p.mode.record {
		return
	}
	data, err := p.rewritten()
	if err == nil {
		path := filepath.Join(t.ArtifactDir(), filepath.Base(p.path))
		if err = os.WriteFile(path, data, 0o666); err == nil {
			t.Logf("%s is as it was; what was recorded is in %s (kept with -artifacts)", p.Script.Name, path)
			return
		}
	}
	t.Logf("what was recorded is lost: %v", err)
}

// liveModel asks the model of a player that records.
type liveModel struct{ p *Player }

var errNoLive = errors.New("llmtest: recording needs the player's Live, such as &openai.Client{}")

// Ask asks Live.
func (m liveModel) Ask(ctx context.Context, prompt string) (string, error) {
	if m.p.Live == nil {
		return "", errNoLive
	}
	return m.p.Live.Ask(ctx, prompt)
}

// Chat asks Live, which must be a Chatter.
func (m liveModel) Chat(ctx context.Context, r llm.ChatRequest) (llm.Message, error) {
	if m.p.Live == nil {
		return llm.Message{}, errNoLive
	}
	live, ok := m.p.Live.(llm.Chatter)
	if !ok {
		return llm.Message{}, fmt.Errorf("llmtest: a recording of chat requests needs a Live that is a llm.Chatter; %T is none", m.p.Live)
	}
	return live.Chat(ctx, r)
}
