package toolcalls

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gcdbench/grammar/tools"
)

// A reading is how calls are read in one format.
type reading struct {
	triggers []string               // by which calls begin
	group    func(s *scan) *mistake // reads one or more calls from their trigger on
	between  string                 // between calls where no text may stand
	lists    bool                   // a group may have several calls, and no group follows another one without text
	thought  string                 // after reasoning
	messages func(s *scan) *mistake // reads all of a response of messages; nil for other formats
}

// readings has the formats of package tools.
func readings(format string) reading {
	switch format {
	case "hermes", "qwen":
		return reading{triggers: []string{"<tool_call>"}, group: (*scan).hermes, between: "\n", thought: "\n\n"}
	case "qwen3-coder":
		return reading{triggers: []string{"<tool_call>"}, group: (*scan).qwenCoder, between: "\n", thought: "\n\n"}
	case "llama3.1":
		return reading{triggers: []string{`{"name": "`, "<|python_tag|>"}, group: (*scan).llama, between: "; "}
	case "deepseek-v3.1":
		return reading{triggers: []string{"<｜tool▁calls▁begin｜>"}, group: (*scan).deepSeek, lists: true}
	case "mistral":
		return reading{triggers: []string{"[TOOL_CALLS]"}, group: (*scan).mistral}
	case "mistral-v3":
		return reading{triggers: []string{"[TOOL_CALLS]"}, group: (*scan).mistralList, lists: true}
	case "harmony":
		return reading{messages: (*scan).harmony}
	}
	panic("toolcalls: no format " + format) // a request has one of those of package tools
}

// response reads a whole response, and judges the order of its parts.
func (s *scan) response() *mistake {
	f, r := readings(s.request.Format), s.request
	if f.messages != nil {
		return f.messages(s)
	}
	if wrong := s.reasoning(f.thought); wrong != nil {
		return wrong
	}
	single := !r.Parallel || r.Choice == tools.ChoiceOne
	anywhere := r.Text == tools.TextAround && !single
	for groups := 0; ; groups++ {
		n := firstOf(s.rest(), f.triggers)
		begin, text := s.at, s.rest()
		if n >= 0 {
			text = text[:n]
		}
		switch ends := n < 0; {
		case ends && groups == 0 && r.Choice != tools.ChoiceAuto:
			return &mistake{NoCall, len(s.text), "the response has no call"}
		case ends && text != "" && groups > 0 && !anywhere:
			return &mistake{MisplacedText, begin, fmt.Sprintf("%q follows the calls", clip(text))}
		case ends:
			s.take(Text, len(text))
			return nil
		case groups == 0 && text != "" && (r.Choice != tools.ChoiceAuto || r.Text == tools.TextNone):
			return &mistake{MisplacedText, begin, fmt.Sprintf("%q stands before a call", clip(text))}
		case groups > 0 && single:
			return &mistake{TooManyCalls, begin + n, "a call follows the only one"}
		case groups > 0 && !anywhere && (f.lists || text != f.between):
			return &mistake{MisplacedText, begin, fmt.Sprintf("%q stands between calls", clip(text))}
		}
		s.take(Text, n)
		if wrong := f.group(s); wrong != nil {
			return wrong
		}
		if single && len(s.calls) > 1 {
			return &mistake{TooManyCalls, s.calls[1].at, "a call follows the only one"}
		}
	}
}

// firstOf is where the first trigger begins, -1 if there is none.
func firstOf(text string, triggers []string) int {
	best := -1
	for _, t := range triggers {
		if n := strings.Index(text, t); n >= 0 && (best < 0 || n < best) {
			best = n
		}
	}
	return best
}

// reasoning reads the reasoning that a response begins with, if it should.
func (s *scan) reasoning(after string) *mistake {
	if !s.request.Reasoning {
		return nil
	}
	if wrong := s.expect("<think>"); wrong != nil {
		return &mistake{NoReasoning, 0, "the response does not begin with <think>"}
	}
	if _, wrong := s.upTo(Text, "</think>"); wrong != nil {
		return wrong
	}
	return s.expect(after)
}

// all reads markers and other parts one after the other, up to the first mistake.
func all(steps ...func() *mistake) *mistake {
	for _, step := range steps {
		if wrong := step(); wrong != nil {
			return wrong
		}
	}
	return nil
}

// marker is a step that reads a marker.
func (s *scan) marker(text string) func() *mistake {
	return func() *mistake { return s.expect(text) }
}

func (s *scan) hermes() *mistake {
	return all(s.marker("<tool_call>\n"), func() *mistake { return s.object("arguments") }, s.marker("\n</tool_call>"))
}

func (s *scan) llama() *mistake {
	if strings.HasPrefix(s.rest(), "<") {
		if wrong := s.expect("<|python_tag|>"); wrong != nil {
			return wrong
		}
	}
	return s.object("parameters")
}

// named reads a name up to a marker, and arguments.
func (s *scan) named(marker string) *mistake {
	at := s.at
	name, wrong := s.upTo(Name, marker)
	if wrong != nil {
		return wrong
	}
	argumentsAt := s.at
	value, wrong := s.json(Arguments)
	if wrong == nil {
		s.called(name, at, value, argumentsAt)
	}
	return wrong
}

func (s *scan) mistral() *mistake {
	return all(s.marker("[TOOL_CALLS]"), func() *mistake { return s.named("[ARGS]") })
}

func (s *scan) mistralList() *mistake {
	if wrong := s.expect("[TOOL_CALLS] ["); wrong != nil {
		return wrong
	}
	for {
		if wrong := s.object("arguments"); wrong != nil {
			return wrong
		}
		if !strings.HasPrefix(s.rest(), ",") {
			return s.expect("]")
		}
		if wrong := s.expect(", "); wrong != nil {
			return wrong
		}
	}
}

func (s *scan) deepSeek() *mistake {
	if wrong := s.expect("<｜tool▁calls▁begin｜>"); wrong != nil {
		return wrong
	}
	for {
		wrong := all(s.marker("<｜tool▁call▁begin｜>"), func() *mistake { return s.named("<｜tool▁sep｜>") }, s.marker("<｜tool▁call▁end｜>"))
		if wrong != nil {
			return wrong
		}
		if !strings.HasPrefix(s.rest(), "<｜tool▁call▁begin｜>") {
			return s.expect("<｜tool▁calls▁end｜>")
		}
	}
}

// qwenCoder reads a call whose arguments are written one by one.
func (s *scan) qwenCoder() *mistake {
	if wrong := s.expect("<tool_call>\n<function="); wrong != nil {
		return wrong
	}
	at := s.at
	name, wrong := s.upTo(Name, ">\n")
	if wrong != nil {
		return wrong
	}
	argumentsAt := s.at
	declared, isTool := s.declared(name)
	var arguments []string
	undeclared := ""
	for strings.HasPrefix(s.rest(), "<parameter=") {
		key, value, wrong := s.parameter(declared)
		if wrong != nil {
			return wrong
		}
		if _, known := declared[key]; !known && isTool && undeclared == "" {
			undeclared = key
		}
		arguments = append(arguments, string(marshal(key))+":"+value)
	}
	if wrong := s.expect("</function>\n</tool_call>"); wrong != nil {
		return wrong
	}
	s.called(name, at, []byte("{"+strings.Join(arguments, ",")+"}"), argumentsAt)
	s.calls[len(s.calls)-1].undeclared = undeclared
	return nil
}

// parameter reads an argument of a tool, its value as JSON.
func (s *scan) parameter(declared map[string]json.RawMessage) (key, value string, wrong *mistake) {
	if wrong := s.expect("<parameter="); wrong != nil {
		return "", "", wrong
	}
	if key, wrong = s.upTo(Arguments, ">\n"); wrong != nil {
		return "", "", wrong
	}
	at := s.at
	value, wrong = s.upTo(Arguments, "\n</parameter>\n")
	switch {
	case wrong != nil:
		return "", "", wrong
	case isText(declared[key]):
		value = string(marshal(value))
	case !json.Valid([]byte(value)):
		return "", "", &mistake{Malformed, at, fmt.Sprintf("the argument %q is not JSON: %s", key, clip(value))}
	}
	return key, value, nil
}

// declared are the parameters of a tool, if there is one.
func (s *scan) declared(tool string) (map[string]json.RawMessage, bool) {
	t := s.request.Tool(tool)
	if t == nil {
		return nil, false
	}
	return members(members(t.Parameters)["properties"]), true
}

// members are the members of a JSON object by their exact names; none of another value.
func members(text []byte) (of map[string]json.RawMessage) {
	_ = json.Unmarshal(text, &of)
	return of
}

// isText is whether a parameter is a string by its schema, which says so, or says nothing.
func isText(schema []byte) bool {
	p := members(schema)
	if kind, said := p["type"]; said {
		return string(kind) == `"string"`
	}
	var values []any
	_ = json.Unmarshal(p["enum"], &values)
	if only, said := p["const"]; said {
		var value any
		_ = json.Unmarshal(only, &value)
		values = append(values, value)
	}
	return !slices.ContainsFunc(values, func(v any) bool { _, is := v.(string); return !is })
}

// marshal is a value as JSON.
func marshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings always encode
	}
	return text
}
