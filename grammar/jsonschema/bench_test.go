package jsonschema

import (
	"context"
	"testing"

	"gcdbench/automata"
	"gcdbench/recognizer"
)

// toolSchema is of the size and kind of a tool call's parameters.
const toolSchema = `{"type": "object", "properties": {
	"city": {"type": "string", "minLength": 1, "maxLength": 80}, "days": {"type": "integer", "minimum": 1, "maximum": 14},
	"units": {"enum": ["metric", "imperial"]}, "when": {"type": "string", "format": "date-time"},
	"include": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
	"place": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}, "required": ["lat", "lon"]}]}},
	"required": ["city", "days"], "additionalProperties": false}`

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := Compile(context.Background(), []byte(toolSchema), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTables(b *testing.B) {
	result, err := Compile(context.Background(), []byte(toolSchema), Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := recognizer.New(context.Background(), result.Grammar, recognizer.Options{OnDemand: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBoundedText makes the automata of strings of at most 1,000 characters, which one
// schema of a process pays for.
func BenchmarkBoundedText(b *testing.B) {
	for b.Loop() {
		d, err := textOfLength(0, maxCharacters)
		if err != nil {
			b.Fatal(err)
		}
		e, err := encodeStrings(d, automata.DefaultLimits)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(e.NumStates()), "states")
	}
}
