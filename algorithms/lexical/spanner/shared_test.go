package spanner_test

import (
	"slices"
	"testing"

	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/seed"
)

// A reached is what a tree says about a token: its sequence and reach.
type reached struct {
	seq   []spanner.Symbol
	reach lexer.ReachID
}

// treeOf lists what the tree of a lexer state says, by token.
func treeOf(s *spanner.Spanner, q lexer.State) map[int32]reached {
	all := map[int32]reached{}
	t := s.Tree(q)
	for i, l := range t.Leaves {
		for _, id := range s.AppendTokens(nil, t, int32(i)) {
			all[id] = reached{t.Sequence(nil, l.Node), l.Reach}
		}
	}
	return all
}

// sharedOf lists what the shared graph says below a node.
func sharedOf(t *testing.T, s *spanner.Spanner, node spanner.NodeID, seq []spanner.Symbol, all map[int32]reached) {
	t.Helper()
	n := s.Node(node)
	for _, l := range n.Leaves {
		for _, id := range s.AppendLeaf(nil, l.ID) {
			if _, twice := all[id]; twice {
				t.Errorf("token %d is in two groups", id)
			}
			all[id] = reached{slices.Clone(seq), l.Reach}
		}
	}
	for _, k := range n.Kids {
		if k.Node >= node {
			t.Errorf("node %d has the child %d", node, k.Node)
		}
		sharedOf(t, s, k.Node, append(seq, k.Symbol), all)
	}
}

// TestShared compares the shared graph with the trees, for all lexer states of random grammars, and
// counts what sharing saves.
func TestShared(t *testing.T) {
	nodes, shared := 0, 0
	for seed := range seed.Each(t, 200) {
		spec := conformance.Random(seed)
		r := realtext.Recognizer(t, spec.Grammar, spec.OnDemand)
		if r == nil || r.Grammar.Split != nil { // whose copies of a terminal have one name
			continue
		}
		s := spanner.New(r, realtext.Vocabulary(t, spec.Vocabulary...), spanner.Options{Prune: seed%2 == 0})
		for q := lexer.State(0); int(q) < r.Lexer.NumStates() && q < 200; q++ {
			want, got := treeOf(s, q), map[int32]reached{}
			sharedOf(t, s, s.Shared(q), nil, got)
			if len(want) != len(got) {
				t.Errorf("state %d: the graph has %d tokens, the tree %d", q, len(got), len(want))
			}
			for id, w := range want {
				if x := got[id]; !slices.Equal(x.seq, w.seq) || x.reach != w.reach {
					t.Errorf("state %d, token %d: the graph says %v, the tree %v", q, id, x, w)
				}
			}
			//lint:ignore SA4000 the same root, asked for twice
			if s.Shared(q) != s.Shared(q) {
				t.Errorf("state %d: two roots", q)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, spec.Grammar)
		}
		nodes, shared = nodes+s.Stats().Nodes, shared+s.NumNodes()
	}
	if shared >= nodes {
		t.Errorf("%d nodes of trees, %d shared", nodes, shared)
	}
	t.Logf("%d nodes of trees are %d shared ones", nodes, shared)
}
