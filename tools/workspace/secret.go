package workspace

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// refuseSecret returns an error if rel, asked for as asked, is named like a
// file that holds secrets. It says that the file is not done, which is "shown" or
// "written".
func (w *Workspace) refuseSecret(asked, rel, done string) error {
	if !w.secret(rel) {
		return nil
	}
	subject, hint := quotePath(asked), ""
	if path.Clean(rel) != path.Clean(asked) && !looksSecret(asked) {
		subject += " leads to " + quotePath(rel) + ", which"
	}
	if base := fold(path.Base(rel)); done == "shown" && (base == ".env" || strings.HasPrefix(base, ".env.")) {
		hint = " or read " + quotePath(path.Join(path.Dir(rel), ".env.example"))
	}
	return fmt.Errorf("%s may hold secrets and is not %s; ask the user%s", subject, done, hint)
}

// secret reports whether the contents of the file rel are to be kept back.
func (w *Workspace) secret(rel string) bool { return !w.allowSecrets && looksSecret(rel) }

var (
	// secretNames are files of programs that keep passwords or tokens in them.
	secretNames = []string{".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".htpasswd", ".dockercfg", ".vault-token"}

	// secretPaths are the same where the name alone says too little.
	secretPaths = []string{".aws/config", ".docker/config.json", ".kube/config"}

	// secretDirs are directories in which nothing is for others.
	secretDirs = []string{".ssh", ".gnupg"}

	// secretEnds are the ends of files with keys in them.
	secretEnds = []string{".pem", ".key", ".p12", ".pfx", ".ppk", ".jks", ".keystore", ".kdbx"}

	// privateKeys are what ssh-keygen calls private keys.
	privateKeys = []string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss"}

	// samples mark files that show the form of a secret file and no secret.
	samples = []string{"example", "sample", "template", "dist"}

	// copies are what programs and people add to the name of a copy.
	copies = []string{"~", ".bak", ".old", ".orig", ".save", ".swp"}

	// sources are the ends of program texts and of documents. Files about
	// credentials are often among those.
	sources = []string{".go", ".py", ".rb", ".rs", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".java", ".kt", ".scala", ".swift",
		".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".vue", ".svelte", ".php", ".pl", ".lua", ".ex", ".exs", ".erl", ".hs", ".ml",
		".sql", ".proto", ".html", ".css", ".scss", ".md", ".mdx", ".rst", ".adoc"}
)

// looksSecret judges a file by its path alone, without regard to case, and a
// copy such as .env.bak or key.pem~ like the file itself. Secret are
//
//   - .env, .env.* and *.env, unless the first or last word of the name is
//     example, sample, template or dist;
//   - private keys of ssh: id_rsa, id_ed25519 and so on, alone or with
//     something behind, but neither *.pub nor program texts;
//   - credentials* and secrets.*, but neither program texts nor documents, so
//     credentials.go may be read and credentials.json may not;
//   - the names, paths and ends listed above, and all that lies in .ssh or
//     .gnupg but public keys.
func looksSecret(rel string) bool {
	rel = fold(path.Clean(rel))
	base := original(path.Base(rel))
	switch {
	case path.Ext(base) == ".pub":
		return false
	case slices.ContainsFunc(strings.Split(path.Dir(rel), "/"), func(dir string) bool { return slices.Contains(secretDirs, dir) }):
		return true
	case slices.Contains(secretNames, base), slices.Contains(secretPaths, lastTwo(rel)), slices.Contains(secretEnds, path.Ext(base)):
		return true
	case base == ".env", strings.HasPrefix(base, ".env."), strings.HasSuffix(base, ".env"):
		return !isSample(base)
	}
	return !slices.Contains(sources, path.Ext(base)) && tellsSecret(base)
}

// tellsSecret reports whether a file that is no program text is called after
// the secrets in it.
func tellsSecret(base string) bool {
	if strings.HasPrefix(base, "credentials") || strings.HasPrefix(base, "secrets.") {
		return true
	}
	return slices.ContainsFunc(privateKeys, func(key string) bool {
		rest, ok := strings.CutPrefix(base, key)
		return ok && (rest == "" || strings.ContainsAny(rest[:1], "._-"))
	})
}

// fold makes names equal that some file systems do not tell apart.
func fold(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// original takes from a name what makes it that of a copy.
func original(base string) string {
	for _, end := range copies {
		if name, ok := strings.CutSuffix(base, end); ok && name != "" {
			return original(name)
		}
	}
	return base
}

func isSample(base string) bool {
	words := strings.Split(strings.Trim(base, "."), ".")
	return slices.Contains(samples, words[0]) || slices.Contains(samples, words[len(words)-1])
}

// lastTwo returns the last two names of a path.
func lastTwo(rel string) string { return path.Join(path.Base(path.Dir(rel)), path.Base(rel)) }
