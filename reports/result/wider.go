package result

import (
	"slices"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// How far the masks of an engine are from the contract's. An algorithm with a language of its
// own may allow too much, which Commit refuses, an engine from outside may follow another
// convention or have a bug. Its times are to be read beside this, and its rows come after the
// others.

// Wider compares the masks of a cell with those of a cell of the contract, at the positions of all
// documents that both were asked at.
type Wider struct {
	// Reference is the key of the cell of the contract.
	Reference string `json:"reference"`
	// Positions is how many masks were compared, Differ how many of them are not the contract's.
	Positions int `json:"positions"`
	Differ    int `json:"positions_that_differ"`
	// Allowed and ContractAllowed are the tokens that the masks of each allow, per position, over the
	// Counted positions in documents of which both are known.
	Allowed         float64 `json:"allowed_mean"`
	ContractAllowed float64 `json:"contract_allowed_mean"`
	Counted         int     `json:"positions_counted"`
	// DifferCounted is the part of Differ in these documents.
	DifferCounted int `json:"-"`
}

// answers are the masks of a document: hashes[i] is that at positions[i].
type answers struct {
	positions []uint32
	hashes    []uint64
}

// masked are the positions that have a mask.
func (a answers) masked() []uint32 { return a.positions[:min(len(a.hashes), len(a.positions))] }

// masked counts the masks of a cell.
func (c *Cell) masked() (n int) {
	for _, a := range c.answers {
		n += len(a.hashes)
	}
	return n
}

// Widened reports whether a cell is of an algorithm of ours with a language of its own.
func (c *Cell) Widened() bool { return c.Semantics != algorithms.SemanticsContract && !c.FromOutside() }

// exact reports whether a cell's masks must be the contract's and none was wrong.
func (c *Cell) exact() bool {
	return c.Semantics == algorithms.SemanticsContract && c.Outcome != cell.WrongMask
}

// Differs reports whether some mask of a cell is not the contract's.
func (c *Cell) Differs() bool {
	return c.Outcome == cell.WrongMask || c.Wider != nil && c.Wider.Differ > 0
}

// precision compares the cells of a group whose masks need not be the contract's with the cell of
// the contract that has most masks.
func (g *Group) precision() {
	var contract *Cell
	for _, c := range g.Cells {
		if c.exact() && (contract == nil || c.masked() > contract.masked()) {
			contract = c
		}
	}
	if contract == nil {
		return
	}
	for _, c := range g.Cells {
		if !c.exact() {
			c.Wider = wider(c, contract)
		}
	}
}

// ranked are the cells of a group in the order of tables: those with masks that are not the
// contract's come last.
func (g *Group) ranked() []*Cell {
	cells := slices.Clone(g.Cells)
	slices.SortStableFunc(cells, func(a, b *Cell) int { return stats.FalseFirst(a.Differs(), b.Differs()) })
	return cells
}

// wider compares the masks of a cell with those of the contract; nil if nothing can be compared.
func wider(c, contract *Cell) *Wider {
	w := &Wider{Reference: contract.Key}
	allowed, rightly := 0, 0
	for sample, mine := range c.answers {
		theirs, ok := contract.answers[sample]
		x, y := &c.Record.Samples[sample], &contract.Record.Samples[min(sample, len(contract.Record.Samples)-1)]
		if !ok || x.ID != y.ID || x.Tokens != y.Tokens {
			continue
		}
		positions, differ := 0, 0
		EachCommon(mine.masked(), theirs.masked(), func(i, j int) {
			positions++
			differ += stats.Truth(mine.hashes[i] != theirs.hashes[j])
		})
		w.Positions, w.Differ = w.Positions+positions, w.Differ+differ
		if x.Allowed > 0 && y.Allowed > 0 && positions == len(mine.hashes) && positions == len(theirs.hashes) {
			allowed, rightly = allowed+x.Allowed, rightly+y.Allowed
			w.Counted, w.DifferCounted = w.Counted+positions, w.DifferCounted+differ
		}
	}
	if w.Positions == 0 {
		return nil
	}
	if w.Counted > 0 {
		w.Allowed, w.ContractAllowed = float64(allowed)/float64(w.Counted), float64(rightly)/float64(w.Counted)
	}
	return w
}
