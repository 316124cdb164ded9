package ci

import "strings"

// A message is one of a chat, as a client sends it.
type message struct{ Role, Content string }

// A template writes messages as the text that a model reads, up to where its
// reply begins; end is what the model ends its reply with.
type template struct {
	name   string
	render func([]message) string
	end    string
}

// templates are the chat templates of three families, as their models' files
// have them. llama.cpp keeps copies of the texts:
// https://github.com/ggml-org/llama.cpp/blob/03f94f19a2c4c9d039fa1a84838fe3e2110cc28d/tests/test-chat-template.cpp
//
// Those of Llama 3 and Gemma trim each message; ChatML does not.
var templates = []template{
	{"ChatML", chatML, "<|im_end|>"},
	{"Llama 3", llama3, "<|eot_id|>"},
	{"Gemma", gemma, "<end_of_turn>"},
}

// chatML is the template of teknium/OpenHermes-2.5-Mistral-7B, which Qwen's are
// made after.
func chatML(messages []message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString("<|im_start|>" + m.Role + "\n" + m.Content + "<|im_end|>\n")
	}
	b.WriteString("<|im_start|>assistant\n")
	return b.String()
}

// llama3 is the template of meta-llama/Meta-Llama-3-8B-Instruct.
func llama3(messages []message) string {
	var b strings.Builder
	b.WriteString("<|begin_of_text|>")
	for _, m := range messages {
		b.WriteString("<|start_header_id|>" + m.Role + "<|end_header_id|>\n\n" + strings.TrimSpace(m.Content) + "<|eot_id|>")
	}
	b.WriteString("<|start_header_id|>assistant<|end_header_id|>\n\n")
	return b.String()
}

// gemma is the template of google/gemma-7b-it and its successors. A system
// message, which the first refused, stands before the first user's, as in
// google/gemma-3-4b-it.
func gemma(messages []message) string {
	var b strings.Builder
	b.WriteString("<bos>")
	system := ""
	for _, m := range messages {
		role := m.Role
		switch role {
		case "system":
			system = m.Content + "\n\n"
			continue
		case "assistant":
			role = "model"
		}
		b.WriteString("<start_of_turn>" + role + "\n" + system + strings.TrimSpace(m.Content) + "<end_of_turn>\n")
		system = ""
	}
	b.WriteString("<start_of_turn>model\n")
	return b.String()
}
