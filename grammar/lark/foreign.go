package lark

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"gcdbench/grammar"
)

// The dialect of Lark's language that llguidance and XGrammar read. Their additions to Lark are
// read where they have a meaning here: & and ~ in terminals, attributes of rules, repeats in
// braces, substrings, options. docs/lark.md has the table.

// foreign is the error about an addition that has no meaning here: whose it is, and the remedy.
var foreign = map[string][2]string{
	"%if":        {"llguidance's", "write the alternatives out"},
	"::":         {"llguidance's", "write a rule for each value"},
	"stop":       {"llguidance's", "it takes tokens back that were given out; suffix= gives the mark out as well, and is not written behind the rule again"},
	"max_tokens": {"llguidance's", "a repeat in the terminal bounds its characters, as in /(.|\\n){1,100}/"},
}

// attributes reads the [lazy, suffix="."] of a rule's definition. What names a part of a text, or
// says how its tokens are drawn, is no matter of the language.
func (p *parser) attributes(st *statement) error {
	if st.kind == sTerminal {
		return p.at().errorf("make it a rule, with a name in lower case", "terminal %s cannot have attributes", st.name)
	}
	p.src.dialect, p.src.contextual = true, true
	for {
		if err := p.advance(); err != nil { // "[" or ","
			return err
		}
		at := p.at()
		key, err := p.take(kRule, "an attribute's name")
		if err != nil {
			return err
		}
		value, err := p.attributeValue()
		if err != nil {
			return err
		}
		switch whose, ok := foreign[key]; {
		case ok:
			return at.errorf(whose[1], "the attribute %s is %s alone", key, whose[0])
		case key == "lazy" && value == nil:
			st.lazy = true
		case key == "suffix" && value != nil && value.kind != nAlternatives:
			st.lazy, st.suffix = true, value
		case key != "capture" && key != "stop_capture" && key != "temperature":
			return at.errorf(`the attributes are lazy, suffix="...", capture, stop_capture and temperature`, "there is no such attribute as this %s", key)
		}
		switch p.tok.kind {
		case kComma:
		case kCloseBracket:
			return p.advance()
		default:
			return p.expected(`"," or "]"`)
		}
	}
}

// attributeValue reads what follows an attribute's name: nothing, or = and a string, a regexp, the
// name of a terminal or a number, of which it keeps nothing.
func (p *parser) attributeValue() (*node, error) {
	if ok, err := p.accept(kEquals); !ok || err != nil {
		return nil, err
	}
	if p.tok.kind != kNumber {
		return p.value()
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if ok, err := p.accept(kDot); !ok || err != nil {
		return &node{kind: nAlternatives}, err
	}
	_, err := p.take(kNumber, "the digits behind the point")
	return &node{kind: nAlternatives}, err
}

// asLazy is the body of a rule that is lazy: one terminal, with the suffix. Text before a special
// token needs no care to end there, since it cannot go on with one.
func (st *statement) asLazy(body *node) *node {
	special := false
	body.walk(func(n *node) { special = special || n.kind == nPattern && n.literal.first.kind == kSpecial })
	if special && st.suffix == nil {
		return body
	}
	lazy := &node{kind: nLazy, kids: []*node{body}, at: body.at}
	if st.suffix != nil {
		lazy.kids = []*node{{kind: nSequence, kids: []*node{body, st.suffix}, at: body.at}}
	}
	return &node{kind: nAlternatives, kids: []*node{{kind: nSequence, kids: []*node{lazy}, at: body.at}}, at: body.at}
}

// options reads the JSON object of a %llguidance or %grammar_options.
func (p *parser) options(st *statement, name string) error {
	st.kind, p.src.dialect, p.src.contextual = sOptions, true, true
	at := p.at()
	text, err := p.json(name, `{"allow_initial_skip": true}`)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &st.options); err != nil {
		return at.errorf(`for example {"allow_initial_skip": true}`, "the options of %s are no JSON object", name)
	}
	known := []string{"allow_initial_skip"}
	if name == "%llguidance" {
		known = append(known, "no_forcing", "verbose_errors") // how, and not what
	}
	for _, key := range slices.Sorted(maps.Keys(st.options)) {
		if _, is := st.options[key].(bool); !is || !slices.Contains(known, key) {
			return at.errorf("what has a meaning here is true or false of "+strings.Join(known, ", "), "the option %s of %s has no meaning here", key, name)
		}
	}
	return nil
}

// addOptions takes up the options of an engine.
func (c *config) addOptions(st *statement) {
	if allowed, says := st.options["allow_initial_skip"]; says || c.seen[sOptions].src == nil {
		c.skipsLate = allowed != true
	}
	if c.seen == nil {
		c.seen = map[statementKind]place{}
	}
	c.seen[sOptions] = st.at
}

// lexer is what the grammar says of the lexer. Attributes and options are for a contextual one.
func (b *builder) lexer() grammar.LexerMode {
	if _, chosen := b.config.seen[sLexer]; !chosen && b.file.src.contextual {
		return grammar.LexContextual
	}
	return b.config.lexer
}

// substring reads the JSON object of a %regex, which matches what some chunks in a row make.
func (p *parser) substring(at place) (*node, error) {
	p.src.dialect = true
	first := p.tok
	text, err := p.json("%regex", `{"substring_words": "one of these words"}`)
	if err != nil {
		return nil, err
	}
	var of struct {
		Chunks []string `json:"substring_chunks"`
		Words  string   `json:"substring_words"`
		Chars  string   `json:"substring_chars"`
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	err = d.Decode(&of)
	chunks := slices.Concat(of.Chunks, runs(of.Words), strings.Split(of.Chars, ""))
	chunks = slices.DeleteFunc(chunks, func(s string) bool { return s == "" })
	if err != nil || len(chunks) == 0 {
		hint := "write one of substring_chunks, a list of strings, substring_words and substring_chars, strings"
		return nil, at.errorf(hint, "%%regex says nothing that has a meaning here")
	}
	value, err := substrings(chunks)
	if err != nil {
		return nil, at.errorf("have fewer of them", "%v", err)
	}
	return &node{kind: nPattern, at: at, literal: &literal{src: p.src, first: first, last: first, read: &pattern{value: value}}}, nil
}

// runs cuts a text into runs of letters and digits, of white space, and of other characters.
func runs(text string) (list []string) {
	class := func(r rune) int {
		switch {
		case unicode.IsSpace(r):
			return 1
		case unicode.IsLetter(r), unicode.IsNumber(r), r == '_':
			return 2
		}
		return 3
	}
	last := 0
	for _, r := range text {
		if class(r) != last {
			list = append(list, "")
		}
		list[len(list)-1] += string(r)
		last = class(r)
	}
	return list
}

// substrings is the regexp of what chunks in a row make, from any one to any other, or none.
func substrings(chunks []string) (string, error) {
	var all []string
	size, rest := 0, ""
	for _, chunk := range slices.Backward(chunks) {
		rest = "(?:" + (&pattern{literal: true, value: chunk}).regexp() + rest + ")?"
		if size += len(rest); size > maxPattern {
			return "", fmt.Errorf("the regexp of %s has more than %d bytes", count(len(chunks), "chunk"), maxPattern)
		}
		all = append(all, rest)
	}
	return "(?:" + strings.Join(all, "|") + ")", nil
}
