package jsonschema

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// older rewrites a schema of 2020-12 to say what it can in an older draft. Keywords that the draft
// does not have stay where nothing else says the same, so that it is seen that they are ignored.
func older(x any, draft string) any {
	s, ok := x.(map[string]any)
	if truth, isBool := x.(bool); isBool && draft == "4" { // there are no boolean schemas
		if truth {
			return map[string]any{}
		}
		return map[string]any{"not": map[string]any{}}
	}
	if !ok {
		return x
	}
	for key, v := range s {
		s[key] = olderKeyword(key, v, draft)
	}
	if list, has := s["prefixItems"]; has {
		if rest, has := s["items"]; has {
			s["additionalItems"] = rest
		}
		s["items"] = list
		delete(s, "prefixItems")
	}
	if _, has := s["$ref"]; has {
		delete(s, "const") // the other validator asserts it beside $ref
	}
	if draft == "2019-09" {
		return s
	}
	for _, key := range []string{"dependentRequired", "dependentSchemas"} {
		if _, taken := s["dependencies"]; !taken && s[key] != nil {
			s["dependencies"] = s[key]
			delete(s, key)
		}
	}
	if draft != "4" {
		return s
	}
	if bound, has := s["exclusiveMaximum"]; has {
		s["maximum"], s["exclusiveMaximum"] = bound, true
	}
	if v, has := s["const"]; has && s["enum"] == nil {
		s["enum"] = []any{v}
		delete(s, "const")
	}
	return s
}

// olderKeyword rewrites the schemas in the value of a keyword.
func olderKeyword(key string, v any, draft string) any {
	holds := holdingOf(key)
	switch v := v.(type) {
	case []any:
		if holds&holdsSchemas != 0 {
			for i := range v {
				v[i] = older(v[i], draft)
			}
		}
	case map[string]any:
		switch {
		case holds&holdsMap != 0:
			for name, sub := range v {
				v[name] = older(sub, draft)
			}
		case holds&holdsSchema != 0:
			return older(v, draft)
		}
	case bool:
		if holds&holdsSchema != 0 {
			return older(v, draft)
		}
	}
	return v
}

// TestOlderDrafts compares random schemas of the older drafts with the other validator.
func TestOlderDrafts(t *testing.T) {
	rounds := seed.Rounds(30, 60, 3000)
	d := dice{rand.New(rand.NewPCG(seed.New(t), 4))}
	for _, draft := range []string{"4", "6", "7", "2019-09"} {
		outcomes := map[string]int{}
		for range rounds {
			var doc any
			in := json.NewDecoder(strings.NewReader(d.document()))
			in.UseNumber()
			must.OK(t, in.Decode(&doc))
			s, ok := older(doc, draft).(map[string]any)
			if !ok {
				continue
			}
			s["$schema"] = schemaURIs[draft]
			text := must.Get(json.Marshal(s))(t)
			if _, err := judge(string(text)); err != nil {
				outcomes["no schema to the other validator"]++
				continue
			}
			outcomes[differ(t, d, string(text))]++
			if t.Failed() {
				return
			}
		}
		t.Logf("draft %s: %v", draft, outcomes)
		if outcomes["compared"] < rounds/3 {
			t.Errorf("draft %s: too few are compared", draft)
		}
	}
}

// holdingOf is how a keyword holds schemas.
func holdingOf(name string) (h holding) {
	for _, w := range keywords {
		if w.name == name {
			h = w.holds
		}
	}
	return h
}
