package trie

import (
	"gcdbench/algorithms"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
	"gcdbench/tokenizers"
)

type tokenTrie = tokenizers.Trie

// maxDepth is one more than the longest token's length: the walk keeps a state for each depth.
const maxDepth = tokenizers.MaxTokenLength + 1

// A contextID numbers a context of the walk; 0 is where the prefix stands.
type contextID int32

const (
	unasked contextID = 0 // no context ever leads back to context 0: it has emitted nothing yet
	refused contextID = -1
)

// A verdict is the answer so far about a pending lexeme in a context.
type verdict uint8

const (
	unknown verdict = iota
	legal
	illegal
)

// walk is the memory of one mask: the contexts that arose and what the parser said in each.
type walk struct {
	problem  *algorithms.Problem
	states   int // number of lexer states, the stride of verdicts
	sets     int // number of sets, the stride of after
	contexts []recognizer.State
	// verdicts[c*states+q] is whether a lexeme pending in q may be pending in context c.
	verdicts []verdict
	// after[c*sets+s] is the context that emitting s in c leads to.
	after []contextID
	// lines is after for newline lexemes, whose effect depends on their column as well.
	lines map[line]contextID
	asked int
	// Subtrees that need at most taken are left out; need is by node, and read where taken is not
	// 0.
	taken uint8
	need  []uint8
}

// A line is a newline lexeme that ends at a column, in a context.
type line struct {
	in     contextID
	set    lexer.Set
	column layout.Column
}

// reset prepares for the mask of a position.
func (w *walk) reset(p *algorithms.Problem, s recognizer.State) {
	w.problem = p
	w.states, w.sets = p.Lexer.NumStates(), p.Lexer.NumSets()
	w.contexts = w.contexts[:0]
	w.verdicts, w.after = w.verdicts[:0], w.after[:0]
	clear(w.lines)
	w.asked = 0
	w.add(s)
}

// add numbers a new context.
func (w *walk) add(s recognizer.State) contextID {
	w.contexts = append(w.contexts, s)
	w.verdicts = grow(w.verdicts, w.states)
	w.after = grow(w.after, w.sets)
	return contextID(len(w.contexts) - 1)
}

// grow appends n zero values.
func grow[T any](s []T, n int) []T {
	if len(s)+n > cap(s) {
		s = append(make([]T, 0, 2*cap(s)+n), s...)
	}
	s = s[: len(s)+n : cap(s)]
	clear(s[len(s)-n:])
	return s
}

// judge asks the parser about a lexeme pending in q in context c.
func (w *walk) judge(c contextID, q lexer.State) verdict {
	w.asked++
	s := w.contexts[c]
	s.Lexer = q
	if w.problem.Legal(s) {
		return legal
	}
	return illegal
}

// emit returns the context after a lexeme that ends in q, in context c.
func (w *walk) emit(c contextID, q lexer.State, set lexer.Set) contextID {
	known := &w.after[int(c)*w.sets+int(set)]
	if *known == unasked {
		s := w.contexts[c]
		s.Lexer = q
		to := refused
		if next, ok := w.problem.EmitSet(s, set); ok {
			to = w.add(next)
		}
		w.after[int(c)*w.sets+int(set)] = to // add may have moved the table
		return to
	}
	return *known
}

// fast is the walk for a lexer built ahead, which adds tokens to a mask. It returns the number of
// nodes visited. The loop's body for a node that stays in its lexeme is three loads that depend on
// one another: the node, the transition, the verdict. What a lexeme's end needs beyond that (the
// bytes of a newline lexeme, for its column) is found again from the path when it comes to that.
func (w *walk) fast(e *engine, words []uint64) int {
	var at [maxDepth]place
	var path [maxDepth]int32
	table, width, states := e.table, int32(e.width), int32(w.states)
	at[0] = place{int32(w.contexts[0].Lexer) * width, 0}
	t := &e.all
	if w.taken > 0 { // every length is: a lexer built ahead has no other endurances
		t = e.others()
	}
	nodes, depths, verdicts := t.nodes, t.depths, w.verdicts
	visited := 0
	for i := 0; i < len(nodes); {
		visited++
		n := nodes[i]
		d := depths[i]
		from := at[d]
		path[d] = int32(i)
		to := table[from.row+int32(n.class())]
		if to < 0 {
			if to == noWay {
				i += n.size()
				continue
			}
			if to, from.verdicts = w.behind(e, t, &at, &path, int(d), to); to == noWay {
				i += n.size()
				continue
			}
			verdicts = w.verdicts // another context may have moved them
		}
		v := &verdicts[from.verdicts+to]
		if *v != legal {
			if *v == unknown {
				*v = w.judge(contextID(from.verdicts/states), lexer.State(to))
			}
			if *v == illegal {
				i += n.size()
				continue
			}
		}
		at[d+1] = place{to * width, from.verdicts}
		if n.token >= 0 {
			bitset.Add(words, n.token)
		}
		i++
	}
	return visited
}

// A place is where the walk stands at a depth: a lexer state and a context, each as the index of
// its first entry, in the packed table and in walk.verdicts.
type place struct{ row, verdicts int32 }

// behind goes on where a byte ends the pending lexeme: entry is that of the packed table. The
// result is the next lexer state, noWay if the parser takes no such lexeme, and the context's
// verdicts.
func (w *walk) behind(e *engine, t *packed, at *[maxDepth]place, path *[maxDepth]int32, d int, entry int32) (to, verdicts int32) {
	for way := e.ways[^entry-1:]; ; way = way[1:] {
		if in := w.emitAt(e, t, at, path, d, way[0].set); in != refused {
			return way[0].to, int32(in) * int32(w.states)
		}
		if !way[0].more {
			return noWay, 0
		}
	}
}

// emitAt is emit for the lexeme that ends before depth d of the path.
func (w *walk) emitAt(e *engine, t *packed, at *[maxDepth]place, path *[maxDepth]int32, d int, set lexer.Set) contextID {
	in, q := contextID(at[d].verdicts/int32(w.states)), lexer.State(at[d].row/int32(e.width))
	l := w.problem.Layout
	if !l.IsNewline(w.problem.Lexer.Members(set)[0]) {
		return w.emit(in, q, set)
	}
	// The lexeme began where the path came into this context: every lexeme's end leads to another
	// one.
	begin := d
	for begin > 0 && at[begin-1].verdicts == at[d].verdicts {
		begin--
	}
	if begin > 0 {
		begin-- // the byte that ended the lexeme before is the first of this one
	}
	pending := w.contexts[in].Layout
	for _, i := range path[begin:d] {
		pending = l.Read(pending, e.trie.Nodes[t.origin(i)].Byte())
	}
	return w.emitLine(in, q, set, pending)
}

// general is the walk for a lexer built on demand. Its verdicts and emissions are remembered like
// those of fast, but a lexer built on demand grows during the walk, so they are kept by reach and
// by set as far as those were known when the mask began, and asked anew beyond. The registers are
// carried only where there is a layout: storing them is four fifths of a step otherwise.
func (w *walk) general(t *tokenTrie, words []uint64) int {
	var q [maxDepth]lexer.State
	var c [maxDepth]contextID
	var regs [maxDepth]layout.Registers
	var pending layout.Registers
	q[0], regs[0] = w.contexts[0].Lexer, w.contexts[0].Layout
	lex, lay := w.problem.Lexer, w.problem.Layout
	depths := t.Depths()
	visited, taken, need := 0, w.taken, w.need
	for i := 0; i < len(t.Nodes); {
		n := t.Nodes[i]
		if taken > 0 && need[i] <= taken {
			i += n.Size()
			continue
		}
		visited++
		d := depths[i]
		in := c[d]
		if lay != nil {
			pending = regs[d]
		}
		to := lex.Next(q[d], n.Byte())
		if to == lexer.None {
			if to, in = w.end(q[d], in, n.Byte(), pending); to == lexer.None {
				i += n.Size()
				continue
			}
			pending = w.contexts[in].Layout
		}
		if w.judgeGeneral(in, to) == illegal {
			i += n.Size()
			continue
		}
		q[d+1], c[d+1] = to, in
		if lay != nil {
			regs[d+1] = lay.Read(pending, n.Byte())
		}
		if id := n.Token(); id >= 0 {
			bitset.Add(words, id)
		}
		i++
	}
	return visited
}

// end ends the lexeme pending in q in context c before byte b: in the way that the parser takes. It
// is None if there is none.
func (w *walk) end(q lexer.State, c contextID, b byte, pending layout.Registers) (to lexer.State, in contextID) {
	lex := w.problem.Lexer
	for _, end := range lex.Ends(q) {
		if to = lex.Next(end.Start, b); to == lexer.None {
			continue
		}
		if in = w.emitGeneral(c, q, end.Set, pending); in != refused {
			return to, in
		}
	}
	return lexer.None, refused
}

// judgeGeneral is the remembered verdict of a lexeme pending in q in context c.
func (w *walk) judgeGeneral(c contextID, q lexer.State) verdict {
	if int(q) >= w.states {
		return w.judge(c, q)
	}
	v := &w.verdicts[int(c)*w.states+int(q)]
	if *v == unknown {
		*v = w.judge(c, q)
	}
	return *v
}

// emitGeneral is emit with the layout registers of the pending lexeme.
func (w *walk) emitGeneral(c contextID, q lexer.State, set lexer.Set, pending layout.Registers) contextID {
	if w.problem.Layout.IsNewline(w.problem.Lexer.Members(set)[0]) {
		return w.emitLine(c, q, set, pending)
	}
	if int(set) < w.sets {
		return w.emit(c, q, set)
	}
	s := w.contexts[c]
	s.Lexer, s.Layout = q, pending
	next, ok := w.problem.EmitSet(s, set)
	if !ok {
		return refused
	}
	return w.add(next)
}

// emitLine is emit for a newline lexeme: what it becomes depends on its column too.
func (w *walk) emitLine(c contextID, q lexer.State, set lexer.Set, pending layout.Registers) contextID {
	key := line{c, set, pending.Line().Column}
	to, ok := w.lines[key]
	if ok {
		return to
	}
	s := w.contexts[c]
	s.Lexer, s.Layout = q, pending
	to = refused
	if next, ok := w.problem.EmitSet(s, set); ok {
		to = w.add(next)
	}
	if w.lines == nil {
		w.lines = map[line]contextID{}
	}
	w.lines[key] = to
	return to
}
