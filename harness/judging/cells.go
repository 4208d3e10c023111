package judging

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/judged"
	"gcdbench/harness/rewalk"
)

// pair is a cell of another semantics and the cell of the contract that it is compared with.
type pair struct {
	record, reference             *cell.Record
	algorithm, referenceAlgorithm algorithms.Algorithm
	kept, referenceKept           *algorithms.Kept
	timeout                       time.Duration // of a compile, and of a walk
	file                          *judged.File
	todo                          map[int][]*document // by problem
}

// document is a document with the positions at which the masks of two cells have different hashes.
type document struct {
	sample, problem int
	id              string
	positions       []uint32
	hashes          [][2]uint64 // at positions: the reference's and the engine's
	chosen          []int       // indexes of the positions to be judged, ascending
	known           *judged.Document
	// doubtful is whether known has undecided positions, which another judge may decide.
	doubtful bool
}

// positionsOf are some of the positions.
func (d *document) positionsOf(chosen []int) []uint32 {
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
func (c *session) pairs() ([]*pair, error) {
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

// referenceOf is the cell of the contract on the same workload with the most samples that ended
// well. The masks of such cells are equal; naive comes last among equals, since it may have been
// asked at some positions only.
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

// answered reports whether a sample's hashes go to its end, or to a refused token.
func answered(s *cell.Sample) bool { return s.Outcome == cell.OK || s.Outcome == cell.WrongVerdict }

// open finds the algorithms, the differences, and earlier findings.
func (p *pair) open(c *session, again *rewalk.Rewalk) (err error) {
	if p.algorithm, err = again.Lookup(p.record.ID.Algorithm); err != nil {
		return err
	}
	if p.referenceAlgorithm, err = again.Lookup(p.reference.ID.Algorithm); err != nil {
		return err
	}
	p.kept, p.referenceKept = algorithms.NewKept(), algorithms.NewKept()
	p.timeout = time.Duration(p.record.ID.TimeoutNS)
	documents, overview, err := differing(c.store, p.reference, p.record)
	if err != nil {
		return err
	}
	if p.file, err = judged.Open(c.dir, p.record.Key); err != nil {
		return err
	}
	overview.Limit, overview.Seed = c.opt.Limit, c.seed
	if err := p.file.Begin(p.reference.Key, overview); err != nil {
		return err
	}
	choose(documents, c.opt.Limit, p.file.Overview.Seed)
	p.plan(documents, c.opt.Timeout)
	return nil
}

// plan finds the documents that are left, in an order drawn by the seed: the findings at any time
// are then a random sample.
func (p *pair) plan(documents []*document, timeout time.Duration) {
	known := map[int]*judged.Document{}
	for i := range p.file.Documents {
		known[p.file.Documents[i].Sample] = &p.file.Documents[i]
	}
	p.todo = map[int][]*document{}
	for _, d := range documents {
		if d.known = known[d.sample]; d.known != nil && d.known.Undecided > 0 {
			d.doubtful = true
			if d.known.TimeoutNS < int64(timeout) {
				d.anew()
			}
		}
		d.chosen = slices.DeleteFunc(d.chosen, func(i int) bool { return d.known != nil && d.known.Has(d.positions[i]) })
		if len(d.chosen) > 0 || d.doubtful {
			p.todo[d.problem] = append(p.todo[d.problem], d)
		}
	}
	for _, list := range p.todo {
		slices.SortStableFunc(list, func(a, b *document) int {
			return cmp.Compare(drawn(p.file.Overview.Seed, a.id, 0), drawn(p.file.Overview.Seed, b.id, 0))
		})
	}
}

// anew has a document judged again, at all positions that were judged before as well.
func (d *document) anew() {
	for i, position := range d.positions {
		if d.known.Has(position) {
			d.chosen = append(d.chosen, i)
		}
	}
	slices.Sort(d.chosen)
	d.chosen = slices.Compact(d.chosen)
	d.known, d.doubtful = nil, false
}

// askedBy are the documents that are left for a judge. A document with positions that another judge
// left undecided is judged again.
func askedBy(judge string, documents []*document) []*document {
	for _, d := range documents {
		if d.doubtful && d.known.Judge != judge {
			d.anew()
		}
	}
	return slices.DeleteFunc(documents, func(d *document) bool { return len(d.chosen) == 0 })
}

// left counts the problems that are not judged yet.
func (p *pair) left() int { return len(p.todo) }

// close ends the processes of the pair.
func (p *pair) close() {
	if p.file != nil {
		p.file.Close() // every line was written
	}
	p.kept.Close() // an engine that does not end well has ended
	p.referenceKept.Close()
}

// differing compares the hashes of two cells, sample by sample.
func differing(store *cell.Store, reference, record *cell.Record) (list []*document, o judged.Overview, err error) {
	theirs := map[int]cell.Trace{}
	for t, err := range store.Traces(reference) {
		if err != nil {
			return nil, o, err
		}
		if answered(&reference.Samples[t.Sample]) {
			theirs[t.Sample] = cell.Trace{Positions: t.Positions, Hashes: t.Hashes}
		}
	}
	schemas := map[int]bool{}
	for t, err := range store.Traces(record) {
		if err != nil {
			return nil, o, err
		}
		s := &record.Samples[t.Sample]
		other, ok := theirs[t.Sample]
		if !ok || !answered(s) {
			continue
		}
		d := &document{sample: t.Sample, problem: s.Problem, id: s.ID}
		both := d.compare(&t, &other)
		o.Documents++
		o.Compared += both
		o.Behind += len(t.Hashes) + len(other.Hashes) - 2*both
		if len(d.positions) > 0 {
			o.Differ += len(d.positions)
			o.DocumentsDiffer++
			schemas[d.problem] = true
			list = append(list, d)
		}
	}
	o.Unanswered, o.SchemasDiffer = len(record.Samples)-o.Documents, len(schemas)
	return list, o, nil
}

// compare finds the positions at which the hashes of two walks differ, and counts the positions
// that both have.
func (d *document) compare(t, other *cell.Trace) (both int) {
	for i, j := 0, 0; i < len(t.Hashes) && j < len(other.Hashes); {
		switch mine, its := t.Positions[i], other.Positions[j]; {
		case mine < its:
			i++
		case mine > its:
			j++
		default:
			both++
			if t.Hashes[i] != other.Hashes[j] {
				d.positions = append(d.positions, mine)
				d.hashes = append(d.hashes, [2]uint64{other.Hashes[j], t.Hashes[i]})
			}
			i++
			j++
		}
	}
	return both
}

// drawn is the lot of a position; the positions with the lowest lots are judged. A lot depends on
// nothing else. So the positions of a small limit are among those of a large limit, and all engines
// are judged at the same positions where all of them differ.
func drawn(seed uint64, document string, position uint32) uint64 {
	text := fmt.Sprintf("%d %d %s", seed, position, document)
	sum := sha256.Sum256([]byte(text))
	return binary.LittleEndian.Uint64(sum[:])
}

// choose picks the positions to judge: all, or those with the lowest lots up to limit.
func choose(documents []*document, limit int, seed uint64) {
	type one struct {
		document *document
		position int
		lot      uint64
	}
	var all []one
	for _, d := range documents {
		for i, position := range d.positions {
			all = append(all, one{d, i, drawn(seed, d.id, position)})
		}
	}
	if limit > 0 && len(all) > limit {
		slices.SortStableFunc(all, func(a, b one) int { return cmp.Compare(a.lot, b.lot) })
		all = all[:limit]
	}
	for _, o := range all {
		o.document.chosen = append(o.document.chosen, o.position)
	}
	for _, d := range documents {
		slices.Sort(d.chosen)
	}
}

// inOrder are the problems in an order drawn by the seed.
func inOrder(seed uint64, problems int) []int {
	list := make([]int, problems)
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(drawn(seed, "", uint32(a)), drawn(seed, "", uint32(b)))
	})
	return list
}
