package lexer

import (
	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// alternatives lists the pairs of terminals between which a parser has to decide: they are read in
// the same mode, some text matches both, and they lead to different modes. terminals are the
// automata of the terminals, nil for declared ones.
func alternatives(g *grammar.Grammar, terminals []*automata.DFA) [][2]grammar.Terminal {
	var list [][2]grammar.Terminal
	seen := map[[2]grammar.Terminal]bool{}
	if g.Split != nil {
		return nil // others than copies compete, and a state of the parser takes one copy at most
	}
	for i := range g.Modes {
		for k, a := range g.Modes[i].Terminals {
			for _, b := range g.Modes[i].Terminals[:k] {
				pair := [2]grammar.Terminal{b, a}
				if g.Terminals[a].Next != g.Terminals[b].Next && !seen[pair] {
					seen[pair] = true
					if meet(terminals[a], terminals[b]) {
						list = append(list, pair)
					}
				}
			}
		}
	}
	return list
}

// meet tells whether some text matches two automata.
func meet(a, b *automata.DFA) bool {
	if a == nil || b == nil || a.IsEmpty() || b.IsEmpty() {
		return false
	}
	type both struct{ a, b int32 }
	seen := map[both]bool{{a.Start(), b.Start()}: true}
	for todo := []both{{a.Start(), b.Start()}}; len(todo) > 0; {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if a.Accepting(x.a) && b.Accepting(x.b) {
			return true
		}
		for c := range 256 {
			next := both{a.Next(x.a, byte(c)), b.Next(x.b, byte(c))}
			if next.a != automata.Dead && next.b != automata.Dead && !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return false
}
