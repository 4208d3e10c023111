package harness

import (
	"gcdbench/harness/stats"

	"fmt"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
)

// difference is the first position at which two algorithms of one semantics differ.
type difference struct {
	position int
	// masked is whether the masks differ there. Otherwise one algorithm refused the oracle token at a
	// position that was not masked.
	masked bool
	what   string
}

// compare finds the first difference between p and a reference, and counts the positions that were
// compared: those at which both were asked for a mask. It marks these masks in met.
func compare(s *document, p *proof, ref *answers, met []bool) (compared int, diff *difference) {
	other := 0
	for i, hash := range p.Hashes {
		pos := p.positions[i]
		for other < len(ref.hashes) && ref.positions[other] < pos {
			other++
		}
		if other == len(ref.hashes) || ref.positions[other] != pos {
			continue
		}
		if hash != ref.hashes[other] {
			return compared, &difference{int(pos), true,
				fmt.Sprintf("at position %d the mask differs from %s's", pos, ref.label)}
		}
		met[i] = true
		compared++
	}
	switch {
	case p.Refused == ref.refused && (!p.Refused || p.RefusedAt == ref.refusedAt):
		return compared, nil
	case p.Refused && (!ref.refused || p.RefusedAt < ref.refusedAt):
		return compared, &difference{p.RefusedAt, false,
			fmt.Sprintf("at position %d it refuses token %d, which %s takes", p.RefusedAt, s.tokens[p.RefusedAt], ref.label)}
	}
	return compared, &difference{ref.refusedAt, false,
		fmt.Sprintf("at position %d it takes token %d, which %s refuses", ref.refusedAt, s.tokens[ref.refusedAt], ref.label)}
}

// judge turns an algorithm's answers on a document into a sample's outcome. The answers are
// compared with each of refs; the sample names the first, or the one that differs.
func judge(u *unit, s *document, p *proof, refs ...*answers) (cell.Sample, *difference) {
	out := cell.Sample{ID: s.id, Problem: s.problem, Negative: s.negative, Outcome: cell.OK, Tokens: s.length, Bytes: s.bytes, Parts: s.parts,
		Refused: p.Refused, RefusedAt: p.RefusedAt, Allowed: p.Allowed}
	if p.Contradiction != "" {
		out.Outcome = cell.WrongMask
		out.Detail = fmt.Sprintf("at position %d %s", p.ContradictAt, p.Contradiction)
		return out, &difference{p.ContradictAt, true, out.Detail}
	}
	met := make([]bool, len(p.Hashes))
	for _, ref := range refs {
		compared, diff := compare(s, p, ref, met)
		if compared > 0 {
			if out.ComparedWith == nil {
				out.ComparedWith = map[string]int{}
			}
			out.ComparedWith[ref.label] += compared
		}
		if out.Reference == "" || diff != nil {
			out.Reference = ref.label
		}
		if diff != nil {
			out.Outcome, out.Detail = cell.WrongMask, diff.what
		}
		if out.Compared = trueIn(met); diff != nil {
			return out, diff
		}
	}
	switch {
	case p.Refused && !s.negative:
		out.Outcome = cell.WrongVerdict
		out.Detail = u.refusedDetail(s, p.RefusedAt)
	case p.Refused && p.ByCommit && s.negative:
		out.Outcome, out.Refused, out.RefusedByCommit = cell.WrongVerdict, false, true
		out.Detail = fmt.Sprintf("%s has a mistake, and no mask leaves a token of it out", s.id)
	case !p.Refused && s.negative:
		out.Outcome = cell.WrongVerdict
		out.Detail = fmt.Sprintf("%s has a mistake, but nothing in it is refused", s.id)
	}
	return out, nil
}

// trueIn counts the set values of a list.
func trueIn(list []bool) (n int) {
	for _, set := range list {
		n += stats.Truth(set)
	}
	return n
}

// foreign reports whether an entry has a language of its own, and masks that its Commit may
// contradict: an engine from outside, or an algorithm that declares its masks to be too wide.
func (e *entry) foreign() bool {
	return (e.outside() || algorithms.Overapproximates(e.algorithm, e.options)) && e.semantics() != algorithms.SemanticsContract
}

// judge turns an entry's answers into an outcome. The mask and the Commit of a foreign engine may
// contradict each other. The mask counts, since a sampler obeys it,
// and the detail reports the contradiction. Some engines commit a token that their mask leaves out:
// it is refused. Some have masks that are too wide and find the mistake in Commit: a text with a
// mistake is then not refused, and a text without one is, since nothing can follow.
func (e *entry) judge(u *unit, s *document, p *proof, refs ...*answers) (cell.Sample, *difference) {
	if !e.foreign() || p.Contradiction == "" {
		return judge(u, s, p, refs...)
	}
	plain := *p
	plain.Contradiction = ""
	sample, diff := judge(u, s, &plain, refs...)
	sample.Detail = strings.TrimSpace(fmt.Sprintf("at position %d %s\n%s", p.ContradictAt, p.Contradiction, sample.Detail))
	return sample, diff
}

// prefix is the tokens before a position.
func (s *document) prefix(pos int) []int {
	out := make([]int, pos)
	for i := range out {
		out[i] = int(s.tokens[i])
	}
	return out
}

// tokenName names the oracle token at a position.
func (s *document) tokenName(pos int) string {
	if pos == len(s.tokens)-1 && !s.open {
		return "the end"
	}
	return fmt.Sprintf("token %d", s.tokens[pos])
}

// failedSample is a sample without a verdict.
func failedSample(s *document, f *failure) cell.Sample {
	return cell.Sample{ID: s.id, Problem: s.problem, Negative: s.negative, Outcome: f.outcome, Detail: f.detail, Tokens: s.length, Bytes: s.bytes, Parts: s.parts}
}
