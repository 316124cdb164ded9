package react

import "github.com/actdone/actdone/llm"

// A Step is one move of a run and what came of it. Steps are plain data: they
// survive JSON unchanged, and passed to [Loop.Run] again they continue a run or
// become its history.
type Step struct {
	// Task is the task the step works on.
	Task string `json:"task"`

	// Ask is the number of the ask that gave the step, from 1 for each task. In
	// a [Native] run one reply may call several tools: those steps share it.
	Ask int `json:"ask"`

	// Reply is the model's reply up to the end of its move; of a refused
	// reply, all of it.
	Reply string `json:"reply"`

	// Move is what the reply says to do. Its Kind is empty where the reply
	// was refused.
	Move Move `json:"move,omitzero"`

	// Call is the call of a [Native] run that the step answers, as it stands in
	// the conversation; Move.Input is what the tool got of its arguments.
	Call llm.ToolCall `json:"call,omitzero"`

	// Reasoning is what the model of a Native run thought before its reply, for
	// servers that want it back.
	Reasoning string `json:"reasoning,omitempty"`

	// Refused says why the reply was refused: "no move", "no tool",
	// "ambiguous", "unclosed", "truncated" or "empty". It is empty where
	// there is a move.
	Refused string `json:"refused,omitempty"`

	// Observation is what the model is shown about the step, exactly as it
	// stands in the prompt but for its fence, until [Loop].Compact drops it from
	// there. It is empty where the move is Done.
	Observation string `json:"observation,omitempty"`

	// Note is what the loop says to the model after the observation, a line
	// each; mostly empty.
	Note string `json:"note,omitempty"`
}

// A Result is what is known at the end of a run, whatever the end. It is plain
// data.
type Result struct {
	Task   string `json:"task"`
	Answer string `json:"answer"` // empty unless the run ended with an answer
	Steps  []Step `json:"steps"`  // all of them, prior ones included

	// Asks is how often the model was asked for this task, by earlier runs of
	// it too. Limit is how often it could have been.
	Asks  int `json:"asks"`
	Limit int `json:"limit"`

	// PromptBytes is the length of all prompts that this run asked, and
	// RepeatedBytes how many of them repeated the prompt before: what a cache of
	// prompts can save.
	PromptBytes   int `json:"promptBytes"`
	RepeatedBytes int `json:"repeatedBytes"`

	// LostPrompt is the number of the ask at which the server first dropped
	// part of the prompt without saying so, or 0. See [Trace].
	LostPrompt int `json:"lostPrompt,omitempty"`
}

// Wandered reports whether the task needed more than a third of its limit, and
// more than one ask: a sign of tools or instructions that do not fit it.
func (r Result) Wandered() bool { return r.Asks > 1 && 3*r.Asks > r.Limit }
