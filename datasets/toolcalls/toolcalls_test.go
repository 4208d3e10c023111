package toolcalls

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"gcdbench/datasets"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/tools"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// eachSetup calls f with every way to set a request.
func eachSetup(t *testing.T, f func(t *testing.T, s Setup)) {
	for _, format := range tools.Formats() {
		for _, choice := range tools.Choices() {
			for _, text := range tools.Texts() {
				for n := range 4 {
					r := tools.Request{Format: format, Choice: choice, Text: text, Parallel: n&1 > 0, Reasoning: n&2 > 0}
					f(t, Setup{Request: r, Seed: 7})
				}
			}
		}
	}
}

// load has the documents of a setup.
func load(t *testing.T, c *Corpus, s Setup) *datasets.Dataset {
	t.Helper()
	set, err := datasets.Load(context.Background(), c.Source(s), datasets.Query{Negatives: -1})
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	return set
}

// TestConversations: under the widest request the embedded responses are right but for those with a
// known mistake, of that kind, in every format.
func TestConversations(t *testing.T) {
	c := must.Get(Open(context.Background(), SamplesName))(t)
	if len(c.tools) != 30 || len(c.conversations) != 20 {
		t.Fatalf("%d tools, %d conversations", len(c.tools), len(c.conversations))
	}
	for _, format := range tools.Formats() {
		for _, one := range c.conversations {
			r := tools.Request{Format: format, Choice: tools.ChoiceAuto, Parallel: true, Text: tools.TextAround}
			for _, s := range one.tools {
				r.Tools = append(r.Tools, s.Tool)
			}
			text, err := r.Write(one.parts)
			if err != nil {
				t.Fatal(format, one.id, err)
			}
			v, err := NewChecker(&r).Check(text)
			if err != nil || v.Kind != one.what {
				t.Errorf("%s %s: %+v %v, want %q\n%s", format, one.id, v, err, one.what, text)
			}
			for i, s := range v.Spans {
				if i > 0 && s.End <= v.Spans[i-1].End || s.End > len(text) {
					t.Errorf("%s %s: spans %v", format, one.id, v.Spans)
				}
			}
		}
	}
}

// TestDrawn: what is drawn as right is right under every request, and each request has wrong ones.
func TestDrawn(t *testing.T) {
	seed.Usual(t)
	c := must.Get(Open(context.Background(), SamplesName))(t)
	c.conversations = nil
	eachSetup(t, func(t *testing.T, s Setup) {
		s.Requests = 3
		for schema, of := range load(t, c, s).BySchema() {
			for i, one := range of {
				if one.Negative != (i >= rightOnes) {
					t.Errorf("%+v: %s: %s: %s\n%s", s.Request, schema.ID, one.ID, one.Description, one.Content)
				}
			}
			if len(of) < rightOnes+2 {
				t.Errorf("%+v: only %d responses", s.Request, len(of))
			}
		}
	})
}

// TestGrammar: the grammar of a request takes a response exactly if the checker does.
func TestGrammar(t *testing.T) {
	seed.Usual(t)
	c := must.Get(Open(context.Background(), SamplesName))(t)
	drawn := *c
	drawn.conversations = nil
	responses := 0
	eachSetup(t, func(t *testing.T, s Setup) {
		corpus := c // the embedded responses under the widest request of each format
		if s.Choice != tools.ChoiceAuto || s.Text != tools.TextAround || !s.Parallel {
			corpus, s.Requests = &drawn, 1
		}
		for schema, of := range load(t, corpus, s).BySchema() {
			g, err := tools.ParseLark(t.Context(), schema.ID, schema.Grammar, nil)
			if err != nil {
				t.Fatalf("%+v: %v", s.Request, err)
			}
			r, err := recognizer.New(t.Context(), g, recognizer.Options{OnDemand: true})
			if err != nil {
				t.Fatalf("%+v: %v", s.Request, err)
			}
			for _, one := range of {
				responses++
				if err := r.Check(one.Content); (err == nil) == one.Negative {
					t.Errorf("%+v: %s, wrong %v: %v\n%s", s.Request, one.ID, one.Negative, err, one.Content)
				}
			}
		}
	})
	if responses < 2000 {
		t.Errorf("only %d responses", responses)
	}
}

// TestMarkers: where markers are tokens, the grammar takes a response exactly if the checker does,
// spans are the same parts of it, and engines of others are told that they lack it.
func TestMarkers(t *testing.T) {
	c := must.Get(Open(context.Background(), SamplesName))(t)
	drawn := *c
	drawn.conversations = nil
	for _, format := range tools.Formats() {
		for n := range 4 {
			s := Setup{Request: tools.Request{Format: format, Choice: tools.Choices()[n%2], Text: tools.Texts()[n%3], Parallel: n%2 == 0, Reasoning: n > 1}, Requests: 2}
			for schema, of := range load(t, &drawn, s).BySchema() {
				request := must.Get(tools.Read(schema.ID, schema.Text))(t)
				request.Markers = tools.Markers(format)
				request = must.Get(tools.Read(schema.ID, request.JSON()))(t)
				checkMarkers(t, request, of)
			}
		}
	}
}

// checkMarkers checks the responses to a request whose markers are tokens.
func checkMarkers(t *testing.T, request *tools.Request, of []datasets.Sample) {
	t.Helper()
	g, err := request.Grammar(t.Context(), "tokens", nil)
	must.OK(t, err)
	names, err := request.Names()
	if err != nil || len(names) == 0 || !slices.Equal(names, g.SpecialTokens()) {
		t.Fatalf("%s: names %q, the grammar has %q: %v", request.Format, names, g.SpecialTokens(), err)
	}
	r, err := recognizer.New(t.Context(), g, recognizer.Options{OnDemand: true})
	if err != nil {
		t.Fatalf("%s: %v", request.Format, err)
	}
	for _, one := range of {
		text := Tokens(request, one.Content, !one.Negative)
		if err := r.Check(text); (err == nil) == one.Negative {
			t.Errorf("%+v: %s, wrong %v: %v\n%q", request.Format, one.ID, one.Negative, err, text)
		}
		if err := r.Check(one.Content); err == nil && request.Choice == tools.ChoiceRequired && !bytes.Equal(text, one.Content) {
			t.Errorf("%s: a text that looks like a call is taken for one: %q", request.Format, one.Content)
		}
		begin, from := 0, 0
		for i, s := range Classify(request, text) {
			end := Classify(request, one.Content)[i].End
			if !bytes.Equal(Shown(text[begin:s.End]), one.Content[from:end]) {
				t.Errorf("%s: span %d of %q is %q", request.Format, i, one.Content, text[begin:s.End])
			}
			begin, from = s.End, end
		}
	}
	for _, write := range []func() ([]byte, error){request.StructuralTag, request.LLGuidance} {
		if _, err := write(); err == nil || !strings.Contains(err.Error(), "as tokens") {
			t.Errorf("%s: %v", request.Format, err)
		}
	}
}

// TestWrittenOneByOne: of arguments that are written one by one the grammar takes those that the
// checker does, whatever a parameter refers to.
func TestWrittenOneByOne(t *testing.T) {
	const again = `{"type": "object", "properties": {"a": {"type": "array", "items": {"$ref": "#"}}}}`
	for _, c := range []struct {
		parameters, name, value string
		right                   bool
	}{
		{again, "a", `[{}]`, true},
		{again, "a", `[{"a": [{}]}]`, true},
		{again, "a", `[[]]`, false},
		{again, "b", `y`, false},
		{`{"type": "object"}`, "a", `y`, false},
		{`{"type": "object", "properties": {"a": {"type": "number", "Type": "string"}}}`, "a", `1`, true},
		{`{"type": "object", "properties": {"a": {"type": "number", "Type": "string"}}}`, "a", `x`, false},
		{`{"type": "object", "properties": {"a": {"type": "array", "items": {"$ref": "#/properties/b"}}, "b": {"type": "null"}}}`, "a", `[null]`, true},
		{`{"type": "object", "properties": {"a": {"type": "array", "items": {"$ref": "#/properties/b"}}, "b": {"type": "null"}}}`, "a", `[1]`, false},
		{`{"type": "object", "$id": "http://x.y/z", "$defs": {"s": {"const": 1}}, "properties": {"a": {"type": "array", "items": {"$ref": "http://x.y/z#/$defs/s"}}}}`, "a", `[1]`, true},
		{`{"type": "object", "$id": "http://x.y/z", "$defs": {"s": {"const": 1}}, "properties": {"a": {"type": "array", "items": {"$ref": "http://x.y/z#/$defs/s"}}}}`, "a", `[2]`, false},
		{`{"type": "object", "$defs": {"s": {"const": 1}}, "properties": {"a/b": {"type": "array", "items": {"$ref": "#/$defs/s"}, "$defs": {"s": {"const": 2}}}}}`, "a/b", `[1]`, true},
		{`{"type": "object", "$defs": {"s": {"const": 1}}, "properties": {"a/b": {"type": "array", "items": {"$ref": "#/$defs/s"}, "$defs": {"s": {"const": 2}}}}}`, "a/b", `[2]`, false},
		{`{"$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "properties": {"a": {"type": "array", "items": {"$ref": "#/properties/b", "maximum": 1}}, "b": {"type": "integer", "maximum": 3, "exclusiveMaximum": true}}}`, "a", `[2]`, true},
		{`{"$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "properties": {"a": {"type": "array", "items": {"$ref": "#/properties/b", "maximum": 1}}, "b": {"type": "integer", "maximum": 3, "exclusiveMaximum": true}}}`, "a", `[3]`, false},
	} {
		request := must.Get(tools.Read("r", []byte(`{"format": "qwen3-coder", "tools": [{"name": "t", "parameters": `+c.parameters+`}]}`)))(t)
		response := "<tool_call>\n<function=t>\n<parameter=" + c.name + ">\n" + c.value + "\n</parameter>\n</function>\n</tool_call>"
		agree(t, request, response, c.right)
	}
}

// agree demands a verdict of the grammar of a request and of its checker.
func agree(t *testing.T, request *tools.Request, response string, right bool) {
	t.Helper()
	v := must.Get(NewChecker(request).Check([]byte(response)))(t)
	g := must.Get(request.Grammar(t.Context(), "r", nil))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{OnDemand: true}))(t)
	if err := r.Check([]byte(response)); v.Valid() != right || (err == nil) != right {
		t.Errorf("%s\nright %v: the checker says %q at %d, the grammar %v\n%s", request.JSON(), right, v.Reason, v.At, err, response)
	}
}

// TestNoJSON: a call that is no JSON object is malformed, whatever tokens it has.
func TestNoJSON(t *testing.T) {
	request := must.Get(tools.Read("r", []byte(`{"tools": [{"name": "t"}]}`)))(t)
	for _, c := range []struct {
		call  string
		right bool
	}{
		{`{"name": "t", "arguments": {}}`, true},
		{`"{" "name" "t" "arguments" {} "}"`, false},
		{`{"name": "t", "arguments": {}, "}"`, false},
		{`{"name": "t", "arguments": {},}`, false},
		{`{"name", "t", "arguments", {}}`, false},
	} {
		agree(t, request, "<tool_call>\n"+c.call+"\n</tool_call>", c.right)
	}
}

// TestArgumentsAreObjects: no other value is right as arguments, whatever a schema leaves open, and
// a schema that says it of arguments says it of nothing inside.
func TestArgumentsAreObjects(t *testing.T) {
	for _, c := range []struct{ parameters, right, wrong string }{
		{`{}`, `{"a": [3]}`, `3`},
		{`{"type": ["object", "null"]}`, `{}`, `null`},
		{`{"properties": {"a": {"type": "null"}}}`, `{"a": null}`, `"a"`},
		{`{"properties": {"a": {"$ref": "#"}, "b": {"type": "null"}}}`, `{"a": 3}`, `3`},
		{`{"properties": {"a": {"$ref": "#"}, "b": {"type": "null"}}}`, `{"a": {"b": null}}`, `{"a": {"b": 1}}`},
		{`{"type": ["object", "array"], "items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}}`, `{"a": [[{}]]}`, `[{}]`},
		{`{"$ref": "#/$defs/a", "$defs": {"a": {"maxProperties": 1}}}`, `{"a": 3}`, `3`},
		{`{"$ref": "#/$defs/a", "$defs": {"a": {"maxProperties": 1}}}`, `{"a": 3}`, `{"a": 3, "b": 4}`},
		{`{"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}`, `{"a": 3}`, `3`},
		{`{"$schema": "http://json-schema.org/draft-04/schema#", "id": "http://x.y/z", "properties": {"a": {"$ref": "z#"}}}`, `{"a": 3}`, `3`},
	} {
		for _, format := range []string{"hermes", "mistral"} {
			request := must.Get(tools.Read("r", []byte(`{"format": "`+format+`", "tools": [{"name": "t", "parameters": `+c.parameters+`}]}`)))(t)
			for i, arguments := range []string{c.right, c.wrong} {
				response := "[TOOL_CALLS]t[ARGS]" + arguments
				if format == "hermes" {
					response = "<tool_call>\n" + `{"name": "t", "arguments": ` + arguments + "}\n</tool_call>"
				}
				agree(t, request, response, i == 0)
			}
		}
	}
}
