package judging

import (
	"slices"
	"time"

	"gcdbench/harness/judged"
)

// documentFindings has the findings about a document. They are stored when it is done, and of a
// long document now and then before.
type documentFindings struct {
	judged.Document
	witnesses map[judged.Finding]*judged.Witness // the shortest of each kind
	written   time.Time
}

// document has the earlier findings about a document.
func (p *pair) document(d *document, judge string, timeout time.Duration) *documentFindings {
	n := &documentFindings{witnesses: map[judged.Finding]*judged.Witness{}, written: time.Now()}
	n.Document = judged.Document{Cell: p.record.Key, Reference: p.reference.Key, Problem: d.problem, Sample: d.sample, ID: d.id,
		Differ: len(d.positions), Seed: p.file.Overview.Seed, TimeoutNS: int64(timeout), Judge: judge}
	if d.known != nil { // it had no less time, and the same judge
		n.Positions, n.Findings, n.Undecided = slices.Clone(d.known.Positions), slices.Clone(d.known.Findings), d.known.Undecided
	}
	return n
}

// looked notes positions as judged.
func (n *documentFindings) looked(positions ...uint32) {
	n.Positions = append(n.Positions, positions...)
	slices.Sort(n.Positions)
}

// undecided counts positions as undecided.
func (n *documentFindings) undecided(cause string, positions ...uint32) {
	if len(positions) == 0 {
		return
	}
	n.looked(positions...)
	n.Undecided += len(positions)
	n.Findings = judged.Add(n.Findings, judged.Finding{Class: judged.Undecided, Cause: cause, Positions: len(positions), Leading: len(positions)})
}

// take adds the findings at a position.
func (n *documentFindings) take(position uint32, found tally) {
	n.looked(position)
	undecided := false
	for _, t := range found {
		undecided = undecided || t.Class == judged.Undecided
		n.Findings = judged.Add(n.Findings, t.Finding)
		kind := judged.Finding{Whose: t.Whose, Class: t.Class, Cause: t.Cause}
		if w := n.witnesses[kind]; w == nil || shorter(t.witness, w) {
			n.witnesses[kind] = t.witness
		}
	}
	if undecided {
		n.Undecided++
	}
}

// put stores the witnesses, and then the line that names them.
func (p *pair) put(dir string, n *documentFindings) error {
	for i := range n.Findings {
		f := &n.Findings[i]
		w := n.witnesses[judged.Finding{Whose: f.Whose, Class: f.Class, Cause: f.Cause}]
		if w == nil {
			continue
		}
		hash, err := w.Put(dir)
		if err != nil {
			return err
		}
		f.Show(hash, len(w.WitnessBytes))
	}
	n.written = time.Now()
	return p.file.Append(n.Document)
}

// failed stores and reports that documents cannot be judged.
func (b *openProblem) failed(p *pair, documents []*document, cause string, why error) error {
	b.note("%s on %s: %s: %v", p.record.Label, p.record.Workload, cause, why)
	for _, d := range documents {
		n := p.document(d, b.judgeName, b.opt.Timeout)
		n.undecided(cause, d.positionsOf(d.chosen)...)
		if err := p.file.Append(n.Document); err != nil {
			return err
		}
	}
	return nil
}
