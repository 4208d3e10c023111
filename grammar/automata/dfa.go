package automata

import "slices"

// A DFA is a minimal, trimmed and canonical automaton over bytes, but for those
// that OnDemand makes. It is immutable and may be used by several goroutines. The
// zero value is not a DFA; they come from Compile, FromStrings, FromTransitions and
// operations on others.
type DFA struct {
	classOf   [256]uint8
	classes   int
	table     []int32 // by state and class; nil of a literal, and of one on demand
	accepting []bool
	contexts  *contexts // nil if no match asks what follows it
	demand    *onDemand // nil if all states are known
	text      string    // the one that it accepts, if it was made of a literal: state i has read i bytes
}

// Text is the text that d accepts, if it was made of a literal, else "". State i has read i bytes.
func (d *DFA) Text() string { return d.text }

// Dead is the state from which nothing is accepted. It is no state of its own:
// a DFA only has states that lead to acceptance.
const Dead = int32(-1)

// emptyDFA is the automaton of the empty language. All bytes are in one class.
func emptyDFA() *DFA { return &DFA{classes: 1} }

// Compile turns e into a DFA. If e has lazy quantifiers, it accepts what Python's re takes of a
// text that ends there (order.go). Errors are a *LimitError, or a *SyntaxError for an assertion
// that looks in front of the match, or without bound past it.
func Compile(e *Expr, lim Limits) (*DFA, error) {
	if e.op == opAutomaton {
		return e.dfa, nil // every DFA is minimal, trimmed and numbered canonically already
	}
	bounds := lim.withDefaults()
	bounds.Context = nil
	if e.op == opLiteral && 0 < len(e.bytes) && len(e.bytes) <= maxLiteral && bounds == DefaultLimits {
		return literalDFA(e.bytes), nil
	}
	return compile(e, newBudget(lim), compileMode{ordered: e.HasLazy()})
}

// CompileFirst is the automaton of the strings that e matches and of which it matches no proper
// prefix. Where a lookaround at the end of a match depends on what follows, there is no match yet,
// instead of an error. It suits patterns that any text may follow: what comes after a match, which
// may be all combinations of further matches, is never looked at.
func CompileFirst(e *Expr, lim Limits) (*DFA, error) {
	return compile(e, newBudget(lim), compileMode{cut: true, patient: true})
}

// MustCompile parses and compiles a pattern that is known to be right, and
// panics if it is not.
func MustCompile(pattern string, flags Flags) *DFA {
	return must(Compile(must(Parse(pattern, flags)), Limits{}))
}

// must is for what is known to have no error.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Start returns the start state: 0, or Dead if the language is empty.
func (d *DFA) Start() int32 {
	if d.IsEmpty() {
		return Dead
	}
	return 0
}

// NumStates returns the number of states, which are 0 .. NumStates()-1.
func (d *DFA) NumStates() int {
	if d.demand != nil {
		return d.demand.numStates()
	}
	return len(d.accepting)
}

// Next returns the state after byte b in state s, or Dead. From Dead there is
// no way out.
func (d *DFA) Next(s int32, b byte) int32 {
	switch {
	case s < 0:
		return Dead
	case d.demand != nil:
		return d.demand.get(s).to[d.classOf[b]]
	case d.text != "":
		return d.nextOfText(s, b)
	}
	return d.table[int(s)*d.classes+int(d.classOf[b])]
}

// Accepting reports whether the bytes that lead to s are accepted, if only under a context (see
// Context).
func (d *DFA) Accepting(s int32) bool {
	if s < 0 || d.demand != nil {
		return d.acceptingOnDemand(s)
	}
	return d.accepting[s]
}

// Classes returns the class of each byte, and the number of classes: 1 to 256.
// Bytes share a class if no state tells them apart. Classes are numbered by
// their first bytes.
func (d *DFA) Classes() (classOf [256]uint8, n int) { return d.classOf, d.classes }

// Row returns the states that follow s, by class. It must not be changed.
func (d *DFA) Row(s int32) []int32 {
	switch {
	case d.demand != nil:
		return d.rowOnDemand(s)
	case d.text != "":
		return d.rowsOfText(int(s), int(s)+1)
	}
	return d.table[int(s)*d.classes : (int(s)+1)*d.classes : (int(s)+1)*d.classes]
}

// Match reports whether d accepts exactly text, with nothing after it.
func (d *DFA) Match(text []byte) bool { return matchFrom(d, text) }

// MatchString is Match for strings.
func (d *DFA) MatchString(text string) bool { return matchFrom(d, text) }

func matchFrom[T []byte | string](d *DFA, text T) bool {
	s := d.Start()
	for i := 0; i < len(text) && s != Dead; i++ {
		s = d.Next(s, text[i])
	}
	return d.ContextAtEnd(d.Context(s))
}

// MatchesEmpty reports whether d accepts the empty string, if only under a context.
func (d *DFA) MatchesEmpty() bool { return d.Accepting(d.Start()) }

// IsEmpty reports whether d accepts nothing at all.
func (d *DFA) IsEmpty() bool { return d.demand == nil && len(d.accepting) == 0 }

// Equal reports whether d and o accept the same language, under the same contexts.
func (d *DFA) Equal(o *DFA) bool {
	if d == o {
		return true
	}
	d, o = d.Whole(), o.Whole()
	return d.classes == o.classes && d.classOf == o.classOf &&
		slices.Equal(d.accepting, o.accepting) && slices.Equal(d.rows(), o.rows()) && d.contexts.equal(o.contexts)
}

// Bytes returns the memory that d holds; of an automaton on demand, that of the rows made so far,
// or of some that will be.
func (d *DFA) Bytes() int {
	if d.demand != nil {
		return d.demand.size()
	}
	n := 4*cap(d.table) + len(d.accepting) + 256 + 64
	if x := d.contexts; x != nil {
		n += 4*(len(x.of)+len(x.table)) + len(x.atEnd)
	}
	return n
}

// edges returns the transitions of s as ranges of bytes, in order.
func (d *DFA) edges(s int32) []edge {
	row := d.Row(s)
	return ranges(func(b byte) int32 { return row[d.classOf[b]] })
}

// ranges joins neighbouring bytes that lead to one state.
func ranges(next func(b byte) int32) []edge {
	var out []edge
	for b := range 256 {
		to := next(byte(b))
		if to == Dead {
			continue
		}
		if n := len(out); n > 0 && out[n-1].to == to && int(out[n-1].hi)+1 == b {
			out[n-1].hi = byte(b)
			continue
		}
		out = append(out, edge{byte(b), byte(b), to})
	}
	return out
}

// Shortest returns a shortest accepted string, whatever its context. Among those it prefers
// letters, then digits, then other printable bytes. It is not ok for an empty language. Of an
// automaton on demand it writes down no more than the states that shorter strings come to.
func (d *DFA) Shortest() (text []byte, ok bool) {
	if d.IsEmpty() {
		return nil, false
	}
	type step struct {
		from int
		to   int32
		b    byte
	}
	found := []step{{to: d.Start()}}
	seen := map[int32]bool{d.Start(): true}
	for i := 0; ; i++ { // acceptance can be reached
		if d.Accepting(found[i].to) {
			for ; i > 0; i = found[i].from {
				text = append(text, found[i].b)
			}
			slices.Reverse(text)
			return text, true
		}
		for _, b := range preferredBytes {
			if t := d.Next(found[i].to, b); t != Dead && !seen[t] {
				seen[t] = true
				found = append(found, step{i, t, b})
			}
		}
	}
}

// ReadableFirst is all bytes, the most readable first: small letters, capitals, digits, other
// printable ASCII, a blank, line feed and tab, then the rest.
func ReadableFirst() []byte { return slices.Clone(preferredBytes) }

// preferredBytes are all bytes, the most readable first.
var preferredBytes = func() []byte {
	kind := func(b byte) int {
		switch {
		case 'a' <= b && b <= 'z':
			return 0
		case 'A' <= b && b <= 'Z':
			return 1
		case '0' <= b && b <= '9':
			return 2
		case ' ' < b && b < 0x7F:
			return 3
		case b == ' ':
			return 4
		case b == '\n' || b == '\t':
			return 5
		}
		return 6
	}
	all := make([]byte, 256)
	for b := range all {
		all[b] = byte(b)
	}
	slices.SortStableFunc(all, func(a, b byte) int { return kind(a) - kind(b) })
	return all
}()

// Distances returns, per state, how many bytes are missing to acceptance: at least 0, since every
// state leads there; -1 for numbers that an automaton on demand does not use.
func (d *DFA) Distances() []int32 {
	n := d.NumStates()
	states := d.Near(n)
	incoming := newLists(n, func(add func(key, value int32)) {
		for _, s := range states {
			for _, t := range d.Row(s) {
				if t != Dead {
					add(t, s)
				}
			}
		}
	})
	left := slices.Repeat([]int32{-1}, n)
	var queue []int32
	for _, s := range states {
		if d.Accepting(s) {
			left[s] = 0
			queue = append(queue, s)
		}
	}
	for i := 0; i < len(queue); i++ {
		for _, s := range incoming.of(queue[i]) {
			if left[s] < 0 {
				left[s] = left[queue[i]] + 1
				queue = append(queue, s)
			}
		}
	}
	return left
}
