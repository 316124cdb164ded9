package script

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"

	"github.com/actdone/actdone/llm"
)

// This is the seam between a script and those who play it, in process or over
// HTTP: next takes a request and gives the answer that the script has for it.

// A request is one ask, wherever it came from.
type request struct {
	prompt string     // of a chat request its rendering
	parts  []llm.Part // where its parts or messages end; nil if unknown
	tools  []string   // that it offers; nil for a plain ask
	model  string     // that it names; "" for a plain ask
	chat   bool       // whether it is one
	retry  bool       // whether the client says that it asks again for what did not arrive
	joined bool       // whether its parts are messages of which one may grow
	call   Call       // what became of it; set by next
}

// An answer is the step that answers a request. Its script is not changed by it.
type answer struct {
	player *Player
	talk   *talk
	step   *Step
	calls  []llm.ToolCall // of the step, each with an ID
	ask    int            // which of the conversation, from 1
	hash   string         // of the prompt, normalized
}

// A talk is one conversation under way. The player's mutex guards it.
type talk struct {
	lane     *Lane
	step     int // the next one
	repeated int // how often it has been used, with times

	asks     int
	prompt   string   // the last one
	earlier  []string // those before it
	last     *answer  // to prompt
	undone   bool     // whether last did not arrive
	ids      int      // of calls, counted
	failed   bool     // compared no more
	verified map[string]bool

	asked, wanted masks
	normal        strings.Builder // prompt, normalized
	sum           hash.Hash       // of it
	goldens       map[int]golden  // by step
}

// A golden is a prompt, normalized.
type golden struct {
	prompt, lines string
	sameLine      bool
	extends       bool // whether it begins with the one before
}

// next finds the answer to a request and compares the request with what its step
// expects.
func (p *Player) next(r *request) (*answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start()
	t, err := p.route(r)
	if err != nil {
		if !p.astray {
			p.faults, p.astray = append(p.faults, err), true
		}
		p.note(r, Call{Prompt: r.prompt, Added: r.prompt, Hash: Hash(r.prompt), Status: "unexpected"})
		return nil, err
	}
	if t.again(r) {
		t.undone = false
		p.note(r, p.record(t, t.last, r, "", true))
		return t.last, nil
	}
	return p.advance(t, r)
}

// again reports whether r asks once more for an answer that did not arrive.
func (t *talk) again(r *request) bool {
	return t.last != nil && r.prompt == t.prompt && (t.undone || r.retry && t.last.step.Fault == nil)
}

// advance answers r with the next step.
func (p *Player) advance(t *talk, r *request) (*answer, error) {
	if p.Live != nil {
		t.goOn()
	}
	grown := p.grow(t, r)
	if t.step >= len(t.lane.Steps) {
		err := p.unexpected(t, r, grown.added)
		if !t.failed {
			p.faults, t.failed = append(p.faults, err), true
		}
		p.note(r, Call{Lane: t.lane.Name, Ask: t.asks, Prompt: r.prompt, Added: grown.added, Hash: t.hash(), Status: "unexpected"})
		return nil, err
	}
	a := &answer{player: p, talk: t, step: t.lane.Steps[t.step], ask: t.asks, hash: t.hash()}
	a.calls = t.number(a.step.Calls)
	p.compare(t, a, r, grown)
	t.last, t.undone = a, false
	if t.repeated++; t.repeated >= a.step.Times {
		t.step, t.repeated = t.step+1, 0
	}
	p.note(r, p.record(t, a, r, grown.added, false))
	return a, nil
}

// note keeps what became of a request.
func (p *Player) note(r *request, c Call) {
	r.call = c
	p.calls = append(p.calls, c)
}

// number gives each call an ID.
func (t *talk) number(calls []ToolCall) []llm.ToolCall {
	var numbered []llm.ToolCall
	for _, c := range calls {
		call := c.ToolCall
		for call.ID == "" {
			t.ids++
			if id := "call_" + strconv.Itoa(t.ids); !t.lane.hasID(id) {
				call.ID = id
			}
		}
		numbered = append(numbered, call)
	}
	return numbered
}

// record returns the entry of an answered ask.
func (p *Player) record(t *talk, a *answer, r *request, added string, again bool) Call {
	c := Call{Lane: t.lane.Name, Ask: a.ask, At: p.Script.At(a.step.Line()), Prompt: r.prompt, Added: added, Again: again, Status: "reply"}
	c.Hash = t.hash()
	c.Stale = a.step.HashOf != "" && a.step.HashOf != c.Hash
	switch {
	case a.step.Fault != nil:
		c.Status = a.step.Fault.String()
	case len(a.calls) > 0:
		c.Status = "call"
	}
	return c
}

// undelivered says that an answer did not arrive: the same request gets it
// again. After a fault the script goes on all the same.
func (a *answer) undelivered() {
	a.player.mu.Lock()
	defer a.player.mu.Unlock()
	if a.talk.last == a && a.step.Fault == nil {
		a.talk.undone = true
	}
}

// A growth is how a prompt relates to the one before it in its conversation.
type growth struct {
	before  string // the prompt before
	first   bool   // there was none
	extends bool   // the prompt begins with it
	added   string // what it has beyond that, or all of it
	lines   string // added, normalized, less the newline that ends the last line of before
	same    bool   // whether added goes on in that line
}

// behind returns the lines that added puts behind a prompt, and whether the first
// of them is only the rest of the prompt's last line.
func behind(before, added string) (lines string, same bool) {
	switch {
	case before == "" || strings.HasSuffix(before, "\n") || added == "":
		return added, false
	case strings.HasPrefix(added, "\n") && added != "\n":
		return added[1:], false
	}
	return added, true
}

// grow takes a prompt into its conversation.
func (p *Player) grow(t *talk, r *request) growth {
	g := growth{before: t.prompt, first: t.asks == 0, extends: t.asks > 0 && strings.HasPrefix(r.prompt, t.prompt)}
	if t.asks > 0 {
		t.earlier = append(t.earlier, t.prompt)
	}
	t.asks++
	t.prompt, g.added = r.prompt, r.prompt
	if g.extends {
		g.added = r.prompt[len(g.before):]
	} else {
		t.normal.Reset()
		t.sum = sha256.New()
	}
	normal := t.asked.apply(g.added)
	t.normal.WriteString(normal)
	t.sum.Write([]byte(normal))
	g.lines, g.same = behind(g.before, normal)
	if t.step < len(t.lane.Steps) {
		if t.goldens == nil {
			t.goldens = map[int]golden{}
		}
		t.goldens[t.step] = golden{t.normal.String(), g.lines, g.same, g.extends}
	}
	return g
}

// hash returns the Hash of the normalized prompt.
func (t *talk) hash() string { return hex.EncodeToString(t.sum.Sum(nil))[:hashLen] }

// unexpected returns the error of an ask behind the last step.
func (p *Player) unexpected(t *talk, r *request, added string) error {
	e := &llm.UnexpectedAskError{Ask: t.asks, Prompt: r.prompt, Added: Environ().Scrub(added), At: p.Script.Name}
	if n := len(t.lane.Steps); n > 0 {
		last := t.lane.Steps[n-1]
		e.LastReply, e.At = last.summary(), p.Script.At(last.Line())
	}
	for _, step := range t.lane.Steps {
		e.Replies += max(step.Times, 1)
	}
	return e
}
