package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
)

// Secrets of a client. One holds what URLs and JSON write in another way.
const (
	longKey      = "sk-test+0123/456789="
	headerSecret = "azure-secret-77"
	bearerSecret = "bearer-secret-88"
)

func keyed(c *openai.Client) {
	c.Key = longKey
	c.Header = map[string]openai.Secret{"Api-Key": headerSecret, "X-Auth": "Bearer " + bearerSecret}
}

// assertNoSecret prints values in every way and looks for secrets in what comes
// out.
func assertNoSecret(t *testing.T, values ...any) {
	t.Helper()
	var b bytes.Buffer
	for _, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&b, verb+"\n", v)
		}
		slog.New(slog.NewTextHandler(&b, nil)).Info("m", "v", v)
		slog.New(slog.NewJSONHandler(&b, nil)).Info("m", "v", v)
		data, err := json.Marshal(v)
		fmt.Fprintf(&b, "%s %v\n", data, err)
	}
	for _, secret := range []string{longKey, url.QueryEscape(longKey), strings.ReplaceAll(longKey, "/", `\/`), longKey[4:16], headerSecret, bearerSecret} {
		for _, form := range []string{secret, fmt.Sprintf("%x", secret)} {
			if i := strings.Index(b.String(), form); i >= 0 {
				t.Errorf("%q shows in …%s…", form, b.String()[max(0, i-100):min(b.Len(), i+100)])
			}
		}
	}
}

// TestSecretInSecret hides a secret that begins like another one as a whole.
func TestSecretInSecret(t *testing.T) {
	o := asked(t, t.Context(), func(c *openai.Client) {
		c.Key, c.Tries = "sk-shared", 1
		c.Header = map[string]openai.Secret{"Api-Key": "sk-shared-and-more"}
	}, func(r *http.Request, _ int) (*http.Response, error) {
		return response(r, 401, http.Header{}, "no such key: sk-shared-and-more, sk-shared"), nil
	})
	assertError(t, status(401, "no such key: [secret], [secret]"), o.err)
}

// tree returns an error and all that it wraps.
func tree(err error) []any {
	switch e := err.(type) {
	case nil:
		return nil
	case interface{ Unwrap() error }:
		return append(tree(e.Unwrap()), err)
	case interface{ Unwrap() []error }:
		all := []any{err}
		for _, wrapped := range e.Unwrap() {
			all = append(all, tree(wrapped)...)
		}
		return all
	}
	return []any{err}
}

func TestSecretInErrors(t *testing.T) {
	for _, secret := range []string{longKey, headerSecret, bearerSecret, "Bearer " + bearerSecret, "Bearer " + longKey} {
		escaped := strings.ReplaceAll(secret, "/", `\/`)
		for name, test := range map[string]struct {
			answer answer
			err    error
		}{
			"status-json":  {raw(401, "application/json", `{"error":{"message":"Incorrect API key provided: `+secret+`."}}`), &llm.StatusError{}},
			"status-text":  {raw(400, "text/plain", "bad key "+secret), &llm.StatusError{}},
			"status-html":  {raw(503, "text/html", "<p>"+secret+"</p>"), &llm.StatusError{}},
			"status-shape": {raw(400, "application/json", `{"request":{"key":"`+escaped+`"}}`), &llm.StatusError{}},
			"200-error":    {raw(200, "application/json", `{"error":"`+secret+`"}`), &llm.StatusError{}},
			"html":         {raw(200, "text/html", "<p>"+secret+"</p>"), &llm.DecodeError{}},
			"text":         {raw(200, "text/plain", secret), &llm.DecodeError{}},
			"not-json":     {raw(200, "application/json", `{"a":"`+escaped+`"`), &llm.DecodeError{}},
			"other-json":   {raw(200, "application/json", `{"choices":"`+secret+`"}`), &llm.DecodeError{}},
			"frame":        {stream(chunk("x"), `data: {"error":{"message":"`+secret+`"}}`+"\n\n"), &llm.StatusError{}},
			"frame-broken": {stream(chunk("x"), `data: {"error":"`+escaped+"\n\n", end), &llm.DecodeError{}},
			"refusal":      {stream(delta(`"delta":{"refusal":`+quote(secret)+`}`), end), &llm.RefusedError{}},
			"filter":       {stream(chunk(secret), finish("content_filter"), end), &llm.RefusedError{}},
			"cut":          {stream(chunk("ACT: curl -H "), chunk(secret)), &llm.TruncatedError{}},
			"reset":        {broken(chunk(secret)), &llm.TruncatedError{}},
			"finish":       {stream(chunk("x"), finish(secret)), &llm.TruncatedError{}},
			"redirect":     {raw(307, "text/plain", secret, "Location", "http://other.test/?key="+url.QueryEscape(secret)), &llm.StatusError{}},
			"redirect-bad": {raw(307, "text/plain", "", "Location", "http://"+secret+"\x7f"), nil},
			"redirect-to":  {raw(307, "text/plain", "", "Location", "/"+url.PathEscape(secret)), nil},
			"retried":      {raw(503, "text/plain", secret), &llm.StatusError{}},
		} {
			t.Run(name, func(t *testing.T) {
				model, _ := serve(t, test.answer)
				keyed(model)
				var h heard
				if model.Tries = 1; name == "retried" {
					model.Tries, model.MaxWait = 2, 1
				}
				_, err := model.Ask(llm.WithTrace(t.Context(), h.trace()), "p")
				require.Error(t, err)
				if test.err != nil {
					assert.IsType(t, test.err, err)
				}
				assertNoSecret(t, tree(err)...)
				for _, err := range h.retries {
					assertNoSecret(t, tree(err)...)
				}
			})
		}
	}
}

// TestSecretInTransportErrors is about errors that are not the server's words.
func TestSecretInTransportErrors(t *testing.T) {
	secret := errors.New("proxy saw " + longKey)
	for name, handle := range map[string]handler{
		"plain":   fails(secret),
		"wrapped": fails(fmt.Errorf("round trip: %w", secret)),
		"url":     fails(&url.Error{Op: "Post", URL: "http://h/?key=" + longKey, Err: secret}),
		"dial":    fails(&net.OpError{Op: "dial", Net: "tcp", Err: secret}),
		"body":    streams(chunk("x"), fmt.Errorf("read: %w", secret)),
		"body-0":  streams(fmt.Errorf("read: %w", secret)),
		"json":    streams(`{"choices":`, secret),
	} {
		t.Run(name, func(t *testing.T) {
			o := asked(t, t.Context(), func(c *openai.Client) { keyed(c); c.Tries = 1 }, handle)
			require.Error(t, o.err)
			assertNoSecret(t, tree(o.err)...)
		})
	}
	t.Run("no-http", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer listener.Close()
		go func() {
			for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
				_, _ = conn.Read(make([]byte, 1<<16))
				_, _ = io.WriteString(conn, longKey+"\r\n\r\n")
				_ = conn.Close()
			}
		}()
		model := &openai.Client{BaseURL: "http://" + listener.Addr().String() + "/v1", Model: "m", Tries: 1}
		keyed(model)
		_, err = model.Ask(t.Context(), "p")
		require.Error(t, err)
		assertNoSecret(t, tree(err)...)
	})
}

func TestSecretIsPrinted(t *testing.T) {
	model := inMemory(good)
	keyed(model)
	model.HTTP.CheckRedirect = nil
	value := func() any { return reflect.ValueOf(model).Elem().Interface() }
	values := []any{model, value(), []any{model}, map[string]any{"c": value()}, model.Key, &model.Key, model.Header, []openai.Secret{longKey}}
	assertNoSecret(t, values...)
	_, err := model.Ask(t.Context(), "p")
	require.NoError(t, err)
	assertNoSecret(t, values...)
	model.HTTP = nil // encoding/json takes no CheckRedirect
	data, err := json.Marshal(value())
	require.NoError(t, err)
	assert.Contains(t, string(data), `"Key":"[secret]"`)
	assertNoSecret(t, model, value())

	assert.Equal(t, `openai.Client{Model: "m"}`, fmt.Sprint(model))
	assert.Equal(t, "[secret]", fmt.Sprint(model.Key))
	assert.Equal(t, "", fmt.Sprint(openai.Secret("")))
}

// TestShortKey holds that a key such as "none" hides no word of an error.
func TestShortKey(t *testing.T) {
	model, _ := serve(t, raw(404, "text/plain", "model not found, try ollama pull"))
	model.Key = "ollama"
	_, err := model.Ask(t.Context(), "p")
	assertError(t, status(404, "model not found, try ollama pull"), err)
}

// TestRedirect holds that neither key nor prompt goes to another host.
func TestRedirect(t *testing.T) {
	reached := 0
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached++
		stream(whole("I have it"))(w, r, 1)
	}))
	defer other.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		for _, host := range []string{other.URL, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)} {
			model, _ := serve(t, raw(code, "text/plain", "", "Location", host+"/v1/chat/completions"))
			keyed(model)
			_, err := model.Ask(t.Context(), "p")
			assertError(t, status(code, http.StatusText(code)+"; it points to "+host+"/v1"), err)
		}
	}
	assert.Zero(t, reached)
}

// TestRedirectWithinHost holds that one is followed there, with all of the
// request.
func TestRedirectWithinHost(t *testing.T) {
	model, requests := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 1 {
			http.Redirect(w, r, "/v2/chat/completions", http.StatusTemporaryRedirect)
			return
		}
		stream(whole(r.URL.Path+" "+r.Header.Get("Authorization")))(w, r, n)
	})
	reply, err := model.Ask(t.Context(), "p")
	require.NoError(t, err)
	assert.Equal(t, "/v2/chat/completions Bearer "+key, reply)
	assert.Equal(t, (*requests)[0], (*requests)[1])

	model, requests = serve(t, raw(307, "text/plain", "", "Location", "/v1/chat/completions"))
	_, err = model.Ask(t.Context(), "p")
	assertError(t, status(307, "Temporary Redirect; it points to "+model.BaseURL), err)
	assert.Len(t, *requests, 10)
}

// TestRedirectToHTTP holds that a redirect may not leave TLS.
func TestRedirectToHTTP(t *testing.T) {
	for scheme, asks := range map[string]int{"https": 2, "http": 1} {
		o := asked(t, t.Context(), func(c *openai.Client) { c.BaseURL, c.Tries = "https://server.test/v1", 1 },
			func(r *http.Request, _ int) (*http.Response, error) {
				return response(r, 307, http.Header{"Location": {scheme + "://server.test/v2/chat/completions"}}, ""), nil
			}, good)
		assert.Equal(t, asks, o.asks, scheme)
		if asks == 1 {
			assertError(t, status(307, "Temporary Redirect; it points to http://server.test/v2"), o.err)
		}
	}
}

// TestShortSecret holds which keys are hidden: a shorter one may be a word.
func TestShortSecret(t *testing.T) {
	for key, shown := range map[openai.Secret]string{"12345678": "[secret]", "1234567": "1234567"} {
		o := asked(t, t.Context(), func(c *openai.Client) { c.Key = key }, func(r *http.Request, _ int) (*http.Response, error) {
			return response(r, 401, http.Header{}, "no such key: "+string(key)), nil
		})
		assertError(t, status(401, "no such key: "+shown), o.err)
	}
}
