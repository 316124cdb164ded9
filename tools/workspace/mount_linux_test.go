package workspace

import "syscall"

// mountSmall mounts an empty disk of 64 KiB.
func mountSmall(dir string) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k")
}

func bindMount(from, at string) error { return syscall.Mount(from, at, "", syscall.MS_BIND, "") }

func unmount(at string) error { return syscall.Unmount(at, syscall.MNT_DETACH) }
