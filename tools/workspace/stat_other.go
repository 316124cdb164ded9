//go:build !unix

package workspace

import (
	"errors"
	"io/fs"
	"os"
)

var errLocked = errors.New("locked")

// Elsewhere names, owners and locks are not known. A temporary file that a
// killed program left stays.

func hasTwins(fs.FileInfo) bool { return false }

func keepOwner(*os.File, fs.FileInfo) {}

func lock(*os.File) error { return errors.ErrUnsupported }
