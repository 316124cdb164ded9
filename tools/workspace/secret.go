package workspace

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// refuseSecret returns an error if rel, asked for as asked, is named like a
// file that holds secrets.
func (w *Workspace) refuseSecret(asked, rel string) error {
	if w.allowSecrets || !looksSecret(rel) {
		return nil
	}
	subject, hint := quotePath(asked), ""
	if path.Clean(rel) != path.Clean(asked) && !looksSecret(asked) {
		subject += " leads to " + quotePath(rel) + ", which"
	}
	if base := strings.ToLower(path.Base(rel)); base == ".env" || strings.HasPrefix(base, ".env.") {
		hint = " or read " + quotePath(path.Join(path.Dir(rel), ".env.example"))
	}
	return fmt.Errorf("%s may hold secrets and is not shown; ask the user%s", subject, hint)
}

// looksSecret judges a file by its name, without regard to case.
func looksSecret(rel string) bool {
	base := strings.ToLower(path.Base(rel))
	switch {
	case strings.HasPrefix(base, ".env."):
		return !slices.Contains([]string{".example", ".sample", ".template"}, path.Ext(base))
	case slices.Contains([]string{".env", ".netrc", ".npmrc", ".pypirc"}, base):
		return true
	case strings.HasPrefix(base, "id_"), strings.HasPrefix(base, "credentials"):
		return true
	}
	return strings.HasSuffix(base, ".pem") || strings.HasSuffix(base, ".key")
}
