package openai

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/actdone/actdone/llm"
)

// DefaultBaseURL is where OpenAI serves its API.
const DefaultBaseURL = "https://api.openai.com/v1"

const (
	defaultTries      = 4
	defaultMaxWait    = time.Minute
	defaultMaxSilence = 5 * time.Minute
)

// settings are the fields of a Client with the defaults filled in.
type settings struct {
	base       string
	host       string // its scheme, name and port
	key        string
	model      string
	tries      int
	maxWait    time.Duration
	maxSilence time.Duration
	http       *http.Client
	secrets    []string // what no error may hold
}

var defaultHTTP = &http.Client{}

// Check reports what keeps an ask from being sent: no model, no key, an address
// that is none. It sends nothing.
func (c *Client) Check() error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	_, err = (&attempt{client: c, settings: s}).head()
	return err
}

func (c *Client) settings() (*settings, error) {
	s := &settings{
		base:       cmp.Or(c.BaseURL, os.Getenv("OPENAI_BASE_URL"), DefaultBaseURL),
		key:        strings.TrimSpace(cmp.Or(string(c.Key), os.Getenv("OPENAI_API_KEY"))),
		model:      cmp.Or(c.Model, os.Getenv("OPENAI_MODEL")),
		tries:      cmp.Or(c.Tries, defaultTries),
		maxWait:    cmp.Or(c.MaxWait, defaultMaxWait),
		maxSilence: cmp.Or(c.MaxSilence, defaultMaxSilence),
		http:       sameHost(cmp.Or(c.HTTP, defaultHTTP)),
	}
	s.base = strings.TrimSuffix(strings.TrimRight(s.base, "/"), "/chat/completions")
	s.collectSecrets(c.Header)
	return s, s.check(c)
}

// sameHost returns a client like base that does not follow a redirect to another
// host: neither the key nor the prompt is meant for it.
func sameHost(base *http.Client) *http.Client {
	client := *base
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		from := via[0].URL
		if req.Method != via[0].Method || req.URL.Host != from.Host || from.Scheme == "https" && req.URL.Scheme != "https" || len(via) >= 10 {
			return http.ErrUseLastResponse
		}
		if base.CheckRedirect != nil {
			return base.CheckRedirect(req, via)
		}
		return nil
	}
	return &client
}

// shortSecret is the length of a text that stands for no key ("none", "ollama")
// and is in words by accident.
const shortSecret = 8

// collectSecrets lists the key and the values of headers.
func (s *settings) collectSecrets(header map[string]Secret) {
	all := []string{s.key}
	if s.key != "" {
		all = append(all, "Bearer "+s.key)
	}
	for _, value := range header {
		_, credential, _ := strings.Cut(string(value), " ") // behind "Bearer"
		all = append(all, string(value), credential)
	}
	for _, secret := range all {
		if len(secret) >= shortSecret {
			s.secrets = append(s.secrets, secret, url.QueryEscape(secret), strings.ReplaceAll(secret, "/", `\/`))
		}
	}
	// The longest first: one may hold another.
	slices.SortFunc(s.secrets, func(a, b string) int { return len(b) - len(a) })
}

// check reports what keeps a request from being sent.
func (s *settings) check(c *Client) error {
	u, err := url.Parse(s.base)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New(`openai: the base URL wants a scheme and a host, such as http://localhost:11434/v1`)
	case u.RawQuery != "" || u.User != nil:
		return errors.New("openai: the base URL holds a query or a user; put keys into Key or Header")
	case s.model == "":
		return errors.New("openai: no model; set Client.Model or OPENAI_MODEL")
	case s.key == "" && s.base == DefaultBaseURL && len(c.Header) == 0:
		return errors.New("openai: no key; set Client.Key or OPENAI_API_KEY")
	case c.Tries < 0 || c.MaxWait < 0 || c.MaxSilence < 0 || c.MaxTokens < 0:
		return errors.New("openai: Tries, MaxWait, MaxSilence and MaxTokens are not negative")
	case strings.ContainsFunc(s.key, func(r rune) bool { return r <= ' ' || r >= unicode.MaxASCII }):
		return errors.New("openai: the key holds a space, a newline or a character that is no ASCII")
	}
	s.host = u.Scheme + "://" + u.Host
	for _, own := range []string{"messages", "stream"} {
		if _, ok := c.Extra[own]; ok {
			return fmt.Errorf("openai: Client.Extra holds %q, which the Client sets", own)
		}
	}
	return nil
}

// scrub hides secrets in an error.
func (s *settings) scrub(err error) error {
	switch e := err.(type) {
	case *llm.StatusError:
		e.Message = s.hide(e.Message)
	case *llm.DecodeError:
		e.Body, e.Err = s.hide(e.Body), s.scrubText(e.Err)
	case *llm.TruncatedError:
		e.Text, e.Reason, e.Err = s.hide(e.Text), s.hide(e.Reason), s.scrubText(e.Err)
	case *llm.RefusedError:
		e.Text = s.hide(e.Text)
	case *llm.ConnectionError:
		e.Err = s.scrubText(e.Err)
	default:
		return s.scrubText(err)
	}
	return err
}

// scrubText returns err, or in its place its text where that holds a secret.
func (s *settings) scrubText(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); s.hide(text) != text {
		return errors.New(s.hide(text))
	}
	return err
}

func (s *settings) hide(text string) string {
	for _, secret := range s.secrets {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return text
}
