package workspace

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// An executedKind is a kind of files that programs execute, or take commands
// from, without being told to. All is in lower case.
type executedKind struct {
	why   string
	names []string
	ends  []string // of names
	dirs  []string // in which all files are of the kind; ends of paths
}

var executedKinds = []executedKind{{
	why: "build file",
	names: []string{"makefile", "gnumakefile", "bsdmakefile", "justfile", ".justfile", "taskfile.yml", "taskfile.yaml", "rakefile",
		"cmakelists.txt", "meson.build", "sconstruct", "build.xml", "pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle",
		"settings.gradle.kts", "build.bazel", "dockerfile", "containerfile", "docker-compose.yml", "docker-compose.yaml", "compose.yml",
		"compose.yaml", "vagrantfile", "build.rs", "magefile.go", "gulpfile.js", "gruntfile.js", "binding.gyp"},
	ends: []string{".mk", ".cmake", ".dockerfile"},
}, {
	why: "package file",
	names: []string{"package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "bunfig.toml", "deno.json", "composer.json",
		"gemfile", "podfile", "mix.exs", "cargo.toml", "setup.py", "setup.cfg", "pyproject.toml", "noxfile.py"},
	ends: []string{".gemspec"},
	dirs: []string{".cargo", ".mvn", ".yarn"},
}, {
	why:   "test setup",
	names: []string{"conftest.py", "tox.ini", "pytest.ini", "sitecustomize.py", "usercustomize.py"},
	ends:  []string{".pth"},
}, {
	why: "tool setup",
	names: []string{".eslintrc.js", ".eslintrc.cjs", ".prettierrc.js", ".prettierrc.cjs", ".babelrc.js", ".babelrc.cjs", ".mocharc.js",
		".mocharc.cjs", ".stylelintrc.js", ".commitlintrc.js", "karma.conf.js"},
	ends: []string{".config.js", ".config.cjs", ".config.mjs", ".config.ts", ".config.mts", ".config.cts"},
}, {
	why: "shell environment",
	names: []string{".envrc", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
		".zprofile", ".zlogin", ".zlogout", ".mise.toml", "mise.toml", "flake.nix", "shell.nix", "default.nix", "devenv.nix"},
}, {
	why: "CI",
	names: []string{".travis.yml", ".drone.yml", ".woodpecker.yml", ".cirrus.yml", "jenkinsfile", "azure-pipelines.yml",
		"bitbucket-pipelines.yml", "appveyor.yml", ".appveyor.yml", "cloudbuild.yaml"},
	ends: []string{".gitlab-ci.yml"},
	dirs: []string{".github/workflows", ".github/actions", ".circleci", ".buildkite", ".woodpecker", ".forgejo/workflows", ".gitea/workflows"},
}, {
	why: "commit hooks",
	names: []string{".pre-commit-config.yaml", ".pre-commit-hooks.yaml", "lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lintstagedrc",
		".lintstagedrc.js"},
	dirs: []string{".husky", ".githooks", ".lefthook"},
}, {
	why:   "git config",
	names: []string{".gitconfig"},
}, {
	why: "editor setup",
	names: []string{".devcontainer.json", ".dir-locals.el", ".vimrc", ".gvimrc", ".nvimrc", ".exrc", ".nvim.lua", ".lvimrc", ".mcp.json",
		".gdbinit", ".lldbinit", ".pdbrc", ".irbrc", ".pryrc", ".rprofile", ".tmux.conf", ".screenrc"},
	ends: []string{".code-workspace"},
	dirs: []string{".vscode", ".idea", ".zed", ".devcontainer", ".cursor", ".claude"},
}}

// has reports whether the file rel is of the kind k.
func (k executedKind) has(rel string, isLink bool) bool {
	base, within := path.Base(rel), "/"+path.Dir(rel)+"/"
	if isLink {
		within = "/" + rel + "/"
	}
	return slices.Contains(k.names, base) ||
		slices.ContainsFunc(k.ends, func(end string) bool { return strings.HasSuffix(base, end) }) ||
		slices.ContainsFunc(k.dirs, func(dir string) bool { return strings.Contains(within, "/"+dir+"/") })
}

// executed says why the file rel will be executed without being told to, or is
// empty. A link counts for what its own name says, and as a directory as well.
func executed(rel string, mode fs.FileMode, dir *os.Root) string {
	rel = fold(rel)
	if below, ok := belowGit(rel); ok {
		return executedByGit(below)
	}
	for _, k := range executedKinds {
		if k.has(rel, mode&fs.ModeSymlink != 0) {
			return k.why
		}
	}
	switch {
	case path.Base(rel) == "config" && bare(dir):
		return "git config"
	case mode.IsRegular() && mode&0o111 != 0:
		return "program"
	}
	return ""
}

// belowGit returns the rest of a path behind its first .git. It is empty for a
// file of that name, which leads to the directory.
func belowGit(rel string) (below string, ok bool) {
	_, below, ok = strings.Cut("/"+rel+"/", "/.git/")
	return strings.TrimSuffix(below, "/"), ok
}

// executedByGit judges a file by its path below .git, where the repository and
// those of its modules and worktrees are.
func executedByGit(below string) string {
	parts := strings.Split(below, "/")
	switch base := parts[len(parts)-1]; {
	case strings.HasSuffix(base, ".sample"):
		return ""
	case slices.Contains(parts, "hooks"):
		return "git hook"
	case base == "git-rebase-todo", base == "todo":
		return "git rebase"
	case slices.Contains([]string{"", "config", "config.worktree", "commondir", "gitdir"}, base):
		return "git config"
	}
	return ""
}

// bare reports whether a directory looks like a repository without a worktree,
// in which git would read the config.
func bare(dir *os.Root) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := dir.Lstat(name); err != nil {
			return false
		}
	}
	return true
}
