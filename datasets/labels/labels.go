// Package labels judges instances of JSON schemas by a validator that shares no code with this
// project, github.com/santhosh-tekuri/jsonschema/v6, so that the labels of a corpus and the masks
// of an engine can be checked by someone else.
//
// Schemas mean the same here as in the rest of the project. The draft is the one that "$schema"
// names, 2020-12 if it names no known one. "format" is asserted in every draft. A pattern is a
// regular expression of ECMAScript with Unicode, found anywhere in the string. Numbers are compared
// exactly at any length, and an integer of draft 4 is written as one (1, not 1.0). Nothing is ever
// loaded: a schema that refers to a document which is not given does not compile.
//
// The validator reads an instance into maps first. So of a repeated member only the last counts,
// and members have no order. A lone surrogate in an escape is read as U+FFFD. The validator knows
// more formats than the compiler of this project asserts (semver, period). Its own readings of some
// formats are replaced (formats.go, readings.go, hostnames.go, expressions.go).
//
// The time of a verdict is not bounded for every schema: "unevaluated" keywords and "$ref" in
// circles of alternatives can be exponential in any validator. The schemas of corpora have none of
// these. Nesting, numbers and the time of a regular expression are bounded here (limits.go).
package labels

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gcdbench/datasets"
)

// A Validator is a compiled schema. It is immutable and may be used by several goroutines.
type Validator struct{ schema *jsonschema.Schema }

// address names the schema inside the validator; relative references in it resolve to below.
const address = "memory:///schema"

// New compiles a schema. It fails, in one line, if the text is not JSON (with line and column), not
// a schema of its draft, has a pattern that is not a regular expression, refers to another document
// or to a missing place, or is beyond a limit. The schema is not kept.
func New(schema []byte) (v *Validator, err error) { return compile(schema, address, nil, nil) }

// NewAmong is New for a schema with a URI, which may be empty, that may refer to other documents,
// by their URIs. Each may be a path.
func NewAmong(schema []byte, uri string, others map[string][]byte) (v *Validator, err error) {
	if uri == "" {
		uri = address
	}
	return compile(schema, uri, others, nil)
}

// absolute is a URI, or a path beside the schema, as the validator wants it.
func absolute(uri string) string {
	if strings.HasPrefix(uri, "/") {
		return "memory://" + uri
	}
	return uri
}

// NewWithoutFormats is New with formats that assert nothing.
func NewWithoutFormats(schema []byte) (v *Validator, err error) {
	return compile(schema, address, nil, func(doc any) (list []*jsonschema.Format) {
		for _, name := range formatsIn(doc) {
			list = append(list, &jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
		}
		return list
	})
}

// formatsIn are the values of all members that are called format, among them those of keywords.
func formatsIn(doc any) (names []string) {
	eachMember(doc, func(object map[string]any, key string) bool {
		if name, ok := object[key].(string); ok && key == "format" {
			names = append(names, name)
		}
		return true
	})
	return names
}

// eachMember calls visit for the members of all objects, and looks into a value if it says so.
func eachMember(doc any, visit func(object map[string]any, key string) (into bool)) {
	switch doc := doc.(type) {
	case []any:
		for _, item := range doc {
			eachMember(item, visit)
		}
	case map[string]any:
		for key, item := range doc {
			if visit(doc, key) {
				eachMember(item, visit)
			}
		}
	}
}

// compile is NewAmong, with more formats, which replace those of the same names.
func compile(schema []byte, uri string, others map[string][]byte, more func(doc any) []*jsonschema.Format) (v *Validator, err error) {
	doc, err := decode(schema, short)
	if err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	withCounts(doc)
	draft := sayDialect(doc)
	defer failed(&err)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(drafts[draft]) // of documents that say none
	for name, text := range others {
		other, err := decode(text, short)
		if err == nil {
			withCounts(other)
			_ = sayDialect(other)
			err = c.AddResource(absolute(name), other)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if object, ok := other.(map[string]any); ok { // the validator knows a document by one name only
			if id, ok := object["$id"].(string); ok && !strings.HasPrefix(id, "#") && others[id] == nil && id != name {
				_ = c.AddResource(absolute(id), other) // one that is no URI identifies nothing
			}
		}
	}
	c.AssertFormat()
	c.UseLoader(nothing{})
	compiled := false
	c.UseRegexpEngine(func(text string) (jsonschema.Regexp, error) {
		if compiled { // the validator asks for the format, which expressionFormat asserts
			return nil, nil
		}
		return compilePattern(text)
	})
	if draft == draft4 {
		c.RegisterVocabulary(wholeIntegers)
	}
	for _, f := range slices.Concat(formats, readings) {
		c.RegisterFormat(f)
	}
	c.AssertVocabs()
	if more == nil {
		c.RegisterVocabulary(expressionFormat)
	} else {
		for _, f := range more(doc) {
			c.RegisterFormat(f)
		}
	}
	if err := c.AddResource(absolute(uri), doc); err != nil {
		return nil, fmt.Errorf("the schema: %s", reason(err))
	}
	s, err := c.Compile(absolute(uri))
	compiled = true
	if err != nil {
		return nil, fmt.Errorf("the schema: %s", reason(err))
	}
	return &Validator{s}, nil
}

// Valid is whether an instance, a JSON text, is valid. It fails, and then there is no verdict, if
// the text is not JSON (with line and column) or beyond a limit.
func (v *Validator) Valid(instance []byte) (valid bool, err error) {
	why, err := v.Explain(instance)
	return why == "" && err == nil, err
}

// Explain says in one line what is wrong with an instance, by JSON pointer, and nothing if it is
// valid. Its errors are those of Valid.
func (v *Validator) Explain(instance []byte) (why string, err error) {
	_, why, err = v.Broken(instance)
	return why, err
}

// Broken is Explain with the keyword that the instance breaks first, such as "minimum"; "false" for
// a schema that nothing is valid for.
func (v *Validator) Broken(instance []byte) (keyword, why string, err error) {
	doc, err := decode(instance, near())
	if err != nil {
		return "", "", fmt.Errorf("the instance: %w", err)
	}
	defer failed(&err)
	err = v.schema.Validate(doc)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return "", "", nil
	case errors.As(err, &invalid):
		return keywordOf(invalid), reason(invalid), nil
	}
	return "", "", fmt.Errorf("the instance: %w", err)
}

// failed turns a panic of the validator into an error: one schema must not end a run over many.
func failed(err *error) {
	switch r := recover().(type) {
	case nil:
	case slowPattern:
		*err = r
	default:
		*err = fmt.Errorf("the validator failed: %v", r)
	}
}

// decode reads a JSON text. Its numbers stay text, and are what number makes of them.
func decode(text []byte, number func(json.Number) (json.Number, error)) (any, error) {
	if err := datasets.CheckJSON(text); err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return withinLimits(doc, 0, number)
}

// sayDialect replaces the draft that a schema says it is of by its canonical address, and returns
// that; of one that says none, the default.
func sayDialect(doc any) string {
	object, _ := doc.(map[string]any)
	says, ok := object["$schema"].(string)
	if !ok {
		return draft2020
	}
	object["$schema"] = dialect(says)
	return dialect(says)
}

const (
	draft4    = "http://json-schema.org/draft-04/schema#"
	draft6    = "http://json-schema.org/draft-06/schema#"
	draft7    = "http://json-schema.org/draft-07/schema#"
	draft2019 = "https://json-schema.org/draft/2019-09/schema"
	draft2020 = "https://json-schema.org/draft/2020-12/schema"
)

var drafts = map[string]*jsonschema.Draft{draft4: jsonschema.Draft4, draft6: jsonschema.Draft6, draft7: jsonschema.Draft7, draft2019: jsonschema.Draft2019, draft2020: jsonschema.Draft2020}

// dialect is the draft that a schema says it is of, by its canonical address. Corpora write it with
// and without the final #, with http and https, and with drafts that nobody validates any more.
func dialect(says string) string {
	switch {
	case strings.Contains(says, "draft-03"), strings.Contains(says, "draft-04"), strings.Contains(says, "draft-05"):
		return draft4
	case strings.Contains(says, "draft-06"):
		return draft6
	case strings.Contains(says, "draft-07"):
		return draft7
	case strings.Contains(says, "2019-09"):
		return draft2019
	}
	return draft2020
}

// nothing loads nothing.
type nothing struct{}

func (nothing) Load(address string) (any, error) {
	return nil, errors.New("it is not part of the schema, and nothing is loaded")
}
