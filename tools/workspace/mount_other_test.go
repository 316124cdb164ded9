//go:build unix && !linux

package workspace

import "errors"

func mountSmall(string) error { return errors.ErrUnsupported }

func bindMount(string, string) error { return errors.ErrUnsupported }

func unmount(string) error { return errors.ErrUnsupported }
