package growthtest

import "strings"

// Texts are texts of about any size, each one thing over and over, that are
// expensive for a careless reader.
var Texts = map[string]func(size int) string{
	"think":               many("<think>"),
	"think-lines":         many("<think>\n"),
	"thinking-lines":      many("<thinking>\n"),
	"closing-tags":        many("</think>"),
	"closing-tag-lines":   many("</think>\n"),
	"closing-tag-halves":  many("</thin</thinking"),
	"reasoning":           many("<think>x</think>\n"),
	"fences":              many("```\n"),
	"fences-with-info":    many("```x\n"),
	"fences-of-both":      many("```\n~~~\n"),
	"closed-fences":       many("```\nx\n```\n"),
	"falling-fences":      falling,
	"backticks":           many("`"),
	"backtick-runs":       many("`a`` "),
	"here-documents":      many("cat <<A\n"),
	"here-document-marks": many("<<A "),
	"acts":                many("ACT:\n"),
	"acts-on-a-line":      many("ACT: "),
	"dones":               many("DONE:\n"),
	"bare-dones":          many("DONE\n"),
	"labels":              many("OBS:\n"),
	"labels-on-a-line":    many("OBS: "),
	"long-labels":         many("Observation:\n"),
	"turn-ends":           many("<|x|>"),
	"turn-end-lines":      many("<|x|>\n"),
	"short-turn-ends":     many("</s>"),
	"open-turn-ends":      many("<|"),
	"quotes":              many("| "),
	"quote-lines":         many("| x\n"),
	"newlines":            many("\n"),
	"blanks":              many(" "),
	"wide-blanks":         many(" \u00a0"),
	"blank-lines":         many(" \t\n"),
	"carriage-returns":    many("\r"),
	"line-ends":           many("\r\n"),
	"hashes":              many("#"),
	"stars":               many("**"),
	"not-utf-8":           many("\xff"),
	"cut-runes":           many("x\xe2\x82\n"),
	"byte-order-marks":    many("\ufeff"),
	"brackets":            many("["),
	"closing-brackets":    many("]"),
	"bracket-lines":       many("[\n"),
	"braces":              many("{"),
	"brace-lines":         many("{\n"),
	"json-arrays":         many(`[["`),
	"json-strings":        many(`"\"",`),
	"escapes":             many("\x1b[1m"),
	"open-escapes":        many("\x1b]"),
	"thoughts":            many("Thought: x\n"),
	"actions":             many("Action: list\n"),
	"numbered-actions":    many("Action 1: list[\n"),
	"inputs":              many("Action Input: {\n"),
	"actions-and-inputs":  many("Action: bash\nAction Input: a\n"),
	"answers":             many("Final Answer:\n"),
	"long-numbers":        func(size int) string { return "Action " + strings.Repeat("1", size) },
	"letters":             many("x"),
	"lines":               many("x\n"),
}

// ActDone, Classic, Bracket and Fenced are replies in which a move of theirs goes
// on and on.
var (
	ActDone = map[string]func(size int) string{
		"think-then-closing-tags": behind("<think>", "</think>x"),
		"think-then-acts":         behind("<think>", "</think>ACT "),
		"think-then-dones":        behind("<think>", "</think>DONE<"),
		"dones-then-act":          func(size int) string { return many("DONE\n")(size) + "ACT: list ." },
		"blanks-then-act":         func(size int) string { return many(" \u00a0")(size) + "ACT: list ." },
		"returns-then-act":        func(size int) string { return many("\r")(size) + "\nACT: list ." },
		"name":                    behind("ACT: ", "a_"),
		"one-backticks":           behind("ACT: list ", "`a`` "),
		"one-nested":              nested,
		"one-deep":                deep,
		"turn-ends":               behind("ACT: list x", "<|a|>"),
		"block-operators":         behind("ACT: bash x ", "<<A "),
		"block-open":              behind("ACT: bash cat <<A\n", "A A\n"),
		"block-blank-lines":       behind("ACT: bash\n", " \n"),
		"block-fence":             behind("ACT: bash\n````\n", "```\n"),
		"block-nested":            behind("ACT: bash\n```\n", "```x\n"),
		"block-labels":            behind("ACT: bash ls\n", "OBS:\n"),
		"block-open-labels":       behind("ACT: bash cat <<A\n", "OBS:\n"),
		"body-operators":          behind("ACT: write_file ", "<<A "),
		"body-fence":              behind("ACT: write_file a\n```\n", "OBS:\n"),
		"done-labels":             behind("DONE: x\n", "OBS:\n"),
		"done-blanks":             behind("DONE: x\n", " \n"),
		"packed-acts":             behind("```\nACT: bash\n", "```x\n"),
	}
	Classic = map[string]func(size int) string{
		"block":       behind("Action: bash\nAction Input: ", "<<A "),
		"open":        behind("Action: bash\nAction Input: cat <<A\n", "Observation:\n"),
		"fence":       behind("Action: bash\nAction Input:\n````\n", "Observation:\n"),
		"object":      behind("Action: list\nAction Input: {\n", "\"}\",\n"),
		"object-line": behind("Action: list\nAction Input: {", "{\"a\":"),
		"json":        behind("Action:\n````\n{\"action\": \"list\", \"action_input\": ", "{\"a\":"),
		"json-labels": behind("Action:\n````json\n", "Observation:\n"),
		"json-whole": func(size int) string {
			return "Action:\n```\n{\"action\": \"write_file\", \"action_input\": \"" + strings.Repeat(`\n`, size/2) + "\"}\n```\n"
		},
		"answer": behind("Final Answer: x\n", "Thought\n"),
	}
	Bracket = map[string]func(size int) string{
		"input":  behind("Action 1: bash[", "[\n"),
		"labels": behind("Action 1: bash[ls\n", "Obs\n"),
		"closed": behind("Action 1: bash[ls]\n", "\n"),
		"answer": behind("Action 1: Finish[", "a]"),
	}
	Fenced = map[string]func(size int) string{
		"block":      behind("```bash\n", "Observation:\n"),
		"submit":     behind("```bash\nsubmit\n", "```x\n"),
		"other":      many("```python\nx\n```\n"),
		"then-blank": behind("```bash\nls\n```\n", " \n"),
	}
)

func many(s string) func(int) string { return behind("", s) }

func behind(head, s string) func(int) string {
	return func(size int) string { return head + strings.Repeat(s, max(0, size-len(head))/len(s)) }
}

// falling is fences of which none closes another, then lines.
func falling(size int) string {
	n := 3
	for n*n < size {
		n++
	}
	var b strings.Builder
	for ; n > 3; n-- {
		b.WriteString(strings.Repeat("`", n) + "\n")
	}
	return b.String() + strings.Repeat("x\n", max(0, size-b.Len())/2)
}

// nested is an act whose input stands in many backticks.
func nested(size int) string {
	marks := strings.Repeat("`", size/2)
	return "ACT: list " + marks + "x" + marks
}

// deep is an act whose input stands in runs of backticks, each in a longer one.
func deep(size int) string {
	var open, shut []string
	for i, n := 1, 0; n < size; i++ {
		run := strings.Repeat("`", i)
		open, shut, n = append(open, run), append(shut, run), n+2*i
	}
	for i := range len(open) / 2 {
		open[i], open[len(open)-1-i] = open[len(open)-1-i], open[i]
	}
	return "ACT: list " + strings.Join(open, " ") + " x " + strings.Join(shut, " ")
}
