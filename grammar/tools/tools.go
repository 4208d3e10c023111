// Package tools describes requests with tools, and writes the language of a model's response to one
// as a grammar.
//
// A Request says which tools there are, in which Format the model writes calls, and which parts a
// response may have. It is neutral: Request.Lark writes it in the language of package lark,
// Request.StructuralTag as the JSON that XGrammar compiles, Request.LLGuidance in llguidance's
// Lark. The three describe the same texts, up to the spelling of JSON values, which is each
// engine's own.
//
// A Response is what a model wrote: reasoning, texts and calls, in their order. Request.Write
// spells it in the format of the request. Package toolcalls reads a text back, by other code.
//
// # What a response is
//
// Every format has a beginning of calls, its trigger. A text before a call is the shortest that
// ends with a trigger; a text with none after it has no trigger at all. So a trigger that is begun
// and not finished at the end of a response is text. Between them a response is, by Choice:
//
//	auto      a text, or calls
//	required  at least one call, which is how the response begins
//	one       exactly one call of the tool One
//
// Without Parallel there is at most one call, and nothing after it. Text says where text may stand
// in a response with calls: TextAround (before, between and after them), TextBefore (before the
// first) or TextNone. Where Reasoning is set, a response begins with it. XGrammar's functions for
// models (github.com/mlc-ai/xgrammar, python/xgrammar/builtin_structural_tag.py, version 0.2.8)
// read tool_choice and parallel_tool_calls in the same way.
//
// # Markers
//
// A marker such as <tool_call> is a token of its own in one vocabulary, and text in another.
// Request.Markers says which are tokens. A text before such a trigger is any text: none spells a
// token. Response and Checker have markers as text in either case.
package tools

import (
	"fmt"
	"slices"
	"strings"
)

// A Request is what a server is asked to constrain a response by. It is not modified once read.
type Request struct {
	Format    string // a name of Formats
	Choice    string // one of Choices
	One       string // the tool that has to be called, if Choice is One
	Parallel  bool   // whether there may be several calls
	Text      string // one of Texts: where text may stand
	Reasoning bool   // whether the response begins with reasoning
	// Markers are those markers of the format that are tokens of the vocabulary, not text (Markers).
	Markers []string
	Tools   []Tool
}

// A Tool is a function that a model may call.
type Tool struct {
	Name, Description string
	// Parameters is the JSON schema of the arguments, on one line. It takes objects only.
	Parameters []byte
}

// The choices of a request.
const (
	ChoiceAuto     = "auto"
	ChoiceRequired = "required"
	ChoiceOne      = "one"
)

// Choices are all of them.
func Choices() []string { return []string{ChoiceAuto, ChoiceRequired, ChoiceOne} }

// Where text may stand in a response with calls.
const (
	TextAround = "around"
	TextBefore = "before"
	TextNone   = "none"
)

// Texts are all of them.
func Texts() []string { return []string{TextAround, TextBefore, TextNone} }

// Tool is the tool of a name; nil if there is none.
func (r *Request) Tool(name string) *Tool {
	if i := slices.IndexFunc(r.Tools, func(t Tool) bool { return t.Name == name }); i >= 0 {
		return &r.Tools[i]
	}
	return nil
}

// callable are the tools that a response may call.
func (r *Request) callable() []Tool {
	if r.Choice == ChoiceOne {
		return []Tool{*r.Tool(r.One)}
	}
	return r.Tools
}

// single is whether there is at most one call.
func (r *Request) single() bool { return !r.Parallel || r.Choice == ChoiceOne }

// A problem is what is wrong with a request, and where: a path such as tools[3].name.
type problem struct{ path, message string }

func (p *problem) Error() string {
	if p.path == "" {
		return p.message
	}
	return p.path + ": " + p.message
}

// Check looks for what no request may have, and names the key that has it.
func (r *Request) Check() error {
	if wrong := r.check(); wrong != nil {
		return wrong
	}
	return nil
}

// check is Check.
func (r *Request) check() *problem {
	switch {
	case formatOf(r.Format) == nil:
		return &problem{"format", fmt.Sprintf("%q is none of the formats %s", r.Format, strings.Join(Formats(), ", "))}
	case !slices.Contains(Choices(), r.Choice):
		return &problem{"choice", fmt.Sprintf("%q is none of auto, required and {\"one\": NAME}", r.Choice)}
	case !slices.Contains(Texts(), r.Text):
		return &problem{"text", fmt.Sprintf("%q is none of %s", r.Text, strings.Join(Texts(), ", "))}
	case slices.ContainsFunc(r.Markers, func(m string) bool { return !slices.Contains(Markers(r.Format), m) }):
		return &problem{"markers", fmt.Sprintf("the markers of the format %s that may be tokens are %s", r.Format, strings.Join(Markers(r.Format), " "))}
	case len(r.Tools) == 0:
		return &problem{"tools", "a request needs at least one tool"}
	}
	first := map[string]int{}
	for i, t := range r.Tools {
		path := fmt.Sprintf("tools[%d].name", i)
		if before, twice := first[t.Name]; twice {
			return &problem{path, fmt.Sprintf("tools[%d] is called %q as well", before, t.Name)}
		}
		if err := checkName(t.Name); err != nil {
			return &problem{path, err.Error()}
		}
		first[t.Name] = i
	}
	if r.Choice == ChoiceOne && r.One == "" {
		return &problem{"choice", `the choice one names its tool: {"one": NAME}`}
	}
	if r.Choice == ChoiceOne && r.Tool(r.One) == nil {
		return &problem{"choice", fmt.Sprintf("there is no tool %q", r.One)}
	}
	return nil
}

// longestName is the most bytes of a tool's name. Servers allow 64; names of methods in data sets
// have up to a hundred.
const longestName = 256

// checkName refuses names that some format could not write, or not tell from what follows them.
func checkName(name string) error {
	switch at := strings.IndexFunc(name, func(c rune) bool { return !inName(c) }); {
	case name == "":
		return fmt.Errorf("a tool needs a name")
	case at >= 0:
		return fmt.Errorf("%q has %q, which not every format can write; names are of letters, digits and _ - . : / $", name, []rune(name[at:])[0])
	case len(name) > longestName:
		return fmt.Errorf("the name has %d bytes; the limit is %d", len(name), longestName)
	}
	return nil
}

// inName is whether a character may be in a tool's name.
func inName(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_-.:/$", c)
}
