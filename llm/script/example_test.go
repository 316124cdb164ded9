package script_test

import (
	"context"
	"fmt"

	"github.com/actdone/actdone/llm/script"
)

func ExampleParse() {
	s, err := script.Parse("count.txtar", []byte(`Counts the files.

-- task --
How many files are here?
-- reply --
ACT: list .
-- fault status 429 retry-after=20s --
Slow down.
-- answer --
2
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Task.Text)
	for _, step := range s.Lanes[0].Steps {
		fmt.Printf("%s: %q %v\n", s.At(step.Line()), step.Reply.Text, step.Fault)
	}
	_, err = script.Parse("count.txtar", []byte("-- reply --\nDONE: 2\n-- reply\nDONE: 3\n"))
	fmt.Println(err)
	// Output:
	// How many files are here?
	// count.txtar:5: "ACT: list ." <nil>
	// count.txtar:7: "" fault status 429
	// count.txtar:3: "-- reply" looks like the marker of a section but is none; write "-- reply --" from the start of the line to its end, or, if it is text, give its section encoding=quoted and begin each of its lines with ">"
}

func ExamplePlayer() {
	s, err := script.Parse("hello.txtar", []byte(`-- expect --
contains Which color?
-- reply --
Blue.
-- added --
And why?
-- reply --
It is the sky's.
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	model := &script.Player{Script: s}
	ctx := context.Background()
	fmt.Println(model.Ask(ctx, "Which colour?"))
	fmt.Println(model.Ask(ctx, "Which colour?\nAnd why?"))
	fmt.Println(model.Check())
	// Output:
	// Blue. <nil>
	// It is the sky's. <nil>
	// hello.txtar:2: ask 1 of lane main: the prompt does not contain "Which color?"
	//   closest is line 1:
	//     Which [-color?-]{+colour?+}
}

func ExampleFormat() {
	text, err := script.Format("x.txtar", []byte("--  reply  out=9 in=120  --\nDONE: 2"))
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// -- reply in=120 out=9 --
	// DONE: 2
	// <nil>
}
