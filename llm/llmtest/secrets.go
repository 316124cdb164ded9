package llmtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/actdone/actdone/llm/script"
)

// NoSecrets wants that no file in a folder, at any depth, holds what looks like a
// key or a token, nor the value of a variable of the environment that is named
// like one.
func NoSecrets(t testing.TB, dir string) {
	t.Helper()
	secrets, files := script.Environ(), 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, leak := range secrets.Find(string(data)) {
			t.Errorf("%s:%d:%d: a secret: %s", filepath.ToSlash(path), leak.Line, leak.Column, leak.Kind)
		}
		return nil
	})
	if err != nil {
		t.Errorf("llmtest: %v", err)
	} else if files == 0 {
		t.Errorf("llmtest: %s holds no file", dir)
	}
}
