package koo

import "encoding/binary"

// Minimize is the smallest automaton with the same language, its states numbered in the order in
// which a search from the start meets them, edges by token. Composition leaves states apart that
// differ for characters only: after /foo/ in /(foo)+d/ a "d" may follow, which no token of figure 4
// begins with, so for tokens that is the start state again (figure 5 has one state for both). It
// refines a partition until it is stable (E. F. Moore 1956), in at most as many rounds as states.
func (a *TokenFSA) Minimize() *TokenFSA {
	if len(a.Accepting) == 0 {
		return &TokenFSA{}
	}
	block := make([]int32, len(a.Accepting))
	blocks := 1
	for {
		number := map[string]int32{}
		next := make([]int32, len(block))
		for s := range block {
			key := a.signature(s, block)
			id, ok := number[key]
			if !ok {
				id = int32(len(number))
				number[key] = id
			}
			next[s] = id
		}
		block = next
		if len(number) == blocks {
			return a.quotient(block)
		}
		blocks = len(number)
	}
}

// signature is what a state shows of itself: its block, whether it accepts, and to which blocks its
// edges lead.
func (a *TokenFSA) signature(s int, block []int32) string {
	key := binary.AppendUvarint(nil, uint64(block[s]))
	if a.Accepting[s] {
		key = append(key, 1)
	} else {
		key = append(key, 0)
	}
	for _, e := range a.Edges[s] {
		key = binary.AppendUvarint(key, uint64(e.Token))
		key = binary.AppendUvarint(key, uint64(block[e.To]))
	}
	return string(key)
}

// quotient makes one state of each block that can be reached.
func (a *TokenFSA) quotient(block []int32) *TokenFSA {
	out := &TokenFSA{}
	number := map[int32]int32{block[0]: 0}
	order := []int32{0} // a state of each new block
	for i := 0; i < len(order); i++ {
		var edges []TokenEdge
		for _, e := range a.Edges[order[i]] {
			id, ok := number[block[e.To]]
			if !ok {
				id = int32(len(order))
				number[block[e.To]] = id
				order = append(order, e.To)
			}
			edges = append(edges, TokenEdge{e.Token, id})
		}
		out.Edges = append(out.Edges, edges)
		out.Accepting = append(out.Accepting, a.Accepting[order[i]])
	}
	return out
}
