package script

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// A Server is the model that a script describes, as an OpenAI-compatible server:
// POST …/chat/completions, whole and as a stream, and GET …/models. Make one with
// [NewServer]; stop it by closing the http.Server that it serves.
//
// A request is one ask of the [Player]. What its checks and goldens see is the
// request's rendering ([Render]); under the setting "api text" it is the contents
// of its messages, joined, which is the prompt that a client of [llm.Asker] was
// given.
//
// Unless the script says "strict off", a request that a strict provider would
// refuse gets the status 400 and uses nothing, and so does one that the script
// has no answer for; [Player.Check] has the reason. An answer that the client
// broke off, or that it asks for again with a raised X-Stainless-Retry-Count, is
// given again.
//
// Names, times and ids in answers are fixed: the third answer of the lane main is
// "chatcmpl-main-3" whenever it is given. Whole replies that are cut (faults hang,
// cut, reset) are JSON that ends in the middle.
//
// A Server is safe for concurrent use.
type Server struct {
	// Log is called with each request once it is done with, if it is not nil:
	// by many goroutines at once. Set it before the first request.
	Log func(Served)

	player *Player
	models []string

	mu      sync.Mutex
	served  []*Served
	tries   map[[32]byte]int // by request: the client's count of its tries
	refused map[string]bool  // reasons that have been told
}

var _ http.Handler = (*Server)(nil)

// NewServer returns a server that plays p, or an error if its script holds what
// no server can send, or if p records.
func NewServer(p *Player) (*Server, error) {
	s := &Server{player: p, tries: map[[32]byte]int{}, refused: map[string]bool{}}
	for _, lane := range p.Script.Lanes {
		for _, step := range lane.Steps {
			if step.Fault != nil && step.Fault.Kind == "error" {
				return nil, p.Script.errorf(step.Fault.Line, "no server can send the fault error; write status, reset or another of the faults that the package's comment lists")
			}
			s.addModels(step)
		}
	}
	if p.Live != nil {
		return nil, errors.New("a player that records (Live) cannot be served")
	}
	if len(s.models) == 0 {
		s.models = []string{defaultModel}
	}
	return s, nil
}

// defaultModel is the only model of a script that names none.
const defaultModel = "scripted"

// addModels adds the models that a step names.
func (s *Server) addModels(step *Step) {
	names := []string{step.Model}
	for _, c := range step.Expect.List {
		if c.Verb == "model" && !c.Not {
			names = append(names, c.Text)
		}
	}
	for _, name := range names {
		if name != "" && !slices.Contains(s.models, name) {
			s.models = append(s.models, name)
		}
	}
}

// mostRequest is how much of a request is read.
const mostRequest = 64 << 20

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Read first: only then is it seen that a client goes away.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostRequest))
	d := &delivery{server: s, writer: w, ctx: r.Context(), served: s.begin(r)}
	defer d.end()
	path := strings.TrimRight(r.URL.Path, "/")
	switch {
	case err != nil && r.Context().Err() == nil:
		d.refuse(http.StatusRequestEntityTooLarge, "the request cannot be read: "+err.Error())
	case err != nil:
		d.brokeOff()
	case strings.HasSuffix(path, "/chat/completions"):
		if d.method(r, http.MethodPost) {
			d.chat(r, body)
		}
	case strings.HasSuffix(path, "/models"):
		if d.method(r, http.MethodGet) {
			d.listModels()
		}
	default:
		d.refuse(http.StatusNotFound, fmt.Sprintf("there is no %s %s; there are POST …/chat/completions and GET …/models", r.Method, r.URL.Path))
	}
}

// method refuses a request of another method than the wanted one.
func (d *delivery) method(r *http.Request, want string) bool {
	if r.Method == want {
		return true
	}
	d.writer.Header().Set("Allow", want)
	d.refuse(http.StatusMethodNotAllowed, fmt.Sprintf("%s %s: the method is %s", r.Method, r.URL.Path, want))
	return false
}

// listModels answers a request for the models.
func (d *delivery) listModels() {
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	list := struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{Object: "list"}
	for _, name := range d.server.models {
		list.Data = append(list.Data, model{name, "model", created, "script"})
	}
	d.json(http.StatusOK, list)
}

// created is the time of all answers: 2026-01-01 in UTC.
const created = 1767225600

// Listen listens on a TCP address of this machine's loopback network, such as
// "127.0.0.1:0" or "localhost:8080". It refuses any other: what a script holds is
// not for the network, and what is asked of it may be secret. No host means
// 127.0.0.1.
func Listen(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", address, err)
	}
	switch ip := net.ParseIP(host); {
	case host == "" || host == "localhost":
		host = "127.0.0.1"
	case ip == nil || !ip.IsLoopback():
		return nil, fmt.Errorf("listen on %q: the host is not of the loopback network; use 127.0.0.1", address)
	}
	return net.Listen("tcp", net.JoinHostPort(host, port))
}
