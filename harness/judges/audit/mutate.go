package audit

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Mutants: texts with one change.

// A Kind is a kind of change.
type Kind string

// The kinds: a lexeme deleted, doubled, exchanged with the next, or replaced by another of the same
// text; for Python one line's indentation changed, or a lexeme inside a replacement field of an
// f-string (or t-string).
const (
	Delete  Kind = "delete"
	Double  Kind = "double"
	Swap    Kind = "swap"
	Replace Kind = "replace"
	Indent  Kind = "indent"
	FString Kind = "fstring"
)

// Kinds are the kinds of a language, in the order of the rows.
func (l *Language) Kinds() []Kind {
	kinds := []Kind{Delete, Double, Swap, Replace}
	if l.Name == "python" {
		kinds = append(kinds, Indent, FString)
	}
	return kinds
}

// ParseKinds reads a list of kinds with commas, for a language.
func (l *Language) ParseKinds(list string) (kinds []Kind, err error) {
	for _, name := range strings.Split(list, ",") {
		if !slices.Contains(l.Kinds(), Kind(name)) {
			return nil, fmt.Errorf("%q is no kind of mutants of %s: expected some of %v", name, l.Name, l.Kinds())
		}
		kinds = append(kinds, Kind(name))
	}
	return kinds, nil
}

// maxMutated is the largest text that mutants are made of, in bytes: nearly all source files are
// smaller, and a judge reads the whole text for one change.
const maxMutated = 32 << 10

// maxTries bounds the search for a text that a kind of change applies to: one Python file in two
// has an f-string, and nearly all have two lexemes.
const maxTries = 1000

// mutants judges the mutants.
func (a *auditor) mutants(ctx context.Context) error {
	if a.Mutants == 0 {
		return nil
	}
	if len(a.base) == 0 {
		return fmt.Errorf("there is nothing to make mutants of: no text of at most %d bytes is taken by grammar and judge", maxMutated)
	}
	for _, k := range a.Kinds {
		a.row(string(k), true)
	}
	_, err := a.ask(ctx, &questions{what: "mutants", n: a.Mutants, mutants: true, text: a.mutant})
	return err
}

// mutant makes mutant i, from the seed and i alone.
func (a *auditor) mutant(i int) (question, error) {
	random := rand.New(rand.NewPCG(a.Seed, uint64(i)))
	kind := a.Kinds[i%len(a.Kinds)]
	for range maxTries {
		base := a.base[random.IntN(len(a.base))]
		text, err := base.Read()
		if err != nil {
			return question{}, err
		}
		m := mutation{language: a.Language, random: random, text: text}
		changed, at := m.apply(kind)
		if changed == nil || bytes.Equal(changed, text) {
			continue
		}
		return question{row: string(kind), id: base.ID, line: 1 + bytes.Count(text[:at], []byte("\n")), text: changed}, nil
	}
	return question{}, fmt.Errorf("no text was found that a change of the kind %q applies to: leave it out of --kinds", kind)
}

// mutation changes a text.
type mutation struct {
	language *Language
	random   *rand.Rand
	text     []byte
}

// apply makes a change and says where; nil if the text has no place for it.
func (m *mutation) apply(kind Kind) (changed []byte, at int) {
	switch kind {
	case Indent:
		return m.indent()
	case FString:
		return m.field()
	}
	return m.lexeme(kind, m.language.lexemes(m.text))
}

// lexeme changes one of a list of lexemes.
func (m *mutation) lexeme(kind Kind, list []span) ([]byte, int) {
	if len(list) < 2 {
		return nil, 0
	}
	i := m.random.IntN(len(list) - 1)
	a, b := list[i], list[i+1]
	switch kind {
	case Delete:
		return m.put(a, nil)
	case Double:
		return m.put(a, slices.Concat(m.of(a), m.blank(), m.of(a)))
	case Swap:
		return m.put(span{a.from, b.to}, slices.Concat(m.of(b), m.text[a.to:b.from], m.of(a)))
	}
	return m.put(a, m.of(list[m.random.IntN(len(list))]))
}

// of is the text of a lexeme.
func (m *mutation) of(s span) []byte { return m.text[s.from:s.to] }

// blank is a blank or nothing, as chance has it: with a blank two lexemes stay two, and without it
// they may become another one.
func (m *mutation) blank() []byte { return []byte(" ")[m.random.IntN(2):] }

// put replaces a part of the text, with blanks around it or without. No blank is put at the start
// of a line, where it would be indentation.
func (m *mutation) put(s span, with []byte) ([]byte, int) {
	var before []byte
	if s.from > 0 && m.text[s.from-1] > ' ' {
		before = m.blank()
	}
	return slices.Concat(m.text[:s.from], before, with, m.blank(), m.text[s.to:]), s.from
}

// indent changes the white space at the beginning of a line.
func (m *mutation) indent() ([]byte, int) {
	lines := bytes.SplitAfter(m.text, []byte("\n"))
	n := m.random.IntN(len(lines))
	at := len(bytes.Join(lines[:n], nil))
	end := at
	for end < len(m.text) && (m.text[end] == ' ' || m.text[end] == '\t') {
		end++
	}
	if end == len(m.text) || m.text[end] == '\n' || m.text[end] == '\r' || m.text[end] == '#' {
		return nil, 0
	}
	old := string(m.text[at:end])
	var put string
	switch m.random.IntN(6) {
	case 0:
		put = old + " "
	case 1:
		put = old + "    "
	case 2:
		put = old[:max(0, len(old)-1)]
	case 3:
		put = old[:max(0, len(old)-4)]
	case 4:
		put = strings.Replace(old, "        ", "\t", 1)
	case 5:
		put = "\t" + old[min(4, len(old)):]
	}
	return slices.Concat(m.text[:at], []byte(put), m.text[end:]), at
}

// marks are what gives a replacement field its parts.
var marks = strings.Fields(`{ } {} ! : = !r !z :> { } " ' \ # ''' lambda (`)

// field changes a lexeme in a replacement field, or puts one of marks there.
func (m *mutation) field() ([]byte, int) {
	var fields []span
	for _, lexeme := range m.language.lexemes(m.text) {
		fields = append(fields, fieldsOf(m.text, lexeme)...)
	}
	if len(fields) == 0 {
		return nil, 0
	}
	f := fields[m.random.IntN(len(fields))]
	list := m.language.lexemes(m.of(f))
	for i := range list {
		list[i].from, list[i].to = list[i].from+f.from, list[i].to+f.from
	}
	kinds := []Kind{Delete, Double, Swap, Replace, ""}
	kind := kinds[m.random.IntN(len(kinds))]
	if kind != "" {
		return m.lexeme(kind, list)
	}
	at := list[m.random.IntN(len(list))].to
	return m.put(span{at, at}, []byte(marks[m.random.IntN(len(marks))]))
}

// fieldsOf finds the replacement fields of a lexeme that is an f-string or a t-string, braces
// included. Strings inside of a field are not looked at.
func fieldsOf(text []byte, lexeme span) (fields []span) {
	prefix := lexeme.from
	for prefix < lexeme.to && text[prefix] != '"' && text[prefix] != '\'' {
		prefix++
	}
	if prefix == lexeme.to || !bytes.ContainsAny(text[lexeme.from:prefix], "fFtT") {
		return nil
	}
	depth, from := 0, 0
	for i := prefix; i < lexeme.to; i++ {
		switch c := text[i]; {
		case c == '{' && depth == 0 && i+1 < lexeme.to && text[i+1] == '{':
			i++
		case c == '{':
			if depth == 0 {
				from = i
			}
			depth++
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				fields = append(fields, span{from, i + 1})
			}
		}
	}
	return fields
}
