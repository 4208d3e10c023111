package config

import (
	"encoding/json"
	"maps"
)

// Schema returns the JSON Schema of configurations, for editors: indented, with a line end, the
// same bytes each time. It is published as configs/schema.json, which TestPublishedSchema compares
// with it.
func Schema() []byte {
	s := schemaOf(rootShape)
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "gcdbench configuration"
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // the shapes hold nothing that JSON cannot write
	}
	return append(out, '\n')
}

// schemaOf is the JSON Schema of a shape, as a value for encoding/json.
func schemaOf(s shape) map[string]any {
	switch s := s.(type) {
	case scalar:
		return s.json
	case list:
		return map[string]any{"type": "array", "items": schemaOf(s.of), "minItems": s.min}
	case table:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(s.of)}
	case either:
		alts := make([]any, len(s))
		for i, one := range s {
			alts[i] = schemaOf(one)
		}
		return map[string]any{"anyOf": alts}
	}
	o := s.(object) // unknown keys are refused, as by its check
	props := map[string]any{}
	var required []string
	for _, f := range o.fields {
		p := map[string]any{"description": f.doc}
		maps.Copy(p, schemaOf(f.shape))
		props[f.key] = p
		if f.required {
			required = append(required, f.key)
		}
	}
	all := map[string]any{"type": "object", "properties": props, "additionalProperties": false}
	if required != nil {
		all["required"] = required
	}
	return all
}
