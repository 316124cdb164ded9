package dialects_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/react"
)

// What the recordings hold, read with regular expressions of the test's own: the
// moves as they were taken then, and the scores.

var (
	actionLabel = regexp.MustCompile(`(?m)^[ \t]*Action(?: \d+)?:`)
	nextLabel   = regexp.MustCompile(`\n[ \t]*(?:Thought|Action|Observation|Obs)\b`)
	verbMove    = regexp.MustCompile(`(?s)^ *([A-Za-z_]+) ?\[(.*)\]\s*$`)
	openMove    = regexp.MustCompile(`(?s)^ *([A-Za-z_]+)\[(.*)$`)
	notTaken    = regexp.MustCompile(`^Invalid action: |^Invalid Action|did not contain \w+ code`)
	wrongTool   = regexp.MustCompile(`^Invalid Action. Valid Actions are`) // well formed, but for the tool
)

// readActOnly reads a reply that is just a move.
func readActOnly(_ *episode, g group) recordedMove {
	move := strings.TrimSpace(g.reply)
	if at := actionLabel.FindStringIndex(move); at != nil {
		move = strings.TrimSpace(move[at[1]:])
	}
	if m := verbMove.FindStringSubmatch(move); m != nil {
		return recordedMove{react.Act, m[1], m[2]}
	}
	if m := openMove.FindStringSubmatch(move); m != nil { // taken as it was
		return recordedMove{react.Act, m[1], m[2]}
	}
	return recordedMove{}
}

// readBracket reads the first move of a reply.
func readBracket(_ *episode, g group) recordedMove {
	at := actionLabel.FindStringIndex(g.reply)
	if at == nil || notTaken.MatchString(g.observation) && !wrongTool.MatchString(g.observation) {
		return recordedMove{}
	}
	move := g.reply[at[1]:]
	if end := nextLabel.FindStringIndex(move); end != nil {
		move = move[:end[0]]
	}
	if strings.TrimSpace(move) == "submit" {
		return recordedMove{kind: react.Done}
	}
	m := verbMove.FindStringSubmatch(move)
	switch {
	case m == nil:
		return recordedMove{}
	case strings.EqualFold(m[1], "finish"):
		return recordedMove{kind: react.Done, input: strings.TrimSpace(m[2])}
	}
	return recordedMove{react.Act, m[1], m[2]}
}

var classicMove = regexp.MustCompile(`(?s)Action: *([^\n]*)\nAction Input: *(.*)$`)

// readClassic reads the act of a reply that has an observation, else the answer
// of the episode.
func readClassic(e *episode, g group) recordedMove {
	if !g.observed {
		return recordedMove{kind: react.Done, input: strings.TrimSpace(e.Outcome.Answer)}
	}
	m := classicMove.FindStringSubmatch(g.reply)
	if m == nil {
		return recordedMove{}
	}
	return recordedMove{react.Act, strings.TrimSpace(m[1]), strings.TrimSpace(m[2])}
}

var block = regexp.MustCompile("(?ms)^```[a-z_]*\n(.*?)\n?^```")

// readFenced reads the command as the source has parsed it.
func readFenced(end string) func(*episode, group) recordedMove {
	return func(_ *episode, g group) recordedMove {
		command := ""
		if g.parsed != nil {
			command = strings.TrimSuffix(*g.parsed, "\n")
		} else if m := block.FindStringSubmatch(g.reply); m != nil {
			command = m[1]
		}
		if answer, ok := strings.CutPrefix(command, end); ok && g.last {
			return recordedMove{kind: react.Done, input: strings.TrimSpace(answer)}
		}
		return recordedMove{react.Act, "bash", command}
	}
}

var shopEnd = regexp.MustCompile(`^\s*Your score \(min 0\.0, max 1\.0\): (\S+)`)

// shopScore is the score in the last observation.
func shopScore(_ *episode, r replayed) float64 {
	m := shopEnd.FindStringSubmatch(r.steps[len(r.steps)-1].Observation)
	if m == nil {
		return 0
	}
	score, _ := strconv.ParseFloat(m[1], 64)
	return score
}

var articles = regexp.MustCompile(`\b(a|an|the)\b`)

// plainAnswer is the normalisation of the question-answering recordings.
func plainAnswer(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
	return strings.Join(strings.Fields(articles.ReplaceAllString(s, " ")), " ")
}

func exactMatch(e *episode, r replayed) float64 {
	return one(r.done && plainAnswer(r.answer) == plainAnswer(e.Outcome.Gold))
}

func one(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

func lastReward(_ *episode, r replayed) float64 { return r.reward }
func answered(_ *episode, r replayed) float64   { return one(r.done) }
func recordedScore(e *episode) float64          { return e.Outcome.Score }
func recordedMatch(e *episode) float64          { return float64(e.Outcome.EM) }
func recordedEnd(e *episode) float64 {
	return one(e.Outcome.Ended == "answer" || e.Outcome.Ended == "submitted")
}
func sameAnswer(e *episode, r replayed) float64 {
	return one(r.done && r.answer == strings.TrimSpace(e.Outcome.Answer))
}

// aggregate is the figure of a source.
func (s source) aggregate(list []scored) string {
	if s.score == nil {
		return "-"
	}
	splits := map[string][]scored{}
	for _, one := range list {
		splits[one.split] = append(splits[one.split], one)
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(splits)) {
		part := splits[name]
		sum, full, ended := 0.0, 0, 0
		for _, one := range part {
			sum += one.score
			if one.score == 1 {
				full++
			}
			if one.answered {
				ended++
			}
		}
		n := len(part)
		text := ""
		switch s.how {
		case "mean":
			text = fmt.Sprintf("mean %.5f, success %.5f", sum/float64(n), float64(full)/float64(n))
		case "groups":
			text = fmt.Sprintf("%d correct, %d incorrect, %d halted", full, ended-full, n-ended)
		default:
			text = fmt.Sprintf("%d of %d", full, n)
		}
		if name != "" {
			text = strings.Split(name, ",")[0] + " " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// published compares the computed scores with the aggregates.json of the folder,
// if it has the figures of a part of as many episodes.
func (s source) published(t *testing.T, dir string, c counts) {
	data, err := os.ReadFile(filepath.Join(dir, "aggregates.json"))
	if err != nil {
		return
	}
	type part struct {
		Episodes int
		Mean     *float64 `json:"mean_score"`
		Count    *float64 `json:"em_count"`
		Models   map[string]struct {
			Count float64 `json:"em_count"`
		}
		Groups map[string]int
	}
	var file struct{ Sources map[string]map[string]part }
	require.NoError(t, json.Unmarshal(data, &file))
	name := strings.TrimSuffix(strings.TrimSuffix(s.file, ".gz"), ".jsonl")
	for _, p := range file.Sources[name] {
		if p.Episodes != len(c.computed) {
			continue
		}
		sum, full, ended := map[string]float64{}, 0, 0
		total := 0.0
		for _, one := range c.computed {
			sum[one.split] += one.score
			total += one.score
			if one.score == 1 {
				full++
			}
			if one.answered {
				ended++
			}
		}
		if p.Mean != nil {
			assert.LessOrEqual(t, math.Abs(*p.Mean-total/float64(p.Episodes)), 1e-12, name)
		}
		if p.Count != nil {
			assert.Equal(t, *p.Count, total, name)
		}
		for model, want := range p.Models {
			if s.split != nil {
				assert.Equal(t, want.Count, sum[model], "%s %s", name, model)
			} else {
				assert.Equal(t, want.Count, total, name)
			}
		}
		if p.Groups != nil {
			assert.Equal(t, p.Groups, map[string]int{"correct": full, "incorrect": ended - full, "halted": p.Episodes - ended}, name)
		}
	}
}
