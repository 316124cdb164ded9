package script

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Secrets find what must not stand in a script: by value and by shape. The zero
// value goes by shape only.
type Secrets struct {
	values []secretValue // the longest first
}

type secretValue struct{ name, value string }

// A Leak is a secret found in a text.
type Leak struct {
	Kind         string // the variable's name, or what it looks like: "OpenAI key"
	ByShape      bool   // found by its looks, not by its value
	Line, Column int    // from 1; the column in bytes

	from, to int
}

// leastSecret is the shortest value of a variable that is looked for.
const leastSecret = 8

// Environ returns Secrets that also go by the values of the environment's
// variables whose names end in _KEY, _TOKEN, _SECRET or PASSWORD.
func Environ() Secrets { return secretsOf(os.Environ()) }

// secretsOf takes variables as "NAME=VALUE".
func secretsOf(environ []string) Secrets {
	var s Secrets
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if value = strings.TrimSpace(value); len(value) >= leastSecret && namesSecret(name) {
			s.values = append(s.values, secretValue{name, value})
		}
	}
	slices.SortStableFunc(s.values, func(a, b secretValue) int {
		return cmp.Or(cmp.Compare(len(b.value), len(a.value)), cmp.Compare(a.name, b.name))
	})
	return s
}

func namesSecret(name string) bool {
	name = strings.ToUpper(name)
	for _, end := range []string{"_KEY", "_TOKEN", "_SECRET", "PASSWORD"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// Find returns the secrets in a text, in order.
func (s Secrets) Find(text string) []Leak {
	var leaks []Leak
	for _, v := range s.values {
		leaks = addLeaks(leaks, v.find(text))
	}
	for _, shape := range shapes {
		leaks = addLeaks(leaks, shape.find(text))
	}
	slices.SortFunc(leaks, func(a, b Leak) int { return cmp.Compare(a.from, b.from) })
	for i := range leaks {
		start := lineStart(text, leaks[i].from)
		leaks[i].Line, leaks[i].Column = lineAt(text, leaks[i].from), leaks[i].from-start+1
	}
	return leaks
}

// Scrub returns text with "<secret NAME>" in place of each secret.
func (s Secrets) Scrub(text string) string {
	var b strings.Builder
	done := 0
	for _, leak := range s.Find(text) {
		b.WriteString(text[done:leak.from] + "<secret " + leak.Kind + ">")
		done = leak.to
	}
	return b.String() + text[done:]
}

// addLeaks adds what does not lie over a leak found before.
func addLeaks(leaks, more []Leak) []Leak {
	for _, leak := range more {
		over := func(old Leak) bool { return leak.from < old.to && old.from < leak.to }
		if !slices.ContainsFunc(leaks, over) {
			leaks = append(leaks, leak)
		}
	}
	return leaks
}

func (v secretValue) find(text string) []Leak {
	var leaks []Leak
	for from := 0; ; {
		i := strings.Index(text[from:], v.value)
		if i < 0 {
			return leaks
		}
		from += i
		leaks = append(leaks, Leak{Kind: v.name, from: from, to: from + len(v.value)})
		from += len(v.value)
	}
}

// A shape is what secrets of one kind look like. A secret of most kinds has a
// digit and stands alone as a word.
type shape struct {
	kind string
	re   *regexp.Regexp // its first group is the secret
	any  bool           // it need not have a digit
}

// shapes are the kinds, special ones first.
var shapes = []shape{
	{"private key", regexp.MustCompile(`(-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----)?)`), true},
	word("JWT", `eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`),
	word("Anthropic key", `sk-ant-[A-Za-z0-9_-]{20,}`),
	word("OpenRouter key", `sk-or-v1-[0-9a-f]{32,}`),
	word("OpenAI key", `sk-[A-Za-z0-9_-]{20,}`),
	word("Google key", `AIza[A-Za-z0-9_-]{35}\b`),
	word("Groq key", `gsk_[A-Za-z0-9]{32,}`),
	word("xAI key", `xai-[A-Za-z0-9]{32,}`),
	word("Perplexity key", `pplx-[A-Za-z0-9]{32,}`),
	word("Hugging Face token", `hf_[A-Za-z0-9]{30,}`),
	word("Replicate token", `r8_[A-Za-z0-9]{30,}`),
	word("NVIDIA key", `nvapi-[A-Za-z0-9_-]{40,}`),
	word("Tavily key", `tvly-[A-Za-z0-9-]{20,}`),
	word("AWS key", `(?:AKIA|ASIA)[A-Z2-7]{16}\b`),
	word("GitHub token", `gh[pousr]_[A-Za-z0-9]{36,}`),
	word("GitHub token", `github_pat_[A-Za-z0-9_]{22,}`),
	word("GitLab token", `gl(?:pat|ptt|rt|dt|cbt|ft|oas)-[A-Za-z0-9_-]{20,}`),
	word("Slack token", `xox[abeoprs]-[A-Za-z0-9-]{20,}`),
	word("Stripe key", `(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{20,}`),
	word("SendGrid key", `SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`),
	word("npm token", `npm_[A-Za-z0-9]{36}\b`),
	word("PyPI token", `pypi-[A-Za-z0-9_-]{50,}`),
	word("DigitalOcean token", `do[opr]_v1_[0-9a-f]{64}\b`),
	{"bearer token", regexp.MustCompile(`(?i)\bbearer +([A-Za-z0-9._~+/-]{20,}=*)`), false},
}

// word makes a shape of a secret that stands alone.
func word(kind, re string) shape {
	return shape{kind, regexp.MustCompile(`(?:^|[^A-Za-z0-9_-])(` + re + `)`), kind == "AWS key"}
}

func (s shape) find(text string) []Leak {
	var leaks []Leak
	for _, found := range s.re.FindAllStringSubmatchIndex(text, -1) {
		from, to := found[2], found[3]
		if s.any || strings.ContainsAny(text[from:to], "0123456789") {
			leaks = append(leaks, Leak{Kind: s.kind, ByShape: true, from: from, to: to})
		}
	}
	return leaks
}
