package schemas_test

import (
	"fmt"
	"sync"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

// TestSharedGrowth has several generations go through one engine while the grammar grows under
// them: each comes to the masks that a generation alone comes to.
func TestSharedGrowth(t *testing.T) {
	v, schema, text := toolCall(t)
	ids := must.Get(v.EncodeContinuation([]byte(text)))(t)
	for _, name := range []string{"psc", "trie"} {
		want := hashes(t, openEngine(t, name, schema, v).Start(), ids)
		e := openEngine(t, name, schema, v)
		got := make([][]uint64, 4)
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() { got[i] = hashes(t, e.Start(), ids) })
		}
		all.Wait()
		for i := range got {
			if fmt.Sprint(got[i]) != fmt.Sprint(want) {
				t.Errorf("%s, generation %d: other masks than alone", name, i)
			}
		}
	}
}

// toolCall is a tokenizer, a schema of many tools, and a call of one of them.
func toolCall(t *testing.T) (_ *tokenizers.Tokenizer, schema, text string) {
	t.Helper()
	tok, err := tokenizers.Load(t.Context(), "o200k_base[:2000]", tokenizers.Options{Offline: true})
	if err != nil {
		t.Skip("the tokenizer is not here: ", err)
	}
	schema = `{"type":"object","properties":{`
	for i := range 200 {
		if i > 0 {
			schema += ","
		}
		schema += fmt.Sprintf(`"tool%d":{"type":"object","properties":{"a%d":{"enum":["x%d","y"]},"b":{"type":"string","pattern":"^[a-z]{%d}$"}}}`, i, i, i, i%7+1)
	}
	return tok, schema + `}}`, `{"tool3": {"a3": "x3", "b": "abcd"}, "tool150": {"a150": "x150", "b": "abcd"}, "tool199": {"a199": "y"}}`
}

func openEngine(t testing.TB, name, schema string, v *tokenizers.Tokenizer) algorithms.Engine {
	t.Helper()
	opened := must.Get(jsonschema.Open(t.Context(), []byte(schema), jsonschema.Options{Batch: 50}))(t)
	r := must.Get(recognizer.New(t.Context(), opened.Grammar, recognizer.Options{OnDemand: true}))(t)
	e := must.Get(entry(t, name, nil).Algorithm.Compile(t.Context(), &algorithms.Problem{Recognizer: r, Vocabulary: v.Vocabulary()}, nil))(t)
	return e
}

// hashes are those of the masks along a text, with the engine left to build between them.
func hashes(t *testing.T, s algorithms.State, ids []int32) (list []uint64) {
	for _, id := range ids {
		m := s.Mask()
		list = append(list, m.Hash())
		for algorithms.Idle(s) {
		}
		if err := s.Commit(int(id)); err != nil {
			t.Error(err)
			break
		}
	}
	return list
}
