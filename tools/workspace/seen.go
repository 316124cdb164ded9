package workspace

import (
	"crypto/sha256"
	"errors"
	"io"
	"sync"
)

// A digest stands for the content of a file.
type digest = [sha256.Size]byte

// A memory holds what the agent knows of files: the digest of each as it was
// when the agent last read or wrote it. Only content counts, so a file that was
// touched is still known and one that was rewritten is not. The zero value knows
// nothing. It may be used concurrently.
type memory struct {
	mu    sync.Mutex
	files map[string]digest // by the path without links
}

func (m *memory) note(rel string, d digest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil {
		m.files = map[string]digest{}
	}
	m.files[rel] = d
}

// recall returns what was noted last of the file, and whether anything was.
func (m *memory) recall(rel string) (digest, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, ok := m.files[rel]
	return d, ok
}

// differs reports whether the file of the target is known and no longer what it
// was then.
func (m *memory) differs(t *target) bool {
	d, ok := m.recall(t.rel)
	return ok && d != sha256.Sum256(t.old)
}

// knows reports whether the file of the target is known as it is.
func (m *memory) knows(t *target) bool {
	d, ok := m.recall(t.rel)
	return ok && d == sha256.Sum256(t.old)
}

// wholeBytes is the size up to which files are known as a whole: larger ones
// are neither noted nor changed.
func (w *Workspace) wholeBytes() int { return max(w.limits.EditBytes, w.limits.WriteBytes) }

// digestOf returns the digest of f, or false if f is too large to be known. It
// is taken before the file is shown: what changes after that has changed since.
func (w *Workspace) digestOf(f *regular) (digest, bool) {
	if f.info.Size() > int64(w.wholeBytes()) {
		return digest{}, false
	}
	data, err := readWhole(f, w.wholeBytes())
	return sha256.Sum256(data), err == nil
}

var errTooLarge = errors.New("too large")

// readWhole returns all of r, or errTooLarge if that is more than limit bytes.
func readWhole(f io.ReaderAt, limit int) ([]byte, error) {
	data, err := io.ReadAll(io.NewSectionReader(f, 0, int64(limit)+1))
	if err == nil && len(data) > limit {
		return nil, errTooLarge
	}
	return data, err
}
