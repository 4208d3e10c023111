package lark

// foreign is what other readers of Lark's language have beyond it, with whose it is and what to do.
// docs/lark.md has the table.
var foreign = map[string][2]string{
	"%grammar_options": {"XGrammar's", "leave it out; ignored text may stand before the first terminal anyway"},
	"%llguidance":      {"llguidance's", "leave it out; %lexer contextual reads terminals where they may stand"},
	"%regex":           {"llguidance's", "write a regular expression"},
	"&":                {"llguidance's and XGrammar's", "write one regular expression; a lookahead says what it may not begin with, as in /(?!if\\b)[a-z]+/"},
	"~":                {"llguidance's and XGrammar's", "write one regular expression; a class such as [^a] is the complement of one character"},
}
