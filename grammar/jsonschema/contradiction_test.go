package jsonschema

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestContradictions says what is reported of schemas without instances: the keywords to blame.
func TestContradictions(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`false`, "it is the schema false at /"},
		{`{"type": "integer", "minimum": 5, "maximum": 3}`, "minimum 5 > maximum 3 at /"},
		{`{"type": "number", "exclusiveMinimum": 1.50, "maximum": 1.5}`, "exclusiveMinimum 1.50 and maximum 1.5 leave nothing between them at /"},
		{`{"type": "object", "required": ["x"], "properties": {"x": {"type": "integer", "minimum": 5, "maximum": 3}}}`, "minimum 5 > maximum 3 at /properties/x"},
		{`{"type": "object", "required": ["x"], "properties": {"x": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "string", "minLength": 4, "maxLength": 3}}}`, "minLength 4 > maxLength 3 at /$defs/n"},
		{`{"type": "array", "minItems": 2, "items": {"type": "array", "minItems": 3, "maxItems": 1}}`, "minItems 3 > maxItems 1 at /items"},
		{`{"type": "object", "minProperties": 3, "maxProperties": 1}`, "minProperties 3 > maxProperties 1 at /"},
		{`{"type": "object", "required": ["a"], "additionalProperties": false}`, `property "a" is required and not allowed at /`},
		{`{"type": "object", "required": ["a"], "properties": {"a": false}}`, `property "a" is required and not allowed at /`},
		{`{"type": "string", "enum": ["a", "b"], "minLength": 2}`, "no value of enum satisfies the other keywords at /"},
		{`{"type": "integer", "enum": [1.5, 2.5]}`, "no value of enum satisfies the other keywords at /"},
		{`{"allOf": [{"type": "string"}, {"type": "null"}]}`, "the types that are asked for exclude each other at /"},
		{`{"type": "array", "minItems": 1, "items": {"$ref": "#"}}`, "no value satisfies minItems and items together at /items"}, // an endless array
		{`{"type": "string", "pattern": "^a$", "minLength": 2}`, "no value satisfies minLength and pattern together at /"},
		{`{"type": "object", "required": ["k"], "properties": {"k": {"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 4}}}`, "no value satisfies type, exclusiveMinimum and exclusiveMaximum together at /properties/k"},
		{`{"type": "number", "minimum": 1, "maximum": 6, "multipleOf": 7}`, "no value satisfies minimum, maximum and multipleOf together at /"},
		{`{"type": "string", "format": "date", "pattern": "x"}`, "no value satisfies pattern and format together at /"},
		{`{"type": "array", "uniqueItems": true, "items": {"type": "boolean"}, "minItems": 3}`, "no value satisfies minItems, items and uniqueItems together at /"},
		{`{"type": "object", "required": ["a", "b"], "maxProperties": 1}`, "no value satisfies maxProperties and required together at /"},
		{`{"type": "string", "maxLength": 3, "anyOf": [{"minLength": 4}, {"pattern": "^.{5}$"}]}`, "no value satisfies maxLength and anyOf together at /"},
	} {
		_, err := Compile(context.Background(), []byte(c.schema), Options{})
		if !errors.Is(err, ErrContradiction) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q", c.schema, err, c.want)
		}
	}
}
