package schemas_test

import (
	"maps"
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// A life is what an engine said and counted along the instances of its schema.
type life struct {
	masks    [][]uint64
	counters []algorithms.Counter
}

// A season has entries compile the same schemas, one schema after the other, and live along
// their instances. What compiles of schemas have in common is shared by all, as a harness does it.
type season struct {
	tok  *tokenizers.Tokenizer
	list []schemas.Schema
	kept func(entry string) *algorithms.Kept
}

// lives are by entry and schema, for entries that take turns in the given order.
func (s *season) lives(t *testing.T, order []string, who map[string]conformance.Entry) map[string]life {
	t.Helper()
	all, common := map[string]life{}, jsonschema.NewKept()
	for _, schema := range s.list {
		for _, name := range order {
			c := who[name]
			compile := jsonschema.Compile
			if c.Open {
				compile = jsonschema.Open
			}
			result, err := compile(t.Context(), schema.Text, jsonschema.Options{Lenient: true, Kept: common})
			if err != nil {
				t.Fatal(schema.ID, err)
			}
			r, err := recognizer.New(t.Context(), result.Grammar, recognizer.Options{OnDemand: true})
			if err != nil {
				t.Fatal(schema.ID, err)
			}
			p := &algorithms.Problem{Recognizer: r, Vocabulary: s.tok.Vocabulary(), Kept: s.kept(name)}
			all[name+" on "+schema.ID] = s.live(t, realtext.MustCompile(t, c.Algorithm.Name(), p, c.Options), schema)
		}
	}
	return all
}

// live takes an engine along all instances, as far as they are legal.
func (s *season) live(t *testing.T, e algorithms.Engine, schema schemas.Schema) (l life) {
	for _, in := range schema.Instances {
		ids := must.Get(s.tok.EncodeContinuation(in.Text))(t)
		at := e.Start()
		for _, id := range ids {
			row := make([]uint64, algorithms.MaskWords(s.tok.Vocabulary().Len()))
			algorithms.Deliver(at, row)
			l.masks = append(l.masks, row)
			if at.Commit(int(id)) != nil {
				break
			}
		}
	}
	l.counters = e.Stats().Counters
	return l
}

// TestKeptByEntry: with a Kept each, entries count the same whoever takes the first turn,
// so nobody finds what another built; and masks are the same with a Kept, with one that was used
// before, and with none.
func TestKeptByEntry(t *testing.T) {
	seed.Usual(t)
	tok := must.Get(tokenizers.Load(t.Context(), "o200k_base[:1500]", tokenizers.Options{Offline: true}))(t)
	list := must.Get(schemas.Samples(t.Context()))(t)
	who := everyone(t)
	order := slices.Sorted(maps.Keys(who))
	each := func() func(string) *algorithms.Kept {
		kept := map[string]*algorithms.Kept{}
		for name := range who {
			kept[name] = algorithms.NewKept()
		}
		return func(name string) *algorithms.Kept { return kept[name] }
	}
	s := &season{tok: tok, list: list[:min(len(list), seed.Rounds(2, 4, 12))], kept: each()}
	first := s.lives(t, order, who)
	again := s.lives(t, order, who) // with what is kept
	s.kept = each()
	slices.Reverse(order)
	reversed := s.lives(t, order, who)
	s.kept = func(string) *algorithms.Kept { return nil }
	without := s.lives(t, order, who)
	for key, want := range first {
		if got := reversed[key]; !slices.Equal(got.counters, want.counters) {
			t.Errorf("%s counts\n%v\nand when the others come before\n%v", key, want.counters, got.counters)
		}
		for how, got := range map[string]life{"when the others come before": reversed[key], "once more": again[key], "without a Kept": without[key]} {
			if !slices.EqualFunc(got.masks, want.masks, slices.Equal[[]uint64]) {
				t.Errorf("%s: other masks %s", key, how)
			}
		}
	}
	if len(first) < 5*len(s.list) {
		t.Errorf("only %d lives", len(first))
	}
}
