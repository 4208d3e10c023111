package ask

import (
	"gcdbench/harness/cell"
	"gcdbench/harness/prepare"
)

// Outcomes computes the outcome of a cell.
//
// A cell of one grammar has the worst outcome of its compile and its samples. In a schema corpus
// many schemas are not expected to work: reports count them by reason. There a cell has the worst
// of the outcomes that say something about the algorithm, or must never happen. Left out are
// schemas that the grammar compiler does not support or finds faulty, and valid instances that are
// refused. An invalid instance that is accepted counts, unless its schema was compiled leniently
// and only in part.
//
// An engine from outside enforces a language of its own. A schema that it does not take, and a
// verdict other than the corpus's, are counted and reported but do not make the cell's outcome. If
// such an engine contradicts itself on a document, only that document is lost. The same holds for
// an algorithm whose masks are declared to be too wide.
type Outcomes struct {
	Schemas *cell.SchemaOptions // nil for one grammar
	Outside bool
	Foreign bool // not held to the contract, nor to masks that agree with Commit
	worst   cell.Outcome
}

// Problem adds a compile.
func (o *Outcomes) Problem(p *cell.Problem) {
	if o.Outside && o.Schemas != nil && (p.Outcome == cell.Unsupported || p.Outcome == cell.CompileError) {
		return
	}
	if o.Schemas != nil && p.Stage == cell.StageGrammar && (p.Outcome == cell.Unsupported || p.Outcome == cell.CompileError) {
		return
	}
	o.add(p.Outcome)
}

// Sample adds a sample of a problem.
func (o *Outcomes) Sample(s *cell.Sample, p *cell.Problem) {
	if (o.Outside || o.Foreign) && s.Outcome == cell.WrongVerdict || o.Foreign && s.Outcome == cell.WrongMask {
		return
	}
	if o.Schemas != nil {
		lenient := o.Schemas.Lenient && p.Approximated > 0
		if p.Outcome != cell.OK || prepare.RefusesValid(s) || s.Outcome == cell.WrongVerdict && lenient {
			return
		}
	}
	o.add(s.Outcome)
}

func (o *Outcomes) add(other cell.Outcome) {
	if o.worst == "" {
		o.worst = cell.OK
	}
	o.worst = cell.Worse(o.worst, other)
}

// Result is the cell's outcome.
func (o *Outcomes) Result() cell.Outcome {
	if o.worst == "" {
		return cell.OK
	}
	return o.worst
}
