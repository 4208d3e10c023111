package reports

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gcdbench/harness/stats"
	"gcdbench/internal/must"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/result"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaFile is the published JSON Schema of `report --format json`.
var schemaFile = filepath.Join("..", "docs", "results.schema.json")

// schemaOf is the JSON Schema of a type, by the fields of its JSON. Whatever JSON may write as null
// may be null.
func schemaOf(t reflect.Type) map[string]any {
	switch t {
	case reflect.TypeFor[result.Spent]():
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": []string{"number", "null"}}}
	case reflect.TypeFor[stats.Interval]():
		return map[string]any{"type": []string{"object", "null"}, "required": []string{"low", "high"}, "properties": map[string]any{"low": map[string]any{"type": "number"}, "high": map[string]any{"type": "number"}}}
	}
	if t.PkgPath() == "time" {
		return map[string]any{"type": []string{"string", "integer"}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		s := schemaOf(t.Elem())
		if kind, ok := s["type"].(string); ok {
			s["type"] = []string{kind, "null"}
		}
		return s
	case reflect.Struct:
		properties := map[string]any{}
		addFields(properties, t)
		return map[string]any{"type": "object", "properties": properties}
	case reflect.Map:
		return map[string]any{"type": []string{"object", "null"}, "additionalProperties": schemaOf(t.Elem())}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": []string{"string", "null"}}
		}
		return map[string]any{"type": []string{"array", "null"}, "items": schemaOf(t.Elem())}
	case reflect.Array:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	}
	return map[string]any{"type": "number"}
}

// addFields adds the fields of a struct, those of embedded ones among them.
func addFields(properties map[string]any, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			addFields(properties, inner)
		case f.IsExported() && name != "-":
			if name == "" {
				name = f.Name
			}
			properties[name] = schemaOf(f.Type)
		}
	}
}

// TestKeptResultsAreValid: the published schema is that of today's types, and every kept result, as
// well as a result of today, is valid by it.
func TestKeptResultsAreValid(t *testing.T) {
	s := schemaOf(reflect.TypeFor[Stored]())
	s["$schema"], s["title"], s["required"] = "https://json-schema.org/draft/2020-12/schema", "What gcdbench report --format json prints", []string{"cells", "warnings", "missing", "about"}
	cells := s["properties"].(map[string]any)["cells"].(map[string]any)["items"].(map[string]any)
	cells["type"], cells["required"] = "object", []string{"algorithm", "label", "tokenizer", "workload", "outcome"}
	text, err := json.MarshalIndent(s, "", " ")
	must.OK(t, err)
	text = append(text, '\n')
	if *update {
		must.OK(t, os.WriteFile(schemaFile, text, 0o644))
	}
	if published, err := os.ReadFile(schemaFile); err != nil || !bytes.Equal(published, text) {
		t.Errorf("%s is not today's; run: go test ./reports -run KeptResults -update", schemaFile)
	}
	schema := must.Get(jsonschema.NewCompiler().Compile(schemaFile))(t)
	files, err := filepath.Glob(filepath.Join("..", "results", "*.json"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d kept results, %v", len(files), err)
	}
	check := func(name string, text []byte) {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		if len(text) > 1<<20 {
			t.Errorf("%s has %d bytes", file, len(text))
		}
		check(file, text)
	}
	check("a result of today", []byte(render(t, load(t, made.SchemaSet.Store(t)), "json")))
	if err := schema.Validate(map[string]any{"cells": []any{map[string]any{"label": 1}}}); err == nil {
		t.Error("a cell without an outcome is valid")
	}
}
