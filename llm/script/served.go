package script

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Served is a request that a [Server] got, and what became of it.
type Served struct {
	Call // of the player; of a request that was no ask, or was refused, only Status is set

	Time     time.Time
	Method   string
	Path     string
	Header   http.Header // secrets masked
	Code     int         // the HTTP status; 0 if none was sent
	Refused  string      // why it was refused; "" if it was not
	Retry    int         // how often the client says to have asked before
	BrokeOff bool        // whether the client went away before the end
}

// Calls returns the requests so far, in the order in which they came. Those under
// way are not done yet. Prompts are as they were asked; Secrets can scrub them.
func (s *Server) Calls() []Served {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Served
	for _, one := range s.served {
		all = append(all, *one)
	}
	return all
}

// begin makes the entry of a request.
func (s *Server) begin(r *http.Request) *Served {
	entry := &Served{Time: time.Now(), Method: r.Method, Path: r.URL.Path, Header: masked(r.Header)}
	entry.Retry, _ = strconv.Atoi(r.Header.Get(retryCount))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served = append(s.served, entry)
	return entry
}

// retryCount is the header in which clients of OpenAI count their tries.
const retryCount = "X-Stainless-Retry-Count"

// note changes the entry of a request.
func (d *delivery) note(change func(*Served)) {
	d.server.mu.Lock()
	defer d.server.mu.Unlock()
	change(d.served)
}

// end is called when a request is done with.
func (d *delivery) end() {
	var entry Served
	d.note(func(s *Served) {
		s.Status = cmp.Or(s.Status, http.StatusText(s.Code))
		entry = *s
	})
	if d.server.Log != nil {
		d.server.Log(entry)
	}
}

// masked returns headers without their secrets: those that by their name hold
// one, and what [Environ] finds.
func masked(h http.Header) http.Header {
	secrets := Environ()
	clean := http.Header{}
	for name, values := range h {
		for _, value := range values {
			if holdsSecret(name) {
				value = "<secret " + name + ">"
			}
			clean[name] = append(clean[name], secrets.Scrub(value))
		}
	}
	return clean
}

// holdsSecret reports whether a header holds a secret, by its name.
func holdsSecret(name string) bool {
	return slices.ContainsFunc([]string{"auth", "key", "token", "secret", "cookie", "password"}, func(word string) bool {
		return strings.Contains(strings.ToLower(name), word)
	})
}
