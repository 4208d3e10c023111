package automata

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gcdbench/internal/intern"
)

// Front: what stands in front of a match.
//
// A lookbehind, or \b, at the beginning of a match asks for text that was read before it. What it
// needs to know of that text is a state of the automaton of Σ*·X. The states of all such automata
// of some expressions together are the states of one automaton, made minimal: a Front. Whoever reads
// text with the expressions runs it along with the text, and begins a match in the state that it is
// in.

// A Front is what the lookbehinds of some expressions know of the text before a match.
type Front struct {
	limits  Limits
	classOf [256]uint8
	classes int
	table   []int32  // by state and class
	kind    []uint8  // by state: the number of its kind
	texts   []string // by kind: a text that leads to a state of it
}

// maxFronts bounds the states of a Front before it is minimal, and maxKinds those that a character
// can begin in.
const maxFronts, maxKinds = 1 << 14, 1 << 7

// LooksInFront tells whether an error of Compile is that an assertion looks in front of the match.
func LooksInFront(err error) bool {
	var syntax *SyntaxError
	return errors.As(err, &syntax) && syntax.front
}

// NewFront makes the Front of the lookbehinds in some expressions. The error is a *LimitError, or
// that of the limits' context.
func NewFront(exprs []*Expr, lim Limits) (*Front, error) {
	b := newBudget(lim)
	nb := &nfaBuilder{budget: b, bodies: map[lookBody]*DFA{}}
	var looks []*DFA
	for _, e := range exprs {
		for _, l := range lookbehinds(e, nil) {
			look, err := nb.newLook(l)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(looks, look.dfa) {
				looks = append(looks, look.dfa)
			}
		}
	}
	f := &Front{limits: lim}
	return f, f.explore(looks)
}

// HasLookbehind tells whether a lookbehind, or \b, occurs in e.
func (e *Expr) HasLookbehind() bool { return lookbehinds(e, nil) != nil }

// lookbehinds appends the lookbehinds in e.
func lookbehinds(e *Expr, list []*Expr) []*Expr {
	if e.op == opLook && e.look.behind {
		return append(list, e)
	}
	for _, s := range e.subs {
		list = lookbehinds(s, list)
	}
	return list
}

// explore makes all states, and joins those that no text tells apart.
func (f *Front) explore(looks []*DFA) error {
	cut := [257]bool{}
	for _, d := range looks {
		(&look{dfa: d}).cut(&cut)
	}
	for b := range 256 {
		if b > 0 && cut[b] {
			f.classes++
		}
		f.classOf[b] = uint8(f.classes)
	}
	f.classes++
	var states intern.Lists[int32]
	start := make([]int32, len(looks))
	for i, d := range looks {
		start[i] = d.Start()
	}
	states.Take(start)
	texts := []string{""}
	var table, colour []int32
	colours := map[string]int32{}
	for s := int32(0); int(s) < states.Len(); s++ {
		seen := ""
		for i, d := range looks {
			seen += fmt.Sprint(d.Accepting(states.At(s)[i]))
		}
		if _, ok := colours[seen]; !ok {
			colours[seen] = int32(len(colours))
		}
		colour = append(colour, colours[seen])
		last := -1
		for b := range 256 {
			if int(f.classOf[b]) == last {
				continue
			}
			last = int(f.classOf[b])
			next := make([]int32, len(looks))
			for i, d := range looks {
				next[i] = d.Next(states.At(s)[i], byte(b))
			}
			to, isNew := states.Take(next)
			if isNew {
				texts = append(texts, texts[s]+string([]byte{byte(b)}))
			}
			table = append(table, to)
		}
		if states.Len() > maxFronts {
			return &LimitError{"maxFronts", maxFronts, "what assertions ask of the text in front of matches has too many states", "let them ask for less"}
		}
	}
	ctx := f.limits.Context
	if ctx == nil {
		ctx = context.Background()
	}
	block, n, err := Equivalent(ctx, table, f.classes, colour)
	if err != nil {
		return err
	}
	number := slices.Repeat([]int32{-1}, n)
	next := int32(0)
	for s, b := range block {
		if number[b] < 0 {
			number[b] = next
			next++
		}
		block[s] = number[b]
	}
	return f.join(table, block, n, texts)
}

// join makes the states of blocks, and finds their kinds.
func (f *Front) join(table, block []int32, n int, texts []string) error {
	f.table, f.kind = make([]int32, n*f.classes), make([]uint8, n)
	sample := make([]string, n)
	for s := len(block) - 1; s >= 0; s-- {
		sample[block[s]] = texts[s]
		for c := range f.classes {
			f.table[int(block[s])*f.classes+c] = block[table[s*f.classes+c]]
		}
	}
	todo, known := []int32{0}, map[int32]bool{0: true}
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		if len(f.texts) == maxKinds {
			return &LimitError{"maxKinds", maxKinds, "assertions tell too many texts in front of a match apart", "let them ask for less"}
		}
		f.kind[s] = uint8(len(f.texts))
		f.texts = append(f.texts, sample[s])
		f.afterCharacter(s, func(to int32) {
			if !known[to] {
				known[to] = true
				todo = append(todo, to)
			}
		})
	}
	return nil
}

// afterCharacter calls found with the states that a character leads to.
func (f *Front) afterCharacter(s int32, found func(int32)) {
	type point struct {
		state   int32
		missing int
	}
	seen := map[point]bool{}
	var visit func(p point)
	visit = func(p point) {
		switch {
		case p.missing == 0:
			found(p.state)
		case !seen[p]:
			seen[p] = true
			for b := 0x80; b < 0xC0; b++ {
				visit(point{f.Next(p.state, byte(b)), p.missing - 1})
			}
		}
	}
	for b := range 256 {
		if missing, _, _ := leadByte(byte(b)); missing >= 0 {
			visit(point{f.Next(s, byte(b)), missing})
		}
	}
}

// Next is the state after a byte. The state of the empty text is 0.
func (f *Front) Next(s int32, b byte) int32 { return f.table[int(s)*f.classes+int(f.classOf[b])] }

// Kinds counts the kinds of states that stand between two characters: matches begin alike after
// texts that lead to states of one kind.
func (f *Front) Kinds() int { return len(f.texts) }

// Kind is the kind of a state; within a character, where no match begins, it says nothing.
func (f *Front) Kind(s int32) byte { return f.kind[s] }

// Classes are classes of bytes that no state tells apart, numbered by their first bytes.
func (f *Front) Classes() (classOf [256]uint8, n int) { return f.classOf, f.classes }

// After turns e into a DFA as Compile does, for matches that begin behind texts of a kind.
func (f *Front) After(kind int, e *Expr) (*DFA, error) {
	return compile(e, newBudget(f.limits), compileMode{ordered: e.HasLazy(), behind: true, past: f.texts[kind]})
}

// Compile is the DFA for texts that begin with a byte that is the kind of what stands in front of
// the match, which follows it.
func (f *Front) Compile(e *Expr) (*DFA, error) {
	var kinds []*Expr
	for k := range f.texts {
		d, err := f.After(k, e)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, Concat(Literal(string([]byte{byte(k)}), 0), FromDFA(d)))
	}
	return Compile(Alternate(kinds...), f.limits)
}
