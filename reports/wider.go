package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// How far the masks of an engine are from the contract's. An algorithm with a language of its
// own may leave a part of the question to Commit, an engine from outside may follow another
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
	// differ is the part of Differ in these documents.
	differ int
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

// widened reports whether a cell is of an algorithm of ours with a language of its own.
func (c *Cell) widened() bool { return c.Semantics != algorithms.SemanticsContract && !c.outside() }

// exact reports whether a cell's masks must be the contract's and none was wrong.
func (c *Cell) exact() bool {
	return c.Semantics == algorithms.SemanticsContract && c.Outcome != cell.WrongMask
}

// differs reports whether some mask of a cell is not the contract's.
func (c *Cell) differs() bool {
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
	slices.SortStableFunc(cells, func(a, b *Cell) int { return stats.FalseFirst(a.differs(), b.differs()) })
	return cells
}

// wider compares the masks of a cell with those of the contract; nil if nothing can be compared.
func wider(c, contract *Cell) *Wider {
	w := &Wider{Reference: contract.Key}
	allowed, rightly := 0, 0
	for sample, mine := range c.answers {
		theirs, ok := contract.answers[sample]
		x, y := &c.record.Samples[sample], &contract.record.Samples[min(sample, len(contract.record.Samples)-1)]
		if !ok || x.ID != y.ID || x.Tokens != y.Tokens {
			continue
		}
		positions, differ := 0, 0
		eachCommon(mine.masked(), theirs.masked(), func(i, j int) {
			positions++
			differ += truth(mine.hashes[i] != theirs.hashes[j])
		})
		w.Positions, w.Differ = w.Positions+positions, w.Differ+differ
		if x.Allowed > 0 && y.Allowed > 0 && positions == len(mine.hashes) && positions == len(theirs.hashes) {
			allowed, rightly = allowed+x.Allowed, rightly+y.Allowed
			w.Counted, w.differ = w.Counted+positions, w.differ+differ
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

// widerNote says in a footnote how far the masks of a cell are from the contract's; "" if they are
// the contract's or were not compared.
func (c *Cell) widerNote() string {
	w := c.Wider
	if w == nil || w.Differ == 0 {
		return ""
	}
	text := fmt.Sprintf("masks are not the contract's at %s of %s", count(w.Differ), plural(w.Positions, "position"))
	switch more := w.Allowed - w.ContractAllowed; {
	case w.Counted > 0 && more > 0:
		text += fmt.Sprintf(", with %s tokens too many per mask", significant(more))
	case w.Counted > 0 && more < 0:
		text += fmt.Sprintf(", with %s tokens too few per mask", significant(-more))
	}
	return text
}

// widerText is a sentence about the algorithms of ours with a language of their own, over all
// workloads; "" if there are none.
func (s *Set) widerText() string {
	var labels, parts []string
	for _, c := range s.Cells {
		if c.widened() && !slices.Contains(labels, c.Label) {
			labels = append(labels, c.Label)
		}
	}
	for _, label := range labels {
		differ, positions, refused, negatives := 0, 0, 0, 0
		for _, c := range s.Cells {
			if c.Label != label || !c.widened() {
				continue
			}
			refused, negatives = refused+c.NegativesPassed, negatives+c.Negatives
			if c.Wider != nil {
				differ, positions = differ+c.Wider.Differ, positions+c.Wider.Positions
			}
		}
		text := fmt.Sprintf("%s refuses %s of %s", label, count(refused), plural(negatives, "negative"))
		if positions > 0 {
			text += fmt.Sprintf(", and %s of its masks are not the contract's", percent(float64(differ)/float64(positions)))
		}
		parts = append(parts, text)
	}
	if parts == nil {
		return ""
	}
	return "Algorithms with wider masks than the contract's, which leave a part of the question to Commit: " + strings.Join(parts, "; ") + "."
}

// widerTable has the cells with masks that are not the contract's; nil if there are none.
func (s *Set) widerTable() *Table {
	counted := func(head string, of func(w *Wider) float64) figure[*Cell] {
		return figure[*Cell]{head: head, of: func(c *Cell) string {
			if c.Wider.Counted == 0 {
				return none
			}
			return numberOrNone(of(c.Wider), significant)
		}}
	}
	differing := where(func(c *Cell) bool { return c.Wider != nil && c.Wider.Differ > 0 })
	return each(s, titled("wider"), differing, []figure[*Cell]{
		{head: "share", of: func(c *Cell) string { return percent(share(c.Wider.Differ, c.Wider.Positions)) }},
		counted("allowed", func(w *Wider) float64 { return w.Allowed }),
		counted("by the contract", func(w *Wider) float64 { return w.ContractAllowed }),
		counted("too many", func(w *Wider) float64 { return w.Allowed - w.ContractAllowed }),
		counted("too many where they differ", func(w *Wider) float64 {
			if w.differ == 0 {
				return math.NaN()
			}
			return (w.Allowed - w.ContractAllowed) * float64(w.Counted) / float64(w.differ)
		}),
	}).orNil()
}

// apart is a sentence on the rows that come after the others; "" if there are none.
func (s *Set) apart() string {
	var parts []string
	for _, label := range s.labels() {
		if text := s.apartNote(label); text != "" {
			parts = append(parts, label+" ("+text+")")
		}
	}
	if parts == nil {
		return ""
	}
	return "Masks that are not the contract's, by algorithm, whose rows stand below the others: " + strings.Join(parts, "; ") + "."
}

// apartNote counts the differing masks of an algorithm over all of its cells; "" if there are none.
func (s *Set) apartNote(label string) string {
	differ, positions, uncounted := 0, 0, 0
	for _, c := range s.Cells {
		switch {
		case c.Label != label:
		case c.Wider != nil:
			differ, positions = differ+c.Wider.Differ, positions+c.Wider.Positions
		case c.differs():
			uncounted++
		}
	}
	switch {
	case differ > 0:
		return fmt.Sprintf("%s of %s", count(differ), plural(positions, "mask"))
	case uncounted > 0:
		return "a wrong mask on " + plural(uncounted, "workload")
	}
	return ""
}
