package ask

import (
	"slices"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
	"gcdbench/harness/stats"
)

// TestPasses: the first visit is timed, the second one is compared if it is no timed one, and
// blocks come last, with the audit of an engine from outside behind them.
func TestPasses(t *testing.T) {
	const f, c, w, a, b, d = FirstPass, ComparedPass, WarmupPass, AgainPass, CheckPass, AuditPass
	for _, x := range []struct {
		warmup, repeat int
		want           []PassKind
	}{
		{0, 1, []PassKind{f, a, c, b, d}},
		{0, 3, []PassKind{f, a, a, a, c, b, d}},
		{1, 2, []PassKind{f, c, a, a, b, d}},
		{3, 1, []PassKind{f, c, w, w, a, b, d}},
	} {
		if got := Passes(x.warmup, x.repeat); !slices.Equal(got, x.want) {
			t.Errorf("warmup %d, repeat %d: %v, want %v", x.warmup, x.repeat, got, x.want)
		}
	}
}

func TestCompare(t *testing.T) {
	s, asked := &prepare.Document{ID: "x", Tokens: make([]int32, 6)}, []uint32{0, 2, 5}
	full := []uint64{1, 2, 3}
	cases := []struct {
		what     string
		p        measure.Proof
		ref      Answers
		compared int
		at       int // of the difference; -1 for none
		masked   bool
	}{
		{"equal", measure.Proof{Hashes: full}, Answers{Hashes: full}, 3, -1, false},
		{"equal, both refuse", measure.Proof{Hashes: full[:2], Refused: true, RefusedAt: 2}, Answers{Hashes: full[:2], Refused: true, RefusedAt: 2}, 2, -1, false},
		{"another mask", measure.Proof{Hashes: []uint64{1, 9, 3}}, Answers{Hashes: full}, 1, 2, true},
		{"refuses early", measure.Proof{Hashes: full[:1], Refused: true, RefusedAt: 1}, Answers{Hashes: full}, 1, 1, false},
		{"refuses late", measure.Proof{Hashes: full}, Answers{Hashes: full[:1], Refused: true, RefusedAt: 1}, 1, 1, false},
		{"refuses at another place", measure.Proof{Hashes: full[:1], Refused: true, RefusedAt: 1}, Answers{Hashes: full[:2], Refused: true, RefusedAt: 3}, 1, 1, false},
		{"the mask comes before the refusal", measure.Proof{Hashes: []uint64{9}, Refused: true, RefusedAt: 1}, Answers{Hashes: full}, 0, 0, true},
		{"asked elsewhere, too", measure.Proof{Hashes: full}, Answers{Positions: []uint32{1, 2, 4, 5}, Hashes: []uint64{9, 2, 9, 3}}, 2, -1, false},
		{"another mask where both were asked", measure.Proof{Hashes: full}, Answers{Positions: []uint32{1, 5}, Hashes: []uint64{9, 2}}, 0, 5, true},
	}
	for _, c := range cases {
		if c.ref.Positions == nil {
			c.ref.Positions = asked
		}
		compared, diff := compare(s, &Proof{c.p, asked}, &c.ref, make([]bool, len(c.p.Hashes)))
		at, masked := -1, false
		if diff != nil {
			at, masked = diff.Position, diff.masked
		}
		if compared != c.compared || at != c.at || masked != c.masked {
			t.Errorf("%s: %d compared, difference at %d (mask %v); want %d, %d (%v)", c.what, compared, at, masked, c.compared, c.at, c.masked)
		}
	}
}

// TestCellOutcomes: what counts for a cell, of one grammar and of schemas.
func TestCellOutcomes(t *testing.T) {
	fine := cell.Problem{Outcome: cell.OK}
	approximated := cell.Problem{Outcome: cell.OK, Approximated: 1}
	strict, lenient := &cell.SchemaOptions{}, &cell.SchemaOptions{Lenient: true}
	bad := func(o cell.Outcome, stage string) cell.Problem { return cell.Problem{Outcome: o, Stage: stage} }
	cases := []struct {
		what    string
		schemas *cell.SchemaOptions
		problem cell.Problem
		sample  cell.Sample
		want    cell.Outcome
	}{
		{"fine", strict, fine, cell.Sample{Outcome: cell.OK}, cell.OK},
		{"valid refused", strict, fine, cell.Sample{Outcome: cell.WrongVerdict}, cell.OK},
		{"valid refused, one grammar", nil, fine, cell.Sample{Outcome: cell.WrongVerdict}, cell.WrongVerdict},
		{"invalid accepted", strict, approximated, cell.Sample{Outcome: cell.WrongVerdict, Negative: true}, cell.WrongVerdict},
		{"invalid accepted, lenient", lenient, approximated, cell.Sample{Outcome: cell.WrongVerdict, Negative: true}, cell.OK},
		{"invalid accepted, lenient for nothing", lenient, fine, cell.Sample{Outcome: cell.WrongVerdict, Negative: true}, cell.WrongVerdict},
		{"wrong mask", lenient, approximated, cell.Sample{Outcome: cell.WrongMask}, cell.WrongMask},
		{"crash on a sample", strict, fine, cell.Sample{Outcome: cell.Crash}, cell.Crash},
		{"grammar unsupported", strict, bad(cell.Unsupported, cell.StageGrammar), cell.Sample{Outcome: cell.Unsupported}, cell.OK},
		{"grammar wrong", strict, bad(cell.CompileError, cell.StageGrammar), cell.Sample{Outcome: cell.CompileError}, cell.OK},
		{"grammar wrong, one grammar", nil, bad(cell.CompileError, ""), cell.Sample{Outcome: cell.CompileError}, cell.CompileError},
		{"grammar too slow", strict, bad(cell.Timeout, cell.StageGrammar), cell.Sample{Outcome: cell.Timeout}, cell.Timeout},
		{"grammar crashes", strict, bad(cell.Crash, cell.StageGrammar), cell.Sample{Outcome: cell.Crash}, cell.Crash},
		{"algorithm unsupported", strict, bad(cell.Unsupported, cell.StageAlgorithm), cell.Sample{Outcome: cell.Unsupported}, cell.Unsupported},
		{"algorithm wrong", strict, bad(cell.CompileError, cell.StageAlgorithm), cell.Sample{Outcome: cell.CompileError}, cell.CompileError},
	}
	for _, c := range cases {
		o := Outcomes{Schemas: c.schemas}
		o.Problem(&c.problem)
		o.Sample(&c.sample, &c.problem)
		if o.Result() != c.want {
			t.Errorf("%s: %s, want %s", c.what, o.Result(), c.want)
		}
	}
}

// TestWeighs: of few schemas every engine is weighed, of many about as many.
func TestWeighs(t *testing.T) {
	for n, want := range map[int]int{1: 1, 5: 5, weighed: weighed, weighed + 1: 17, 1500: 32, 10000: 32} {
		g := &prepare.Prepared{AllUnits: n}
		got := 0
		for i := range n {
			got += stats.Truth(Weighs(g, &prepare.Unit{Number: i}))
		}
		if got != want {
			t.Errorf("of %d units %d are weighed, want %d", n, got, want)
		}
	}
}
