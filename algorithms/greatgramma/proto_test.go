package greatgramma

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"
	"hash/maphash"

	"gcdbench/grammar"
	"gcdbench/grammars"
	"gcdbench/lexer"
	"gcdbench/recognizer"
	"gcdbench/tokenizers"
)

func TestProto(t *testing.T) {
	lang := os.Getenv("L")
	g, err := grammars.Load(lang)
	if err != nil { t.Fatal(err) }
	rec, err := recognizer.New(context.Background(), g, recognizer.Options{})
	if err != nil { t.Fatal(err) }
	tok, err := tokenizers.Load(context.Background(), os.Getenv("V"), tokenizers.Options{Offline: true})
	if err != nil { t.Fatal(err) }
	trie := tok.Vocabulary().Trie()
	dfa := rec.Lexer.(*lexer.DFA)
	for round := 0; round < 2; round++ {
	t0 := time.Now()
	free := newStackFree(rec.Tables)
	t.Logf("stackfree %v sets %d", time.Since(t0), len(free.sets))
	m := &symbolic{tables: rec.Tables, free: free, under: newUncover(rec.Tables)}
	m.anyTop = free.all()
	for s := range dfa.NumSets() {
		sy := symbol{}
		for _, x := range dfa.Members(lexer.Set(s)) {
			if g.Terminals[x].Ignored { sy.ignored = true } else { sy.parsed = append(sy.parsed, x) }
		}
		if rec.Layout != nil && len(sy.parsed) > 0 && sy.parsed[0] == rec.Layout.Newline() { sy.newline = true }
		m.symbols = append(m.symbols, sy)
	}
	if rec.Layout != nil { m.line = layoutTerminals{true, rec.Layout.Newline(), rec.Layout.Indent(), rec.Layout.Dedent()} }
	for r := range dfa.NumReaches() {
		rs := dfa.ReachSet(lexer.ReachID(r))
		m.reaches = append(m.reaches, reach{parser: rs.Parser, ignored: rs.Ignored, newline: rec.Layout != nil && rs.Has(rec.Layout.Newline())})
	}
	_ = grammar.Terminal(0)
	t0 = time.Now()
	w := &walker{m: m, dfa: dfa, trie: trie, prune: os.Getenv("P") != ""}
	roots := make([]*sequences, dfa.NumStates())
	groups, entries, tokens := 0, 0, 0
	lists := map[uint64]int{}
	seed := maphash.MakeSeed()
	for q := range roots {
		roots[q] = w.walk(lexer.State(q))
		groups += len(roots[q].groups); entries += len(roots[q].entries)
		for _, l := range roots[q].groups { tokens += len(l) }
	}
	t.Logf("walk %v: q %d groups %d entries %d tokens %d visited %d", time.Since(t0), len(roots), groups, entries, tokens, w.visited)
	distinctTokens := 0
	big := 0
	for q := range roots { for _, l := range roots[q].groups {
		var h maphash.Hash; h.SetSeed(seed)
		for _, x := range l { maphash.WriteComparable(&h, x) }
		if lists[h.Sum64()] == 0 { distinctTokens += len(l); if len(l) > 500 {big++} }
		lists[h.Sum64()]++
	}}
	t.Logf("distinct lists %d with %d tokens; %d big", len(lists), distinctTokens, big)
	t0 = time.Now()
	topsList := tops(rec.Tables)
	type key struct{ q int; h string }
	always_ := map[key]int{}; ctx_ := map[key]int{}
	content := map[string]int{}
	rows, nonempty, visited := 0, 0, 0
	ctxEntries := 0
	alwaysTokens := 0
	maxcfg := 0
	totcfg := 0
	var cfg [256]config
	for _, p := range topsList {
		root := m.start(p)
		for q, s := range roots {
			if m.judge(root, dfa.Reach(lexer.State(q))) == never && q != 0 { continue }
			rows++
			a := make([]byte, (len(s.entries)+7)/8)
			c := make([]byte, (len(s.entries)+7)/8)
			cfg[0] = root
			na, nc := 0, 0
			for i := 0; i < len(s.entries); {
				visited++
				e := s.entries[i]
				d := s.depths[i]
				if e.what < 0 {
					switch m.judge(cfg[d], lexer.ReachID(^e.what)) {
					case always: a[i>>3] |= 1 << (i & 7); na++; alwaysTokens += len(s.groups[e.link])
					case contextual: c[i>>3] |= 1 << (i & 7); nc++
					}
					i++
					continue
				}
				to := m.step(cfg[d], e.what)
				if to == dead { i += int(e.link); continue }
				cfg[d+1] = to
				i++
			}
			always_[key{q, string(a)}] += na
			ctx_[key{q, string(c)}] += nc
			if nc > 0 { nonempty++ }
			ctxEntries += nc
		}
		maxcfg = max(maxcfg, len(m.configs))
		totcfg += len(m.configs)
	}
	_ = content
	t.Logf("rows %v: tops %d rows %d visited %d distinct A %d D %d (nonempty %d, mean %f) always tokens %d maxcfg %d tot %d", time.Since(t0), len(topsList), rows, visited, len(always_), len(ctx_), nonempty, float64(ctxEntries)/float64(rows), alwaysTokens/rows, maxcfg, totcfg)
	fmt.Println()
	}
}
