// Package toolcalls judges what models write in answer to requests with tools, and has corpora of
// such requests and responses.
//
// A Checker reads a finished response as a server's parser does: it looks for the markers of the
// format, decodes JSON with encoding/json, and gives arguments to the validator of package labels.
// It shares no code with the grammars that package tools writes, and knows the formats by functions
// of its own. So it says of a response whether it is right, where a mask can only say that it
// follows the grammar. It also divides a text into parts: text, marker, name or arguments.
package toolcalls

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"gcdbench/datasets/labels"
	"gcdbench/grammar/tools"
	"gcdbench/internal/special"
	"gcdbench/internal/words"
)

// A Class is the role of a part of a response.
type Class string

// The classes. Reasoning is text, and what stands around names and arguments is a marker.
const (
	Text      Class = "text"
	Marker    Class = "marker"
	Name      Class = "name"
	Arguments Class = "arguments"
)

// Classes are all of them, in the order in which a response with a call comes to them.
func Classes() []Class { return []Class{Text, Marker, Name, Arguments} }

// A Span is a part of a response, up to the byte End; it begins where the one before it ends.
type Span struct {
	Class Class
	End   int
}

// The kinds of mistakes.
const (
	UnknownTool     = "unknown tool"
	OtherTool       = "another tool than the one asked for"
	MissingArgument = "missing argument"
	WrongArguments  = "wrong arguments"
	MisplacedText   = "text in the wrong place"
	CutShort        = "cut short"
	Malformed       = "malformed call"
	TooManyCalls    = "too many calls"
	NoCall          = "no call"
	NoReasoning     = "no reasoning"
)

// A Verdict says whether a response is right.
type Verdict struct {
	// Kind is the kind of the first mistake, Reason says more in a line, and At is its byte. Kind is
	// empty if the response is right.
	Kind   string
	Reason string
	At     int
	Calls  int // those that were read
	Spans  []Span
}

// Valid is whether the response is right.
func (v *Verdict) Valid() bool { return v.Kind == "" }

// A Checker judges responses to one request. It may be used by one goroutine at a time.
type Checker struct {
	request    *tools.Request
	validators map[string]*labels.Validator
}

// NewChecker is a Checker of a request.
func NewChecker(r *tools.Request) *Checker {
	return &Checker{r, map[string]*labels.Validator{}}
}

// Check judges a response. The error says why there is no verdict: a tool whose parameters are no
// JSON schema, or arguments beyond a limit of the validator.
func (c *Checker) Check(response []byte) (*Verdict, error) {
	s := &scan{text: string(response), request: c.request}
	wrong := s.response()
	v := &Verdict{Spans: s.all(), Calls: len(s.calls)}
	for i := range s.calls {
		call := &s.calls[i]
		if wrong != nil && call.at > wrong.at {
			break
		}
		one, err := c.call(call)
		if err != nil {
			return nil, err
		}
		if one != nil {
			wrong = one
			break
		}
	}
	if wrong != nil {
		v.Kind, v.Reason, v.At = wrong.kind, wrong.reason, wrong.at
	}
	return v, nil
}

// Classify divides a response into parts as far as it can be read; the rest counts as text. Markers
// in it may be tokens.
func Classify(r *tools.Request, response []byte) []Span {
	s := &scan{text: string(Shown(response)), request: r}
	s.response()
	spans := s.all()
	if len(s.text) == len(response) {
		return spans
	}
	at, shown := 0, 0
	for i := range spans {
		for shown < spans[i].End {
			length, text := next(response, at)
			at, shown = at+length, shown+len(text)
		}
		spans[i].End = at
	}
	return spans
}

// Tokens is a response as it is read where markers of the request are tokens: those that stand
// around calls and texts, and in a response that is wrong all that look alike.
func Tokens(r *tools.Request, response []byte, right bool) (out []byte) {
	var pairs []string
	for _, m := range r.Markers {
		pairs = append(pairs, m, special.Text(tools.Name(m)))
	}
	tokens, begin := strings.NewReplacer(pairs...), 0
	for _, s := range Classify(r, response) {
		part := string(response[begin:s.End])
		if s.Class == Marker || !right {
			part = tokens.Replace(part)
		}
		out, begin = append(out, part...), s.End
	}
	return out
}

// Shown is a response with its markers as text.
func Shown(response []byte) (text []byte) {
	if !special.In(response) {
		return response
	}
	for at := 0; at < len(response); {
		length, part := next(response, at)
		at, text = at+length, append(text, part...)
	}
	return text
}

// next is the byte or the token at a place of a response, and its text.
func next(response []byte, at int) (length int, text string) {
	if name := special.NameAt(response, at); name != "" {
		return len(special.Text(name)), tools.Marker(name)
	}
	return 1, string(response[at : at+1])
}

// all are the spans of the whole text.
func (s *scan) all() []Span {
	if s.at < len(s.text) || len(s.spans) == 0 {
		return append(s.spans, Span{Text, len(s.text)})
	}
	return s.spans
}

// call judges the name and the arguments of a call.
func (c *Checker) call(call *call) (*mistake, error) {
	tool := c.request.Tool(call.name)
	switch {
	case tool == nil:
		return &mistake{UnknownTool, call.at, fmt.Sprintf("there is no tool %q", call.name)}, nil
	case c.request.Choice == tools.ChoiceOne && call.name != c.request.One:
		return &mistake{OtherTool, call.at, fmt.Sprintf("%s is called, and %s was asked for", call.name, c.request.One)}, nil
	}
	v, err := c.validator(tool)
	if err != nil {
		return nil, err
	}
	keyword, why, err := v.Broken(call.arguments)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the arguments of %s: %w", call.name, err)
	case keyword == "required":
		return &mistake{MissingArgument, call.argumentsAt, fmt.Sprintf("the arguments of %s: %s", call.name, why)}, nil
	case why != "":
		return &mistake{WrongArguments, call.argumentsAt, fmt.Sprintf("the arguments of %s: %s", call.name, why)}, nil
	case call.undeclared != "":
		return &mistake{WrongArguments, call.argumentsAt, fmt.Sprintf("the arguments of %s: %q is not declared, and this format writes no other", call.name, call.undeclared)}, nil
	}
	return nil, nil
}

// validator is that of a tool's parameters.
func (c *Checker) validator(t *tools.Tool) (*labels.Validator, error) {
	if v := c.validators[t.Name]; v != nil {
		return v, nil
	}
	v, err := labels.New(t.Parameters)
	if err != nil {
		return nil, fmt.Errorf("the parameters of the tool %s: %w", t.Name, err)
	}
	c.validators[t.Name] = v
	return v, nil
}

// A mistake is what is wrong with a response, and where.
type mistake struct {
	kind   string
	at     int
	reason string
}

// A call as it was read.
type call struct {
	name            string
	arguments       []byte
	at, argumentsAt int
	undeclared      string // an argument that is written by itself and not declared; "" for none
}

// scan reads one response from left to right.
type scan struct {
	text    string
	at      int // up to where it is read
	request *tools.Request
	spans   []Span
	calls   []call
}

// rest is what is not read yet.
func (s *scan) rest() string { return s.text[s.at:] }

// take reads bytes as a class.
func (s *scan) take(class Class, n int) string {
	from := s.at
	if s.at += n; n > 0 {
		s.spans = append(s.spans, Span{class, s.at})
	}
	return s.text[from:s.at]
}

// expect reads a marker.
func (s *scan) expect(marker string) *mistake {
	switch {
	case strings.HasPrefix(s.rest(), marker):
		s.take(Marker, len(marker))
		return nil
	case strings.HasPrefix(marker, s.rest()):
		return &mistake{CutShort, len(s.text), fmt.Sprintf("the response ends where %q is expected", marker)}
	}
	return &mistake{Malformed, s.at, fmt.Sprintf("expected %q, found %q", marker, clip(s.rest()))}
}

// upTo reads a class up to a marker, and the marker.
func (s *scan) upTo(class Class, marker string) (string, *mistake) {
	n := strings.Index(s.rest(), marker)
	if n < 0 {
		return "", &mistake{CutShort, len(s.text), fmt.Sprintf("the response ends before %q", marker)}
	}
	text := s.take(class, n)
	return text, s.expect(marker)
}

// clip is the beginning of a text, for messages.
func clip(text string) string { return words.Clip(text, 30) }

// json reads a JSON value as a class.
func (s *scan) json(class Class) ([]byte, *mistake) {
	dec := json.NewDecoder(strings.NewReader(s.rest()))
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return nil, s.jsonMistake(err, dec.InputOffset())
	}
	s.take(class, int(dec.InputOffset()))
	return bytes.TrimSpace(value), nil
}

// jsonMistake is an error of a JSON decoder that began at the present place.
func (s *scan) jsonMistake(err error, offset int64) *mistake {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &mistake{CutShort, len(s.text), "the response ends in a JSON value"}
	case errors.As(err, &syntax):
		offset = max(0, syntax.Offset-1)
	}
	return &mistake{Malformed, s.at + int(offset), "not JSON: " + err.Error()}
}

// called enters a call whose name was read at a place, and whose arguments end here.
func (s *scan) called(name string, at int, arguments []byte, argumentsAt int) {
	s.calls = append(s.calls, call{name: name, arguments: arguments, at: at, argumentsAt: argumentsAt})
}

// object reads a call that is one JSON object: {"name": NAME, key: ARGUMENTS}.
func (s *scan) object(key string) *mistake {
	begin := s.at
	var name string
	var nameAt, nameEnd, argumentsAt, argumentsEnd int
	var value json.RawMessage
	dec := json.NewDecoder(strings.NewReader(s.rest()))
	here := func() int { return begin + int(dec.InputOffset()) }
	word := func(want json.Token) func() *mistake {
		return func() *mistake {
			token, err := dec.Token()
			switch {
			case err != nil:
				return s.jsonMistake(err, dec.InputOffset())
			case token != want:
				return &mistake{Malformed, here(), fmt.Sprintf("expected %v in a call, found %v", want, token)}
			}
			return nil
		}
	}
	wrong := all(word(json.Delim('{')), word("name"), func() *mistake {
		token, err := dec.Token()
		if err != nil {
			return s.jsonMistake(err, dec.InputOffset())
		}
		var isText bool
		if name, isText = token.(string); !isText {
			return &mistake{Malformed, here(), "the name of a call is no string"}
		}
		nameEnd = here() - 1
		nameAt = max(begin, nameEnd-len(name))
		return nil
	}, word(key), func() *mistake {
		if err := dec.Decode(&value); err != nil {
			return s.jsonMistake(err, dec.InputOffset())
		}
		argumentsEnd = here()
		argumentsAt = argumentsEnd - len(value)
		return nil
	}, word(json.Delim('}')))
	end := here()
	// The tokens of a decoder may have commas and colons anywhere; a value is JSON.
	dec = json.NewDecoder(strings.NewReader(s.rest()))
	var whole json.RawMessage
	if err := dec.Decode(&whole); err != nil {
		if broken := s.jsonMistake(err, dec.InputOffset()); wrong == nil || broken.at < wrong.at {
			wrong = broken
		}
	}
	if wrong != nil {
		return wrong
	}
	s.take(Marker, nameAt-s.at)
	s.take(Name, nameEnd-s.at)
	s.take(Marker, argumentsAt-s.at)
	s.take(Arguments, argumentsEnd-s.at)
	s.take(Marker, end-s.at)
	s.called(name, nameAt, value, argumentsAt)
	return nil
}
