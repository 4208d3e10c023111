package reports

import (
	"fmt"
	"slices"
	"strings"

	"gcdbench/algorithms"
)

// How much wider than the contract's the masks of an algorithm with a language of its own are: it
// leaves a part of the question to Commit, so its times are to be read beside this.

// Wider compares the masks of a cell with those of the contract, at the positions of the positives
// that both ended well.
type Wider struct {
	// Reference is the key of the cell of the contract.
	Reference string `json:"reference"`
	// Positions is how many masks were compared, Differ how many of them are not the contract's.
	Positions int `json:"positions"`
	Differ    int `json:"positions_that_differ"`
	// Allowed and ContractAllowed are the tokens that the masks of each allow, per position.
	Allowed         float64 `json:"allowed_mean"`
	ContractAllowed float64 `json:"contract_allowed_mean"`
}

// widened reports whether a cell is of an algorithm of ours with a language of its own.
func (c *Cell) widened() bool { return c.Semantics != algorithms.SemanticsContract && !c.outside() }

// precision compares the cells of a group that have a language of their own with one of the
// contract.
func (g *Group) precision() {
	i := slices.IndexFunc(g.Cells, func(c *Cell) bool { return c.Semantics == algorithms.SemanticsContract && len(c.steps) > 0 })
	if i < 0 {
		return
	}
	for _, c := range g.Cells {
		if c.widened() {
			c.Wider = wider(c, g.Cells[i])
		}
	}
}

// wider compares the masks of a cell with those of the contract; nil if nothing can be compared.
func wider(c, contract *Cell) *Wider {
	w := &Wider{Reference: contract.Key}
	right := map[int]*steps{}
	for i := range contract.steps {
		right[contract.steps[i].sample] = &contract.steps[i]
	}
	allowed, rightly := 0, 0
	for i := range c.steps {
		st := &c.steps[i]
		ref := right[st.sample]
		mine, theirs := c.record.Samples[st.sample].Allowed, contract.record.Samples[st.sample].Allowed
		if ref == nil || len(ref.hashes) != len(st.hashes) || mine == 0 || theirs == 0 {
			continue
		}
		allowed, rightly = allowed+mine, rightly+theirs
		for k, hash := range st.hashes {
			w.Positions++
			if hash != ref.hashes[k] {
				w.Differ++
			}
		}
	}
	if w.Positions == 0 {
		return nil
	}
	w.Allowed, w.ContractAllowed = float64(allowed)/float64(w.Positions), float64(rightly)/float64(w.Positions)
	return w
}

// widerNote says in a footnote how wide the masks of a cell are; "" if they were not compared.
func (c *Cell) widerNote() string {
	if w := c.Wider; w != nil {
		return fmt.Sprintf("masks are not the contract's at %s of %s, with %s tokens too many per mask", count(w.Differ), plural(w.Positions, "position"), significant(w.Allowed-w.ContractAllowed))
	}
	return ""
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

// widerTable has the cells with masks that are wider than the contract's; nil if there are none.
func (s *Set) widerTable() *Table {
	names, fill := s.columns()
	t := &Table{ID: "wider", Title: "Masks that are wider than the contract's",
		Columns: append(names, Column{"masks", true}, Column{"not the contract's", true}, Column{"share", true},
			Column{"allowed", true}, Column{"by the contract", true}, Column{"too many", true}, Column{"too many where they differ", true}),
		Caption: "These algorithms allow tokens that Commit then refuses, so that a sampler draws again: a time of theirs buys less than one of an exact mask. " +
			"Masks are compared at all positions of the positives that both ended well. Tokens are means per position; too many: those that the contract does not allow."}
	for _, c := range s.Cells {
		w := c.Wider
		if w == nil {
			continue
		}
		where := none
		if w.Differ > 0 {
			where = significant((w.Allowed - w.ContractAllowed) * float64(w.Positions) / float64(w.Differ))
		}
		t.Rows = append(t.Rows, append(fill(c), Text{Body: count(w.Positions)}, Text{Body: count(w.Differ)}, Text{Body: percent(float64(w.Differ) / float64(w.Positions))},
			Text{Body: significant(w.Allowed)}, Text{Body: significant(w.ContractAllowed)}, Text{Body: significant(w.Allowed - w.ContractAllowed)}, Text{Body: where}))
	}
	return t.orNil()
}
