package harness

import "gcdbench/harness/cell"

// outcomes computes the outcome of a cell.
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
type outcomes struct {
	schemas *cell.SchemaOptions // nil for one grammar
	outside bool
	foreign bool // not held to the contract, nor to masks that agree with Commit
	worst   cell.Outcome
}

// problem adds a compile.
func (o *outcomes) problem(p *cell.Problem) {
	if o.outside && o.schemas != nil && (p.Outcome == cell.Unsupported || p.Outcome == cell.CompileError) {
		return
	}
	if o.schemas != nil && p.Stage == cell.StageGrammar && (p.Outcome == cell.Unsupported || p.Outcome == cell.CompileError) {
		return
	}
	o.add(p.Outcome)
}

// sample adds a sample of a problem.
func (o *outcomes) sample(s *cell.Sample, p *cell.Problem) {
	if (o.outside || o.foreign) && s.Outcome == cell.WrongVerdict || o.foreign && s.Outcome == cell.WrongMask {
		return
	}
	if o.schemas != nil {
		lenient := o.schemas.Lenient && p.Approximated > 0
		if p.Outcome != cell.OK || refusesValid(s) || s.Outcome == cell.WrongVerdict && lenient {
			return
		}
	}
	o.add(s.Outcome)
}

func (o *outcomes) add(other cell.Outcome) {
	if o.worst == "" {
		o.worst = cell.OK
	}
	o.worst = cell.Worse(o.worst, other)
}

// result is the cell's outcome.
func (o *outcomes) result() cell.Outcome {
	if o.worst == "" {
		return cell.OK
	}
	return o.worst
}
