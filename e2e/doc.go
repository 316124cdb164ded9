// Package e2e has no code. Its tests run against programs that are not ours: the
// client, the loop and the command against aimock (npm, @copilotkit/aimock, MIT),
// which speaks the chat completions API and can misbehave on demand; the grammars
// against llama.cpp (npm, @node-llama-cpp/linux-x64, MIT: its parser, no model)
// and the regular expressions of Node.js and Python; scripts that are served
// against OpenAI's client (npm, openai, Apache-2.0). The folder .ci has
// the same test of clients in Go.
//
// The tests are skipped where a program is missing; "npm ci" in this folder
// installs the packages.
package e2e
