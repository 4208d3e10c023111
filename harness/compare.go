package harness

import (
	"fmt"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
)

// difference is where two algorithms of one semantics first say different things.
type difference struct {
	position int
	// masked is whether masks differ there; otherwise one refused the oracle
	// token at a position that was not masked.
	masked bool
	what   string
}

// compare finds the first difference between p and a reference, and how many
// positions were compared: those at which both were asked for a mask.
func compare(s *script, p *proof, ref *answers) (compared int, diff *difference) {
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
				fmt.Sprintf("at position %d the mask is not that of %s", pos, ref.label)}
		}
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

// judge turns an algorithm's answers on a script into a sample's outcome. They are
// compared with each of refs, of which the first is the one that counts where they
// are asked the same; the sample names it. There is nothing to compare with if
// there are none.
func judge(u *unit, s *script, p *proof, refs ...*answers) (cell.Sample, *difference) {
	out := cell.Sample{ID: s.id, Problem: s.problem, Negative: s.negative, Outcome: cell.OK, Tokens: s.length, Bytes: s.bytes,
		Refused: p.Refused, RefusedAt: p.RefusedAt}
	if p.Contradiction != "" {
		out.Outcome = cell.WrongMask
		out.Detail = fmt.Sprintf("at position %d %s", p.ContradictAt, p.Contradiction)
		return out, &difference{p.ContradictAt, true, out.Detail}
	}
	for _, ref := range refs {
		compared, diff := compare(s, p, ref)
		out.Compared = max(out.Compared, compared)
		if out.Reference == "" || diff != nil {
			out.Reference = ref.label
		}
		if diff != nil {
			out.Outcome, out.Detail = cell.WrongMask, diff.what
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

// foreign reports whether an entry is an engine from outside with a language of its own.
func (e *entry) foreign() bool {
	return e.outside() && e.semantics() != algorithms.SemanticsContract
}

// judge is the judgement on an entry's answers. What an engine from outside with a language of
// its own says in its mask and in Commit may differ. Its mask counts, which is what a sampler
// obeys, and the detail tells. Some commit a token that is no part of the tokenisation they ask
// for: it is refused. Some have masks that are too wide, and find in Commit what is wrong: then a
// text with a mistake is not refused, and one without is, since nothing comes after it.
func (e *entry) judge(u *unit, s *script, p *proof, refs ...*answers) (cell.Sample, *difference) {
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
