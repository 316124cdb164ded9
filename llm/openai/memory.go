package openai

import (
	"slices"
	"sync"
)

// A memory keeps what the latest requests encoded, so that a request which goes
// on from an earlier one encodes only what is new. What is in use is not in it.
type memory[M encoded] struct {
	mu   sync.Mutex
	kept []M // the latest last
}

// An encoded is what a memory keeps.
type encoded interface {
	length() int // the longer, the more it saves
	held() int   // in bytes
}

// How much a memory keeps: conversations, and bytes of them all.
const (
	keptMessages = 64
	keptBytes    = 16 << 20
)

// find takes the longest of those that begins allows out of the memory, or
// returns nil.
func (k *memory[M]) find(begins func(M) bool) (found M) {
	k.mu.Lock()
	defer k.mu.Unlock()
	best := -1
	for i, m := range k.kept {
		if (best < 0 || m.length() >= k.kept[best].length()) && begins(m) {
			best = i
		}
	}
	if best >= 0 {
		found = k.kept[best]
		k.kept = slices.Delete(k.kept, best, best+1)
	}
	return found
}

// put keeps m for the next request of its conversation.
func (k *memory[M]) put(m M) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = append(k.kept, m)
	size := 0
	for i := len(k.kept) - 1; i >= 0; i-- {
		if size += k.kept[i].held(); size > keptBytes || len(k.kept)-i > keptMessages {
			k.kept = slices.Clone(k.kept[i+1:])
			return
		}
	}
}
