package harness

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/prepare"
	"gcdbench/harness/stats"
	"gcdbench/harness/verify"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// A defect drawn at random: the mask is wrong about one token wherever the text
// ends with some letters.
type randomDefect struct {
	ending string
	token  int
}

func (d randomDefect) algorithm(name string) *wrong {
	return &wrong{name: name, change: func(s *wrongState, m algorithms.Mask) algorithms.Mask {
		if strings.HasSuffix(s.text, d.ending) {
			return flip(m, d.token)
		}
		return m
	}}
}

// shows says whether the defect can be seen in a document: at some position up to
// the end or the refusal. It walks the document with the contract alone.
func (d randomDefect) shows(g *prepare.Prepared, s *prepare.Document) bool {
	state, text := g.Units[0].SharedProblem.Start(), ""
	for _, token := range s.Tokens {
		if strings.HasSuffix(text, d.ending) {
			return true
		}
		bytes := g.Units[0].SharedProblem.Vocabulary.Token(int(token))
		next, ok := g.Units[0].SharedProblem.Read(state, bytes)
		if !ok || g.Units[0].SharedProblem.Vocabulary.IsEOS(int(token)) {
			return false
		}
		state, text = next, text+string(bytes)
	}
	return false
}

// TestRandomDefects: Run and Verify find a wrong mask exactly in the documents in
// which it shows, whatever it is.
func TestRandomDefects(t *testing.T) {
	rounds := seed.Rounds(3, 5, 60)
	seed := seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	w := newWorld(t)
	g := prepareWorld(t, w)
	corpus := strings.Join(append(append([]string(nil), positives...), negatives...), "")
	found := 0
	for round := range rounds {
		at := rng.IntN(len(corpus) - 3)
		d := randomDefect{corpus[at : at+1+rng.IntN(3)], rng.IntN(g.Units[0].SharedProblem.Vocabulary.Len())}
		alg := d.algorithm("random")
		opt := w.options()
		opt.Out = fmt.Sprintf("%s/round%d", w.dir, round)
		opt.Algorithm = func(name string) (algorithms.Algorithm, error) {
			if name == "random" {
				return alg, nil
			}
			return algorithms.Lookup(name)
		}
		cfg := w.config(t, "naive, random", "warmup: 0, repeat: 1")
		must.Get(Run(t.Context(), cfg, opt))(t)
		v := must.Get(verify.Verify(t.Context(), cfg, opt))(t)
		here := world{dir: w.dir, out: opt.Out}
		wrongSamples := 0
		for i, s := range here.records(t)["random"].Samples {
			shows := d.shows(g, g.Documents[i])
			if (s.Outcome == cell.WrongMask) != shows {
				t.Errorf("seed %d round %d: %+v in %s: %s, shows: %v", seed, round, d, s.ID, s.Outcome, shows)
			}
			wrongSamples += stats.Truth(shows)
		}
		if got := v.Cells[1].Outcomes[cell.WrongMask]; got != wrongSamples {
			t.Errorf("seed %d round %d: %+v: Verify finds it in %d samples, it shows in %d", seed, round, d, got, wrongSamples)
		}
		if diff := v.Cells[1].Difference; (diff != nil) != (wrongSamples > 0) || diff != nil && diff.Token != d.token {
			t.Errorf("seed %d round %d: %+v: difference %+v", seed, round, d, diff)
		}
		found += stats.Truth(wrongSamples > 0)
	}
	if found < rounds/3 {
		t.Errorf("seed %d: only %d of %d defects show anywhere", seed, found, rounds)
	}
}
