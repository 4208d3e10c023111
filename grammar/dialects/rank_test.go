package dialects

import (
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// A terminal without what those that outrank it match is what the lexer emits as it. For every
// state of the lexer, the shortest text that leads there is tried with every terminal.
func TestOutrankingIsTheLexersPriority(t *testing.T) {
	for _, name := range seed.Some(t, languages.Names(), 2, 1, 1) {
		g := must.Get(languages.Load(t.Context(), name))(t)
		bare := *g
		bare.Layout, bare.Modes = nil, nil
		s := sourceOf(t, &bare)
		lex := must.Get(lexer.Build(t.Context(), &bare, lexer.DefaultLimits))(t)
		above := make([][]grammar.Terminal, len(g.Terminals))
		for i := range above {
			if s.dfas[i] == nil {
				continue
			}
			above[i] = must.Get(s.outranking(grammar.Terminal(i)))(t)
		}
		for q, text := range shortestTexts(lex) {
			emitted := grammar.Terminal(-1)
			for _, end := range lex.Ends(lexer.State(q)) {
				emitted = lex.Members(end.Set)[0]
			}
			for i, d := range s.dfas {
				alone := d != nil && d.Match(text)
				for _, u := range above[i] {
					alone = alone && !s.dfas[u].Match(text)
				}
				if alone != (emitted == grammar.Terminal(i)) {
					t.Errorf("%s: %q is emitted as %s, but %s without those above it matches: %v", name, text,
						g.TerminalName(emitted), g.TerminalName(grammar.Terminal(i)), alone)
				}
			}
		}
	}
}

// shortestTexts has for each state a shortest text that leads to it.
func shortestTexts(lex lexer.Automaton) map[int][]byte {
	texts := map[int][]byte{int(lex.Start()): {}}
	for queue := []lexer.State{lex.Start()}; len(queue) > 0; queue = queue[1:] {
		for b := range 256 {
			to := lex.Next(queue[0], byte(b))
			if _, seen := texts[int(to)]; to != lexer.None && !seen {
				texts[int(to)] = append(append([]byte{}, texts[int(queue[0])]...), byte(b))
				queue = append(queue, to)
			}
		}
	}
	return texts
}

// With all matches emitted, nothing outranks anything.
func TestNothingOutranksInModeAll(t *testing.T) {
	s := sourceOf(t, parse(t, "%lexer all\nstart: \"if\" A\nA: /[a-z]+/"))
	for i := range s.dfas {
		if list, err := s.outranking(grammar.Terminal(i)); err != nil || len(list) > 0 {
			t.Errorf("%v and %v", list, err)
		}
	}
}
