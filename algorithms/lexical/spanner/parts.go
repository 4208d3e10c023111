package spanner

import (
	"encoding/binary"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
)

// Where lexemes are emitted as all they match (in a JSON schema's grammar, and in one that embeds a
// schema), a lexer state in which a string or a number is pending is nothing but its parts: the
// terminals alive, each with the state of its own DFA. The parser takes few of these terminals, and
// which it takes hardly ever depends on more than the top of its stack. So an algorithm asks for
// the root of the parts alone that the parser takes (Narrow, Root). The many lexer states that
// differ in other terminals have one root, and what the tokens do to a few DFAs does not depend on
// the rest of the schema (package jsontokens).

// Sure is the reach of tokens that end inside a string or a number of which only terminals that the
// parser takes are followed: one of them is in reach.
const Sure lexer.ReachID = -1

// Takes says whether a parser takes a terminal, as far as the known part of its stack tells.
type Takes uint8

// The answers.
const (
	No      Takes = iota // whatever lies below what is known
	Yes                  // whatever lies below what is known
	Depends              // on what lies below
)

// Narrow appends the parts that the parser takes to dst. It is not ok if for one of them that
// depends on the unknown part of the stack, or if Root cannot be asked about it: it is a number
// after which another one may begin.
func (s *Spanner) Narrow(dst, parts []lexer.Part, takes func(grammar.Terminal) Takes) (taken []lexer.Part, ok bool) {
	for _, p := range parts {
		switch takes(p.Terminal) {
		case Yes:
			if s.Beside(p) {
				return dst, false
			}
			dst = append(dst, p)
		case Depends:
			return dst, false
		}
	}
	return dst, true
}

// Beside tells whether a part is a number after which another one may begin: Root cannot be asked
// about it.
func (s *Spanner) Beside(p lexer.Part) bool {
	return s.numbers.side != nil && bitset.Has(s.numbers.side, p.Terminal)
}

// Pending appends the parts of lexer state q to dst if a string or a number is pending there and
// Root can be asked about those that Narrow leaves; else it appends nothing.
func (s *Spanner) Pending(dst []lexer.Part, q lexer.State) []lexer.Part {
	strings, numbers := s.Strings(), s.Numbers()
	if strings == nil && numbers == nil {
		return dst
	}
	n := len(dst)
	all, ok := s.apart.Apart(dst, q, s.rec.Grammar)
	if parts := all[n:]; ok && (allIn(parts, strings) || allIn(parts, numbers)) {
		return all
	}
	return dst[:n]
}

// allIn tells whether the terminals of all parts are in a set; nil is the empty one.
func allIn(parts []lexer.Part, set []uint64) bool {
	return !slices.ContainsFunc(parts, func(p lexer.Part) bool { return set == nil || !bitset.Has(set, p.Terminal) })
}

// followsApart is the lexer if some parts of a state may be followed without the others, else nil:
// it is built on demand, and lexemes are emitted as all that they match, without a layout step.
func followsApart(s *Spanner) *lexer.OnDemand {
	lex, ok := s.rec.Lexer.(*lexer.OnDemand)
	if !ok || s.options.NoSlices || s.rec.Layout != nil || !s.rec.Grammar.EmitsSets() {
		return nil
	}
	return lex
}

// isApart tells whether a lexeme of a terminal is emitted whatever other terminals match.
func (s *Spanner) isApart(t int) bool {
	g := s.rec.Grammar
	return (g.Lexer == grammar.LexAll || g.Terminals[t].All) && !g.Terminals[t].Ignored
}

// eachStart calls f for the terminals that a lexeme of some parts is emitted as: for each state in
// which the next lexeme may begin, those that lead to it.
func (s *Spanner) eachStart(terminals []grammar.Terminal, f func(x Symbol, start lexer.State)) {
	lex := s.apart
	for len(terminals) > 0 {
		start := lex.After(terminals[0])
		var others []grammar.Terminal
		same := slices.DeleteFunc(terminals, func(t grammar.Terminal) bool {
			if lex.After(t) == start {
				return false
			}
			others = append(others, t)
			return true
		})
		if start != lexer.None {
			f(s.symbolOfTerminals(same), start)
		}
		terminals = others
	}
}

// Root is the root of the tree of the given parts alone, built at the first call. All of them are
// of strings, or all of numbers (see Pending). The tokens that end inside the lexeme are one group,
// with reach Sure; those that go on after it are under symbols of parts that accept.
func (s *Spanner) Root(parts []lexer.Part) NodeID {
	s.key = s.key[:0]
	for _, x := range parts {
		s.key = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(s.key, uint32(x.Terminal)), uint32(x.State))
	}
	if id, ok := s.partRoots[string(s.key)]; ok {
		return id
	}
	key := string(s.key)
	id := s.shared.intern(s.partRoot(parts))
	if s.partRoots == nil {
		s.partRoots = map[string]NodeID{}
	}
	s.partRoots[key] = id
	return id
}

// partRoot is Root for the first time.
func (s *Spanner) partRoot(parts []lexer.Part) SharedNode {
	switch numbers := s.Numbers(); {
	case len(parts) == 0:
		return SharedNode{}
	case numbers != nil && bitset.Has(numbers, parts[0].Terminal):
		return s.numberRoot(parts)
	}
	return s.stringRoot(parts)
}

// terminalsOf are the terminals of some parts: those of parts[order[i]] for each i of members.
func terminalsOf(parts []lexer.Part, order, members []int32) (list []grammar.Terminal) {
	for _, i := range members {
		list = append(list, parts[order[i]].Terminal)
	}
	return list
}

// symbolOfTerminals is the symbol of some terminals, which it sorts.
func (s *Spanner) symbolOfTerminals(list []grammar.Terminal) Symbol {
	slices.Sort(list)
	s.key = s.key[:0]
	for _, t := range list {
		s.key = binary.AppendUvarint(s.key, uint64(t))
	}
	x, ok := s.partSymbols[string(s.key)]
	if !ok {
		x = s.symbols.strings(list)
		if s.partSymbols == nil {
			s.partSymbols = map[string]Symbol{}
		}
		s.partSymbols[string(s.key)] = x
	}
	return x
}
