package workspace

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// systemDirs are shown read-only where they exist. Some are links into /usr.
var systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"}

// systemFiles are what programs need of /etc. The rest stays out of sight: for
// root, and sometimes for others, it holds secrets.
var systemFiles = []string{
	"alternatives", "ca-certificates", "ca-certificates.conf", "crypto-policies", "debian_version", "fonts", "group",
	"host.conf", "hosts", "inputrc", "java-*", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias",
	"localtime", "magic", "magic.mime", "mime.types", "nsswitch.conf", "os-release", "passwd", "perl",
	"pki/ca-trust", "pki/tls/cert.pem", "pki/tls/certs", "pki/tls/openssl.cnf", "protocols", "python3*", "rpc",
	"services", "shells", "ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf", "terminfo", "timezone",
}

// tempBytes is what each private directory takes.
const tempBytes = 1 << 30

// A layout is what a command sees of the file system.
type layout struct {
	dir, real string // the workspace by its name and with links resolved
	env       []string
	mounts    []mount
}

// A mount is an option of bwrap about a path, with what stands before and between.
type mount struct {
	before []string
	option string
	source string // empty if the option has none
	path   string
}

// add fills l. Of two mounts at a path the later one counts.
func (l *layout) add(b Bubblewrap, spec Spec) error {
	for _, dir := range append(systemDirs, "/etc", "/proc", "/dev", "/sys", "/run") {
		if under(l.real, dir) {
			return &IsolationError{fmt.Sprintf("the workspace %s holds %s, which bubblewrap cannot keep from commands then", l.real, dir),
				"open a directory below it"}
		}
	}
	l.system(b.Network)
	for _, path := range b.ReadDirs {
		l.bind("--ro-bind", filepath.Clean(path))
	}
	l.option("--proc", "/proc")
	l.option("--dev", "/dev")
	for _, path := range []string{"/tmp", "/var/tmp", "/run", "/dev/shm", l.home()} {
		l.temporary(path)
	}
	l.workspace(spec.ReadOnly)
	slices.SortStableFunc(l.mounts, func(a, b mount) int { return cmp.Compare(a.path, b.path) })
	return nil
}

// system shows the system directories.
func (l *layout) system(network bool) {
	for _, path := range systemDirs {
		info, err := os.Lstat(path)
		switch {
		case err != nil:
		case info.Mode()&fs.ModeSymlink != 0:
			if target, err := os.Readlink(path); err == nil {
				l.mounts = append(l.mounts, mount{nil, "--symlink", target, path})
			}
		default:
			l.bind("--ro-bind", path)
		}
	}
	l.option("--dir", "/etc")
	files := systemFiles
	if network {
		files = append(files[:len(files):len(files)], "resolv.conf")
	}
	for _, name := range files {
		found, _ := filepath.Glob("/etc/" + name)
		for _, path := range found {
			l.bind("--ro-bind-try", path)
		}
	}
}

// workspace shows the workspace, also by the name it was opened by, and what in
// it is read-only. A directory that a mount is in can be renamed, but not one
// that is a mount itself, so each directory on the way is mounted on itself.
func (l *layout) workspace(readOnly []string) {
	if l.dir != l.real {
		l.mounts = append(l.mounts, mount{nil, "--symlink", l.real, l.dir})
	}
	l.bind("--bind", l.real)
	readOnly = outermost(readOnly)
	fixed := map[string]bool{}
	for _, path := range readOnly {
		for dir := filepath.Dir(path); dir != l.real && under(l.real, dir) && !fixed[dir]; dir = filepath.Dir(dir) {
			fixed[dir] = true
			l.bind("--bind", dir)
		}
	}
	for _, path := range readOnly {
		l.bind("--ro-bind", path)
	}
}

// home returns the private home directory and sets the environment to it, and to
// the private directory for temporary files. A home inside the workspace is
// there already.
func (l *layout) home() string {
	home := "/tmp"
	env := make([]string, 0, len(l.env)+2)
	for _, v := range l.env {
		switch name, value, _ := strings.Cut(v, "="); name {
		case "HOME":
			if filepath.IsAbs(value) && filepath.Clean(value) != "/" {
				home = filepath.Clean(value)
			}
		case "TMPDIR":
		default:
			env = append(env, v)
		}
	}
	l.env = append(env, "HOME="+home, "TMPDIR=/tmp")
	if under(l.real, home) || under(l.dir, home) {
		return "/tmp"
	}
	return home
}

func (l *layout) bind(option, path string) {
	l.mounts = append(l.mounts, mount{nil, option, path, path})
}

func (l *layout) option(option, path string) {
	l.mounts = append(l.mounts, mount{nil, option, "", path})
}

func (l *layout) temporary(path string) {
	before := []string{"--perms", "1777", "--size", strconv.Itoa(tempBytes)}
	l.mounts = append(l.mounts, mount{before, "--tmpfs", "", path})
}

// args returns the options of bwrap. /proc is read-only since root may write the
// settings of the kernel there, without any capability.
func (l *layout) args(network bool) []string {
	args := []string{
		"--unshare-user", "--disable-userns", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup",
		"--new-session", "--die-with-parent", "--cap-drop", "ALL",
		"--info-fd", strconv.Itoa(infoFile), "--seccomp", strconv.Itoa(filterFile),
	}
	if !network {
		args = append(args, "--unshare-net")
	}
	for _, m := range l.mounts {
		args = append(append(args, m.before...), m.option)
		if m.source != "" {
			args = append(args, m.source)
		}
		args = append(args, m.path)
	}
	return append(args, "--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", l.dir)
}
