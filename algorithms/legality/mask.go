package legality

import (
	"gcdbench/algorithms"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
)

// fill writes the ready mask of the row, and what the parser says to its questions.
func (s *state) fill(at *algorithms.Position, words []uint64) {
	s.Position = at
	c := counts{}
	r := s.store.row(rowKey{s.State.Lexer, whole, s.store.know(s.State.Stacks)})
	r.always().copyTo(words)
	s.use(words, r, s.State.Lexer, s.State, &c)
	s.store.masks.Add(1)
	s.store.asked.Add(int64(c.asked))
	s.store.saved.Add(int64(c.groups - c.asked))
}

// counts are of one mask: the questions asked, and the groups, each of which would have been a
// question.
type counts struct{ asked, groups int }

// use adds a row of the store to a mask: q is the lexer state whose tree the row is of, at the
// position where it begins.
func (s *state) use(words []uint64, r *row, q lexer.State, at recognizer.State, c *counts) {
	base := len(s.stack)
	s.stack = append(s.stack, at)
	c.groups += r.groups
	for i := 0; i < len(r.nodes); {
		n := &r.nodes[i]
		s.stack = s.stack[:base+max(1, int(n.depth))]
		if n.depth > 0 {
			if !s.enter(words, n, q, c) {
				i += int(n.size)
				continue
			}
			n.tokens.addTo(words)
		}
		s.ask(n.checks, words, c)
		i++
	}
	s.stack = s.stack[:base]
}

// enter reads the last lexeme of a node, on the stacks of its parent; false if it is refused.
// For a newline lexeme it adds the tokens that go on after it to the mask.
func (s *state) enter(words []uint64, n *node, q lexer.State, c *counts) bool {
	p := s.Problem()
	at := s.stack[len(s.stack)-1]
	if n.lines != nil {
		s.line(words, n, q, at, c)
		return true
	}
	c.asked++
	if n.plain >= 0 {
		return p.Tables.Accepts(at.Stacks, n.plain)
	}
	next, ok := at, false
	if n.set == lexer.NoSet {
		next.Lexer = p.Lexer.Start()
		next.Stacks, ok = p.Tables.Shift(at.Stacks, n.terms...)
	} else {
		next, ok = p.EmitSet(at, n.set)
	}
	if ok {
		s.stack = append(s.stack, next)
	}
	return ok
}

// ask puts the checks of a node.
func (s *state) ask(checks []check, words []uint64, c *counts) {
	p := s.Problem()
	at := &s.stack[len(s.stack)-1]
	for i := range checks {
		k := &checks[i]
		c.asked++
		if k.newline && p.Layout.Dropped(at.Layout, p.Layout.Newline()) || p.Tables.AcceptsAny(at.Stacks, k.terms) {
			k.tokens.addTo(words)
		}
	}
}

// line ends a newline lexeme. Its column and the layout registers decide what it becomes, and
// then its rows are used.
func (s *state) line(words []uint64, n *node, q lexer.State, at recognizer.State, c *counts) {
	p := s.Problem()
	at.Layout = at.Layout.At(s.column(n.lines))
	c.asked++
	next, ok := p.EmitSet(at, n.set)
	if !ok {
		return
	}
	know := s.store.know(next.Stacks)
	for _, root := range n.lines.roots {
		r := s.store.row(rowKey{q, root, know})
		r.always().addTo(words)
		s.use(words, r, q, next, c)
	}
}

// column is where a newline lexeme ends. The lexeme that was pending before the token is the only
// one whose column depends on the registers before the token, which are those of the position.
func (s *state) column(l *lines) layout.Column {
	return l.column.At(s.Problem().Layout, s.State.Layout)
}
