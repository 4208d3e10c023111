package characters

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// A partition parts the code points into classes. They are cut wherever a range of some pattern
// begins or ends, and the pieces are parted by one set of characters after the other.
type partition struct {
	cuts   []rune // where pieces begin, ascending
	class  []int  // by piece
	number int    // of classes so far
}

func newPartition(sets [][]automata.RuneRange) *partition {
	p := &partition{cuts: []rune{0}, number: 1}
	for _, set := range sets {
		for _, r := range set {
			p.cuts = append(p.cuts, r.Lo, r.Hi+1)
		}
	}
	slices.Sort(p.cuts)
	p.cuts = slices.Compact(p.cuts)
	p.class = make([]int, len(p.cuts))
	for _, set := range sets {
		moved := map[int]int{}
		for i := range p.pieces(set) {
			to, ok := moved[p.class[i]]
			if !ok {
				to = p.number
				p.number++
				moved[p.class[i]] = to
			}
			p.class[i] = to
		}
	}
	return p
}

// pieces are the pieces of a set.
func (p *partition) pieces(set []automata.RuneRange) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for _, r := range set {
			i, _ := slices.BinarySearch(p.cuts, r.Lo)
			for ; i < len(p.cuts) && p.cuts[i] <= r.Hi; i++ {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// ranges are the ranges of a class.
func (p *partition) ranges(class int) []automata.RuneRange {
	var list []automata.RuneRange
	for i, c := range p.class {
		switch {
		case c != class:
		case len(list) > 0 && list[len(list)-1].Hi+1 == p.cuts[i]:
			list[len(list)-1].Hi = p.last(i)
		default:
			list = append(list, automata.RuneRange{Lo: p.cuts[i], Hi: p.last(i)})
		}
	}
	return list
}

// last is the last code point of a piece.
func (p *partition) last(i int) rune {
	if i+1 < len(p.cuts) {
		return p.cuts[i+1] - 1
	}
	return unicode.MaxRune
}

// classes makes a terminal of each class of characters that some pattern reads, and says of each
// edge and each restriction which terminals it has.
func (w *writer) classes() {
	var edges, breaks [][]automata.RuneRange
	graphs := slices.DeleteFunc(slices.Concat(w.used, w.hidden), func(x *graph) bool { return x == nil })
	for _, x := range graphs {
		for i := range x.edges {
			edges = append(edges, x.edges[i].ranges)
		}
		for _, r := range x.ends {
			breaks = append(breaks, r.ranges)
		}
	}
	kinds := w.kindsAfter()
	p := newPartition(slices.Concat(edges, breaks, slices.Concat(kinds...)))
	read := make([]bool, p.number)
	for _, set := range edges {
		for i := range p.pieces(set) {
			read[p.class[i]] = true
		}
	}
	number, letters := map[int]grammar.Terminal{}, []grammar.Terminal(nil)
	for _, c := range p.class {
		if _, known := number[c]; !known && read[c] {
			number[c] = grammar.Terminal(len(w.out.Terminals))
			ranges := p.ranges(c)
			if ranges[0].Lo >= firstLetter {
				letters = append(letters, number[c])
			}
			w.add(ranges, kinds)
		}
	}
	of := func(set []automata.RuneRange) (list []grammar.Terminal) {
		for i := range p.pieces(set) {
			if t, ok := number[p.class[i]]; ok {
				list = append(list, t)
			}
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	for _, x := range graphs {
		for i := range x.edges {
			x.edges[i].classes = of(x.edges[i].ranges)
		}
		for _, r := range x.ends {
			for _, c := range of(r.ranges) {
				for kind := range w.kinds {
					r.not = append(r.not, w.behind(c, kind))
				}
			}
			if r.end { // which a special token is for a context
				r.not = append(append(r.not, letters...), grammar.Terminal(len(w.out.Terminals)))
			}
		}
	}
}

// behind is the terminal of a class of characters behind a kind of text. That of the first kind
// stands for the class; those of the others come after it.
func (w *writer) behind(class grammar.Terminal, kind int) grammar.Terminal {
	return class + grammar.Terminal(kind)
}

// kindsAfter are by kind of what stands in front, and by kind, the characters that lead there.
func (w *writer) kindsAfter() (list [][][]automata.RuneRange) {
	if w.front != nil {
		for kind := range w.kinds {
			list = append(list, w.front.After(kind))
		}
	}
	return list
}

// add adds the terminals of a class, one of the same name for each kind of what stands in front.
func (w *writer) add(ranges []automata.RuneRange, kinds [][][]automata.RuneRange) {
	def := w.character(ranges)
	for kind := range w.kinds {
		next := def
		if w.front != nil {
			next.Next = slices.IndexFunc(kinds[kind], func(list []automata.RuneRange) bool {
				return slices.ContainsFunc(list, func(r automata.RuneRange) bool { return r.Lo <= ranges[0].Lo && ranges[0].Lo <= r.Hi })
			})
		}
		w.out.Terminals = append(w.out.Terminals, next)
	}
}

// modes makes a mode of each kind.
func (w *writer) modes() {
	if w.front == nil {
		return
	}
	for kind := range w.kinds {
		mode := grammar.Mode{Name: fmt.Sprintf("behind %d", kind)}
		for t := kind; t < len(w.out.Terminals); t += w.kinds {
			mode.Terminals = append(mode.Terminals, grammar.Terminal(t))
		}
		w.out.Modes = append(w.out.Modes, mode)
	}
}

// character is the terminal of a class.
func (w *writer) character(ranges []automata.RuneRange) grammar.TerminalDef {
	if ranges[0].Lo >= firstLetter {
		return w.g.Terminals[ranges[0].Lo-firstLetter]
	}
	if r := ranges[0]; len(ranges) == 1 && r.Lo == r.Hi {
		text := string(r.Lo)
		return grammar.TerminalDef{Name: fmt.Sprintf("%q", text), Source: text, Literal: true, MaxWidth: 1, Expr: automata.Literal(text, 0)}
	}
	parts := make([]*automata.Expr, len(ranges))
	for i, r := range ranges {
		parts[i] = automata.Range(r.Lo, r.Hi)
	}
	name := nameOf(ranges)
	return grammar.TerminalDef{Name: name, Source: name, MaxWidth: 1, Expr: automata.Alternate(parts...)}
}

// maxNamed is how many ranges the name of a class tells, and then how many more there are.
const maxNamed = 8

// nameOf writes a class as regular expressions do.
func nameOf(ranges []automata.RuneRange) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, r := range ranges {
		if i == maxNamed {
			fmt.Fprintf(&b, " and %d more, from %U]", len(ranges)-i, r.Lo)
			return b.String()
		}
		b.WriteString(written(r.Lo))
		if r.Hi > r.Lo {
			b.WriteString("-" + written(r.Hi))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// written is a character in a class.
func written(r rune) string {
	switch {
	case strings.ContainsRune(`\]-^`, r):
		return `\` + string(r)
	case r == '\n':
		return `\n`
	case unicode.IsGraphic(r):
		return string(r)
	case r <= 0xFF:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xFFFF:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
