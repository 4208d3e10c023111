package jsonschema

import (
	"gcdbench/automata"
	"gcdbench/internal/constants"
)

// fixed has the automata that are the same for all schemas.
var fixed constants.Set

// Prepare makes the automata and tables that are the same for all schemas, here and in package
// automata, which are made once in a process: a few milliseconds of work. Without it, the first
// schema that needs one of them makes it. A program that measures calls it first.
func Prepare() {
	automata.Prepare()
	fixed.Prepare()
}

// encodedText is the automaton of all JSON strings.
var encodedText = constants.Of(&fixed, func() *automata.DFA {
	d, err := encodeStrings(automata.AnyText(), automatonLimits)
	if err != nil {
		panic(err) // it has some twenty states
	}
	return d
})

// numberPatterns has the automata of numbers that nothing is asked of, by pattern.
var numberPatterns = constants.Of(&fixed, func() map[string]*automata.DFA {
	all := map[string]*automata.DFA{}
	for _, p := range []string{anyNumber, wholeNumber, spelledNumber, fewSpelledNumber} {
		all[p] = automata.MustCompile(p, automata.ASCII)
	}
	return all
})

// The patterns of what grammars have around their strings and numbers.
const (
	spacedComma = ", ?"
	spacedColon = ": ?"
	whiteSpace  = `[ \t\n\r]+`
)

// texts has the expressions of fixed texts and of separators, by text and pattern.
var texts = constants.Of(&fixed, func() map[string]*automata.Expr {
	all := map[string]*automata.Expr{}
	for _, pattern := range []string{spacedComma, spacedColon, whiteSpace} {
		all[pattern] = automata.FromDFA(automata.MustCompile(pattern, automata.ASCII))
	}
	for _, text := range []string{"null", "false", "true", "[", "]", "{", "}", ",", ":"} {
		d, err := automata.Compile(automata.Literal(text, 0), automatonLimits)
		if err != nil {
			panic(err) // a state for each byte
		}
		all[text] = automata.FromDFA(d)
	}
	return all
})
