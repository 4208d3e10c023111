package tools

import (
	"regexp"
	"slices"
)

// A format is how the models of a family write calls. A response is made of texts and groups of
// calls:
//
//	group = opener call { comma call } close      a call alone if comma is unset (see many)
//	call  = head NAME middle ARGUMENTS end
type format struct {
	name    string
	models  string
	source  string
	openers []opener // of which a group begins with one; responses are written with the first
	head    string
	middle  string
	end     string
	many    bool // a group may have several calls, with comma between them
	comma   string
	close   string
	between string // between groups where no text may stand
	xml     bool   // arguments are parameters in XML's manner, not JSON
	think   string // what follows reasoning
	// messages is whether a response is a sequence of messages with headers, where texts are messages,
	// too.
	messages bool
}

// An opener is how a group of calls may begin: its trigger, by which a text ends, and the rest.
type opener struct{ trigger, rest string }

// Reasoning stands between these, but for formats of messages.
const thinkBegin, thinkEnd = "<think>", "</think>"

// The parts of a message of the harmony format. Its calls are written as in the table.
const (
	preamble  = "<|channel|>commentary<|message|>"
	analysis  = "<|channel|>analysis<|message|>"
	final     = "<|channel|>final<|message|>"
	endOfText = "<|end|>"
	endOfAll  = "<|return|>"
	nextOne   = "<|start|>assistant"
)

// formatTable has all formats.
func formatTable() []format {
	return []format{
		{
			name: "hermes", models: "Hermes 2 Pro and later, Qwen 2.5, Qwen 3",
			source:  "github.com/NousResearch/Hermes-Function-Calling, README; qwen.readthedocs.io, Function Calling; chat template of Qwen3",
			openers: []opener{{"<tool_call>", "\n{\"name\": \""}},
			middle:  `", "arguments": `, end: "}", close: "\n</tool_call>", between: "\n", think: "\n\n",
		},
		{
			name: "qwen3-coder", models: "Qwen3-Coder, Qwen 3.5",
			source:  "huggingface.co/Qwen/Qwen3-Coder-480B-A35B-Instruct, chat_template.jinja",
			openers: []opener{{"<tool_call>", "\n<function="}},
			middle:  ">\n", xml: true, close: "</function>\n</tool_call>", between: "\n", think: "\n\n",
		},
		{
			name: "llama3.1", models: "Llama 3.1 and 3.2",
			source:  "llama.com/docs, Llama 3.1, JSON based tool calling; github.com/meta-llama/llama-models, models/llama3_1/prompt_format.md",
			openers: []opener{{`{"name": "`, ""}, {"<|python_tag|>", `{"name": "`}},
			middle:  `", "parameters": `, end: "}", between: "; ",
		},
		{
			name: "deepseek-v3.1", models: "DeepSeek V3.1",
			source:  "huggingface.co/deepseek-ai/DeepSeek-V3.1, README (ToolCall) and tokenizer_config.json",
			openers: []opener{{"<｜tool▁calls▁begin｜>", ""}},
			head:    "<｜tool▁call▁begin｜>", middle: "<｜tool▁sep｜>", end: "<｜tool▁call▁end｜>", many: true, close: "<｜tool▁calls▁end｜>",
		},
		{
			name: "mistral", models: "Mistral with tokenizer v13 and later (Magistral, Small 3.2, Devstral)",
			source:  "github.com/mistralai/mistral-common, tokens/tokenizers/instruct.py (InstructTokenizerV13)",
			openers: []opener{{"[TOOL_CALLS]", ""}}, middle: "[ARGS]",
		},
		{
			name: "mistral-v3", models: "Mistral with tokenizer v3 (7B v0.3, Mixtral, Nemo)",
			source:  "github.com/mistralai/mistral-common, tokens/tokenizers/instruct.py (InstructTokenizerV3)",
			openers: []opener{{"[TOOL_CALLS]", " ["}},
			head:    `{"name": "`, middle: `", "arguments": `, end: "}", many: true, comma: ", ", close: "]",
		},
		{
			name: "harmony", models: "gpt-oss",
			source:  "developers.openai.com/cookbook, OpenAI harmony response format",
			openers: []opener{{"<|channel|>commentary to=functions.", ""}},
			middle:  " <|constrain|>json<|message|>", end: "<|call|>", between: nextOne, messages: true,
		},
	}
}

// Formats are the names of all formats.
func Formats() (names []string) {
	for _, f := range formatTable() {
		names = append(names, f.name)
	}
	return names
}

// formatOf is the format of a name; nil if there is none. Hermes is Qwen's, too.
func formatOf(name string) *format {
	table := formatTable()
	if name == "qwen" {
		name = "hermes"
	}
	if i := slices.IndexFunc(table, func(f format) bool { return f.name == name }); i >= 0 {
		return &table[i]
	}
	return nil
}

// About says which models write calls in a format, and where that is documented.
func About(format string) (models, source string) {
	f := formatOf(format)
	return f.models, f.source
}

// Markers are the parts of a format that stand in brackets, in the order in which they may come. A
// vocabulary may have any of them as a token.
func Markers(format string) (list []string) {
	f := formatOf(format)
	if f == nil {
		return nil
	}
	parts := []string{thinkBegin, thinkEnd}
	if f.messages {
		parts = []string{analysis, endOfText, preamble, nextOne, final, endOfAll}
	}
	for _, o := range f.openers {
		parts = append(parts, o.trigger+o.rest)
	}
	for _, part := range append(parts, f.head, f.middle, f.end, f.comma, f.close) {
		for _, m := range bracketed.FindAllString(part, -1) {
			if !slices.Contains(list, m) {
				list = append(list, m)
			}
		}
	}
	return list
}

// bracketed is what may be a token of its own.
var bracketed = regexp.MustCompile(`<[^<>=\s]+>|\[[A-Z_]+\]`)

// triggers are the beginnings of calls.
func (f *format) triggers() (list []string) {
	for _, o := range f.openers {
		list = append(list, o.trigger)
	}
	return list
}
