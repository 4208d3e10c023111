package legality

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestReportText is the text of a report, to the letter: with a sample and conflicts that were
// resolved, and with neither.
func TestReportText(t *testing.T) {
	full := &Report{
		Grammar: "toy", Vocabulary: "letters", LexerStates: 3, LRStates: 5, Resolved: 2, Terminals: 4, Sequences: 10, Pairs: 40, CollectNS: 1_500_000,
		Tables: TableProofs{Never: 20, Always: 10, Prefix: 5, Interchange: 1, Asked: 4, Classes: 3, Runs: 77, NS: 2_340_000, Bytes: 1_250_000},
		Rules: &RuleProofs{Sample: 20, Never: 9, NeverNS: 20_000, AlwaysTried: 11, Always: 3, AlwaysNS: 33_000, Circles: 2,
			NeverBoth: 9, NeverTables: 10, AlwaysBoth: 3, AlwaysTables: 5, Classes: 4, States: 12, Transitions: 30},
	}
	want := `toy x letters: 3 lexer states, 5 LR states, 2 conflicts resolved
4 terminals x 10 sequences = 40 pairs; sequences collected in 1.5ms

Proofs over the parser's tables, all pairs (2.3ms, 77 symbolic parser runs, 1.2 MB)
  never legal                                            20   50.00%
  always legal                                           10   25.00%
  jointly legal with a prefix                             5   12.50%
  jointly legal by interchangeable terminals              1    2.50%
  left for the parser                                     4   10.00%
  3 classes of terminals

The paper's algorithms over the rules, a sample of 20 pairs (DFT pushdown automaton: 12 states, 30 transitions)
  is_never_legal                                          9   45.00%  1µs a pair; the tables: 10, both: 9
  unlimited_credit_exploration proves always              3   15.00%  3µs a pair; the tables: 5, both: 3
  proved if proofs may go round in circles                2   10.00%
  unknown                                                 6   30.00%
  4 classes of terminals
  With conflicts resolved the parser accepts less than the rules allow: never legal carries over from rules to parser, always legal does not.
`
	if got := text(t, full); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	bare := *full
	bare.Rules, bare.Resolved = nil, 0
	got := text(t, &bare)
	if strings.Contains(got, "over the rules") || strings.Contains(got, "resolved the parser") || !strings.HasSuffix(got, "3 classes of terminals\n") {
		t.Errorf("without a sample:\n%s", got)
	}
	empty := &Report{Rules: &RuleProofs{}}
	if got := text(t, empty); strings.Contains(got, "NaN") || strings.Contains(got, "Inf") || !strings.Contains(got, "- a pair") {
		t.Errorf("of nothing:\n%s", got)
	}
}

func text(t *testing.T, r *Report) string {
	t.Helper()
	var b strings.Builder
	must.OK(t, r.WriteText(&b))
	return b.String()
}

// noRoom is a writer without room.
type noRoom struct{}

var errNoRoom = errors.New("no room")

func (noRoom) Write([]byte) (int, error) { return 0, errNoRoom }

// TestReportError: what a writer says is told.
func TestReportError(t *testing.T) {
	if err := (&Report{}).WriteText(noRoom{}); !errors.Is(err, errNoRoom) {
		t.Errorf("got %v", err)
	}
}

// TestDraws: a sample of a stream holds at most as many as are wanted, all of a short one, and any
// of a long one.
func TestDraws(t *testing.T) {
	for _, c := range []struct{ sample, pairs, want int }{{0, 10, 0}, {1, 10, 0}, {10, 3, 3}, {10, 5, 5}, {10, 500, 5}, {40, 500, 20}} {
		a := &analysis{options: AnalyseOptions{Sample: c.sample}, machine: &machine{}}
		a.machine.symbol(nil, false)
		a.machine.anyTerminal([]uint64{1})
		a.rng = rand.New(rand.NewPCG(seed.New(t), 7))
		w := tableWalk{analysis: a}
		for range c.pairs {
			w.draw(0, ending{terms: 0}, true, false)
		}
		if got := len(a.drawn[0].pairs); got != c.want || a.drawn[0].seen != c.pairs || len(a.drawn[1].pairs) != 0 {
			t.Errorf("half of %d from %d pairs: %d drawn, %d seen", c.sample, c.pairs, got, a.drawn[0].seen)
		}
	}
}
