package trie

import (
	"gcdbench/algorithms"
	"gcdbench/layout"
	"gcdbench/lexer"
	"gcdbench/recognizer"
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

// A verdict is what is known about a pending lexeme in a context.
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
}

// A line is a newline lexeme that ends at a column, in a context.
type line struct {
	in     contextID
	column int
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

// fast is the walk for a lexer built ahead and a grammar without layout. It returns the number of
// nodes visited. The loop's body for a node that stays in its lexeme is: node, transition, verdict,
// three loads that depend on one another.
func (w *walk) fast(t *tokenTrie, dfa *lexer.DFA, out *algorithms.Buffer) int {
	var q [maxDepth]lexer.State
	var c [maxDepth]contextID
	q[0] = w.contexts[0].Lexer
	table, classes, width := dfa.Table(), dfa.Classes(), dfa.NumClasses()
	start := int(dfa.Start()) * width
	words := out.Words()
	depths := t.Depths()
	visited := 0
	for i := 0; i < len(t.Nodes); {
		visited++
		n := t.Nodes[i]
		d := depths[i]
		from, in := q[d], c[d]
		class := int(classes[n.Byte()])
		to := table[int(from)*width+class]
		if to < 0 {
			set := dfa.Accept(from)
			to = table[start+class]
			if to < 0 || set == lexer.NoSet {
				i += n.Size()
				continue
			}
			if in = w.emit(in, from, set); in == refused {
				i += n.Size()
				continue
			}
		}
		v := w.verdicts[int(in)*w.states+int(to)]
		if v != legal {
			if v == unknown {
				v = w.judge(in, to)
				w.verdicts[int(in)*w.states+int(to)] = v
			}
			if v == illegal {
				i += n.Size()
				continue
			}
		}
		q[d+1], c[d+1] = to, in
		if id := n.Token(); id >= 0 {
			words[id>>6] |= 1 << (uint(id) & 63)
		}
		i++
	}
	return visited
}

// general is the walk for any lexer and with layout. Its verdicts and emissions are remembered like
// those of fast, but a lexer built on demand grows during the walk, so they are kept by reach and by
// set as far as those were known when the mask began, and asked anew beyond.
func (w *walk) general(t *tokenTrie, out *algorithms.Buffer) int {
	var q [maxDepth]lexer.State
	var c [maxDepth]contextID
	var regs [maxDepth]layout.Registers
	q[0], regs[0] = w.contexts[0].Lexer, w.contexts[0].Layout
	lex, lay := w.problem.Lexer, w.problem.Layout
	depths := t.Depths()
	visited := 0
	for i := 0; i < len(t.Nodes); {
		visited++
		n := t.Nodes[i]
		d := depths[i]
		in, pending := c[d], regs[d]
		to := lex.Next(q[d], n.Byte())
		if to == lexer.None {
			set := lex.Accept(q[d])
			to = lex.Next(lex.Start(), n.Byte())
			if to == lexer.None || set == lexer.NoSet {
				i += n.Size()
				continue
			}
			if in = w.emitGeneral(in, q[d], set, pending); in == refused {
				i += n.Size()
				continue
			}
			pending = w.contexts[in].Layout
		}
		if w.judgeGeneral(in, to) == illegal {
			i += n.Size()
			continue
		}
		q[d+1], c[d+1], regs[d+1] = to, in, lay.Read(pending, n.Byte())
		if id := n.Token(); id >= 0 {
			out.Set(int(id))
		}
		i++
	}
	return visited
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
	if l := w.problem.Layout; l != nil && w.problem.Lexer.Members(set)[0] == l.Newline() {
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
	key := line{c, pending.Column()}
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
