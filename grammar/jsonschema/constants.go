package jsonschema

import (
	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/internal/constants"
)

// Prepare makes the automata and tables that are the same for all schemas, in this package, those
// below it and package automata: a few milliseconds of work, which is done once in a process.
// Without it, the first schema that needs one of them makes it. A program that measures calls it
// first.
func Prepare() {
	automata.Prepare()
	dfa.Constants.Prepare()
}

// The patterns of what grammars have around their strings and numbers.
const (
	spacedComma = ", ?"
	spacedColon = ": ?"
	whiteSpace  = `[ \t\n\r]+`
)

// texts has the expressions of fixed texts and of separators, by text and pattern.
var texts = constants.Of(&dfa.Constants, func() map[string]*automata.Expr {
	all := map[string]*automata.Expr{}
	for _, pattern := range []string{spacedComma, spacedColon, whiteSpace} {
		all[pattern] = automata.FromDFA(automata.MustCompile(pattern, automata.ASCII))
	}
	for _, text := range []string{"null", "false", "true", "[", "]", "{", "}", ",", ":"} {
		d, err := automata.Compile(automata.Literal(text, 0), dfa.Limits)
		if err != nil {
			panic(err) // a state for each byte
		}
		all[text] = automata.FromDFA(d)
	}
	return all
})
