package psc

import (
	"os"
	"testing"
	"time"
	"strings"
	"fmt"

	"gcdbench/algorithms"
	"gcdbench/conformance/realtext"
	"gcdbench/lexical/spanner"
	"gcdbench/lexer"
)

// roots and start signatures per language; no building
func TestScratchRoots(t *testing.T) {
	langs := os.Getenv("ROOTS")
	if langs == "" { t.Skip() }
	for _, lang := range strings.Split(langs, ",") {
		c := realtext.Need(t, lang, "llama3", 1)
		p := c.Problem
		t.Logf("%s: lexer states %d, LR states %d, det %v, terminals %d, layout %v", lang, p.Lexer.NumStates(), p.Tables.NumStates(), p.Tables.Deterministic(), p.Tables.NumTerminals(), p.Layout != nil)
		t0 := time.Now()
		e := compile(t, p, nil)
		co := e.core.Load()
		roots := map[spanner.NodeID]bool{}
		sigs := map[string]bool{}
		shapes := map[string]bool{}
		tops, pend, pendSig := 0, 0, map[string]bool{}
		for x := range int32(p.Tables.NumStates()) { if co.canTop(x) { tops++ } }
		leaves := map[int]int{}
		for q := lexer.State(0); int(q) < p.Lexer.NumStates(); q++ {
			r := co.auto.spans.Shared(q)
			roots[r] = true
			sig := fmt.Sprint(r, p.Lexer.Begins(q), p.Lexer.Ends(q))
			sigs[sig] = true
			n := co.auto.spans.Node(r)
			sh := fmt.Sprint(n.Kids, p.Lexer.Begins(q), p.Lexer.Ends(q))
			for _, l := range n.Leaves { sh += fmt.Sprint(" ", l.Reach) }
			shapes[sh] = true
			leaves[len(n.Leaves)]++
			for x := range int32(p.Tables.NumStates()) { if co.canTop(x) && co.canPend(q, x) { pend++; pendSig[fmt.Sprint(sh, x)] = true } }
		}
		t.Logf("tops %d, roots %d, sigs %d, shapes %d, pend pairs %d, by shape %d, in %v; leaf counts %v, bytes %d MB", tops, len(roots), len(sigs), len(shapes), pend, len(pendSig), time.Since(t0), leaves, co.bytes()>>20)
		// sparse words of leaves
		words := 0
		ids := 0
		dense := 0
		buf := make([]uint64, algorithms.MaskWords(p.Vocabulary.Len()))
		for l := range co.auto.spans.NumLeaves() {
			list := co.auto.spans.AppendLeaf(nil, spanner.LeafID(l))
			ids += len(list)
			clear(buf)
			n := 0
			for _, id := range list { if buf[id>>6] == 0 { n++ }; buf[id>>6] |= 1<<(id&63) }
			words += n
			if n > 500 { dense++ }
		}
		t.Logf("leaves %d, ids %d, words %d, dense %d", co.auto.spans.NumLeaves(), ids, words, dense)
	}
}
