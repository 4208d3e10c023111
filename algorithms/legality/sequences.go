package legality

import (
	"context"
	"fmt"
	"time"

	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/intern"
)

// The realizable sequences of the analysis: what tokens emit from all lexer states, as one tree.

// A treeNode is a node of the tree of all sequences.
type treeNode struct {
	sym   int32
	kids  []int32
	ends  []ending
	below int // endings in the subtree
}

// An ending is a sequence: that of its node, and what may be pending after it.
type ending struct {
	terms int32 // -1: anything, as an ignored terminal may be
	class int32 // of sequences that differ in interchangeable terminals only
}

// collect gathers the sequences of all lexer states in one tree.
func (a *analysis) collect(ctx context.Context) error {
	began := time.Now()
	p := a.problem
	a.builder.spanner = spanner.New(p.Recognizer, p.Vocabulary, spanner.Options{Kept: p.Kept})
	a.nodes, a.kids = []treeNode{{}}, map[[2]int32]int32{}
	seen := map[[2]int32]bool{}
	for q := 0; q < p.Lexer.NumStates(); q++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.options.Progress("collecting sequences", q, p.Lexer.NumStates())
		p.Lexer.Row(lexer.State(q))
		a.addTree(a.builder.spanner.Tree(lexer.State(q)), seen)
		if a.seqs > a.options.MaxSequences {
			return fmt.Errorf("legality: grammar %s and vocabulary %s have more than %d terminal sequences, the limit of the analysis",
				p.Grammar.Name, p.Vocabulary.Name(), a.options.MaxSequences)
		}
	}
	if err := p.Err(); err != nil {
		return err
	}
	for i := len(a.nodes) - 1; i >= 0; i-- {
		n := &a.nodes[i]
		n.below += len(n.ends)
		for _, k := range n.kids {
			n.below += a.nodes[k].below
		}
	}
	a.classify()
	a.report.Sequences = a.seqs
	a.report.CollectNS = time.Since(began).Nanoseconds()
	return nil
}

// addTree adds the sequences of a lexer state. A sequence ends at a newline lexeme of a layout,
// as the run decides what the lexeme becomes.
func (a *analysis) addTree(t *spanner.Tree, seen map[[2]int32]bool) {
	at := make([]int32, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if i > 0 {
			switch parent := at[n.Parent]; {
			case parent < 0:
				at[i] = -1
				continue
			case a.builder.spanner.Newline(n.Symbol):
				at[i] = -1
				newline := a.problem.Tables.NewSet(a.problem.Layout.Newline())
				a.end(parent, a.machine.anyTerminal(newline), seen)
				continue
			default:
				at[i] = a.child(parent, a.builder.symbol(n.Symbol))
			}
		}
		for leaf := n.LeafLo; leaf < n.LeafHi; leaf++ {
			r := a.builder.reach(t.Leaves[leaf].Reach)
			if r.ignored {
				r.terms = -1
			}
			a.end(at[i], r.terms, seen)
		}
	}
}

func (a *analysis) child(parent, sym int32) int32 {
	key := [2]int32{parent, sym}
	id, ok := a.kids[key]
	if !ok {
		id = int32(len(a.nodes))
		a.nodes = append(a.nodes, treeNode{sym: sym})
		a.nodes[parent].kids = append(a.nodes[parent].kids, id)
		a.kids[key] = id
	}
	return id
}

func (a *analysis) end(node, terms int32, seen map[[2]int32]bool) {
	if key := [2]int32{node, terms}; !seen[key] {
		seen[key] = true
		a.nodes[node].ends = append(a.nodes[node].ends, ending{terms: terms})
		a.seqs++
	}
}

// classify numbers the sequences up to interchangeable terminals.
func (a *analysis) classify() {
	classes := newInterchange(a.problem.Recognizer, a.machine.hasLoops)
	a.report.Tables.Classes = classes.classes()
	type step struct{ under, sym int32 }
	var number intern.Keys[step]
	number.ID(step{-1, -1}) // 0 is the empty sequence
	at := make([]int32, len(a.nodes))
	for i := range a.nodes {
		n := &a.nodes[i]
		for k := range n.ends {
			terms := n.ends[k].terms
			if terms >= 0 {
				terms = a.machine.anyTerminal(classes.set(a.machine.terms.At(terms)))
			}
			n.ends[k].class, _ = number.ID(step{at[i], -2 - terms})
		}
		for _, k := range n.kids {
			sym := a.machine.symbols[a.nodes[k].sym]
			at[k], _ = number.ID(step{at[i], a.machine.symbol(classes.list(sym.parsed), sym.skip)})
		}
	}
	a.stamp = make([]int32, number.Len())
}
