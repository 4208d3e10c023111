package ask

import (
	"fmt"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/prepare"
	"gcdbench/harness/stats"
)

// Differing is the first position at which two algorithms of one semantics differ.
type Differing struct {
	Position int
	// masked is whether the masks differ there. Otherwise one algorithm refused the oracle token at a
	// position that was not masked.
	masked bool
	What   string
}

// compare finds the first difference between p and a reference, and counts the positions that were
// compared: those at which both were asked for a mask. It marks these masks in met.
func compare(s *prepare.Document, p *Proof, ref *Answers, met []bool) (compared int, diff *Differing) {
	other := 0
	for i, hash := range p.Hashes {
		pos := p.Positions[i]
		for other < len(ref.Hashes) && ref.Positions[other] < pos {
			other++
		}
		if other == len(ref.Hashes) || ref.Positions[other] != pos {
			continue
		}
		if hash != ref.Hashes[other] {
			return compared, &Differing{int(pos), true,
				fmt.Sprintf("at position %d the mask differs from %s's", pos, ref.Label)}
		}
		met[i] = true
		compared++
	}
	switch {
	case p.Refused == ref.Refused && (!p.Refused || p.RefusedAt == ref.RefusedAt):
		return compared, nil
	case p.Refused && (!ref.Refused || p.RefusedAt < ref.RefusedAt):
		return compared, &Differing{p.RefusedAt, false,
			fmt.Sprintf("at position %d it refuses token %d, which %s takes", p.RefusedAt, s.Tokens[p.RefusedAt], ref.Label)}
	}
	return compared, &Differing{ref.RefusedAt, false,
		fmt.Sprintf("at position %d it takes token %d, which %s refuses", ref.RefusedAt, s.Tokens[ref.RefusedAt], ref.Label)}
}

// judge turns an algorithm's answers on a document into a sample's outcome. The answers are
// compared with each of refs; the sample names the first, or the one that differs.
func judge(u *prepare.Unit, s *prepare.Document, p *Proof, refs ...*Answers) (cell.Sample, *Differing) {
	out := cell.Sample{ID: s.ID, Problem: s.Problem, Negative: s.Negative, Outcome: cell.OK, Tokens: s.Length, Bytes: s.Bytes, Parts: s.Parts,
		Refused: p.Refused, RefusedAt: p.RefusedAt, Allowed: p.Allowed}
	if p.Contradiction != "" {
		out.Outcome = cell.WrongMask
		out.Detail = fmt.Sprintf("at position %d %s", p.ContradictAt, p.Contradiction)
		return out, &Differing{p.ContradictAt, true, out.Detail}
	}
	met := make([]bool, len(p.Hashes))
	for _, ref := range refs {
		compared, diff := compare(s, p, ref, met)
		if compared > 0 {
			if out.ComparedWith == nil {
				out.ComparedWith = map[string]int{}
			}
			out.ComparedWith[ref.Label] += compared
		}
		if out.Reference == "" || diff != nil {
			out.Reference = ref.Label
		}
		if diff != nil {
			out.Outcome, out.Detail = cell.WrongMask, diff.What
		}
		if out.Compared = trueIn(met); diff != nil {
			return out, diff
		}
	}
	switch {
	case p.Refused && !s.Negative:
		out.Outcome = cell.WrongVerdict
		out.Detail = refusedDetail(u, s, p.RefusedAt)
	case p.Refused && p.ByCommit && s.Negative:
		out.Outcome, out.Refused, out.RefusedByCommit = cell.WrongVerdict, false, true
		out.Detail = fmt.Sprintf("%s has a mistake, and no mask leaves a token of it out", s.ID)
	case !p.Refused && s.Negative:
		out.Outcome = cell.WrongVerdict
		out.Detail = fmt.Sprintf("%s has a mistake, but nothing in it is refused", s.ID)
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

// Foreign reports whether an entry has a language of its own, and masks that its Commit may
// contradict: an engine from outside, or an algorithm that declares its masks to be too wide.
func Foreign(e *prepare.Entry) bool {
	return (e.Outside() || algorithms.Overapproximates(e.Maker, e.Options)) && e.Semantics() != algorithms.SemanticsContract
}

// judgeAs turns an entry's answers into an outcome. The mask and the Commit of a foreign engine may
// contradict each other. The mask counts, since a sampler obeys it,
// and the detail reports the contradiction. Some engines commit a token that their mask leaves out:
// it is refused. Some have masks that are too wide and find the mistake in Commit: a text with a
// mistake is then not refused, and a text without one is, since nothing can follow.
func judgeAs(e *prepare.Entry, u *prepare.Unit, s *prepare.Document, p *Proof, refs ...*Answers) (cell.Sample, *Differing) {
	if !Foreign(e) || p.Contradiction == "" {
		return judge(u, s, p, refs...)
	}
	plain := *p
	plain.Contradiction = ""
	sample, diff := judge(u, s, &plain, refs...)
	sample.Detail = strings.TrimSpace(fmt.Sprintf("at position %d %s\n%s", p.ContradictAt, p.Contradiction, sample.Detail))
	return sample, diff
}

// Prefix is the tokens before a position.
func Prefix(s *prepare.Document, pos int) []int {
	out := make([]int, pos)
	for i := range out {
		out[i] = int(s.Tokens[i])
	}
	return out
}

// tokenName names the oracle token at a position.
func tokenName(s *prepare.Document, pos int) string {
	if pos == len(s.Tokens)-1 && !s.Open {
		return "the end"
	}
	return fmt.Sprintf("token %d", s.Tokens[pos])
}

// FailedSample is a sample without a verdict.
func FailedSample(s *prepare.Document, f *bounds.Failure) cell.Sample {
	return cell.Sample{ID: s.ID, Problem: s.Problem, Negative: s.Negative, Outcome: f.Outcome, Detail: f.Detail, Tokens: s.Length, Bytes: s.Bytes, Parts: s.Parts}
}
