// Package e2e has no code. Its tests run the client, the loop and the command
// against a server that is not ours: aimock (npm, @copilotkit/aimock, MIT), which
// speaks the chat completions API and can misbehave on demand.
//
// The tests are skipped where Node.js or the package is missing; "npm ci" in
// this folder installs it.
package e2e
