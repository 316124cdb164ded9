package script

import (
	"fmt"
	"regexp"
	"strings"
)

// Settings are what the script section says. The zero value is that of a script
// without one.
type Settings struct {
	API        string // "text", "chat", or "" for either
	Chunk      string // as Options.Chunk, where a step says none
	Split      string // as Options.Split, where a step says none
	Lenient    bool   // strict off: a server does not check requests
	Concurrent bool   // allow concurrent: lanes are found by their when alone
	Normalize  []Normalizer
	line       int // of the marker; 0 if there is no such section
}

// A Normalizer names what is replaced because it differs from run to run.
type Normalizer struct {
	Name   string
	Regexp *regexp.Regexp // nil for a built-in one
}

// settings reads the script section.
func (s *Script) settings(from block) error {
	if s.line > 0 {
		return s.errorf(from.line, "a second script section; the first is in line %d", s.line)
	}
	s.line = from.line
	line, seen := from.line, map[string]bool{}
	for l := range strings.Lines(from.body) {
		line++
		words := strings.Fields(l)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if seen[words[0]] && words[0] != "normalize" {
			return s.errorf(line, "setting %s twice; write it once", words[0])
		}
		seen[words[0]] = true
		if err := s.set(words, strings.TrimSpace(l)); err != nil {
			return s.errorf(line, "%w", err)
		}
	}
	return nil
}

// set takes a line.
func (s *Settings) set(words []string, line string) error {
	if words[0] == "normalize" {
		return s.normalizer(words, line)
	}
	if len(words) == 2 {
		switch value := words[1]; words[0] {
		case "api":
			s.API = value
			return oneOf("api", value, "text", "chat")
		case "chunk":
			s.Chunk = value
			return checkChunk(value)
		case "split":
			s.Split = value
			return oneOf("split", value, "bytes")
		case "strict":
			s.Lenient = true
			return oneOf("strict", value, "off")
		case "allow":
			s.Concurrent = true
			return oneOf("allow", value, "concurrent")
		}
	}
	return fmt.Errorf("unknown setting %q; there are api text|chat, chunk HOW, split bytes, strict off, normalize NAME [REGEXP], allow concurrent", line)
}

// normalizer takes a line "normalize NAME [REGEXP]".
func (s *Settings) normalizer(words []string, line string) error {
	if len(words) < 2 {
		return fmt.Errorf("normalize wants a name; built in are %s", builtinNames)
	}
	name := words[1]
	for _, n := range s.Normalize {
		if n.Name == name {
			return fmt.Errorf("normalizer %s twice; give each a name of its own", name)
		}
	}
	if len(words) == 2 {
		s.Normalize = append(s.Normalize, Normalizer{Name: name})
		if _, ok := builtins[name]; !ok {
			return fmt.Errorf("unknown normalizer %q; built in are %s; another needs a regular expression behind its name", name, builtinNames)
		}
		return nil
	}
	if strings.ContainsAny(name, "<>") {
		return fmt.Errorf("normalizer %q; the name stands between < and >, so it may not hold them", name)
	}
	text := strings.TrimSpace(strings.TrimSpace(strings.TrimPrefix(line, "normalize"))[len(name):])
	re, err := regexp.Compile(text)
	if err != nil {
		return fmt.Errorf("%w; regular expressions are RE2's", bare(err))
	}
	if re.MatchString("") {
		return fmt.Errorf("the regular expression %q matches nothing at all; make it match at least one character", text)
	}
	s.Normalize = append(s.Normalize, Normalizer{name, re})
	return nil
}

// oneOf reports a value that is none of those there are.
func oneOf(key, value string, known ...string) error {
	for _, k := range known {
		if value == k {
			return nil
		}
	}
	return fmt.Errorf("%s %q; there is %s", key, value, strings.Join(known, ", "))
}

// body returns the lines of the section.
func (s *Settings) body() string {
	var b strings.Builder
	put := func(key, value string) {
		if value != "" {
			b.WriteString(key + " " + value + "\n")
		}
	}
	put("api", s.API)
	put("chunk", s.Chunk)
	put("split", s.Split)
	if s.Lenient {
		put("strict", "off")
	}
	for _, n := range s.Normalize {
		line := n.Name
		if n.Regexp != nil {
			line += " " + n.Regexp.String()
		}
		put("normalize", line)
	}
	if s.Concurrent {
		put("allow", "concurrent")
	}
	return b.String()
}
