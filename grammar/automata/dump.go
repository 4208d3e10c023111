package automata

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// String returns a summary of d, and all its transitions if it is small.
func (d *DFA) String() string {
	const small = 32 // states
	var b strings.Builder
	if !d.Within(small) && d.demand != nil {
		return fmt.Sprintf("DFA on demand, %d byte classes", d.classes)
	}
	fmt.Fprintf(&b, "DFA of %d states, %d byte classes", d.NumStates(), d.classes)
	if d.NumStates() <= small {
		b.WriteByte('\n')
		d.Dump(&b)
	}
	return b.String()
}

// Dump writes one line per state: its number, * if it accepts, its transitions as ranges of bytes,
// and its context if it asks anything. Lines for the contexts follow, with $ if the text may end.
func (d *DFA) Dump(w io.Writer) error {
	out := bufio.NewWriter(w)
	for s := range int32(d.NumStates()) {
		mark := " "
		if d.Accepting(s) {
			mark = "*"
		}
		fmt.Fprintf(out, "%s%d:", mark, s)
		for _, e := range d.edges(s) {
			fmt.Fprintf(out, " %s->%d", e.label(), e.to)
		}
		if c := d.Context(s); c > 0 {
			fmt.Fprintf(out, " context %d", c)
		}
		fmt.Fprintln(out)
	}
	for c := int32(1); int(c) < d.NumContexts(); c++ {
		mark := " "
		if d.ContextAtEnd(c) {
			mark = "$"
		}
		fmt.Fprintf(out, "%scontext %d:", mark, c)
		for _, e := range ranges(func(b byte) int32 { return d.NextContext(c, b) }) {
			fmt.Fprintf(out, " %s->%d", e.label(), e.to)
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// Dot writes d in the language of Graphviz.
func (d *DFA) Dot(w io.Writer, name string) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "digraph %q {\n\trankdir=LR;\n\tnode [shape=circle];\n", name)
	for s := range int32(d.NumStates()) {
		if d.Accepting(s) {
			fmt.Fprintf(out, "\t%d [shape=doublecircle];\n", s)
		}
		labels := map[int32][]string{}
		var targets []int32
		for _, e := range d.edges(s) {
			if labels[e.to] == nil {
				targets = append(targets, e.to)
			}
			labels[e.to] = append(labels[e.to], e.label())
		}
		for _, t := range targets {
			fmt.Fprintf(out, "\t%d -> %d [label=%q];\n", s, t, strings.Join(labels[t], " "))
		}
	}
	fmt.Fprintln(out, "}")
	return out.Flush()
}

// label writes the bytes of an edge: printable ones as themselves.
func (e edge) label() string {
	if e.lo == e.hi {
		return byteLabel(e.lo)
	}
	return byteLabel(e.lo) + "-" + byteLabel(e.hi)
}

func byteLabel(b byte) string {
	if ' ' < b && b < 0x7F && b != '-' {
		return string(rune(b))
	}
	return fmt.Sprintf("%02X", b)
}
