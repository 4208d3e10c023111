package schemas_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/jsontext"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// maxGenerated is how many tokens a generation may have. One that does not end by then is counted,
// not an error: chance does not write a word that a pattern asks for behind any text.
const maxGenerated = 1500

// TestGenerate is what a user does, with dice for a model: random tokens that the masks allow,
// until one of them is EOS. There must always be one (a mask without any is a dead end), and what
// was written must be an instance by the judgement of a validator that shares no code with this
// module.
func TestGenerate(t *testing.T) {
	random, each, step := seed.Rounds(5, 50, 3000), seed.Rounds(1, 1, 10), seed.Rounds(400, 60, 3)
	seed := seed.New(t)
	list, err := schemas.Samples(t.Context())
	must.OK(t, err)
	more, err := schemas.Development(t.Context(), root, step)
	if err != nil && !errors.Is(err, schemas.ErrUnavailable) {
		t.Fatal(err)
	}
	list = append(list, more...)
	for i := range uint64(random) {
		list = append(list, schemas.Random(seed+i).Schema, schemas.Finite(seed+i).Schema, schemas.Broad(seed+i))
	}
	for _, text := range fewNames {
		list = append(list, schemas.Schema{ID: text, Text: []byte(text)})
	}
	tok := must.Get(tokenizers.Load(t.Context(), "o200k_base[:2000]", tokenizers.Options{Offline: true}))(t)
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 11)), vocabulary: tok.Vocabulary()}
	compiled, written, unfinished, unjudged, met := 0, 0, 0, 0, map[string]int{}
	for _, s := range list {
		judge, err := newJudge(s.Text)
		if err != nil {
			continue
		}
		engine := g.compile(t, s)
		if engine == nil {
			continue
		}
		compiled++
		countKeywords(met, s.Text)
		for range each {
			text, ended := g.generate(t, engine.Start(), s)
			if !ended {
				unfinished++
				continue
			}
			written++
			switch why, err := judge.Explain(text); {
			case err != nil:
				unjudged++
			case why != "" && !jsontext.RepeatsKey(text):
				t.Errorf("schema %s: generated, and not valid: %s\n%s\n%s", s.ID, why, text, s.Text)
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d schemas, %d instances generated, all valid (%d without a verdict); %d generations were not at an end after %d tokens",
		compiled, len(list), written, unjudged, unfinished, maxGenerated)
	if compiled*4 < len(list)*3 || unfinished*5 > written || unjudged*5 > written { // dice like exponents of five digits, which the judge does not
		t.Error("too few compile, too few generations end, or too few are judged")
	}
	missing := slices.DeleteFunc(slices.Clone(keywords), func(k string) bool { return met[k] > 0 })
	t.Logf("%d of %d keywords are in these schemas; not %v", len(keywords)-len(missing), len(keywords), missing)
	if len(missing)*10 > len(keywords) {
		t.Error("the schemas have too few keywords")
	}
}

// TestGenerateNotices says that TestGenerate can fail: from random schemas one keyword is taken
// away, and what is generated from the rest is judged by the whole. It counts how often the lack is
// noticed.
func TestGenerateNotices(t *testing.T) {
	tok := must.Get(tokenizers.Load(t.Context(), "o200k_base[:2000]", tokenizers.Options{Offline: true}))(t)
	g := &generator{Rand: rand.New(rand.NewPCG(seed.New(t), 12)), vocabulary: tok.Vocabulary()}
	type figure struct{ noticed, tried int }
	var all figure
	by := map[string]figure{}
	for all.tried < seed.Rounds(20, 60, 600) {
		whole := schemas.Broad(g.Uint64())
		less := schemas.Schema{ID: whole.ID}
		var gone string
		less.Text, gone = without(g.Rand, whole.Text)
		judge, err := newJudge(whole.Text)
		engine := g.compile(t, less)
		if err != nil || engine == nil || gone == "" {
			continue
		}
		noticed := 0
		for range 6 {
			if text, ended := g.generate(t, engine.Start(), less); ended {
				if ok, err := judge.Valid(text); err == nil && !ok {
					noticed = 1
				}
			}
		}
		all = figure{all.noticed + noticed, all.tried + 1}
		by[gone] = figure{by[gone].noticed + noticed, by[gone].tried + 1}
	}
	t.Logf("noticed: %d of %d; by keyword %v", all.noticed, all.tried, by)
	if all.noticed*4 < all.tried {
		t.Error("the lack of a keyword is hardly ever noticed")
	}
}

// keywords are those that constrain, in all drafts.
var keywords = []string{"type", "enum", "const", "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties", "dependencies", "dependentRequired", "dependentSchemas",
	"unevaluatedProperties", "items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "unevaluatedItems",
	"anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "$anchor", "$defs", "definitions"}

// eachKeyword calls f with the schemas in a schema, and the keywords that each has.
func eachKeyword(schema any, f func(at map[string]any, keyword string)) {
	switch schema := schema.(type) {
	case []any:
		for _, s := range schema {
			eachKeyword(s, f)
		}
	case map[string]any:
		for _, keyword := range slices.Sorted(maps.Keys(schema)) {
			switch below := schema[keyword].(type) {
			case map[string]any:
				switch keyword {
				case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
					for _, name := range slices.Sorted(maps.Keys(below)) {
						eachKeyword(below[name], f)
					}
				case "const", "default":
				default:
					eachKeyword(below, f)
				}
			case []any:
				if keyword != "enum" && keyword != "examples" {
					eachKeyword(below, f)
				}
			}
			f(schema, keyword)
		}
	}
}

// countKeywords adds the keywords of a schema.
func countKeywords(met map[string]int, text []byte) {
	var schema any
	if json.Unmarshal(text, &schema) == nil {
		eachKeyword(schema, func(_ map[string]any, keyword string) { met[keyword]++ })
	}
}

// without takes a keyword away from a schema, one that constrains; it says which, "" if there is
// none.
func without(rng *rand.Rand, text []byte) (less []byte, gone string) {
	var schema any
	if json.Unmarshal(text, &schema) != nil {
		return text, ""
	}
	seen, from := 0, map[string]any(nil)
	eachKeyword(schema, func(at map[string]any, keyword string) {
		if !slices.Contains(keywords, keyword) || strings.HasPrefix(keyword, "$") || keyword == "definitions" {
			return
		}
		if seen++; rng.IntN(seen) == 0 {
			from, gone = at, keyword
		}
	})
	delete(from, gone)
	less, err := json.Marshal(schema)
	if err != nil {
		return text, ""
	}
	return less, gone
}

// fewNames are schemas whose objects can run out of keys: a comma behind the last possible one
// leads nowhere.
var fewNames = []string{
	`{"type":"object","propertyNames":{"enum":["a"]},"properties":{"a":true}}`,
	`{"type":"object","propertyNames":{"pattern":"^[ab]$"},"properties":{"a":true,"b":true}}`,
	`{"type":"object","propertyNames":{"maxLength":0},"required":[""]}`,
	`{"type":"object","propertyNames":{"enum":["a"]},"dependentRequired":{"a":[]}}`,
	`{"type":"object","patternProperties":{"^(a|b)$":true},"additionalProperties":false,"properties":{"a":true,"b":true}}`,
	`{"type":"object","properties":{"a":true},"additionalProperties":{"not":true}}`,
}

// compile compiles a schema with psc; nil if it does not compile.
func (g *generator) compile(t *testing.T, s schemas.Schema) algorithms.Engine {
	t.Helper()
	result, err := jsonschema.Compile(t.Context(), s.Text, jsonschema.Options{Name: s.ID, Kept: &g.schemas})
	if err != nil {
		return nil
	}
	rec, err := recognizer.New(t.Context(), result.Grammar, recognizer.Options{OnDemand: true})
	if err != nil {
		t.Fatalf("schema %s: %v", s.ID, err)
	}
	return realtext.MustCompile(t, "psc", &algorithms.Problem{Recognizer: rec, Vocabulary: g.vocabulary, Kept: &g.kept}, nil)
}

// A generator draws tokens from masks.
type generator struct {
	*rand.Rand
	vocabulary *tokenizers.Vocabulary
	schemas    jsonschema.Kept
	kept       algorithms.Kept
	ids        []int
}

// generate writes until EOS. After some tokens it prefers what closes.
func (g *generator) generate(t *testing.T, s algorithms.State, schema schemas.Schema) (text []byte, ended bool) {
	t.Helper()
	eos, patience := g.vocabulary.EOS()[0], 1+g.IntN(40)
	for n := range maxGenerated {
		mask := s.Mask()
		closing := n >= patience
		if mask.Has(eos) && (closing || g.IntN(8) == 0) {
			if err := s.Commit(eos); err != nil {
				t.Fatalf("schema %s, after %q: EOS is in the mask, and %v", schema.ID, text, err)
			}
			return text, true
		}
		g.ids = slices.DeleteFunc(mask.IDs(g.ids[:0]), g.vocabulary.IsEOS)
		if len(g.ids) == 0 {
			if mask.Has(eos) {
				return text, true
			}
			if bytes.Contains(schema.Text, []byte("uniqueItems")) {
				return text, false // an item that would have to differ from all before it, or not to, has no value left
			}
			t.Fatalf("schema %s: nothing may follow %q\n%s", schema.ID, text, schema.Text)
		}
		id := g.choose(closing)
		if err := s.Commit(id); err != nil {
			t.Fatalf("schema %s, after %q: token %q is in the mask, and %v", schema.ID, text, g.vocabulary.Token(id), err)
		}
		text = append(text, g.vocabulary.Token(id)...)
	}
	return text, false
}

// choose draws a first byte, so that structure is met as often as letters, and then a token that
// begins so.
func (g *generator) choose(closing bool) int {
	var with [256][]int
	var firsts []byte
	for _, id := range g.ids {
		b := g.vocabulary.Token(id)[0]
		if len(with[b]) == 0 {
			firsts = append(firsts, b)
		}
		with[b] = append(with[b], id)
	}
	b := firsts[g.IntN(len(firsts))]
	text := len(firsts) > 20 // in a string that leaves much open
	for _, closer := range []byte(`"}]`) {
		if len(with[closer]) > 0 && (closing || text && g.IntN(5) == 0) && (text == (closer == '"') || !text) {
			b = closer
		}
	}
	if closing && b == '\\' { // an escape is slow to end
		b = firsts[g.IntN(len(firsts))]
	}
	list := with[b]
	if !closing || g.IntN(4) == 0 {
		return list[g.IntN(len(list))]
	}
	return slices.MinFunc(list, func(a, b int) int { return len(g.vocabulary.Token(a)) - len(g.vocabulary.Token(b)) })
}
