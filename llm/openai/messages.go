package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/actdone/actdone/llm"
)

// messages are the messages of a request, as JSON. A prompt that goes on from an
// earlier one is escaped from there on only.
//
// The bytes of body never change once written, for a transport may still be
// reading them when the next request is made: more is appended behind them, and
// what closes the open message is sent from elsewhere.
type messages struct {
	prompt string // what they encode
	parts  []llm.Part
	role   llm.Role // of the open message
	body   []byte   // without closing, which ends the last message and the array
}

// closing ends the open message and the array of messages.
const closing = `"}]`

// prompts are the messages of the latest prompts.
type prompts struct{ memory[*messages] }

// take returns the messages of a prompt: those of an earlier prompt that it goes
// on from, and more, if there is one.
func (k *prompts) take(prompt string, parts []llm.Part, one bool) *messages {
	if one || !cover(parts, prompt) {
		parts = []llm.Part{{Role: llm.User, End: len(prompt)}}
	}
	// Prompts that share memory are compared without a look at their bytes.
	m := k.find(func(m *messages) bool { return m.begin(prompt, parts) })
	if m == nil {
		m = &messages{}
	}
	m.extend(prompt, parts)
	return m
}

// cover reports whether parts are parts of prompt, all of it.
func cover(parts []llm.Part, prompt string) bool {
	end := 0
	for _, p := range parts {
		if p.End < end {
			return false
		}
		end = p.End
	}
	return len(parts) > 0 && end == len(prompt)
}

func (m *messages) length() int { return len(m.prompt) }
func (m *messages) held() int   { return max(len(m.prompt), len(m.body)) }

// begin reports whether m are the first messages of a prompt with these parts.
// Messages that end within a character are not, for half of it was replaced, nor
// is the message of an empty prompt.
func (m *messages) begin(prompt string, parts []llm.Part) bool {
	n, done := len(m.parts), len(m.prompt)
	if done == 0 || !strings.HasPrefix(prompt, m.prompt) || done < len(prompt) && !utf8.RuneStart(prompt[done]) {
		return false
	}
	if n == 1 && len(parts) == 1 { // the prompt as one message, which grows
		return m.parts[0].Role == parts[0].Role
	}
	return n <= len(parts) && samePlaces(m.parts, parts[:n])
}

// samePlaces reports whether parts, as many as others, end where they do. The
// parts of a run mostly share memory, which saves the look.
func samePlaces(parts, others []llm.Part) bool {
	return &parts[0] == &others[0] || slices.EqualFunc(parts, others, func(a, b llm.Part) bool {
		return a.Role == b.Role && a.End == b.End
	})
}

// extend appends what prompt has beyond what is encoded. Neighbours of one role
// are one message, and a part of no bytes is in none.
func (m *messages) extend(prompt string, parts []llm.Part) {
	from, to, role := len(m.prompt), len(m.prompt), m.role
	for _, p := range parts[max(0, len(m.parts)-1):] {
		if p.End > to && p.Role != role {
			m.add(role, prompt[from:to])
			from, role = to, p.Role
		}
		to = max(to, p.End)
	}
	m.add(role, prompt[from:])
	if m.body == nil {
		m.open(llm.User) // an empty prompt
	}
	m.prompt, m.parts = prompt, parts
}

// add appends text to the open message, or to a new one of another role.
func (m *messages) add(role llm.Role, text string) {
	if text == "" {
		return
	}
	if role != m.role || m.body == nil {
		m.open(role)
	}
	m.body = appendEscaped(m.body, text)
}

// open closes the last message and begins another.
func (m *messages) open(role llm.Role) {
	if m.body != nil {
		m.body = append(m.body, `"},`...)
	}
	m.role = role
	m.body = append(m.body, `{"role":"`...)
	m.body = append(m.body, known(role)...)
	m.body = append(m.body, `","content":"`...)
}

// known returns role, or the user's for one that the API does not know.
func known(role llm.Role) llm.Role {
	switch role {
	case llm.System, llm.Assistant:
		return role
	}
	return llm.User
}

// appendEscaped appends text as the inside of a JSON string.
func appendEscaped(b []byte, text string) []byte {
	buf := bytes.NewBuffer(b)
	encoder := json.NewEncoder(buf)
	encoder.SetEscapeHTML(false)
	start := len(b)
	if err := encoder.Encode(text); err != nil {
		panic(err) // unreachable: every string can be encoded
	}
	quoted := buf.Bytes()
	n := copy(quoted[start:], quoted[start+1:len(quoted)-len("\"\n")])
	return quoted[:start+n]
}
