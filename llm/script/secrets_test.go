package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/llm/script"
)

// filler is what made-up keys are made of: no key stands in this file.
const filler = "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0"

var fakeKey = "sk-" + filler[:40]

func TestSecretsByShape(t *testing.T) {
	hex := strings.Repeat("0a1b2c3d", 8)
	for _, test := range []struct{ text, want string }{
		{"OPENAI=" + fakeKey + ".", "OPENAI=<secret OpenAI key>."},
		{"sk-proj-" + filler, "<secret OpenAI key>"},
		{"\"sk-ant-api03-" + filler + "\"", "\"<secret Anthropic key>\""},
		{"sk-or-v1-" + hex, "<secret OpenRouter key>"},
		{"AIza" + filler[:35], "<secret Google key>"},
		{"gsk_" + filler[:52], "<secret Groq key>"},
		{"xai-" + filler, "<secret xAI key>"},
		{"pplx-" + filler[:40], "<secret Perplexity key>"},
		{"hf_" + filler[:34], "<secret Hugging Face token>"},
		{"r8_" + filler[:37], "<secret Replicate token>"},
		{"nvapi-" + filler[:64], "<secret NVIDIA key>"},
		{"tvly-dev-" + filler[:32], "<secret Tavily key>"},
		{"AKIA" + "ABCDEFGHIJKLMNOP", "<secret AWS key>"},
		{"ghp_" + filler[:36], "<secret GitHub token>"},
		{"github_pat_" + filler, "<secret GitHub token>"},
		{"glpat-" + filler[:20], "<secret GitLab token>"},
		{"xoxb-" + filler[:40], "<secret Slack token>"},
		{"sk_live_" + filler[:24], "<secret Stripe key>"},
		{"SG." + filler[:22] + "." + filler[:43], "<secret SendGrid key>"},
		{"npm_" + filler[:36], "<secret npm token>"},
		{"pypi-" + filler, "<secret PyPI token>"},
		{"dop_v1_" + hex, "<secret DigitalOcean token>"},
		{"eyJ" + filler[:20] + ".eyJ" + filler[:20] + "." + filler[:20], "<secret JWT>"},
		{"Authorization: Bearer " + filler[:32] + "\n", "Authorization: Bearer <secret bearer token>\n"},
		{"Bearer " + fakeKey, "Bearer <secret OpenAI key>"},
		{"a\n-----BEGIN RSA PRIVATE KEY-----\n" + filler + "\n-----END RSA PRIVATE KEY-----\nb", "a\n<secret private key>\nb"},
		{"-----BEGIN " + "PRIVATE KEY-----\ncut", "<secret private key>\ncut"},
		{fakeKey + " " + fakeKey, "<secret OpenAI key> <secret OpenAI key>"},
	} {
		assert.Equal(t, test.want, script.Secrets{}.Scrub(test.text))
	}
	for _, text := range []string{
		"sk-short1", "task-" + filler, "mask-" + filler[:30], "sk-a-word-with-many-hyphens-in-it", "the OPENAI_API_KEY is not set",
		"AKIA", "xAKIA" + "ABCDEFGHIJKLMNOP", "AKIA" + "ABCDEFGHIJKLMNOPQ", "Bearer authentication is what is used here", "bearer of good news",
		"-----BEGIN CERTIFICATE-----", "npm_config_registry", "hf_hub_download", hex, "eyJhbGciOiJIUzI1NiJ9",
	} {
		assert.Empty(t, script.Secrets{}.Find(text), "%q", text)
	}
}

func TestSecretsByValue(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "long enough")
	t.Setenv("DB_PASSWORD", "long enough too")
	t.Setenv("X_TOKEN", "short")
	t.Setenv("KEYBOARD", "anything at all")
	s := script.Environ()
	assert.Equal(t, "a <secret DB_PASSWORD>, <secret OPENAI_API_KEY>, short, anything at all", s.Scrub("a long enough too, long enough, short, anything at all"))
	leaks := s.Find("x\n  " + fakeKey + " long enough")
	if assert.Len(t, leaks, 2) {
		assert.Equal(t, []any{"OpenAI key", true, 2, 3}, []any{leaks[0].Kind, leaks[0].ByShape, leaks[0].Line, leaks[0].Column})
		assert.Equal(t, []any{"OPENAI_API_KEY", false, 2, 47}, []any{leaks[1].Kind, leaks[1].ByShape, leaks[1].Line, leaks[1].Column})
	}
}
