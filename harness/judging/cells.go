package judging

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness"
	"gcdbench/harness/cell"
	"gcdbench/harness/judged"
)

// pair is a cell of another semantics and the cell of the contract that it is compared with.
type pair struct {
	record, reference             *cell.Record
	algorithm, referenceAlgorithm algorithms.Algorithm
	kept, referenceKept           *algorithms.Kept
	timeout                       time.Duration // of a compile, and of a walk
	file                          *judged.File
	documents                     []*contested
	todo                          map[int][]*contested // by problem
}

// contested is a document with the positions at which the hashes of two cells' masks differ.
type contested struct {
	sample, problem int
	id              string
	compared        int
	positions       []uint32
	hashes          [][2]uint64 // at positions: the reference's and the engine's
	chosen          []int       // of positions, ascending
	choice          string
}

// positionsOf are some of the positions.
func (d *contested) positionsOf(chosen []int) []uint32 {
	out := make([]uint32, len(chosen))
	for n, i := range chosen {
		out[n] = d.positions[i]
	}
	return out
}

// of reports whether the pair is of a workload and a vocabulary.
func (p *pair) of(workload, tokenizer string) bool {
	return p.record.Workload == workload && p.record.Tokenizer == tokenizer
}

// pairs reads the cells of the directory's last run and finds the reference of each that needs one.
func (c *court) pairs() ([]*pair, error) {
	m, err := c.store.Manifest()
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, fmt.Errorf("%s has no results: 'gcdbench run' makes some", c.dir)
	}
	var records []*cell.Record
	for _, planned := range m.Cells {
		r, err := c.store.Get(planned.Key)
		if err != nil {
			var damaged *cell.DamagedError
			if planned.Key != "" && errors.As(err, &damaged) {
				c.note("%v; it is left out", err)
			} else {
				c.note("%s on %s with %s is not measured yet; it is left out", planned.Label, planned.Workload, planned.Tokenizer)
			}
			continue
		}
		r.Label, r.Tokenizer, r.Workload = planned.Label, planned.Tokenizer, planned.Workload
		records = append(records, r)
	}
	var list []*pair
	for _, r := range records {
		if r.ID.Semantics == algorithms.SemanticsContract {
			continue
		}
		reference := referenceOf(r, records)
		if reference == nil {
			c.note("%s on %s with %s: no algorithm of the contract was run beside it", r.Label, r.Workload, r.Tokenizer)
			continue
		}
		list = append(list, &pair{record: r, reference: reference})
	}
	return list, nil
}

// referenceOf is the cell of the contract on the same workload that most samples went well for:
// masks of such cells are equal, and naive may have been asked at some positions only.
func referenceOf(r *cell.Record, records []*cell.Record) (best *cell.Record) {
	most := -1
	for _, o := range records {
		if o.ID.Semantics != algorithms.SemanticsContract || o.Workload != r.Workload || o.Tokenizer != r.Tokenizer {
			continue
		}
		n := 0
		for i := range o.Samples {
			if answered(&o.Samples[i]) {
				n += 2
			}
		}
		if o.ID.Algorithm == "naive" {
			n--
		}
		if n > most {
			best, most = o, n
		}
	}
	return best
}

// answered reports whether a sample's hashes are those of a walk to its end, or to where a token is
// refused.
func answered(s *cell.Sample) bool { return s.Outcome == cell.OK || s.Outcome == cell.WrongVerdict }

// open finds the algorithms, the differences, and what was judged earlier.
func (p *pair) open(c *court, again *harness.Rewalk) (err error) {
	if p.algorithm, err = again.Lookup(p.record.ID.Algorithm); err != nil {
		return err
	}
	if p.referenceAlgorithm, err = again.Lookup(p.reference.ID.Algorithm); err != nil {
		return err
	}
	p.kept, p.referenceKept = algorithms.NewKept(), algorithms.NewKept()
	p.timeout = time.Duration(p.record.ID.TimeoutNS)
	if p.documents, err = differing(c.store, p.reference, p.record); err != nil {
		return err
	}
	choose(p.documents, c.opt.Limit, c.seed)
	if p.file, err = judged.Open(c.dir, p.record.Key); err != nil {
		return err
	}
	p.todo = map[int][]*contested{}
	for _, d := range p.documents {
		if !slices.ContainsFunc(p.file.Documents, func(o judged.Document) bool {
			return o.Reference == p.reference.Key && o.Sample == d.sample && o.Chosen == d.choice
		}) {
			p.todo[d.problem] = append(p.todo[d.problem], d)
		}
	}
	return nil
}

// close ends what was started for the pair.
func (p *pair) close() {
	p.file.Close() // every line was written
	p.kept.Close() // an engine that does not end well has ended
	p.referenceKept.Close()
}

// differing compares the hashes of two cells, sample by sample.
func differing(store *cell.Store, reference, record *cell.Record) (list []*contested, err error) {
	theirs := map[int]cell.Trace{}
	for t, err := range store.Traces(reference) {
		if err != nil {
			return nil, err
		}
		if answered(&reference.Samples[t.Sample]) {
			theirs[t.Sample] = cell.Trace{Positions: t.Positions, Hashes: t.Hashes}
		}
	}
	for t, err := range store.Traces(record) {
		if err != nil {
			return nil, err
		}
		s := &record.Samples[t.Sample]
		other, ok := theirs[t.Sample]
		if !ok || !answered(s) {
			continue
		}
		d := &contested{sample: t.Sample, problem: s.Problem, id: s.ID}
		for i, j := 0, 0; i < len(t.Hashes) && j < len(other.Hashes); {
			switch mine, its := t.Positions[i], other.Positions[j]; {
			case mine < its:
				i++
			case mine > its:
				j++
			default:
				d.compared++
				if t.Hashes[i] != other.Hashes[j] {
					d.positions = append(d.positions, mine)
					d.hashes = append(d.hashes, [2]uint64{other.Hashes[j], t.Hashes[i]})
				}
				i++
				j++
			}
		}
		list = append(list, d)
	}
	return list, nil
}

// choose picks the positions that are looked at: all, or limit of them at random.
func choose(documents []*contested, limit int, seed uint64) {
	type one struct{ document, position int }
	var all []one
	for n, d := range documents {
		d.choice = "all"
		for i := range d.positions {
			all = append(all, one{n, i})
		}
	}
	if limit > 0 && len(all) > limit {
		rng := rand.New(rand.NewPCG(seed, 2))
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:limit]
		for _, d := range documents {
			d.choice = fmt.Sprintf("%d of the cell by seed %d", limit, seed)
		}
	}
	for _, o := range all {
		documents[o.document].chosen = append(documents[o.document].chosen, o.position)
	}
	for _, d := range documents {
		slices.Sort(d.chosen)
		if len(d.chosen) == len(d.positions) {
			d.choice = "all"
		}
	}
}

// noted is a document that is being judged.
type noted struct{ judged.Document }

// document is what is known of a document before it is judged.
func (p *pair) document(d *contested) *noted {
	return &noted{judged.Document{Cell: p.record.Key, Reference: p.reference.Key, Problem: d.problem, Sample: d.sample, ID: d.id,
		Compared: d.compared, Differ: len(d.positions), Chosen: d.choice}}
}

// undecided counts positions that nothing is known of.
func (n *noted) undecided(cause string, positions int) {
	n.Judged += positions
	n.Findings = judged.Add(n.Findings, judged.Finding{Class: judged.Undecided, Cause: cause, Positions: positions, Leading: positions})
}

// take adds what was found at a position. witnesses has the shortest of each kind.
func (n *noted) take(found tally, witnesses map[judged.Finding]*judged.Witness) {
	n.Judged++
	for _, t := range found {
		n.Findings = judged.Add(n.Findings, t.Finding)
		kind := judged.Finding{Whose: t.Whose, Class: t.Class, Cause: t.Cause}
		if w := witnesses[kind]; w == nil || shorter(t.witness, w) {
			witnesses[kind] = t.witness
		}
	}
}

// put stores the witnesses and then the line that names them.
func (p *pair) put(dir string, n *noted, witnesses map[judged.Finding]*judged.Witness) (err error) {
	for i := range n.Findings {
		f := &n.Findings[i]
		w := witnesses[judged.Finding{Whose: f.Whose, Class: f.Class, Cause: f.Cause}]
		if w == nil {
			continue
		}
		if f.Witness, err = w.Put(dir); err != nil {
			return err
		}
		f.WitnessBytes = len(w.WitnessBytes)
	}
	return p.file.Append(n.Document)
}

// skipEqual writes down the documents of a problem in which nothing differs.
func (p *pair) skipEqual(problem int) error {
	var left []*contested
	for _, d := range p.todo[problem] {
		if len(d.chosen) > 0 {
			left = append(left, d)
			continue
		}
		if err := p.file.Append(p.document(d).Document); err != nil {
			return err
		}
	}
	p.todo[problem] = left
	return nil
}

// failed writes down that documents cannot be judged, and says why.
func (c *court) failed(p *pair, documents []*contested, cause string, why error) error {
	c.note("%s on %s: %s: %v", p.record.Label, p.record.Workload, cause, why)
	for _, d := range documents {
		n := p.document(d)
		n.undecided(cause, len(d.chosen))
		if err := p.file.Append(n.Document); err != nil {
			return err
		}
	}
	return nil
}
