package jsonschema

import (
	"context"
	"testing"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/quoted"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// toolSchema is of the size and kind of a tool call's parameters.
const toolSchema = `{"type": "object", "properties": {
	"city": {"type": "string", "minLength": 1, "maxLength": 80}, "days": {"type": "integer", "minimum": 1, "maximum": 14},
	"units": {"enum": ["metric", "imperial"]}, "when": {"type": "string", "format": "date-time"},
	"include": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
	"place": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}, "required": ["lat", "lon"]}]}},
	"required": ["city", "days"], "additionalProperties": false}`

// BenchmarkCompile compiles a schema alone, and once more with what its compile left.
func BenchmarkCompile(b *testing.B) {
	Prepare()
	for name, kept := range map[string]*Kept{"alone": nil, "again": NewKept()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				must.Get(Compile(context.Background(), []byte(toolSchema), Options{Kept: kept}))(b)
			}
		})
	}
}

func BenchmarkTables(b *testing.B) {
	result := must.Get(Compile(context.Background(), []byte(toolSchema), Options{}))(b)
	for b.Loop() {
		must.Get(recognizer.New(context.Background(), result.Grammar, recognizer.Options{OnDemand: true}))(b)
	}
}

// BenchmarkBoundedText makes the automata of strings of at most 1,000 characters, which the
// first schema with such a string pays for.
func BenchmarkBoundedText(b *testing.B) {
	for b.Loop() {
		d := must.Get(automata.AnyText().WithLength(0, 1<<16))(b)
		b.ReportMetric(float64(quoted.Encode(d).Whole().NumStates()), "states")
	}
}
