package gbnf

import (
	"strconv"
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/internal/special"
)

// space skips white space and comments.
func (p *parser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\r', '\n':
			p.at++
		case '#':
			if i := strings.IndexByte(p.text[p.at:], '\n'); i >= 0 {
				p.at += i
			} else {
				p.at = len(p.text)
			}
		default:
			return
		}
	}
}

// next takes a sign if it comes next.
func (p *parser) next(sign string) bool {
	if !strings.HasPrefix(p.text[p.at:], sign) {
		return false
	}
	p.at += len(sign)
	return true
}

// word reads a name; "" if there is none.
func (p *parser) word() string {
	from := p.at
	for p.at < len(p.text) && p.isName(p.text[p.at]) && !(p.at == from && (isDigit(p.text[p.at]) || p.text[p.at] == '.')) {
		p.at++
	}
	return p.text[from:p.at]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isName tells what a name is made of.
func (p *parser) isName(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '-' || c == '_' || c == '.' && p.xgrammar
}

// head reads a name, the options behind it, and ::=, or nothing if they do not come next.
func (p *parser) head() (name, more string) {
	from := p.at
	name = p.word()
	if p.xgrammar {
		more = options.FindString(p.text[p.at:])
		p.at += len(more)
	}
	if p.space(); name == "" || !p.next("::=") {
		p.at = from
		return "", ""
	}
	return name, more
}

// all reads the whole text.
func (p *parser) all() error {
	for p.space(); p.at < len(p.text); p.space() {
		at := p.at
		name, more := p.head()
		if name == "" {
			return p.errorf(at, "a rule is name ::= body, as in root ::= \"a\" | \"b\"; the name of a file in Lark's notation ends in .lark", "expected a rule, found %s", p.found())
		}
		r := p.rule(name, at)
		if r.defined {
			return p.errorf(at, "write its alternatives behind one, with |", "rule %s is defined twice", name)
		}
		r.defined, r.at, p.name = true, at, name
		if err := p.options(r, more); err != nil {
			return err
		}
		p.g.Nonterminals[r.id].Pos = p.position(at)
		if err := p.alternatives(r.id); err != nil {
			return err
		}
		if p.space(); p.at < len(p.text) && p.text[p.at] == ')' {
			return p.errorf(p.at, "", "this bracket closes none")
		}
	}
	return nil
}

// rule is the rule of a name.
func (p *parser) rule(name string, at int) *rule {
	r := p.rules[name]
	if r == nil {
		r = &rule{id: p.nonterminal(name, at), at: at}
		p.rules[name], p.order = r, append(p.order, name)
	}
	return r
}

func (p *parser) nonterminal(name string, at int) grammar.Nonterminal {
	p.g.Nonterminals = append(p.g.Nonterminals, grammar.NonterminalDef{Name: name, Pos: p.position(at)})
	return grammar.Nonterminal(len(p.g.Nonterminals) - 1)
}

// write adds a production.
func (p *parser) write(lhs grammar.Nonterminal, at int, rhs ...grammar.Symbol) error {
	if p.symbols += len(rhs) + 1; p.symbols > maxSymbols {
		return p.tooLarge(at)
	}
	p.g.Rules = append(p.g.Rules, grammar.Rule{LHS: lhs, RHS: rhs, Pos: p.position(at)})
	return nil
}

func (p *parser) tooLarge(at int) error {
	return p.errorf(at, "write counted repeats with smaller numbers", "the grammar is too large; the limit is %d symbols once counted repeats are written out", maxSymbols)
}

// alternatives reads the alternatives of a nonterminal.
func (p *parser) alternatives(of grammar.Nonterminal) error {
	for {
		p.space()
		at := p.at
		list, err := p.sequence()
		if err != nil {
			return err
		}
		if err := p.write(of, at, list...); err != nil {
			return err
		}
		if !p.next("|") {
			return nil
		}
	}
}

// sequence reads elements with their repeats up to a |, a closing bracket, or the next rule.
func (p *parser) sequence() (list []grammar.Symbol, err error) {
	for {
		p.space()
		from := p.at
		if p.at == len(p.text) || strings.IndexByte("|)", p.text[p.at]) >= 0 {
			return list, nil
		}
		if name, _ := p.head(); name != "" {
			p.at = from
			return list, nil
		}
		element, err := p.element()
		if err != nil {
			return nil, err
		}
		for {
			again, err := p.repeat(&element, from)
			if err != nil {
				return nil, err
			}
			if !again {
				break
			}
		}
		list = append(list, element...)
	}
}

// element reads a literal, a class, a name or a group.
func (p *parser) element() ([]grammar.Symbol, error) {
	at := p.at
	switch c := p.text[p.at]; {
	case c == '"':
		return p.literal()
	case c == '[':
		return p.class()
	case p.next("."):
		return p.any(at), nil
	case p.next("("):
		return p.group(at)
	case c == '<' || c == '!':
		return p.token(at)
	case c == '\'':
		return nil, p.errorf(at, "write the literal in double quotes", "expected an element, found a single quote")
	}
	name := p.word()
	switch p.space(); {
	case name == "":
		return nil, p.errorf(at, "an element is a literal, a class such as [a-z], a name, or a group in brackets", "expected an element, found %s", p.found())
	case p.at < len(p.text) && p.text[p.at] == '(' && macros[name].write != nil:
		return p.macro(name, at)
	}
	r := p.rule(name, at)
	r.named = r.named || name != p.name
	return []grammar.Symbol{grammar.N(r.id)}, nil
}

// token reads a token in angle brackets, or with ! in front any tokens but that one. A run of these
// is any text, since a token that is named is none. How many there are is a question of how a text
// is cut into tokens, which no language asks.
func (p *parser) token(at int) ([]grammar.Symbol, error) {
	if p.xgrammar {
		return nil, p.errorf(at, "write the text of the token as a literal", "a token in angle brackets is llama.cpp's alone")
	}
	others := p.next("!")
	end := strings.IndexAny(p.text[p.at:], ">\n")
	if !strings.HasPrefix(p.text[p.at:], "<") || end < 2 || p.text[p.at+end] != '>' {
		return nil, p.errorf(p.at, "a token is written <name> or <[id]>", "expected a token in angle brackets, found %s", p.found())
	}
	name := p.text[p.at : p.at+end+1]
	p.at += len(name)
	if name == "<[*]>" || strings.HasPrefix(name, "<[^") {
		return nil, p.errorf(at, "name the tokens that are meant, as in <[5,7-9]>; any text up to one is !<[5]>*", "%s names nearly all tokens, as Lark grammars of llguidance and XGrammar may", name)
	}
	named := p.special(name, at)
	if !others {
		return named, nil
	}
	p.space()
	if !strings.HasPrefix(p.text[p.at:], "*") && !strings.HasPrefix(p.text[p.at:], "+") {
		return nil, p.errorf(at, "write !"+name+"* for any text up to the token", "!%s is one token of any length, as llama.cpp allows it; a language is of texts, whatever their tokens are", name)
	}
	return p.any(at), nil
}

// special is the terminal of a token that is named.
func (p *parser) special(name string, at int) []grammar.Symbol {
	text := special.Text(name)
	return p.terminal(grammar.TerminalDef{Name: name, Source: text, Special: name, Expr: automata.Literal(text, 0), Literal: true, Pos: p.position(at)})
}

// group reads what is in brackets. In XGrammar's notation a group that begins with = says what
// follows, for the masks' sake; it is no part of the text.
func (p *parser) group(at int) ([]grammar.Symbol, error) {
	ahead := p.next("=")
	if ahead && !p.xgrammar {
		return nil, p.errorf(at, "leave it out: it says what follows anyway", "a lookahead assertion (= ...) is XGrammar's alone")
	}
	if p.depth++; p.depth > maxNesting {
		return nil, p.errorf(at, "", "groups are nested more than %d deep", maxNesting)
	}
	n := p.nonterminal(p.name+"-group", at)
	if err := p.alternatives(n); err != nil {
		return nil, err
	}
	p.depth--
	if p.space(); !p.next(")") {
		return nil, p.errorf(at, "", "this bracket is not closed: found %s", p.found())
	}
	if ahead {
		return nil, nil
	}
	return []grammar.Symbol{grammar.N(n)}, nil
}

// repeat reads a repeat behind an element, and puts what it makes in the element's place.
func (p *parser) repeat(element *[]grammar.Symbol, at int) (bool, error) {
	p.space()
	least, most := 0, -1
	from := p.at
	switch {
	case p.next("*"):
	case p.next("+"):
		least = 1
	case p.next("?"):
		most = 1
	case p.next("{"):
		var err error
		if least, most, err = p.bounds(from); err != nil {
			return false, err
		}
	default:
		return false, nil
	}
	var out []grammar.Symbol
	for range least {
		if out = append(out, *element...); len(out) > maxSymbols {
			return false, p.tooLarge(at)
		}
	}
	rest, err := p.rest(*element, most-least, most < 0, at)
	*element = append(out, rest...)
	return true, err
}

// rest is so many more rounds of an element, or any number.
func (p *parser) rest(element []grammar.Symbol, most int, any bool, at int) ([]grammar.Symbol, error) {
	if any {
		n := p.nonterminal(p.name+"-repeat", at)
		if err := p.write(n, at); err != nil {
			return nil, err
		}
		return []grammar.Symbol{grammar.N(n)}, p.write(n, at, append([]grammar.Symbol{grammar.N(n)}, element...)...)
	}
	var out []grammar.Symbol
	for range most {
		n := p.nonterminal(p.name+"-repeat", at)
		if err := p.write(n, at); err != nil {
			return nil, err
		}
		if err := p.write(n, at, append(element[:len(element):len(element)], out...)...); err != nil {
			return nil, err
		}
		out = []grammar.Symbol{grammar.N(n)}
	}
	return out, nil
}

// bounds reads m}, m,} or m,n}; most is -1 if there is none.
func (p *parser) bounds(from int) (least, most int, err error) {
	number := func() (n int, ok bool) {
		p.space()
		at := p.at
		for p.at < len(p.text) && isDigit(p.text[p.at]) {
			p.at++
		}
		n, err := strconv.Atoi(p.text[at:p.at])
		p.space()
		return n, err == nil
	}
	least, ok := number()
	if !ok && strings.HasPrefix(p.text[p.at:], ",") {
		ok = true // {,n}
	}
	if most = least; ok && p.next(",") {
		if most, ok = number(); !ok {
			most, ok = -1, true
		}
	}
	if !ok || !p.next("}") || most >= 0 && most < least {
		return 0, 0, p.errorf(from, "a repeat is {m}, {m,} or {m,n}, with m at most n", "this is no repeat")
	}
	return least, most, nil
}

// found names what comes next, for a message.
func (p *parser) found() string {
	if p.at == len(p.text) {
		return "the end of the file"
	}
	for _, r := range p.text[p.at:] {
		return strconv.QuoteRune(r)
	}
	return ""
}
