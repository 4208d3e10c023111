package spanner_test

import (
	"testing"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar/lexer"
)

// TestAhead compares the trees and the strings of a Spanner that built ahead with those of one that
// did not.
func TestAhead(t *testing.T) {
	v := realtext.Vocabulary(t, "a", "ab", `"`, `":`, `":"`, `"]`, `",`, `"ab":`, ":", ",", "[", "]", "{", "}", `{"`, `,"`, "12", "1", "123", "7", ".", "3.5", `ab":`, `b"`)
	for _, prune := range []bool{false, true} {
		r := compile(t, stringGrammar, true)
		ahead, plain := spanner.New(r, v, spanner.Options{Prune: prune}), spanner.New(r, v, spanner.Options{Prune: prune})
		buildAhead(ahead)
		plain.Strings() // Root is for those who have asked
		nodes := ahead.NumNodes()
		if nodes == 0 {
			t.Error("nothing was built ahead")
		}
		if buildAhead(ahead); ahead.NumNodes() != nodes {
			t.Error("building ahead twice built more")
		}
		for _, text := range []string{"", "[", "{", ":", ",", "1", "12", "12.", "12.5", `"ab"`} {
			q := r.Lexer.Start()
			for _, b := range []byte(text) {
				q = r.Lexer.Next(q, b)
			}
			compareReadings(t, text, ahead, ahead.Shared(q), plain, plain.Shared(q), v.Len())
		}
		for _, q := range after(r.Lexer) {
			parts := r.Lexer.(*lexer.OnDemand).Parts(nil, q)
			compareReadings(t, "a string", ahead, ahead.Root(parts), plain, plain.Root(parts), v.Len())
		}
	}
	r := compile(t, stringGrammar, true)
	s := spanner.New(r, v, spanner.Options{NoSlices: true})
	if buildAhead(s); s.NumNodes() != 0 {
		t.Error("without slices something was built")
	}
}

// buildAhead builds all pieces.
func buildAhead(s *spanner.Spanner) {
	for _, build := range s.Ahead(true) {
		build()
	}
}

// compareReadings checks that two nodes say the same about each token.
func compareReadings(t *testing.T, at string, s *spanner.Spanner, node spanner.NodeID, o *spanner.Spanner, other spanner.NodeID, n int) {
	t.Helper()
	got, want := map[int32]quotedReading{}, map[int32]quotedReading{}
	listQuoted(t, s, node, nil, got)
	listQuoted(t, o, other, nil, want)
	for id := range int32(n) {
		g, ok := got[id]
		w, there := want[id]
		if ok != there || g.reach != w.reach || len(g.emitted) != len(w.emitted) {
			t.Errorf("after %q, token %d: %v (%v), want %v (%v)", at, id, g, ok, w, there)
		}
	}
}
