package schemas_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// longStrings has a lexer state for each character of a long text, in which all algorithms must
// neither slow down nor fill up. (Of a maximum length above 1000 the compiler counts so many.)
var longStrings = schemas.Schema{
	ID: "long strings",
	Text: []byte(`{"type":"object","properties":{
		"free":{"type":"string","maxLength":1000},
		"code":{"type":"string","pattern":"^[0-9a-f]{1500}$"},
		"list":{"type":"array","items":{"type":"string","minLength":2,"maxLength":400},"maxItems":3}},
		"required":["code"],"additionalProperties":false}`),
}

// longText is an instance with about n characters in free, and so many in code.
func longText(n, code int) []byte {
	free := strings.Repeat("Many words, \\\"quotes\\\" and \\n ends of lines; ünd Ümlaute. ", n/56)
	return fmt.Appendf(nil, `{"free": "%s", "code": "%s", "list": ["%s", "ab"]}`,
		free, strings.Repeat("0123456789abcdef0f", code/18+1)[:code], strings.Repeat("xy z", 100))
}

// TestLongStrings holds every algorithm to trie along strings of which each character is counted.
func TestLongStrings(t *testing.T) {
	seed.Usual(t)
	ids := seed.Rounds(500, 500, 50000)
	tok := cutO200k(t, ids)
	list := everyone(t)
	delete(list, "trie")
	s := longStrings
	s.Instances = []schemas.Instance{{Text: longText(950, 1500), Valid: true}, {Text: longText(50, 1499)}, {Text: longText(50, 1501)}}
	c := &schemas.Comparison{
		Vocabulary: tok.Vocabulary(), Split: tok.EncodeContinuation,
		Reference: entry(t, "trie", nil), Entries: list, Limit: compileLimit, Branches: 1, Seed: 6,
	}
	o, err := c.Compare(t.Context(), s)
	if err != nil || o.Refused != nil || len(o.Missing) > 0 {
		t.Fatal(err, o.Refused, o.Missing)
	}
	first := must.Get(tok.EncodeContinuation(s.Instances[0].Text))(t)
	if o.Positions <= len(first) {
		t.Errorf("%d positions, but the first instance alone has %d", o.Positions, len(first)+1)
	}
	t.Logf("%d positions, %d masks", o.Positions, o.Masks)
}

func cutO200k(t testing.TB, ids int) *tokenizers.Tokenizer {
	t.Helper()
	tok := must.Get(tokenizers.Load(t.Context(), fmt.Sprintf("o200k_base[:%d]", ids), tokenizers.Options{Offline: true}))(t)
	return tok
}

// TestTogether has generations of one engine run at the same time, each algorithm's against trie's
// masks: what engines make on demand, and lexers, is shared.
func TestTogether(t *testing.T) {
	tok := cutO200k(t, 1000)
	s := longStrings
	s.Instances = []schemas.Instance{{Text: longText(200, 1500)}, {Text: longText(100, 1499)}, {Text: []byte(`{"code": "0", "list": []}`)}}
	result := must.Get(jsonschema.Compile(t.Context(), s.Text, jsonschema.Options{}))(t)
	rec := must.Get(recognizer.New(t.Context(), result.Grammar, recognizer.Options{OnDemand: true}))(t)
	p := &algorithms.Problem{Recognizer: rec, Vocabulary: tok.Vocabulary()}
	for name, c := range everyone(t) {
		if c.Open { // TestSharedGrowth has those
			continue
		}
		engine := realtext.MustCompile(t, name, p, c.Options)
		reference := realtext.MustCompile(t, "trie", p, nil)
		var wg sync.WaitGroup
		for i := range 2 * len(s.Instances) {
			wg.Go(func() {
				ids, err := tok.EncodeContinuation(s.Instances[i%len(s.Instances)].Text)
				if err != nil {
					t.Error(err)
					return
				}
				a, b := engine.Start(), reference.Start()
				for k, id := range ids {
					if x := a.Mask().FirstDifference(b.Mask()); x >= 0 {
						t.Errorf("%s, instance %d, position %d: token %d", name, i%len(s.Instances), k, x)
						return
					}
					if a.Commit(int(id)) != nil || b.Commit(int(id)) != nil {
						return
					}
					if k%16 == i {
						runtime.Gosched()
					}
				}
			})
		}
		wg.Wait()
	}
}
