package trie

import (
	"cmp"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/jsontokens"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
)

// Inside a string nearly all of the vocabulary is legal, and nearly all of the walk's time is
// spent there. But 95% of a vocabulary are plain text: characters that a string holds as they
// are. The answer is LLGuidance's slices: bit sets of such tokens, made once per vocabulary.
// Where the lexer allows any plain text up to some length, the tokens up to that length are taken
// whole, and the walk leaves out the subtrees that have no other tokens.
//
// The length depends on the lexer state. Whether the parser takes a terminal that allows it
// depends on the stack. So each lexer state has a list of terminals to ask the parser about,
// longest first.

// An endurance is terminals that are alive after any plain text of at most length characters.
type endurance struct {
	length uint8
	terms  []uint64 // nil: an ignored terminal, which needs no parser
}

// maxEndurances bounds the lexer states that are remembered: a lexer that counts characters has one
// for each.
const maxEndurances = 1 << 14

// endurances lists what endures plain text in a lexer state, the longest first.
func (e *engine) endurances(p *algorithms.Problem, q lexer.State) []endurance {
	e.mu.RLock()
	list, ok := e.known[q]
	e.mu.RUnlock()
	if ok {
		return list
	}
	if e.dfa != nil {
		list = e.endless(q)
	} else {
		list = e.strings(p, q)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil || len(e.known) >= maxEndurances {
		e.known = map[lexer.State][]endurance{}
	}
	e.known[q] = list
	return list
}

// endless is endurances for a lexer built ahead: what no plain text ever ends.
func (e *engine) endless(q lexer.State) []endurance {
	r := jsontokens.Endless(e.dfa, q)
	switch {
	case r == nil:
		return nil
	case r.Ignored:
		return []endurance{{length: jsontokens.NotPlain - 1}}
	}
	terms := e.problem.Tables.NewSet()
	copy(terms, r.Parser)
	return []endurance{{jsontokens.NotPlain - 1, terms}}
}

// strings is endurances for a lexer built on demand, in which each terminal that is a JSON string
// is looked at alone. It takes one whose lexemes are emitted as all they match: then a terminal is
// in reach as long as it is alive.
func (e *engine) strings(problem *algorithms.Problem, q lexer.State) []endurance {
	lex, ok := problem.Lexer.(*lexer.OnDemand)
	if !ok || problem.Grammar.Lexer != grammar.LexAll || !lex.Uniform() || lex.Begins(q) {
		return nil
	}
	var list []endurance
	for _, p := range lex.Parts(nil, q) {
		n := uint8(e.plain().Depth(lex.Terminal(p.Terminal), p.State))
		if n == 0 || problem.Grammar.Terminals[p.Terminal].Ignored {
			continue
		}
		i := slices.IndexFunc(list, func(d endurance) bool { return d.length == n })
		if i < 0 {
			i = len(list)
			list = append(list, endurance{n, problem.Tables.NewSet()})
		}
		bitset.Add(list[i].terms, p.Terminal)
	}
	slices.SortFunc(list, func(a, b endurance) int { return cmp.Compare(b.length, a.length) })
	return list
}

// take adds the plain tokens that are legal whatever they are to a mask. They are those with at
// most as many characters as it returns; the walk leaves them out.
func (e *engine) take(p *algorithms.Problem, words []uint64, s recognizer.State) uint8 {
	for _, d := range e.endurances(p, s.Lexer) {
		if d.terms == nil || p.Tables.AcceptsAny(s.Stacks, d.terms) {
			algorithms.Unite(words, e.plain().UpTo(int(d.length)))
			return d.length
		}
	}
	return 0
}

// plain is the vocabulary's Plain, looked up when first needed: where no string ever is, or a
// comment, it is not.
func (e *engine) plain() *jsontokens.Plain {
	if p := e.text.Load(); p != nil {
		return p
	}
	p := jsontokens.PlainOf(e.problem.Kept, e.problem.Vocabulary)
	e.text.Store(p)
	return p
}

// others is the tree without the subtrees of plain text only, for a lexer built ahead; made when
// first needed.
func (e *engine) others() *packed {
	if t := e.rest.Load(); t != nil {
		return t
	}
	t := &packed{}
	need := e.plain().Need()
	for i, n := range e.all.nodes {
		if need[i] < jsontokens.NotPlain {
			continue
		}
		size := 0
		for _, k := range need[i : i+n.size()] {
			if k == jsontokens.NotPlain {
				size++
			}
		}
		t.nodes = append(t.nodes, node{n.token, uint32(size)<<8 | uint32(n.class())})
		t.depths = append(t.depths, e.all.depths[i])
		t.places = append(t.places, int32(i))
	}
	e.rest.Store(t)
	return t
}
