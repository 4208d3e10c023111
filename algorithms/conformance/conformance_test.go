package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/all"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/internal/special"
)

// entries is every registered algorithm that claims the contract's semantics.
func entries(t testing.TB) []conformance.Entry {
	t.Helper()
	var list []conformance.Entry
	for _, name := range algorithms.Names() {
		alg := realtext.Lookup(t, name)
		if alg.Semantics() == algorithms.SemanticsContract {
			list = append(list, conformance.Entry{Algorithm: alg})
		}
	}
	return list
}

func TestSuite(t *testing.T) {
	suites := must.Get(conformance.Compile(t.Context()))(t)
	for i, name := range algorithms.Names() {
		t.Run(name, func(t *testing.T) {
			suites, alg := suites.Every(seed.Rounds(6, 1, 1), i), realtext.Lookup(t, name)
			if alg.Semantics() != algorithms.SemanticsContract {
				t.Skip("it has a semantics of its own: ", alg.Semantics())
			}
			r := suites.Run(t.Context(), alg, nil)
			for _, f := range r.Failures {
				t.Error(f)
			}
			for _, u := range r.Unsupported {
				t.Log("unsupported:", u)
			}
			if r.Cases == 0 {
				t.Fatal("no case was run")
			}
			t.Logf("%d suites, %d cases", r.Suites, r.Cases)
		})
	}
}

// TestSuiteAgainstOracle verifies the expected masks themselves: with the contract as the oracle
// reads it, and with the sentences of the language, as each suite says it stands to them.
func TestSuiteAgainstOracle(t *testing.T) {
	suites := seed.Some(t, must.Get(conformance.Suites())(t), 3, 1, 1)
	for i := range suites {
		s := &suites[i]
		t.Run(s.Name, func(t *testing.T) {
			if s.NoOracle != "" {
				t.Skip("the oracle does not understand this grammar:", s.NoOracle)
			}
			g, v, err := s.Build()
			must.OK(t, err)
			contract := must.Get(conformance.Oracle(t.Context(), g))(t)
			checked, dead := 0, 0
			var letters []string // special tokens first: they end what bytes go on with for long
			for _, name := range g.SpecialTokens() {
				letters = append(letters, special.Text(name))
			}
			for _, b := range []byte(alphabet(s.Vocabulary)) {
				letters = append(letters, string([]byte{b}))
			}
			for _, c := range s.Cases {
				prefix := strings.Join(c.After, "")
				if got := contract.End(prefix); got != c.End {
					t.Errorf("after %q: the oracle says end=%v", prefix, got)
				}
				for id := range v.Len() {
					if !v.Legal(id) {
						continue
					}
					token := string(v.Token(id))
					want := slices.Contains(c.Legal, token)
					if got := contract.Legal(prefix + token); got != want {
						t.Errorf("after %q, token %q: the case says %v, the oracle %v", prefix, token, want, got)
					}
					if s.Reach == 0 {
						continue
					}
					switch begins := contract.Completes(prefix+token, letters, s.Reach); {
					case begins && !want:
						t.Errorf("after %q: token %q begins a sentence and is masked", prefix, token)
					case want && !begins && !s.DeadEnds:
						t.Errorf("after %q: token %q is allowed and no sentence goes on from there within %d letters", prefix, token, s.Reach)
					case want && !begins:
						dead++
					}
					checked++
				}
			}
			if s.DeadEnds && dead == 0 {
				t.Error("the suite says that it has dead ends, and none was seen")
			}
			t.Logf("%d cases; %d tokens checked for sentences that go on for up to %d letters; %d dead ends", len(s.Cases), checked, s.Reach, dead)
		})
	}
}

// alphabet is the distinct bytes of some tokens.
func alphabet(tokens []string) string {
	seen := map[byte]bool{}
	var b strings.Builder
	for _, t := range tokens {
		for i := range len(t) {
			if !seen[t[i]] {
				seen[t[i]] = true
				b.WriteByte(t[i])
			}
		}
	}
	return b.String()
}

// byTurns is the entries, with naive, which the others are compared with, for one seed in four:
// then its own commits are on trial.
func byTurns(t testing.TB) func(seed uint64) []conformance.Entry {
	all := entries(t)
	others := slices.DeleteFunc(slices.Clone(all), func(e conformance.Entry) bool { return e.Algorithm.Name() == "naive" })
	return func(seed uint64) []conformance.Entry {
		if seed%4 == 0 {
			return all
		}
		return others
	}
}

// TestRandomGrammars compares oracle, naive and all others on random grammars.
func TestRandomGrammars(t *testing.T) {
	seeds := seed.Rounds(40, 160, 4000)
	list := byTurns(t)
	positions, usable, contexts, modes, contextual, named, lazy := 0, 0, 0, 0, 0, 0, 0
	for seed := range seed.Each(t, seeds) {
		spec := conformance.Random(seed)
		if seed%5 == 0 {
			spec = conformance.Random(seed, "<x>", "<y>")
		}
		n := realtext.Walk(t, spec, list(seed)...)
		if n < 0 {
			continue
		}
		positions += n
		usable++
		if strings.Contains(spec.Grammar, "%mode") {
			modes++
		}
		if strings.Contains(spec.Grammar, "(?") {
			contexts++
		}
		if strings.Contains(spec.Grammar, "%lexer contextual") {
			contextual++
		}
		if strings.Contains(spec.Grammar, "<") {
			named++
		}
		if strings.Contains(spec.Grammar, "[lazy]") {
			lazy++
		}
	}
	t.Logf("%d seeds: %d usable grammars, %d with contexts, %d with modes, %d with a contextual lexer, %d with special tokens, %d with lazy terminals, %d positions",
		seeds, usable, contexts, modes, contextual, named, lazy, positions)
	if contexts < seeds/20 || modes < seeds/40 || contextual < seeds/40 || named < seeds/40 || lazy < seeds/40 {
		t.Errorf("of %d random grammars %d have contexts, %d modes, %d a contextual lexer, %d special tokens and %d lazy terminals: the generator is no good",
			seeds, contexts, modes, contextual, named, lazy)
	}
	if usable < seeds/5 {
		t.Errorf("only %d of %d random grammars are usable: the generator is no good", usable, seeds)
	}
}

func TestSuiteGrammarsAtRandom(t *testing.T) {
	realtext.WalkSuites(t, seed.Rounds(1, 1, 8), conformance.Spec{Steps: 12, Walks: seed.Rounds(1, 2, 2)}, byTurns(t))
}

// FuzzWalk is TestRandomGrammars driven by the fuzzer, and by anyone with a seed to look at.
func FuzzWalk(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, seed uint64, onDemand bool) {
		spec := conformance.Random(seed)
		spec.OnDemand = onDemand
		realtext.Walk(t, spec, entries(t)...)
	})
}

// wrong is an algorithm that follows another but flips one token once the prefix is long enough, so
// that the suite, the walks and the shrinking can be seen to work.
type wrong struct{ algorithms.Algorithm }

func (w wrong) Name() string { return "wrong" }

func (w wrong) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	e, err := w.Algorithm.Compile(ctx, p, o)
	return wrongEngine{e}, err
}

type wrongEngine struct{ algorithms.Engine }

func (e wrongEngine) Start() algorithms.State { return &wrongState{State: e.Engine.Start()} }

type wrongState struct {
	algorithms.State
	commits int
}

func (s *wrongState) Commit(token int) error {
	err := s.State.Commit(token)
	if err == nil {
		s.commits++
	}
	return err
}

func (s *wrongState) Rollback(k int) error {
	s.commits -= k
	return s.State.(algorithms.Rewinder).Rollback(k)
}

func (s *wrongState) Clone() algorithms.State { return &wrongState{s.State.Clone(), s.commits} }

func (s *wrongState) Mask() algorithms.Mask {
	m := s.State.Mask()
	if s.commits < 2 {
		return m
	}
	b := algorithms.NewBuffer(m.Len())
	for _, id := range m.IDs(nil) {
		b.Set(id)
	}
	b.Words()[0] ^= 1
	return b.Mask()
}

func TestWrongAlgorithmIsFound(t *testing.T) {
	bad := wrong{realtext.Lookup(t, "trie")}
	if r := conformance.Run(t.Context(), bad, nil); len(r.Failures) == 0 {
		t.Error("the suite did not notice")
	}
	spec := conformance.Spec{
		Grammar:    "A: \"a\"\nB: /b+/\nC: \"c\"\n%ignore \" \"\nstart: (A | B C)*\n",
		Vocabulary: []string{"a", "b", "c", " ", "ab", "bc", "cab", "bb"}, Steps: 8, Walks: 4, Seed: 1,
	}
	list := []conformance.Entry{{Algorithm: bad}}
	_, err := conformance.Walk(t.Context(), spec, list...)
	var d *conformance.Difference
	if !errors.As(err, &d) {
		t.Fatalf("got %v, want a difference", err)
	}
	small := conformance.Shrink(t.Context(), d, list...)
	if len(small.Spec.Vocabulary) > 1 || len(small.Prefix) != 2 || strings.Count(small.Spec.Grammar, "\n") > 4 {
		t.Errorf("not shrunk far enough:\n%v", small)
	}
	if text := fmt.Sprint(small); !strings.Contains(text, "wrong") || !strings.Contains(text, "grammar:") {
		t.Errorf("the report does not say enough:\n%v", text)
	}
}
