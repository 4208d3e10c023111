package psc

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// stringSchemas have strings in all the ways that matter to slices: free, counted, patterned,
// fixed, and several of them alive at once.
var stringSchemas = []string{
	`{"type": "string"}`,
	`{"type": "string", "maxLength": 3}`,
	`{"type": "string", "minLength": 2, "maxLength": 40}`,
	`{"type": "array", "items": {"anyOf": [{"type": "string", "maxLength": 22}, {"type": "string", "minLength": 30, "maxLength": 500}]}}`,
	`{"type": "array", "items": [{"type": "string", "maxLength": 90}, {"type": "string", "pattern": "^.*$", "maxLength": 99}]}`,
	`{"type": "string", "pattern": "^[ab]{1,5}$"}`,
	`{"type": "string", "pattern": "^[aé]{2,20}$"}`,
	`{"type": "string", "pattern": "^a(b[aé])*$", "maxLength": 17}`,
	`{"type": "string", "pattern": "^[ab€]*$", "minLength": 1, "maxLength": 40}`,
	`{"type": "array", "items": {"anyOf": [{"type": "string", "pattern": "^a.{0,9}b$"}, {"type": "string", "pattern": "^[^b]{1,30}$", "minLength": 3}]}}`,
	`{"type": "string", "pattern": "é$"}`,
	`{"enum": ["a", "ab", "a\"b", "é", 1, null]}`,
	`{"type": "object", "properties": {"a": {"type": "string"}, "ab": {"type": "string", "maxLength": 2}}, "required": ["a"]}`,
	`{"type": "object", "properties": {"a": {"enum": ["a", "b", "aé"]}, "b": {"type": "string"}}, "additionalProperties": false}`,
	`{"type": "object", "additionalProperties": {"type": "string", "minLength": 3}}`,
	`{"type": "object", "patternProperties": {"^a": {"type": "integer"}, "b$": {"type": "string"}}, "additionalProperties": false}`,
	`{"type": "array", "items": {"anyOf": [{"type": "string", "maxLength": 1}, {"enum": ["ab", "abab"]}, {"type": "number"}]}}`,
	`{"anyOf": [{"type": "array", "items": {"type": "string", "maxLength": 4}}, {"type": "array", "items": [{"const": "aaaaaa"}], "maxItems": 2}]}`,
	`{"type": "array", "items": {"type": "string", "not": {"enum": ["a", "b"]}}}`,
	`{"type": "object", "properties": {"a": {"$ref": "#"}, "é": {"type": "string", "pattern": "\\d"}}, "additionalProperties": false}`,
	`{"not": {"type": "string", "maxLength": 3}}`,
	`{}`,
}

// pieces are what tokens are made of at random: characters, parts of characters and of escapes, and
// what stands between strings.
var pieces = []string{
	"a", "a", "b", "b", "ab", "aaa", " ", "1", "23", "é", "é", "€", "\xc3", "\xa9", "\xe2\x82", "\xac", "\xf0\x9f", "\x98\x80",
	`"`, `"`, `"`, `\`, `\"`, `\\`, `\n`, `\u00e9`, `\u00`, "e9", "61", `u`, "\n", "\t", "\x7f", "{", "}", "[", "]", ":", ": ", ",", ", ",
	"null", "true", "-", ".", "e", `":`, `":"`, `","`, `"]`, `{"`, `["`, "\x00", "\xff",
}

// randomVocabulary makes tokens of one to four pieces.
func randomVocabulary(t testing.TB, rng *rand.Rand, n int) *tokenizers.Vocabulary {
	t.Helper()
	list := [][]byte{[]byte("<eos>")}
	for b := range 256 {
		list = append(list, []byte{byte(b)})
	}
	for range n {
		var token strings.Builder
		for range 1 + rng.IntN(4) {
			token.WriteString(pieces[rng.IntN(len(pieces))])
		}
		list = append(list, []byte(token.String()))
	}
	v := must.Get(tokenizers.NewVocabulary("random", list, []int{0}, nil))(t)
	return v
}

// schemaProblem compiles a schema.
func schemaProblem(t testing.TB, schema string, v *tokenizers.Vocabulary) *algorithms.Problem {
	t.Helper()
	s, err := jsonschema.Compile(t.Context(), []byte(schema), jsonschema.Options{Lenient: true})
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	r, err := recognizer.New(t.Context(), s.Grammar, recognizer.Options{OnDemand: true})
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return &algorithms.Problem{Recognizer: r, Vocabulary: v}
}

// usual prefers the bytes that go on with a string, so that random walks get somewhere.
func usual(text []byte) bool {
	return len(text) > 0 && (text[0] == '"' || text[0] == '\\' || text[0] == 'a' || text[0] == 'b' || text[0] == 0xc3)
}

// TestStrings walks schemas at random and compares the masks with naive's, with all variants of
// options.
func TestStrings(t *testing.T) {
	walks, steps := seed.Rounds(1, 2, 60), seed.Rounds(14, 14, 14)
	positions := 0
	seed := seed.New(t)
	for i, schema := range stringSchemas {
		rng := rand.New(rand.NewPCG(seed+uint64(i), 1))
		for range walks {
			p := schemaProblem(t, schema, randomVocabulary(t, rng, 250))
			want := realtext.MustCompile(t, "naive", p, nil).Start()
			var states []algorithms.State
			for _, o := range append(variants, algorithms.Options{"slices": "off"}) {
				states = append(states, compile(t, p, o).Start())
			}
			for _, without := range withouts() {
				states = append(states, compile(t, p, algorithms.Options{"without": without}).Start())
			}
			var prefix []byte
			for range steps {
				mask := want.Mask()
				for k, s := range states {
					if id := s.Mask().FirstDifference(mask); id >= 0 {
						t.Fatalf("%s\nvariant %d, after %q: token %q: legal=%v", schema, k, prefix, p.Vocabulary.Token(id), mask.Has(id))
					}
				}
				positions++
				id, ok := pick(rng, p.Vocabulary, mask)
				if !ok {
					break
				}
				prefix = append(prefix, p.Vocabulary.Token(id)...)
				for _, s := range append(states, want) {
					if err := s.Commit(id); err != nil {
						t.Fatalf("%s\nafter %q: %v", schema, prefix, err)
					}
				}
			}
		}
	}
	t.Logf("%d positions", positions)
}

// pick picks a legal token, rather one that goes on with a string than another.
func pick(rng *rand.Rand, v *tokenizers.Vocabulary, m algorithms.Mask) (id int, ok bool) {
	ids := m.IDs(nil)
	if len(ids) == 0 {
		return 0, false
	}
	for range 4 {
		if id = ids[rng.IntN(len(ids))]; usual(v.Token(id)) {
			break
		}
	}
	return id, !v.IsEOS(id)
}
