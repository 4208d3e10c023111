package psc

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/greatgramma"
	_ "gcdbench/algorithms/legality"
	_ "gcdbench/algorithms/parserdwa"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// numberSchemas have numbers in all the ways that matter where few are followed: free, bounded,
// divided, few, several alive at once of which the parser takes some, and beside what is no number.
var numberSchemas = []string{
	`{"type": "integer"}`,
	`{"type": "number", "minimum": -1.5, "maximum": 12}`,
	`{"enum": [1, 12, 1.5, -1, 0, 1e2]}`,
	`{"type": ["integer", "null", "boolean", "string"]}`,
	`{"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}}`,
	`{"type": "array", "prefixItems": [{"type": "integer", "minimum": 1}, {"type": "number", "maximum": 0}, {"multipleOf": 5}, {"enum": [1, 11, 111]}], "items": {"type": "number"}}`,
	`{"type": "array", "items": {"anyOf": [{"type": "integer", "maximum": 20}, {"type": "number", "minimum": 10}, {"enum": ["1", 1.25, null]}]}}`,
	`{"anyOf": [{"type": "array", "items": {"type": "integer", "minimum": 10}}, {"type": "array", "items": {"type": "number", "maximum": 5}, "maxItems": 2}]}`,
	`{"type": "object", "properties": {"a": {"type": "integer", "multipleOf": 7}, "b": {"type": "number"}, "c": {"enum": [0, 10, "x"]}}, "additionalProperties": false}`,
	`{"type": "object", "additionalProperties": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}}`,
	`{"type": "array", "prefixItems": [{"type": "integer", "minimum": 300, "maximum": 399}, {"type": "integer", "minimum": 60, "multipleOf": 60}], "items": {"multipleOf": 0.25, "exclusiveMinimum": 0, "maximum": 30}}`,
	`{"type": "integer", "multipleOf": 86400, "not": {"multipleOf": 7}}`,
	`{"not": {"type": "integer"}}`,
	`{"type": "number", "not": {"enum": [1, 2.5]}}`,
}

// numberPieces are what tokens are made of at random; usual tokens end a number and go on.
var numberPieces = []string{
	"0", "1", "1", "2", "5", "7", "12", "25", "100", "-", "-", "+", ".", ".", "e", "E", "0", "00", "255",
	",", ",", ", ", "]", "}", "]}", "[", "{", ":", `"`, `"a"`, `"b":`, "\n", " ", "null", "true", "else", "x",
}

var numberEnds = []string{"-", "0,", "1}", "1}\n", "5\n", "12.5e", "12.5e1,", "1]", "1]}", "1.", "1e", "e1", ".5", "-0", "00", `1,"`, `2, "a":1`, "1,-", "1,2", "-1,2,3]", "[1", "[-", ":1", ": -", "1 ", "1\n]", "1-", "1.2.", "null,1"}

// numberVocabulary makes tokens of numbers: each byte, those of numberEnds, and random ones.
func numberVocabulary(t *testing.T, rng *rand.Rand) *tokenizers.Vocabulary {
	t.Helper()
	list := [][]byte{[]byte("<eos>")}
	for b := range 256 {
		list = append(list, []byte{byte(b)})
	}
	for _, s := range append(realtext.Pieced(rng, numberPieces, 200), numberEnds...) {
		list = append(list, []byte(s))
	}
	v := must.Get(tokenizers.NewVocabulary("numbers", list, []int{0}, nil))(t)
	return v
}

// randomNumber is a random schema of numbers.
func randomNumber(rng *rand.Rand, depth int) string {
	lo := rng.IntN(40) - 10
	list := []string{
		`{"type": "integer"}`,
		`{"type": "number"}`,
		fmt.Sprintf(`{"type": "integer", "minimum": %d, "maximum": %d}`, lo, lo+rng.IntN(300)),
		fmt.Sprintf(`{"type": "number", "minimum": %d.%d}`, lo, rng.IntN(3)),
		fmt.Sprintf(`{"type": "number", "exclusiveMaximum": %d}`, lo),
		fmt.Sprintf(`{"type": "integer", "multipleOf": %d}`, 2+rng.IntN(9)),
		fmt.Sprintf(`{"enum": [%d, %d.5, %d, "1", null]}`, lo, lo, 10*lo+1),
		`{"type": ["number", "string", "null"]}`,
	}
	if depth == 0 || rng.IntN(3) == 0 {
		return list[rng.IntN(len(list))]
	}
	var subs []string
	for range 2 + rng.IntN(2) {
		subs = append(subs, randomNumber(rng, depth-1))
	}
	switch rng.IntN(3) {
	case 0:
		return fmt.Sprintf(`{"anyOf": [%s]}`, strings.Join(subs, ", "))
	case 1:
		return fmt.Sprintf(`{"type": "array", "prefixItems": [%s], "items": %s}`, strings.Join(subs[1:], ", "), subs[0])
	}
	return fmt.Sprintf(`{"type": "object", "properties": {"a": %s, "b": %s}, "additionalProperties": false}`, subs[0], subs[1])
}

// TestNumbers walks schemas of numbers at random and compares the masks with naive's, with all
// variants of options, and those of the other engines that ask package spanner about numbers.
func TestNumbers(t *testing.T) {
	random, steps := seed.Rounds(2, 25, 1000), seed.Rounds(8, 16, 16)
	first := seed.New(t)
	positions := 0
	for i := range len(numberSchemas) + random {
		rng := rand.New(rand.NewPCG(first+uint64(i), 1))
		schema := ""
		if i < len(numberSchemas) {
			schema = numberSchemas[i]
		} else {
			schema = randomNumber(rng, 2)
		}
		p := schemaProblem(t, schema, numberVocabulary(t, rng))
		naive := realtext.MustCompile(t, "naive", p, nil)
		for _, o := range append(variants, algorithms.Options{"slices": "off"}) {
			e := compile(t, p, o)
			for range 2 {
				positions += walkNumbers(t, rng, p, e.Start(), naive.Start(), steps, fmt.Sprintf("%s, options %v", schema, o))
			}
		}
		for _, name := range []string{"greatgramma", "legality", "parserdwa"} {
			e := realtext.MustCompile(t, name, p, nil)
			positions += walkNumbers(t, rng, p, e.Start(), naive.Start(), steps, schema+", "+name)
		}
	}
	t.Logf("%d positions", positions)
}

// walkNumbers compares two generations along a random walk that likes numbers.
func walkNumbers(t *testing.T, rng *rand.Rand, p *algorithms.Problem, s, want algorithms.State, steps int, what string) (positions int) {
	t.Helper()
	var prefix []byte
	for range steps {
		mask := want.Mask()
		if id := s.Mask().FirstDifference(mask); id >= 0 {
			t.Fatalf("%s\nafter %q: token %q: legal=%v", what, prefix, p.Vocabulary.Token(id), mask.Has(id))
		}
		positions++
		ids := mask.IDs(nil)
		if len(ids) == 0 {
			return positions
		}
		id := 0
		for range 3 {
			if id = ids[rng.IntN(len(ids))]; strings.ContainsAny(string(p.Vocabulary.Token(id)), "0123456789[") {
				break
			}
		}
		if p.Vocabulary.IsEOS(id) {
			return positions
		}
		prefix = append(prefix, p.Vocabulary.Token(id)...)
		if err := s.Commit(id); err != nil {
			t.Fatalf("%s\nafter %q: %v", what, prefix, err)
		}
		must.OK(t, want.Commit(id))
	}
	return positions
}

// TestNumbersShared: behind different digits of numbers that no token tells apart, and whatever
// other numbers the schema has, the automaton begins with one state.
func TestNumbersShared(t *testing.T) {
	schema := `{"type": "array", "prefixItems": [{"type": "integer", "minimum": 0, "maximum": 255}, {"type": "integer"}], "items": {"type": "number"}}`
	v := numberVocabulary(t, rand.New(rand.NewPCG(1, 1)))
	for _, o := range []struct {
		slices string
		shared bool
	}{{"on", true}, {"off", false}} {
		p := schemaProblem(t, schema, v)
		e := compile(t, p, algorithms.Options{"slices": o.slices})
		begin := func(text string) *state {
			s, ok := p.Read(p.Start(), []byte(text))
			if !ok {
				t.Fatalf("%q is refused", text)
			}
			c := e.core.Load()
			var key []byte
			g := gen{engine: e}
			return g.startAt(c, c.row(s.Lexer, s.Layout, &key), s.Stacks.TopNode(0).State).state
		}
		// To the lexer, 11 can still be a number up to 255, and 300 cannot.
		if got := begin("[1,11") == begin("[1,300"); got != o.shared {
			t.Errorf("slices %s: one state for all integers: %v", o.slices, got)
		}
		if begin("[11") == begin("[1,11") {
			t.Errorf("slices %s: one state for numbers with other ends", o.slices)
		}
	}
}
