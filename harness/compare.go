package harness

import (
	"fmt"

	"gcdbench/harness/cell"
)

// answers is what an algorithm said about a script: what another one's answers
// are compared with.
type answers struct {
	label     string
	semantics string
	hashes    []uint64
	refused   bool
	refusedAt int
}

// answersOf are those of a pass.
func answersOf(e *entry, p *pass) *answers {
	return &answers{e.Label, e.algorithm.Semantics(), p.hashes, p.refused, p.refusedAt}
}

// storedAnswers are those of a cell measured earlier; nil if it did not get
// through the sample.
func storedAnswers(r *cell.Record, t *cell.Trace) *answers {
	s := &r.Samples[t.Sample]
	if s.Outcome != cell.OK && s.Outcome != cell.WrongVerdict {
		return nil
	}
	return &answers{r.Label, r.ID.Semantics, t.Hashes, s.Refused, s.RefusedAt}
}

// difference is where two algorithms of one semantics first say different things.
type difference struct {
	position int
	// masked is whether masks differ there; otherwise one refused the oracle
	// token at a position that was not masked.
	masked bool
	what   string
}

// compare finds the first difference between p and a reference, and how many
// positions were compared.
func compare(s *script, p *pass, ref *answers) (compared int, diff *difference) {
	for i := range min(len(p.hashes), len(ref.hashes)) {
		if p.hashes[i] != ref.hashes[i] {
			return compared, &difference{int(s.positions[i]), true,
				fmt.Sprintf("at position %d the mask is not that of %s", s.positions[i], ref.label)}
		}
		compared++
	}
	switch {
	case p.refused == ref.refused && (!p.refused || p.refusedAt == ref.refusedAt):
		return compared, nil
	case p.refused && (!ref.refused || p.refusedAt < ref.refusedAt):
		return compared, &difference{p.refusedAt, false,
			fmt.Sprintf("at position %d it refuses token %d, which %s takes", p.refusedAt, s.tokens[p.refusedAt], ref.label)}
	}
	return compared, &difference{ref.refusedAt, false,
		fmt.Sprintf("at position %d it takes token %d, which %s refuses", ref.refusedAt, s.tokens[ref.refusedAt], ref.label)}
}

// judge turns the first pass of an algorithm over a script into a sample's
// outcome. ref is nil if there is nothing to compare with.
func judge(u *unit, s *script, p *pass, ref *answers) (cell.Sample, *difference) {
	out := cell.Sample{ID: s.id, Problem: s.problem, Negative: s.negative, Outcome: cell.OK, Tokens: s.length, Bytes: s.bytes,
		Refused: p.refused, RefusedAt: p.refusedAt}
	if p.contradiction != "" {
		out.Outcome = cell.WrongMask
		out.Detail = fmt.Sprintf("at position %d %s", p.contradictAt, p.contradiction)
		return out, &difference{p.contradictAt, true, out.Detail}
	}
	if ref != nil {
		var diff *difference
		out.Reference = ref.label
		if out.Compared, diff = compare(s, p, ref); diff != nil {
			out.Outcome, out.Detail = cell.WrongMask, diff.what
			return out, diff
		}
	}
	switch {
	case p.refused && !s.negative:
		out.Outcome = cell.WrongVerdict
		out.Detail = u.refusedDetail(s, p.refusedAt)
	case !p.refused && s.negative:
		out.Outcome = cell.WrongVerdict
		out.Detail = fmt.Sprintf("%s has a mistake, but nothing in it is refused", s.id)
	}
	return out, nil
}

// prefix is the tokens before a position.
func (s *script) prefix(pos int) []int {
	out := make([]int, pos)
	for i := range out {
		out[i] = int(s.tokens[i])
	}
	return out
}

// tokenName names the oracle token at a position.
func (s *script) tokenName(pos int) string {
	if pos == len(s.tokens)-1 {
		return "the end"
	}
	return fmt.Sprintf("token %d", s.tokens[pos])
}

// failedSample is a sample that did not come to a verdict.
func failedSample(s *script, f *failure) cell.Sample {
	return cell.Sample{ID: s.id, Problem: s.problem, Negative: s.negative, Outcome: f.outcome, Detail: f.detail, Tokens: s.length, Bytes: s.bytes}
}
