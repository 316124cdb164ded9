package workspace

import (
	"context"
	"strings"
)

// Bubblewrap is the [Runner] that isolates commands with the program bwrap, of
// the package bubblewrap (version 0.8 or later), on Linux. Its zero value is the
// strictest. It works for root and for ordinary users.
//
// A command sees the system directories (/usr, /bin, /lib, /nix/store and what
// programs need of /etc) and ReadDirs, all read-only, and the workspace, which
// it may write. /tmp, /var/tmp, /run, /dev, /dev/shm and the home directory are
// its own, empty at the start of a call and gone at its end; none takes more than
// 1 GiB. It is alone: user, process, IPC, host name and, unless Network is set,
// network namespaces are its own, it has no capabilities and cannot get any, and
// at the end of the call, or of this program, nothing of it is left. The kernel's
// key rings, io_uring, sockets other than Unix, Internet and netlink ones, and
// programs for other processors (32-bit ones among them) are refused.
//
// # Git
//
// In every git repository that is in the workspace when it is opened, submodules
// and linked worktrees included, the hooks and the configuration are read-only
// and the repository cannot be moved away; an absent hooks directory or
// configuration is made for that. So git in a command cannot configure these
// repositories. A repository in which hooks or configuration are links is
// read-only as a whole, and so is a directory that cannot be searched. Moving
// files between such a repository and its surroundings copies them.
//
// What cannot be held: a command may make a repository of its own, in the place
// of one whose HEAD it has removed or anywhere else, or point git to one with a
// file .git/commondir; and it may write files of the workspace that the
// configuration refers to (core.hooksPath, include.path). Look at what
// [Workspace.Changed] lists before calling git where a command has worked.
//
// # What is not isolated
//
// The workspace is as it is: hard links, sockets and mounts inside it lead where
// they lead, and a home directory inside it is not private. A Unix socket in
// ReadDirs can be connected to. With Network a command reaches all that this
// machine reaches, also services on localhost and abstract Unix sockets. Kernel
// bugs are not guarded against.
type Bubblewrap struct {
	// ReadDirs are directories or files to be read besides those of the
	// system, by absolute paths. They must exist.
	ReadDirs []string

	// Network lets commands use the network of this machine.
	Network bool
}

var _ Isolator = Bubblewrap{}

// Isolation says what holds for commands.
func (b Bubblewrap) Isolation() string {
	read := "the system directories"
	if len(b.ReadDirs) > 0 {
		read += ", " + strings.Join(b.ReadDirs, ", ")
	}
	network := "there is no network"
	if b.Network {
		network = "the network of this machine is open to them, with its local services and abstract sockets"
	}
	return "bubblewrap: commands read " + read + " and the workspace and write only the workspace, " +
		"without the hooks and configuration of the git repositories that were in it; " +
		"/tmp, /run, /dev and home are empty and private; " + network +
		"; other processes are out of sight; nothing of a command outlives its call"
}

// Check tries a command. The error names what is missing.
func (b Bubblewrap) Check(ctx context.Context, spec Spec) error { return b.check(ctx, spec) }

// noBubblewrap explains what bwrap said when it was tried.
func noBubblewrap(said string) error {
	for _, word := range []string{"namespace", "uid map", "gid map", "RTM_NEWADDR", "max_user_namespaces"} {
		if strings.Contains(said, word) {
			return &IsolationError{"user namespaces are off (" + said + ")",
				"allow them (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)"}
		}
	}
	if strings.Contains(said, "nknown option") {
		return &IsolationError{"bubblewrap is too old (" + said + ")", "install version 0.8 or later of the package bubblewrap"}
	}
	return &IsolationError{"bubblewrap does not work here (" + said + ")", ""}
}
