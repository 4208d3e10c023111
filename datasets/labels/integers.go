package labels

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// wholeIntegers makes type: integer what draft 4 says (core, section 3.5): a number without a
// fraction or exponent, so that 1.0 is none. The validator has the meaning of the later drafts in
// all of them. A library that follows the draft is Python's, which was asked for the labels of
// MaskBench.
var wholeIntegers = &jsonschema.Vocabulary{
	URL: "memory:///draft-04/integers",
	Compile: func(_ *jsonschema.CompilerContext, schema map[string]any) (jsonschema.SchemaExt, error) {
		types, ok := schema["type"].([]any)
		if !ok {
			types = []any{schema["type"]}
		}
		if !slices.Contains(types, any("integer")) || slices.Contains(types, any("number")) {
			return nil, nil
		}
		return whole(types), nil
	},
}

// whole is the types of a schema that has integers and not all numbers.
type whole []any

// Validate reports numbers that are not written as integers.
func (w whole) Validate(ctx *jsonschema.ValidatorContext, v any) {
	if number, ok := v.(json.Number); ok && strings.ContainsAny(string(number), ".eE") {
		want := make([]string, len(w))
		for i, name := range w {
			want[i], _ = name.(string)
		}
		ctx.AddError(&kind.Type{Got: "number", Want: want})
	}
}
