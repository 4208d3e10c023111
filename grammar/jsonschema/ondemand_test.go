package jsonschema

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// writeAll has all rules of a grammar written in a random order, and checks each grammar of the
// series.
func writeAll(t *testing.T, id string, g *grammar.Grammar, rng *rand.Rand) *grammar.Grammar {
	t.Helper()
	checkSeries(t, id, nil, g)
	for g.Demand != nil {
		var open []grammar.Nonterminal
		for _, r := range g.Rules {
			for _, s := range r.RHS {
				if !s.IsTerminal() && !g.Demand.Written(s.Nonterminal()) && !slices.Contains(open, s.Nonterminal()) {
					open = append(open, s.Nonterminal())
				}
			}
		}
		if len(open) == 0 {
			break
		}
		next, err := g.Demand.Write(t.Context(), open[rng.IntN(len(open))])
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		checkSeries(t, id, g, next)
		g = next
	}
	return g
}

// checkSeries checks that a grammar goes on with the one before, and that each of its rules can be
// completed, provided that what is not written can be.
func checkSeries(t *testing.T, id string, before, g *grammar.Grammar) {
	t.Helper()
	if before != nil {
		if len(g.Rules) < len(before.Rules) || len(g.Terminals) < len(before.Terminals) {
			t.Fatalf("%s: the grammar shrank", id)
		}
		for i := range before.Rules {
			if before.Rules[i].LHS != g.Rules[i].LHS || !slices.Equal(before.Rules[i].RHS, g.Rules[i].RHS) {
				t.Fatalf("%s: rule %d changed", id, i)
			}
		}
	}
	productive := make([]bool, len(g.Nonterminals))
	for n := range productive {
		productive[n] = g.Demand != nil && !g.Demand.Written(grammar.Nonterminal(n))
	}
	spread(g.Rules, productive)
	for i, r := range g.Rules {
		if len(r.RHS) == 0 || !derives(r.RHS, productive) {
			t.Fatalf("%s: rule %d, %v -> %v, cannot be completed", id, i, r.LHS, r.RHS)
		}
	}
}

// openCases are schemas whose goals are written in several batches, or that are decided by a
// fixpoint.
func openCases() map[string]string {
	var tools, keys []string
	for i := range 60 {
		tools = append(tools, fmt.Sprintf(`{"type":"object","properties":{"name":{"const":"tool%d"},"arguments":{"type":"object","properties":{"a%d":{"type":"string"},"b":{"enum":["x%d","y"]}},"required":["b"]}},"required":["name","arguments"],"additionalProperties":false}`, i, i, i))
	}
	for i := range 3000 {
		keys = append(keys, fmt.Sprintf(`"key%d":{"type":["string","null"]}`, i))
	}
	return map[string]string{
		"tools":     `{"anyOf":[` + strings.Join(tools, ",") + `]}`,
		"never":     `{"anyOf":[` + strings.Join(tools, ",") + `,{"type":"object","properties":{"never":{"type":"object","properties":{"n":{"type":"string","pattern":"^[ab]$","not":{"enum":["a","b"]}}},"required":["n"]}},"required":["never"]}]}`,
		"keys":      `{"properties":{` + strings.Join(keys, ",") + `},"additionalProperties":false}`,
		"tree":      `{"$defs":{"t":{"type":"object","properties":{"l":{"$ref":"#/$defs/t"},"r":{"$ref":"#/$defs/t"},"v":{"type":"integer"}},"required":["v"]}},"$ref":"#/$defs/t"}`,
		"endless":   `{"properties":{"a":{"$ref":"#/$defs/e"},"b":{"type":"string"}},"$defs":{"e":{"type":"object","properties":{"e":{"$ref":"#/$defs/e"}},"required":["e"]}}}`,
		"exclusive": `{"properties":{"a":{"oneOf":[{"type":"object","required":["x"]},{"type":"object","required":["y"]}]},"c":{"type":"string","pattern":"^a+$"},"d":{"type":"string","pattern":"a$b"}}}`,
		"range":     `{"properties":{"a":{"minimum":3,"maximum":2,"type":"integer"},"b":{"minimum":2,"maximum":3,"type":"integer"},"c":{"type":"integer","enum":[1.5]}}}`,
	}
}

// TestOpen: whatever order rules are written in, each grammar of the series is sound, and in the
// end no nonterminal is empty.
func TestOpen(t *testing.T) {
	s := seed.New(t)
	for id, text := range openCases() {
		result, err := Open(t.Context(), []byte(text), Options{Name: id})
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		g := writeAll(t, id, result.Grammar, rand.New(rand.NewPCG(s, 1)))
		if id == "tools" && len(result.Grammar.Rules) == len(g.Rules) {
			t.Error("tools: everything was written at once")
		}
	}
}

// TestOpenRefuses: Open refuses what Compile refuses, with the same words.
func TestOpenRefuses(t *testing.T) {
	for _, text := range []string{
		`{`, `[]`, `{"type":"nothing"}`, `{"minLength":70000000}`, `{"$ref":"#/nowhere"}`, `{"minLength":-1}`,
		`{"pattern":"(a)\\1"}`, `{"enum":[1],"type":"string"}`, `{"$ref":"#"}`, `{"properties":{"a":{"pattern":"("}}}`,
		`{"properties":{"a":{"minItems":1000000000}}}`, `{"minProperties":1000000}`, `{"contains":true,"minContains":1000000}`,
	} {
		_, want := Compile(t.Context(), []byte(text), Options{})
		_, err := Open(t.Context(), []byte(text), Options{})
		if want == nil || err == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v, Compile says: %v", text, err, want)
		}
	}
}

// TestOpenLists: lists and objects of which most states are written when a text comes to them
// accept what those do of which all states are written, and there is no limit to what they count.
func TestOpenLists(t *testing.T) {
	for _, c := range []struct {
		schema        string
		in, out, ends []string // of ends, nothing may follow the last member
	}{
		{schema: `{"items": {"type": "integer"}, "minItems": 30, "maxItems": 40}`, in: []string{numbers(30), numbers(40)}, out: []string{numbers(29), numbers(41), `[]`}, ends: []string{numbers(40)}},
		{schema: `{"contains": {"const": 1}, "minContains": 12, "maxContains": 13}`, in: []string{ones(12), ones(13), `[2, ` + ones(12)[1:]}, out: []string{ones(11), ones(14)}},
		{schema: `{"allOf": [` + listed(7, `{"contains": {"const": %d}}`) + `]}`, in: []string{numbers(7), numbers(9)}, out: []string{numbers(6), `[1, 1, 1, 1, 1, 1, 1]`}},
		{schema: `{"type": "object", "maxProperties": 30, "minProperties": 20}`, in: []string{members(20), members(30)}, out: []string{members(19), members(31)}, ends: []string{members(30)}},
		{schema: `{"properties": {` + listed(40, `"k%d": true`) + `}, "required": ["k3", "k39"], "additionalProperties": false}`, in: []string{members(40), `{"k3": 1, "k39": 2}`}, out: []string{members(39), `{"k39": 1, "k3": 1}`}, ends: []string{members(40)}},
		{schema: `{"items": [true, {"items": [{"const": 1}, {"const": 2}, false], "minItems": 2}, {"$ref": "#/items/1"}, true, true], "minItems": 5, "$schema": "http://json-schema.org/draft-07/schema#"}`, in: []string{`[0, [1, 2], [1, 2], 3, 4, 5]`}, out: []string{`[0, [1, 2], [1], 3, 4]`, `[0, [1, 2], [1, 2], 3]`}},
	} {
		accepts, _, err := acceptance(c.schema, Options{})
		must.OK(t, err)
		opened := must.Get(Open(t.Context(), []byte(c.schema), Options{Batch: 10}))(t)
		r := must.Get(recognizer.New(t.Context(), opened.Grammar, recognizer.Options{OnDemand: true}))(t)
		for _, text := range c.ends {
			if reads(r, text[:len(text)-1]+",") {
				t.Errorf("%s: a member may follow %s", c.schema, text)
			}
		}
		for text, want := range (row{in: c.in, out: c.out}).texts() {
			if late := r.Check([]byte(text)) == nil; late != want || accepts(text) != want {
				t.Errorf("%s: %s is accepted: %v, and with all rules written: %v", c.schema, text, late, accepts(text))
			}
		}
	}
	for schema, text := range map[string]string{`{"items": {"type": "integer"}, "minItems": 20000}`: numbers(20_000), `{"items": {"type": "integer"}, "maxItems": 20000}`: numbers(20_000)} {
		opened := must.Get(Open(t.Context(), []byte(schema), Options{}))(t)
		r := must.Get(recognizer.New(t.Context(), opened.Grammar, recognizer.Options{OnDemand: true}))(t)
		if err := r.Check([]byte(text)); err != nil {
			t.Errorf("%s: %.200v", schema, err)
		}
	}
}

// reads tells whether a grammar whose rules are written on demand reads the beginning of a text.
func reads(r *recognizer.Recognizer, text string) bool {
	s := r.Start()
	for i := range len(text) {
		next, ok := r.Step(s, text[i])
		if s, r = next, r.Current(); !ok {
			return false
		}
	}
	return r.Legal(s)
}

// numbers is an array of the numbers from 0 on, ones of that many ones, and members an object of
// the keys k0, k1 and so on.
func numbers(n int) string { return "[" + listed(n, "%d") + "]" }
func ones(n int) string    { return "[" + strings.Repeat("1, ", n-1) + "1]" }
func members(n int) string { return "{" + listed(n, `"k%d": 1`) + "}" }

// TestOpenCorpus is TestOpen for real schemas. None is refused that Compile takes, nor later.
func TestOpenCorpus(t *testing.T) {
	s, kept := seed.New(t), NewKept()
	for i, c := range seed.Some(t, corpusOf(t), 4, 1, 1) {
		_, want := Compile(t.Context(), c.Schema, Options{Kept: kept})
		result, err := Open(t.Context(), c.Schema, Options{Kept: kept})
		if (err == nil) != (want == nil) {
			t.Fatalf("%s: %v, Compile says: %v", c.ID, err, want)
		}
		if err == nil {
			writeAll(t, c.ID, result.Grammar, rand.New(rand.NewPCG(s, uint64(i))))
		}
	}
}

// BenchmarkOpenLarge opens schemas of which a text visits next to nothing.
func BenchmarkOpenLarge(b *testing.B) {
	Prepare()
	for id, text := range openCases() {
		b.Run(id, func(b *testing.B) {
			for b.Loop() {
				must.Get(Open(context.Background(), []byte(text), Options{}))(b)
			}
		})
	}
}
