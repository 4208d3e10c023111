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
// of some expressions together are the states of one automaton, made minimal: a Front. Whoever
// reads text with the expressions runs it along with the text, and begins a match in the state
// that it is in.

// A Front is what the lookbehinds of some expressions know of the text before a match.
type Front struct {
	limits  Limits
	bodies  map[lookBody]*DFA // of the lookarounds that were compiled
	classOf [256]uint8
	classes int
	table   []int32  // by state and class
	kind    []uint8  // by state: the number of its kind
	states  []int32  // by kind: the state of it
	texts   []string // by kind: a text that leads there
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
	f := &Front{limits: lim, bodies: nb.bodies}
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
		f.states, f.texts = append(f.states, s), append(f.texts, sample[s])
		f.characters(s, func(to int32, _, _ rune) {
			if !known[to] {
				known[to] = true
				todo = append(todo, to)
			}
		})
	}
	return nil
}

// characters calls found with the states that characters lead to, and the ranges of these.
func (f *Front) characters(s int32, found func(to int32, lo, hi rune)) {
	var visit func(s int32, missing int, first rune)
	visit = func(s int32, missing int, first rune) {
		if missing == 0 {
			found(s, first, first)
			return
		}
		size := rune(1) << (6 * (missing - 1))
		for b := range rune(0x40) {
			next := f.Next(s, byte(0x80|b))
			if missing > 1 && f.idle(next) {
				found(f.Next(next, 0x80), first+b*size, first+(b+1)*size-1)
				continue
			}
			visit(next, missing-1, first+b*size)
		}
	}
	all := found
	for b := range 256 {
		missing, payload, least := leadByte(byte(b))
		if found = func(to int32, lo, hi rune) {
			if hi >= least {
				all(to, max(lo, least), hi)
			}
		}; missing >= 0 {
			visit(f.Next(s, byte(b)), missing, payload)
		}
	}
}

// idle tells whether all bytes that go on with a character lead to one state, and from there too.
func (f *Front) idle(s int32) bool {
	to := f.Next(s, 0x80)
	for b := 0x80; b < 0xC0; b++ {
		if f.Next(s, byte(b)) != to || f.Next(to, byte(b)) != to {
			return false
		}
	}
	return true
}

// After are the characters that lead from a kind to each kind.
func (f *Front) After(kind int) [][]RuneRange {
	parts := make([][]runeRange, len(f.texts))
	f.characters(f.states[kind], func(to int32, lo, hi rune) {
		parts[f.kind[to]] = append(parts[f.kind[to]], runeRange{lo, hi})
	})
	list := make([][]RuneRange, len(parts))
	for k, p := range parts {
		list[k] = newRuneSet(p...).ranges()
	}
	return list
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

// behind turns e into a DFA as Compile does, for matches that begin behind texts of a kind.
func (f *Front) behind(kind int, e *Expr) (*DFA, error) {
	b := newBudget(f.limits)
	b.bodies = f.bodies
	return compile(e, b, compileMode{ordered: e.HasLazy(), behind: true, past: f.texts[kind]})
}

// Compile is the DFA for texts that begin with a byte that is the kind of what stands in front of
// the match, which follows it. It may not be called by several goroutines at once.
func (f *Front) Compile(e *Expr) (*DFA, error) {
	var different []*DFA
	var kinds [][]Transition // by automaton: from state 0 to state 1 by the kinds that have it
	for k := range f.texts {
		d, err := f.behind(k, e)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(different, d.Equal)
		if i < 0 {
			i = len(different)
			different, kinds = append(different, d), append(kinds, nil)
		}
		kinds[i] = append(kinds[i], Transition{0, byte(k), byte(k), 1})
		if k == 0 && !e.HasLookbehind() {
			kinds[0] = []Transition{{0, 0, byte(len(f.texts) - 1), 1}}
			break
		}
	}
	parts := make([]*Expr, len(different))
	for i, d := range different {
		parts[i] = Concat(oneByte(kinds[i]...), FromDFA(d))
	}
	return Compile(Alternate(parts...), f.limits)
}
