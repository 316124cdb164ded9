package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConformance holds that the project's own cases pass by the command too.
func TestConformance(t *testing.T) {
	var stdout, stderr bytes.Buffer
	dir := filepath.Join("..", "..", "testdata", "protocol")
	exit := run(t.Context(), []string{"parse", "--conformance", dir}, strings.NewReader(""), &stdout, &stderr)
	require.Zero(t, exit, stdout.String()+stderr.String())
	require.Regexp(t, `^[1-9]\d{2,} passed, 0 failed\n$`, stdout.String())
}

func TestReadCase(t *testing.T) {
	for _, test := range []struct{ name, line, err string }{
		{"whole", `{"id":"a","reply":"","want":{"move":"done"}}`, ""},
		{"no-json", `x`, "invalid character"},
		{"unknown-field", `{"id":"a","replies":""}`, "unknown field"},
		{"no-id", `{"reply":"","want":{"move":"done"}}`, "no id"},
		{"no-reply", `{"id":"a","want":{"move":"done"}}`, "want one of reply and reply_base64"},
		{"two-replies", `{"id":"a","reply":"","reply_base64":"","want":{"move":"done"}}`, "want one of reply and reply_base64"},
		{"base64", `{"id":"a","reply_base64":"?","want":{"move":"done"}}`, "base64"},
		{"lines", `{"id":"a","reply":"","tools":{"x":"two"},"want":{"move":"done"}}`, `lines "two": want one, block or body`},
		{"nothing-wanted", `{"id":"a","reply":"","want":{}}`, `want.move "": it is act or done`},
		{"move", `{"id":"a","reply":"","want":{"move":"go"}}`, `want.move "go"`},
		{"error", `{"id":"a","reply":"","want":{"error":"odd"}}`, `want.error "odd"`},
		{"error-and-move", `{"id":"a","reply":"","want":{"error":"no move","move":"act"}}`, "it stands alone"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := readCase([]byte(test.line))
			if test.err == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, test.err)
			}
		})
	}
}
