package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"
)

// localServers is where servers on this machine usually listen: Ollama,
// llama.cpp, vLLM, LM Studio.
var localServers = []string{
	"http://127.0.0.1:11434/v1",
	"http://127.0.0.1:8080/v1",
	"http://127.0.0.1:8000/v1",
	"http://127.0.0.1:1234/v1",
}

// probeTime is how long a user waits for servers that may not be there.
const probeTime = 300 * time.Millisecond

// A localServer is one that answers like the API.
type localServer struct {
	base   string
	models []string
}

// probe asks all addresses at once for their models and returns those that
// answer, in order. It sends no key.
func probe(ctx context.Context, addresses []string) []localServer {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	all := make([]*localServer, len(addresses))
	var asking sync.WaitGroup
	for i, base := range addresses {
		asking.Go(func() {
			if models, ok := modelsAt(ctx, base); ok {
				all[i] = &localServer{base, models}
			}
		})
	}
	asking.Wait()
	var found []localServer
	for _, s := range all {
		if s != nil {
			found = append(found, *s)
		}
	}
	return found
}

// mostList is how much is read of a list of models.
const mostList = 4 << 20

// modelsAt returns the models that a server lists, and whether it answers like
// the API at all.
func modelsAt(ctx context.Context, base string) ([]string, bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		return nil, false
	}
	transport := &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, false
	}
	defer resp.Body.Close()
	var list struct {
		Data json.RawMessage `json:"data"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, mostList)).Decode(&list)
	if err != nil || resp.StatusCode != http.StatusOK || list.Data == nil {
		return nil, false
	}
	var entries []struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(list.Data, &entries) != nil {
		return nil, false
	}
	var models []string
	for _, e := range entries {
		if e.ID != "" && len(e.ID) < 200 && !strings.ContainsFunc(e.ID, unicode.IsControl) {
			models = append(models, e.ID)
		}
	}
	return models, true
}

// mostNamed is how many models a message names beside the first.
const mostNamed = 3

// pick returns a model that can be asked, the first that does not look like one
// for embeddings, and some others.
func (s localServer) pick() (model string, others []string) {
	for _, name := range s.models {
		lower := strings.ToLower(name)
		switch {
		case strings.Contains(lower, "embed") || strings.Contains(lower, "rerank"):
		case model == "":
			model = name
		case len(others) < mostNamed:
			others = append(others, name)
		}
	}
	return model, others
}
