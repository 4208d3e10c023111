package psc

import (
	"cmp"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/grammar/lexer"
)

// Where a budget does not last for all lexer states, those come first that documents are in most.
// No document is known beforehand, but the vocabulary tells: a document is often in states that
// texts of random tokens come to (inside of comments and strings), in those that most tokens end in
// (names and their first letters), and where an operator or keyword is complete. Prefixes of
// keywords, which are most of the states, are met seldom.

// likely lists the lexer states, likely ones first, or none if it is not known which there are.
// Three orders take turns.
func likely(p *algorithms.Problem) []lexer.State {
	if _, onDemand := p.Lexer.(*lexer.OnDemand); onDemand {
		return nil // its states are made as they are asked for
	}
	visits, tokens, all := wander(p), tokensFrom(p, p.Lexer.Start(), 1), make([]lexer.State, p.Lexer.NumStates())
	for i := range all {
		all[i] = lexer.State(i)
	}
	by := func(weight []float64) []lexer.State {
		list := slices.Clone(all)
		slices.SortStableFunc(list, func(a, b lexer.State) int { return cmp.Compare(weight[b], weight[a]) })
		return list
	}
	orders := [][]lexer.State{by(visits), by(tokens), firstOfKinds(p, by(tokens))}
	states, seen := make([]lexer.State, 0, len(all)), make([]bool, len(all))
	for i := range all {
		for _, order := range orders {
			if i < len(order) && !seen[order[i]] {
				seen[order[i]] = true
				states = append(states, order[i])
			}
		}
	}
	return states
}

// firstOfKinds are those states of a list where a lexeme may end, the first for each that it is
// emitted as.
func firstOfKinds(p *algorithms.Problem, list []lexer.State) []lexer.State {
	kinds := map[lexer.Set]bool{}
	return slices.DeleteFunc(list, func(q lexer.State) bool {
		ends := p.Lexer.Ends(q)
		if len(ends) == 0 || kinds[ends[0].Set] {
			return true
		}
		kinds[ends[0].Set] = true
		return false
	})
}

// tokensFrom counts the tokens, one in every, that end in each lexer state when they are read in
// state q.
func tokensFrom(p *algorithms.Problem, q lexer.State, every int) []float64 {
	counts := make([]float64, p.Lexer.NumStates())
	for id := 0; id < p.Vocabulary.Len(); id += every {
		if to := readBytes(p.Lexer, q, p.Vocabulary.Token(id)); to != lexer.None {
			counts[to]++
		}
	}
	return counts
}

// readBytes is a lexer state after some bytes, None if they cannot be read.
func readBytes(lex lexer.Automaton, q lexer.State, text []byte) lexer.State {
	for _, b := range text {
		next := lex.Next(q, b)
		for _, end := range lex.Ends(q) {
			if next != lexer.None {
				break
			}
			next = lex.Next(end.Start, b)
		}
		if q = next; q == lexer.None {
			break
		}
	}
	return q
}

// wanderSteps is the length of the texts of random tokens, and of the vocabulary one token in
// wanderEvery is among them.
const (
	wanderSteps = 16
	wanderEvery = 16
)

// wander is how often texts of random tokens are in each lexer state, on the average.
func wander(p *algorithms.Problem) (visits []float64) {
	n := p.Lexer.NumStates()
	visits, rows := make([]float64, n), make([][]float64, n)
	at, next := make([]float64, n), make([]float64, n)
	at[p.Lexer.Start()] = 1
	for range wanderSteps {
		clear(next)
		for q, share := range at {
			if share == 0 {
				continue
			}
			visits[q] += share
			if rows[q] == nil {
				rows[q] = shares(tokensFrom(p, lexer.State(q), wanderEvery))
			}
			for to, part := range rows[q] {
				next[to] += share * part
			}
		}
		at, next = next, at
	}
	return visits
}

// shares divides a list by its sum, if that is not 0.
func shares(list []float64) []float64 {
	all := 0.0
	for _, n := range list {
		all += n
	}
	for i := range list {
		list[i] /= max(all, 1)
	}
	return list
}
