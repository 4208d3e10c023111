package jsonschema

import (
	"bytes"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/grammar/jsonschema/internal/format"
	"gcdbench/internal/constants"
)

// Prepare makes the automata and tables that are the same for all schemas, in this package, those
// below it and package automata: some 200 ms of work, which is done once in a process. Without it,
// the first schema that needs one of them makes it. A program that measures calls it first.
func Prepare() {
	automata.Prepare()
	dfa.Constants.Prepare()
}

// PrepareFor makes what Prepare leaves out, the formats of international names, if a schema names
// one: a second of work, once in a process. A program that measures calls it before each schema.
func PrepareFor(schema []byte) {
	if bytes.Contains(schema, []byte(`"idn-`)) {
		format.International.Prepare()
	}
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
