package gbnf

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/regular"
)

// What XGrammar's notation has beyond llama.cpp's: options of rules, and macros.

// An option of a rule stands in brackets behind its name, with others.
const ruleOption = `(\w+)(?:\s*=\s*(?:"(?:[^"\\\n]|\\.)*"|[0-9.]+))?`

var (
	option  = regexp.MustCompile(ruleOption)
	options = regexp.MustCompile(`^\s*\[\s*` + ruleOption + `(?:\s*,\s*` + ruleOption + `)*\s*\]`)
)

// options reads the options of a rule. What names a part of a text, or says how its tokens are
// drawn, is no matter of the language.
func (p *parser) options(r *rule, text string) error {
	for _, o := range option.FindAllStringSubmatch(text, -1) {
		switch key := o[1]; {
		case key == "lazy":
			r.lazy = true
		case key == "max_tokens", key == "max_chars":
			return p.errorf(r.at, "a counted repeat bounds the characters of a text, as in [^]{0,100}", "the option %s is XGrammar's alone: a rule goes on where it cannot end there", key)
		case key != "temperature" && !strings.Contains(key, "capture"):
			return p.errorf(r.at, "the options are lazy, capture and temperature", "a rule has no option %s", key)
		}
	}
	return nil
}

// shorten replaces the body of each lazy rule by its shortest texts.
func (p *parser) shorten(ctx context.Context) error {
	for _, name := range p.order {
		r := p.rules[name]
		if !r.lazy {
			continue
		}
		g := *p.g
		g.Start = r.id
		d, err := regular.Compile(ctx, &g, automata.Limits{})
		if err != nil {
			return p.errorf(r.at, "", "the shortest texts of the lazy rule %s cannot be found: %v", name, err)
		}
		p.g.Rules = slices.DeleteFunc(p.g.Rules, func(x grammar.Rule) bool { return x.LHS == r.id })
		body, err := p.texts(name+"[lazy]", d.Lazy(), r.at)
		if err == nil {
			err = p.write(r.id, r.at, body...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// texts is a terminal of the texts that an automaton accepts. The empty one is none of them, but
// leaves the terminal out.
func (p *parser) texts(source string, d *automata.DFA, at int) ([]grammar.Symbol, error) {
	empty := d.MatchesEmpty()
	d, err := d.Without([]string{""}, p.limits)
	switch {
	case err != nil:
		return nil, p.errorf(at, "", "%s: %v", source, err)
	case d.IsEmpty() && empty:
		return nil, nil
	case d.IsEmpty():
		return nil, p.errorf(at, "", "%s matches no text", source)
	}
	t := p.terminal(grammar.TerminalDef{Name: source, Source: source, Expr: automata.FromDFA(d), Pos: p.position(at)})
	if empty {
		return p.rest(t, 1, false, at)
	}
	return t, nil
}

// A call of a macro has arguments, some with a name. Its methods keep the first error.
type call struct {
	*parser
	begin  int
	source string
	list   []argument
	named  map[string]argument
	err    error
}

// An argument is a string, a tuple, or a word: a name, a number, true or false.
type argument struct {
	kind byte // '"', '(' or 'w'
	at   int
	text string
	list []argument
}

// macros by name: the arguments that have names, and what the macro stands for.
var macros = map[string]struct {
	named string
	write func(c *call) []grammar.Symbol
}{
	"Regex":            {"flags json_string", (*call).regex},
	"Substring":        {"", (*call).substring},
	"TagDispatch":      {"loop_after_dispatch excludes", (*call).tags},
	"Token":            {"", func(c *call) []grammar.Symbol { return c.token(c.list) }},
	"TokenTagDispatch": {"loop_after_dispatch excludes", (*call).tokenTags},
	"ExcludeToken": {"", func(c *call) []grammar.Symbol {
		return c.fail(c.begin, "ExcludeToken names nearly all tokens: a language is of texts, whatever their tokens are")
	}},
}

// macro reads the call of a macro, behind its name.
func (p *parser) macro(name string, at int) ([]grammar.Symbol, error) {
	if !p.xgrammar {
		return nil, p.errorf(at, "write it as rules", "%s(...) is a macro that XGrammar alone has", name)
	}
	c := &call{parser: p, begin: at, named: map[string]argument{}}
	p.next("(")
	c.list = c.arguments(c.named)
	c.source = p.text[at:p.at]
	for key, a := range c.named {
		if !slices.Contains(strings.Fields(macros[name].named), key) {
			c.fail(a.at, "%s has no argument %s", name, key)
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	return macros[name].write(c), c.err
}

// fail keeps an error.
func (c *call) fail(at int, format string, args ...any) []grammar.Symbol {
	if c.err == nil {
		c.err = c.errorf(at, "", format, args...)
	}
	return nil
}

// arguments reads arguments up to the closing bracket; named is nil in a tuple.
func (c *call) arguments(named map[string]argument) (list []argument) {
	for c.space(); c.err == nil && !c.next(")"); c.space() {
		at := c.at
		key := c.word()
		if c.space(); named == nil || key == "" || !c.next("=") {
			key, c.at = "", at
		}
		c.space()
		if a := c.argument(); key == "" {
			list = append(list, a)
		} else {
			named[key] = a
		}
		if c.space(); !c.next(",") && !strings.HasPrefix(c.text[c.at:], ")") {
			c.fail(c.at, "expected a comma or a closing bracket, found %s", c.found())
		}
	}
	return list
}

func (c *call) argument() argument {
	a := argument{kind: 'w', at: c.at}
	switch {
	case strings.HasPrefix(c.text[c.at:], `"`):
		text, err := c.quoted()
		if a.kind, a.text = '"', text; c.err == nil {
			c.err = err
		}
	case c.next("("):
		if a.kind, c.depth = '(', c.depth+1; c.depth > maxNesting {
			c.fail(a.at, "tuples are nested more than %d deep", maxNesting)
		}
		a.list = c.arguments(nil)
		c.depth--
	default:
		for c.at < len(c.text) && c.isName(c.text[c.at]) {
			c.at++
		}
		if a.text = c.text[a.at:c.at]; a.text == "" {
			c.fail(a.at, "expected a string, a word, or such in brackets, found %s", c.found())
		}
	}
	return a
}

// strings are arguments that are strings.
func (c *call) strings(list []argument) (all []string) {
	for _, a := range list {
		if a.kind != '"' {
			c.fail(a.at, "expected a string")
		}
		all = append(all, a.text)
	}
	return all
}

// is tells the value of a named argument that is true or false.
func (c *call) is(key string, otherwise bool) bool {
	a, ok := c.named[key]
	if ok && a.text != "true" && a.text != "false" {
		c.fail(a.at, "%s is true or false", key)
	}
	return ok && a.text == "true" || !ok && otherwise
}

// of is the terminal of an automaton that was made, if it was.
func (c *call) of(title string, d *automata.DFA, err error) []grammar.Symbol {
	if err != nil {
		return c.fail(c.begin, "%s%s: %v", title, c.source, err)
	}
	var list []grammar.Symbol
	if c.err == nil {
		list, c.err = c.texts(title+c.source, d, c.begin)
	}
	return list
}

// regex is a regular expression. Its shorthands and its case are ASCII's, and without flags a dot
// is any character. It is matched as a whole, so that anchors around it mean nothing.
func (c *call) regex() []grammar.Symbol {
	patterns, inString, letters := c.strings(c.list), c.is("json_string", false), "s"
	if a, ok := c.named["flags"]; ok {
		if letters = a.text; strings.Trim(letters, "isu") != "" {
			c.fail(a.at, "the flags of Regex are i, s and u")
		}
	}
	if len(patterns) != 1 {
		return c.fail(c.begin, "Regex has one pattern")
	}
	pattern := strings.TrimPrefix(patterns[0], "^")
	if !strings.HasSuffix(pattern, `\$`) {
		pattern = strings.TrimSuffix(pattern, "$")
	}
	flags, _ := automata.ParseFlags(strings.ReplaceAll(letters, "u", "") + "a") // others fail above
	e, err := automata.Parse(pattern, flags)
	if err != nil {
		return c.of("", nil, err)
	}
	d, err := automata.Compile(e, c.limits)
	if err == nil && inString {
		d, err = d.Intersect(automata.MustCompile(`[^"\\\x00-\x1f]*`, 0), c.limits)
	}
	return c.of("", d, err)
}

// substring is what some chunks in a row make, from any one to any other, or none.
func (c *call) substring() []grammar.Symbol {
	rest := automata.Literal("", 0)
	all := []*automata.Expr{rest}
	for _, chunk := range slices.Backward(c.strings(c.list)) {
		rest = automata.Repeat(automata.Concat(automata.Literal(chunk, 0), rest), 0, 1)
		all = append(all, rest)
	}
	d, err := automata.Compile(automata.Alternate(all...), c.limits)
	return c.of("", d, err)
}

// token is one of the tokens with these ids.
func (c *call) token(list []argument) []grammar.Symbol {
	ids := make([]string, len(list))
	for i, a := range list {
		if _, err := strconv.ParseUint(a.text, 10, 31); err != nil || a.kind != 'w' {
			c.fail(a.at, "expected the id of a token")
		}
		ids[i] = a.text
	}
	if len(ids) == 0 {
		return c.fail(c.begin, "expected the id of a token")
	}
	return c.special("<["+strings.Join(ids, ",")+"]>", c.begin)
}

// tags is free text, with a rule behind each tag in it.
func (c *call) tags() []grammar.Symbol {
	first, bodies := c.pairs()
	tags, excludes := c.strings(first), c.strings(c.named["excludes"].list)
	ways, texts := make([][]grammar.Symbol, len(tags)), automata.FreeText{Limits: c.limits}
	for i, tag := range tags {
		d, err := texts.Until([]string{tag}, slices.Concat(tags[:i], tags[i+1:], excludes))
		if err == nil && (tag == "" || d.IsEmpty()) {
			err = errors.New("another tag, or what is excluded, is in this one and comes first, or it is empty")
		}
		ways[i] = append(c.of(fmt.Sprintf("text up to %q of ", tag), d, err), bodies[i])
	}
	d, err := texts.Lacking(slices.Concat(tags, excludes))
	text := c.of("text of ", d, err)
	if c.err == nil {
		text, c.err = c.rest(text, 1, false, c.begin)
	}
	return c.dispatch(ways, text)
}

// tokenTags is free text, with a rule behind each tag, which is a token. A token that is named is
// no text, and so are those that are excluded.
func (c *call) tokenTags() []grammar.Symbol {
	first, bodies := c.pairs()
	text, err := c.rest(c.any(c.begin), 0, true, c.begin)
	if c.err == nil {
		c.err = err
	}
	for i := range c.named["excludes"].list {
		c.token(c.named["excludes"].list[i : i+1])
	}
	ways := make([][]grammar.Symbol, len(first))
	for i := range first {
		ways[i] = slices.Concat(text, c.token(first[i:i+1]), bodies[i:i+1])
	}
	return c.dispatch(ways, text)
}

// pairs are tags and the rules behind them.
func (c *call) pairs() (tags []argument, bodies []grammar.Symbol) {
	for _, a := range c.list {
		if len(a.list) != 2 || a.list[1].kind != 'w' {
			c.fail(a.at, "expected a tag and the name of a rule in brackets")
			return nil, nil
		}
		r := c.rule(a.list[1].text, a.list[1].at)
		r.named = true
		tags, bodies = append(tags, a.list[0]), append(bodies, grammar.N(r.id))
	}
	return tags, bodies
}

// dispatch writes the rules of free text in which ways may stand: one, or any number.
func (c *call) dispatch(ways [][]grammar.Symbol, text []grammar.Symbol) []grammar.Symbol {
	whole := c.nonterminal(c.name+"-dispatch", c.begin)
	into := whole
	var before []grammar.Symbol
	if c.is("loop_after_dispatch", true) {
		into = c.nonterminal(c.name+"-tags", c.begin)
		before = []grammar.Symbol{grammar.N(into)}
		c.err = errors.Join(c.err, c.write(into, c.begin))
	}
	c.err = errors.Join(c.err, c.write(whole, c.begin, slices.Concat(before, text)...))
	for _, way := range ways {
		c.err = errors.Join(c.err, c.write(into, c.begin, slices.Concat(before, way)...))
	}
	return []grammar.Symbol{grammar.N(whole)}
}
