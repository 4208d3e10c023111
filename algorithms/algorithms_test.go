package algorithms_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/all"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// TestMask compares every operation of a mask with a plain set of ids.
func TestMask(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	for _, n := range []int{1, 63, 64, 65, 128, 1000} {
		b := algorithms.NewBuffer(n)
		var want []int
		for id := range n {
			if rng.IntN(3) == 0 {
				b.Set(id)
				want = append(want, id)
			}
		}
		m := b.Mask()
		if got := m.IDs(nil); !slices.Equal(got, want) || m.Count() != len(want) || m.Len() != n {
			t.Fatalf("n=%d: got %d ids of %d, want %d", n, m.Count(), m.Len(), len(want))
		}
		for id := -1; id <= n+64; id++ {
			if m.Has(id) != slices.Contains(want, id) {
				t.Fatalf("n=%d: Has(%d) = %v", n, id, m.Has(id))
			}
		}
		// The bytes are a little-endian bit set padded to a multiple of 8 bytes.
		plain := make([]byte, (n+63)/64*8)
		for _, id := range want {
			plain[id/8] |= 1 << (id % 8)
		}
		sum := sha256.Sum256(plain)
		if m.SHA256() != hex.EncodeToString(sum[:]) {
			t.Errorf("n=%d: the SHA-256 is not that of the bit set", n)
		}
		other := m.Clone()
		if !m.Equal(other) || m.Hash() != other.Hash() || m.FirstDifference(other) != -1 {
			t.Errorf("n=%d: a clone differs", n)
		}
		flip := rng.IntN(n)
		b.Words()[flip>>6] ^= 1 << (flip & 63)
		if m = b.Mask(); m.Equal(other) || m.Hash() == other.Hash() || m.FirstDifference(other) != flip {
			t.Errorf("n=%d: flipping %d: difference %d", n, flip, m.FirstDifference(other))
		}
		more := algorithms.NewBuffer(n)
		for id := range n {
			if rng.IntN(3) == 0 {
				more.Set(id)
			}
		}
		union := slices.Repeat([]uint64{^uint64(0)}, algorithms.MaskWords(n))
		other.CopyTo(union)
		algorithms.Unite(union, more.Words())
		for id := range n {
			if algorithms.MaskOf(union, n).Has(id) != (other.Has(id) || more.Has(id)) {
				t.Errorf("n=%d: the union is wrong at %d", n, id)
			}
		}
		if b.Reset(); b.Mask().Count() != 0 || other.Count() != len(want) {
			t.Errorf("n=%d: Reset reached too little or too much", n)
		}
	}
}

// TestHashSeesOrder says that the same words in other places, and vocabularies of other sizes, give
// other hashes.
func TestHashSeesOrder(t *testing.T) {
	seen := map[uint64]string{}
	add := func(name string, m algorithms.Mask) {
		if was, ok := seen[m.Hash()]; ok {
			t.Errorf("%s and %s have one hash", was, name)
		}
		seen[m.Hash()] = name
	}
	for n := 1; n < 200; n++ {
		add("empty", algorithms.NewBuffer(n).Mask())
	}
	for id := range 4096 {
		b := algorithms.NewBuffer(4096)
		b.Set(id)
		add("single", b.Mask())
	}
}

func problem(t testing.TB, grammar string, tokens ...string) *algorithms.Problem {
	t.Helper()
	g := must.Get(lark.Parse([]byte(grammar), lark.Options{}))(t)
	r := must.Get(recognizer.New(context.Background(), g, recognizer.Options{}))(t)
	texts := make([][]byte, len(tokens)+2)
	for i, s := range tokens {
		texts[i] = []byte(s)
	}
	texts[len(tokens)], texts[len(tokens)+1] = []byte("<eos>"), []byte("<pad>")
	v := must.Get(tokenizers.NewVocabulary("test", texts, []int{len(tokens)}, []int{len(tokens) + 1}))(t)
	return &algorithms.Problem{Recognizer: r, Vocabulary: v}
}

func TestPosition(t *testing.T) {
	p := problem(t, "start: \"a\" \"b\"*", "a", "b", "")
	pos := algorithms.NewPosition(p)
	refuse := func(token int, reason string) {
		t.Helper()
		before := pos
		var refused *algorithms.RefusedError
		if err := pos.Commit(token); !errors.As(err, &refused) || !strings.Contains(err.Error(), reason) {
			t.Errorf("token %d: got %v, want a refusal with %q", token, err, reason)
		}
		if pos.Tokens() != before.Tokens() || pos.Ended != before.Ended || pos.State.Lexer != before.State.Lexer || !pos.State.Stacks.Equal(before.State.Stacks) {
			t.Errorf("token %d: the refusal changed the position", token)
		}
	}
	take := func(token int) {
		t.Helper()
		if err := pos.Commit(token); err != nil {
			t.Errorf("token %d: %v", token, err)
		}
	}
	refuse(1, `token 1 "b" is refused: the grammar does not allow it here`)
	refuse(2, "not an ordinary token")
	refuse(3, "the text may not end here")
	refuse(4, "not an ordinary token")
	refuse(-1, "not an ordinary token")
	refuse(99, "not an ordinary token")
	take(0)
	take(1)
	take(3)
	refuse(1, "the text has ended")
	refuse(3, "the text has ended")
	if pos.Tokens() != 3 {
		t.Errorf("%d tokens", pos.Tokens())
	}
	if err := pos.Rollback(4); err == nil {
		t.Error("four of three tokens were taken back")
	}
	if err := pos.Rollback(-1); err == nil {
		t.Error("a negative number of tokens was taken back")
	}
	if err := pos.Rollback(3); err != nil || pos.Tokens() != 0 || pos.Ended {
		t.Errorf("rollback of all: %v", err)
	}
	refuse(1, "the grammar does not allow it here")
	take(0)
}

// TestRefusedAtLimit: where a lexer on demand has as many states as it may, a refusal says so, by
// whatever algorithm that takes such a lexer, and so does every later one. Before that it is the
// grammar's.
func TestRefusedAtLimit(t *testing.T) {
	p := problem(t, "%lexer all\nstart: /[a-z]{9}/ \"-\"", "ab", "-", "c")
	for _, name := range []string{"naive", "trie", "psc"} {
		r := must.Get(recognizer.New(t.Context(), p.Grammar, recognizer.Options{OnDemand: true, Lexer: lexer.Limits{MaxStates: 6}}))(t)
		e := must.Get(must.Get(algorithms.Lookup(name))(t).Compile(t.Context(), &algorithms.Problem{Recognizer: r, Vocabulary: p.Vocabulary}, nil))(t)
		s := e.Start()
		var limit *lexer.LimitError
		if err := s.Commit(1); err == nil || errors.As(err, &limit) {
			t.Errorf("%s: a token that the grammar does not allow: %v", name, err)
		}
		var err error
		n := 0
		for ; err == nil; n++ {
			err = s.Commit(0)
		}
		if n != 3 || !errors.As(err, &limit) || !strings.Contains(err.Error(), "more than 6 states") {
			t.Errorf("%s: token %d, past the limit: %v", name, n, err)
		}
		if err := e.Start().Commit(1); !errors.As(err, &limit) {
			t.Errorf("%s: a later refusal: %v", name, err)
		}
	}
}

// TestHistory advances and takes back copies of a history in turn: each is what it would be alone.
func TestHistory(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	type both struct {
		algorithms.History[int]
		want []int
	}
	all := make([]both, 1, 8)
	for i := range 4000 {
		x := &all[rng.IntN(len(all))]
		switch rng.IntN(8) {
		case 0:
			c := both{x.History, slices.Clone(x.want)}
			if len(all) < cap(all) {
				all = append(all, c)
			} else {
				all[rng.IntN(len(all))] = c
			}
		case 1, 2:
			k := rng.IntN(len(x.want) + 1)
			must.OK(t, x.Rollback(k))
			if k > 0 {
				x.want = x.want[:len(x.want)-k]
			}
		default:
			x.Advance(i, false)
			x.want = append(x.want, i)
		}
		for _, x := range all {
			state := 0
			if len(x.want) > 0 {
				state = x.want[len(x.want)-1]
			}
			if x.State != state || x.Tokens() != len(x.want) {
				t.Fatalf("step %d: state %d after %d tokens, want %d after %d", i, x.State, x.Tokens(), state, len(x.want))
			}
		}
	}
}

func TestRegistry(t *testing.T) {
	names := algorithms.Names()
	if len(names) < 2 || names[0] != "naive" || !slices.IsSorted(names[1:]) {
		t.Errorf("names %q", names)
	}
	if _, err := algorithms.Lookup("nive"); err == nil || !strings.Contains(err.Error(), "naive") {
		t.Errorf("got %v, want an error that lists what there is", err)
	}
	for _, name := range names {
		alg, err := algorithms.Lookup(name)
		must.OK(t, err)
		full, err := algorithms.Resolve(alg, nil)
		if err != nil || len(full) != len(alg.Options()) {
			t.Errorf("%s: defaults %v, %v", name, full, err)
		}
		if alg.Summary() == "" || alg.Semantics() == "" {
			t.Errorf("%s does not say what it is", name)
		}
		if _, err := algorithms.Resolve(alg, algorithms.Options{"colour": "red"}); err == nil || !strings.Contains(err.Error(), "colour") {
			t.Errorf("%s: got %v, want an error about the unknown option", name, err)
		}
		for _, o := range alg.Options() {
			if o.Help == "" {
				t.Errorf("%s: option %s has no help", name, o.Name)
			}
			if len(o.Values) > 0 && !slices.Contains(o.Values, o.Default) {
				t.Errorf("%s: the default %q of %s is not among its values", name, o.Default, o.Name)
			}
		}
	}
}

// TestCompileIsWatched says that every algorithm that can do all its work offline says how far it
// is, and stops when it is told to.
func TestCompileIsWatched(t *testing.T) {
	p := problem(t, "start: (A | B C)*\nA: \"a\"\nB: /b+/\nC: \"c\"\n", "a", "b", "c", "ab", "bc", "cab")
	for name, options := range map[string]algorithms.Options{
		"greatgramma": {"tables": "eager"}, "psc": {"compile": "eager"}, "legality": {"rows": "eager"},
		"parserdwa": {"determinize": "eager"}, "automata": {"compile": "eager"}, "maskstore": {},
	} {
		alg := must.Get(algorithms.Lookup(name))(t)
		full := must.Get(algorithms.Resolve(alg, options))(t)
		reports := 0
		ctx, cancel := context.WithCancel(t.Context())
		watched := algorithms.WithProgress(ctx, func(stage string, done, total int) {
			if reports++; stage == "" || done < 0 || done >= total {
				t.Errorf("%s: at %d of %d of stage %q", name, done, total, stage)
			}
		})
		if _, err := alg.Compile(watched, p, full); err != nil || reports == 0 {
			t.Errorf("%s: %v, %d reports of progress", name, err, reports)
		}
		cancel()
		if _, err := alg.Compile(watched, p, full); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled, but it returned %v", name, err)
		}
	}
}

// optional is an algorithm with options of both kinds.
type optional struct{ algorithms.Algorithm }

func (optional) Name() string { return "optional" }

func (optional) Options() []algorithms.OptionInfo {
	return []algorithms.OptionInfo{
		{Name: "mode", Default: "eager", Values: []string{"eager", "lazy"}},
		{Name: "bound", Default: "4", Check: func(v string) error {
			if strings.Trim(v, "0123456789") != "" {
				return errors.New("expected a number")
			}
			return nil
		}},
		{Name: "cache", Default: "on", Values: []string{"on", "off"}},
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		given algorithms.Options
		want  string // an error, or ""
	}{
		{nil, ""},
		{algorithms.Options{"mode": "lazy", "bound": "17"}, ""},
		{algorithms.Options{"mode": "later"}, `option mode: "later" is not one of eager, lazy`},
		{algorithms.Options{"bound": "many"}, "option bound: expected a number"},
		{algorithms.Options{"size": "1"}, `has no option "size"; it has: mode, bound, cache`},
	} {
		full, err := algorithms.Resolve(optional{}, c.given)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: got %v, want %q", c.given, err, c.want)
			continue
		}
		if err == nil && (len(full) != 3 || !full.Bool("cache") || full.Int("bound") == 0 || full.Int("mode") != 0) {
			t.Errorf("%v: resolved to %v", c.given, full)
		}
	}
}
