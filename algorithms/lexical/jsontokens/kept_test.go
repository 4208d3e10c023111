package jsontokens

import (
	"math/rand/v2"
	"testing"

	"gcdbench/grammar/automata"
	"gcdbench/internal/kept"
)

// told is what a Lexicon has found out so far.
func (l *Lexicon) told() [5]int {
	return [...]int{len(l.profiles.of), len(l.numberProfiles.of), len(l.languages.of), len(l.literals.of), len(l.numbered.of)}
}

// TestKept asks the same three times: with a Kept in common the second finds what the first found
// out, and nobody finds what was found out with another Kept, or with none.
func TestKept(t *testing.T) {
	v := effectVocabulary(t, rand.New(rand.NewPCG(3, 3)), 400)
	var strings []*automata.DFA
	for _, pattern := range []string{`"abc"`, `"[^"\\\x00-\x1f]*"`, `"[^"\\\x00-\x1f]{0,9}"`, `"[0-9a-z]+"`} {
		strings = append(strings, automata.MustCompile(pattern, 0))
	}
	number := automata.MustCompile(`-?[0-9]+`, 0)
	use := func(k *kept.Kept) *Lexicon {
		l := Of(k, v, 0)
		l.Cut()
		var profiles []*Profile
		for _, d := range strings {
			profiles = append(profiles, l.Profile(d))
		}
		e := l.NewEffects()
		for _, text := range []string{`"`, `"a`, `"ab`} {
			var lives []Live
			for _, p := range profiles {
				if s := runs(p.d, p.d.Start(), []byte(text)); s != automata.Dead {
					lives = append(lives, p.At(s))
				}
			}
			for _, live := range lives {
				e.Of([]Live{live})
			}
			e.Of(lives)
		}
		l.NumberEffect([]NumberLive{l.NumberProfile(number).At(runs(number, number.Start(), []byte("1")))})
		return l
	}
	k := kept.New()
	first := use(k)
	alone := first.told()
	use(k)
	twice := first.told()
	if third := use(k); third != first || third.told() != twice {
		t.Errorf("the third with a Kept finds out %v, the second found %v", third.told(), twice)
	}
	for i, n := range alone {
		if n == 0 || twice[i] != n {
			t.Errorf("figure %d: the first has found %d, both %d", i, n, twice[i])
		}
	}
	for name, other := range map[string]*kept.Kept{"another Kept": kept.New(), "none": nil} {
		if l := use(other); l == first || l.told() != alone {
			t.Errorf("%s: it has found out %v, the first alone %v", name, l.told(), alone)
		}
	}
}
