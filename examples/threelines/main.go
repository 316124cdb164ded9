// Command threelines reads the protocol in three lines of code, as one first
// learns it. That is enough to understand what a model is asked to write:
//
//	The config file should say.
//	ACT: read_file config.py
//
// It is not enough to run it. What react.Parse does beyond it:
//
//   - It takes what comes first. Here a reply that acts, invents the result and
//     answers counts as answered, and the tool never runs.
//   - It takes a command of several lines whole, in a fence or a here-document,
//     and refuses one with prose under it or without its end. Here the first
//     line would run, alone.
//   - It does not look for moves in reasoning or in fenced illustrations.
//   - It reads markers in bold, headings or backticks, with odd colons or
//     without a blank, and tool names in another case. Here they are text.
//   - It says what is wrong, so that the model can mend it.
package main

import (
	"fmt"
	"strings"
)

// act returns the tool that a reply calls, and its input.
func act(reply string) (tool, input string) {
	_, after, _ := strings.Cut("\n"+reply, "\nACT: ")
	line, _, _ := strings.Cut(after, "\n")
	tool, input, _ = strings.Cut(line, " ")
	return tool, input
}

// done returns the answer, if the reply gives one.
func done(reply string) (answer string, ok bool) {
	_, answer, ok = strings.Cut("\n"+reply, "\nDONE: ")
	return answer, ok
}

func main() {
	for _, reply := range []string{
		"The config file should say.\nACT: read_file config.py",
		"Port 8080, then.\nDONE: the server listens on 8080",
	} {
		if answer, ok := done(reply); ok {
			fmt.Println("answer:", answer)
			continue
		}
		tool, input := act(reply)
		fmt.Printf("run %s with %q\n", tool, input)
	}
}
