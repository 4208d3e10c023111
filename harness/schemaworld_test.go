package harness

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/harness/config"
	"gcdbench/internal/must"
)

// The world of these tests: schemas of a line each, the tokenizer of some 270 ids, and
// algorithms that are wrong about one schema. A name says what is with the schema.

// instance is a test of a schema: its text, and whether it is labelled valid.
type instance struct {
	text  string
	valid bool
}

// tinySchema is a line of a MaskBench file.
type tinySchema struct {
	id, text  string
	instances []instance
}

var tinySchemas = []tinySchema{
	{"a-number", `{"type": "integer", "minimum": 0, "maximum": 99}`, []instance{{`7`, true}, {`100`, false}, {`12`, true}}},
	{"b-object", `{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "boolean"}}, "additionalProperties": false}`,
		[]instance{{`{"a": 1, "b": true}`, true}, {`{"b": true, "a": 22}`, true}, {`{"c": 1}`, false}}},
	{"c-unsupported", `{"minLength": 700000000}`, []instance{{`1`, true}, {`"ab"`, false}}},
	{"d-contradiction", `{"type": "integer", "minimum": 3, "maximum": 2}`, []instance{{`3`, false}}},
	{"e-no-ref", `{"$ref": "#/nowhere"}`, []instance{{`1`, true}}},
	{"f-no-schema", `{"type": "strin"}`, []instance{{`"x"`, true}}},
	{"g-bare", `{"enum": ["x", "yy"]}`, nil},
	{"h-list", `{"type": "array", "items": {"type": "integer"}, "maxItems": 3}`, []instance{{`[1, 22]`, true}, {`["x"]`, false}, {`[1, 22, 333]`, true}}},
	{"i-string", `{"type": "string", "maxLength": 4}`, []instance{{`"abcd"`, true}, {`"abcde"`, false}}},
}

const bareSchemas = 1 // of tinySchemas, those without instances

// newSchemaWorld is a world whose corpus is of schemas.
func newSchemaWorld(t testing.TB, schemas []tinySchema) *world {
	t.Helper()
	w := newWorld(t)
	var lines strings.Builder
	for _, s := range schemas {
		tests := []string{}
		for _, i := range s.instances { // by hand, since encoding/json would lay the instance out anew
			tests = append(tests, fmt.Sprintf(`{"valid": %v, "data": %s}`, i.valid, i.text))
		}
		fmt.Fprintf(&lines, "{\"id\": %q, \"group\": %q, \"schema\": %s, \"tests\": [%s]}\n", s.id, s.id[:1], s.text, strings.Join(tests, ", "))
	}
	w.file(t, "schemas.jsonl", lines.String())
	return w
}

// schemaConfig is a configuration for the schemas of a world. more are keys of the workload, whose
// keys come in the declared order unless they say otherwise.
func (w *world) schemaConfig(t testing.TB, algorithms, measure, more string) *config.Config {
	t.Helper()
	if !strings.Contains(more, "order:") {
		more += ", order: declared"
	}
	text := fmt.Sprintf(`name: test
seed: 3
algorithms: [%s]
tokenizers: [{file: tok.json}]
workloads: [{grammar: schema, dataset: {format: maskbench, path: schemas.jsonl}%s}]
measure: {%s}
`, algorithms, more, measure)
	cfg := must.Get(config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), config.Names{}))(t)
	return cfg
}

// on runs a defect on one schema only.
func on(schema string, w *wrong) *wrong {
	one := *w
	one.compileOf = func(ctx context.Context, name string) error {
		if name != schema || w.compile == nil {
			return nil
		}
		return w.compile(ctx)
	}
	one.compile = nil
	if w.mask != nil {
		one.mask = func(s *wrongState) {
			if s.engine.problem.Grammar.Name == schema {
				w.mask(s)
			}
		}
	}
	if w.change != nil {
		one.change = func(s *wrongState, m algorithms.Mask) algorithms.Mask {
			if s.engine.problem.Grammar.Name == schema {
				return w.change(s, m)
			}
			return m
		}
	}
	return &one
}

// hangsCalled counts the masks of hangs-always.
var hangsCalled atomic.Int64

// schemaZoo are the defects of the zoo, and some more, on one schema.
var schemaZoo = []*wrong{
	on("h-list", &wrong{name: "flips-h", change: func(s *wrongState, m algorithms.Mask) algorithms.Mask {
		if s.text == "[1" {
			return flip(m, idOf('7'))
		}
		return m
	}}),
	on("h-list", &wrong{name: "panics-h", mask: func(s *wrongState) {
		if strings.Contains(s.text, "22") {
			panic("out of ideas")
		}
	}}),
	on("h-list", &wrong{name: "panics-compiling-h", compile: func(context.Context) error { panic("no idea") }}),
	on("h-list", &wrong{name: "unsupported-h", compile: func(context.Context) error {
		return &algorithms.UnsupportedError{Algorithm: "unsupported-h", Reason: `lists such as "h" are beyond it`}
	}}),
	on("h-list", &wrong{name: "slow-h", compile: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}),
	on("h-list", &wrong{name: "hangs-h", mask: func(*wrongState) { <-never }}),
	{name: "hangs-always", mask: func(*wrongState) { hangsCalled.Add(1); <-never }},
	on("i-string", &wrong{name: "overflows-i", mask: func(s *wrongState) {
		if s.text == `"ab` {
			debug.SetMaxStack(1 << 20)
			overflowed = overflow(1)
		}
	}}),
}
