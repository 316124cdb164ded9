package scripted

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/actdone/actdone/llm/script"
)

// The tickets as they once were: without a word about those that are missing.
// The answer of the agent was right, since a script gives it; what the model had
// been told was not, and the script missing.txtar says so.
func Example_bug() {
	silent := func(dir string) Tickets {
		return func(id string) (string, error) {
			text, _ := os.ReadFile(filepath.Join(dir, filepath.Base(id)+".txt"))
			return string(text), nil
		}
	}
	text, err := os.ReadFile("testdata/missing.txtar")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := script.Parse("missing.txtar", text)
	if err != nil {
		fmt.Println(err)
		return
	}
	model := &script.Player{Script: s}
	answer, err := Triage(context.Background(), model, silent(os.TempDir()), s.Task.Text)
	fmt.Println(answer, err)
	fmt.Println(model.Check())
	// Output:
	// there is no ticket 8 <nil>
	// missing.txtar:7: ask 2 of lane main: added text differs in observation 1
	//     --- script
	//     +++ asked
	//      ACT: ticket 8
	//     -OBS: error: no ticket 8
	//     +OBS: (no output)
	//   act 1 is as recorded
}
