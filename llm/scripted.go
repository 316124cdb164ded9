package llm

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// ScriptedLLM is an [Asker] for tests: it answers with its replies in order,
// each once, and keeps every prompt. The zero value is ready; it expects no ask.
//
//	model := &llm.ScriptedLLM{Replies: []string{"ACT: list .", "DONE: two files"}}
//	… run the agent …
//	err := model.Check()      // were all replies used?
//	model.Prompts[1]          // what the agent asked after the first act
//
// It never starts again at the first reply, repeats the last or answers empty:
// one ask too many is an [*UnexpectedAskError]. To repeat a reply, write it
// down: slices.Repeat.
//
// All methods are safe for concurrent use, so that code under test may be
// concurrent; but one sequence serves one conversation. Two that share it at the
// same time get replies in an order that changes from run to run. Where their
// asks take turns, [ScriptedLLM.Check] reports it; where one happens to end
// before the other begins, nothing can be seen. A run resumed from earlier steps
// looks like a second conversation: give it a double of its own.
type ScriptedLLM struct {
	// Replies are answered in order. Set them before the first Ask.
	Replies []string

	// Prompts holds every prompt asked, in order. Read it when no Ask is
	// running.
	Prompts []string

	mu     sync.Mutex
	used   int
	shared *ConcurrentAskError
}

var _ Asker = (*ScriptedLLM)(nil)

// Ask records the prompt and returns the next reply. If ctx has ended it
// returns ctx.Err() and neither records nor uses anything. When the replies
// are used up it returns an [*UnexpectedAskError].
func (s *ScriptedLLM) Ask(ctx context.Context, prompt string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record(prompt)
	if s.used >= len(s.Replies) {
		return "", s.unexpected()
	}
	s.used++
	return s.Replies[s.used-1], nil
}

// Left returns the replies that have not been used, or nil.
func (s *ScriptedLLM) Left() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.left()...)
}

// Check returns a [*ConcurrentAskError] if two conversations shared the
// replies, else an [*UnusedRepliesError] if any were left over, else nil. Call
// it when the code under test is done.
func (s *ScriptedLLM) Check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared != nil {
		return s.shared
	}
	if left := s.left(); len(left) > 0 {
		return &UnusedRepliesError{Replies: append([]string(nil), left...), Of: len(s.Replies)}
	}
	return nil
}

func (s *ScriptedLLM) left() []string { return s.Replies[min(s.used, len(s.Replies)):] }

// record keeps the prompt and notices when it goes on from an earlier prompt
// that is not the latest: then two conversations take turns.
func (s *ScriptedLLM) record(prompt string) {
	defer func() { s.Prompts = append(s.Prompts, prompt) }()
	last := len(s.Prompts) - 1
	if last < 0 || s.shared != nil || strings.HasPrefix(prompt, s.Prompts[last]) {
		return
	}
	for i := last - 1; i >= 0; i-- {
		if !s.answered(i) && extends(prompt, s.Prompts[i]) {
			s.shared = &ConcurrentAskError{Ask: last + 2, Prompt: prompt, Extends: i + 1, Latest: s.Prompts[last]}
			return
		}
	}
}

// answered reports whether the reply to prompt i ended its conversation: who goes
// on from there has it as history.
func (s *ScriptedLLM) answered(i int) bool {
	return i >= len(s.Replies) || strings.HasPrefix(s.Replies[i], "DONE:") || strings.Contains(s.Replies[i], "\nDONE:")
}

// extends reports whether prompt is old and more. A prompt that ends in the
// line of a task is not extended by a longer task that begins with the same
// words.
func extends(prompt, old string) bool {
	added, ok := strings.CutPrefix(prompt, old)
	if !ok || added == "" || old == "" {
		return false
	}
	lastLine := old[strings.LastIndexByte(old, '\n')+1:]
	return added[0] == '\n' || !strings.HasPrefix(lastLine, "TASK:")
}

func (s *ScriptedLLM) unexpected() error {
	e := &UnexpectedAskError{Ask: len(s.Prompts), Replies: len(s.Replies)}
	e.Prompt = s.Prompts[e.Ask-1]
	e.Added = e.Prompt
	if e.Ask > 1 {
		e.Added = strings.TrimPrefix(e.Prompt, s.Prompts[e.Ask-2])
	}
	if len(s.Replies) > 0 {
		e.LastReply = s.Replies[len(s.Replies)-1]
	}
	return e
}

// An UnexpectedAskError is an ask for which a script has no reply.
type UnexpectedAskError struct {
	Ask       int    // which ask it was, from 1
	Replies   int    // how many replies there were
	Prompt    string // the whole prompt
	Added     string // what the prompt has beyond the one before; all of it if it does not extend that
	LastReply string // the last reply there was, or ""
	At        string // "testdata/x.txtar:31" where the script ended, if it came from a file
}

// Error takes four lines: which ask, how many replies, what the prompt added,
// and the likely cause.
func (e *UnexpectedAskError) Error() string {
	at := ""
	if e.At != "" {
		at = " (" + e.At + ")"
	}
	return fmt.Sprintf("scripted: ask %d has no reply%s\nreplies: %s\nadded since the last ask: %q\nhint: %s",
		e.Ask, at, allUsed(e.Replies), tail(e.Added), e.hint())
}

func allUsed(n int) string {
	switch n {
	case 0:
		return "none were given"
	case 1:
		return "1, used"
	}
	return fmt.Sprintf("%d, all used", n)
}

func (e *UnexpectedAskError) hint() string {
	switch {
	case e.Replies == 0:
		return "set Replies before the first ask"
	case e.At != "" && strings.HasPrefix(e.LastReply, "fault "):
		return "the script ends with a fault, after which the agent asked again"
	case !strings.Contains(e.Prompt+e.LastReply, "ACT:") && !strings.Contains(e.Added, "REFUSED:"):
		return otherHint // an agent of another protocol
	case !strings.Contains(e.LastReply, "ACT:") && !strings.Contains(e.LastReply, "DONE:"):
		return "the last reply has neither ACT: nor DONE:, so it was refused and asked for again"
	case strings.HasPrefix(lastObservation(e.Added), "error:"):
		return "the last observation is an error, so the run did not go as scripted"
	case !strings.Contains(e.LastReply, "DONE:"):
		return "the last reply is an act; end the script with DONE:"
	case strings.Contains(e.LastReply, "ACT:"):
		return "the last reply has ACT: and DONE:, but a reply is one move; make DONE: a reply of its own"
	}
	return otherHint
}

const otherHint = "the agent asks more often than the script answers; add replies, or give each run a script of its own"

// lastObservation returns the text after the last OBS: label of a prompt.
func lastObservation(prompt string) string {
	i := strings.LastIndex(prompt, "\nOBS:")
	if i < 0 {
		return ""
	}
	text := strings.TrimSpace(prompt[i+len("\nOBS:"):])
	if strings.HasPrefix(text, "```") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// An UnusedRepliesError lists the replies that a run did not ask for.
type UnusedRepliesError struct {
	Replies []string
	Of      int      // how many replies the script has
	At      []string // where each stands, if they came from a file
}

func (e *UnusedRepliesError) Error() string {
	first, at := "", ""
	if len(e.Replies) > 0 {
		first = e.Replies[0]
	}
	if len(e.At) > 0 {
		at = " (" + e.At[0] + ")"
	}
	return fmt.Sprintf("scripted: %d of %d replies were not used, from reply %d%s on: %q; the run ended earlier than scripted",
		len(e.Replies), e.Of, e.Of-len(e.Replies)+1, at, clip(first))
}

// A ConcurrentAskError means that two conversations shared one sequence of
// replies, so that which of them got which reply is left to chance.
type ConcurrentAskError struct {
	Ask     int    // the ask that showed it, from 1
	Prompt  string // its prompt
	Extends int    // the earlier ask that it goes on from
	Latest  string // the prompt asked just before, by the other conversation
}

func (e *ConcurrentAskError) Error() string {
	return fmt.Sprintf("scripted: two conversations share one sequence of replies: ask %d (ending %q) goes on from ask %d, but ask %d was another's (ending %q); give each conversation a ScriptedLLM of its own",
		e.Ask, tail(e.Prompt), e.Extends, e.Ask-1, tail(e.Latest))
}
