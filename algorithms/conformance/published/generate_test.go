package published

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
)

// Texts. A generator derives sequences of terminals from the rules at random, and writes a lexeme
// for each: a random walk through the automaton of the terminal that the lexer emits as it. Most
// lexemes have white space behind them, since neighbours may read as one otherwise. Not every text
// is legal; that does no harm, since only verdicts are compared.

// A generator makes texts of a grammar.
type generator struct {
	g       *grammar.Grammar
	lexer   lexer.Automaton
	starts  []lexer.State // in which lexemes begin
	rng     *rand.Rand
	dfas    []*automata.DFA // by terminal; nil for declared ones
	from    [][]int32       // their states in which a match may begin
	ends    [][]int32       // the bytes from each state to an accepting one
	byLHS   [][]*grammar.Rule
	heights []int // of the lowest tree of each nonterminal; math.MaxInt if it has none
	ignored []grammar.Terminal
	blanks  []string // white space that is ignored
}

func newGenerator(r *recognizer.Recognizer, rng *rand.Rand) (*generator, error) {
	g := r.Grammar
	x := &generator{g: g, lexer: r.Lexer, rng: rng, dfas: make([]*automata.DFA, len(g.Terminals)),
		from: make([][]int32, len(g.Terminals)), ends: make([][]int32, len(g.Terminals))}
	for q := range lexer.State(r.Lexer.NumStates()) {
		if r.Lexer.Begins(q) {
			x.starts = append(x.starts, q)
		}
	}
	for t := range g.Terminals {
		def := &g.Terminals[t]
		if def.Declared {
			continue
		}
		if err := x.compile(t); err != nil {
			return nil, err
		}
		if def.Ignored {
			x.ignored = append(x.ignored, grammar.Terminal(t))
		}
	}
	for _, blank := range []string{" ", " ", " ", "\n", "\t"} {
		for _, t := range x.ignored {
			if x.emitted(blank, t) {
				x.blanks = append(x.blanks, blank)
			}
		}
	}
	x.byLHS = make([][]*grammar.Rule, len(g.Nonterminals))
	for i := range g.Rules {
		x.byLHS[g.Rules[i].LHS] = append(x.byLHS[g.Rules[i].LHS], &g.Rules[i])
	}
	x.measure()
	return x, nil
}

// compile makes the automaton of a terminal. A match may begin behind any kind of text that it
// tells apart.
func (x *generator) compile(t int) error {
	def := &x.g.Terminals[t]
	dfa, err := automata.Compile(def.Expr, automata.DefaultLimits)
	kinds := 0
	if automata.LooksInFront(err) {
		front, err := automata.NewFront([]*automata.Expr{def.Expr}, automata.DefaultLimits)
		if err != nil {
			return err
		}
		kinds = front.Kinds()
		if dfa, err = front.Compile(def.Expr); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	x.dfas[t], x.ends[t] = dfa, dfa.Distances()
	for kind := range kinds {
		if q := dfa.Next(dfa.Start(), byte(kind)); q != automata.Dead {
			x.from[t] = append(x.from[t], q)
		}
	}
	if kinds == 0 {
		x.from[t] = []int32{dfa.Start()}
	}
	return nil
}

// measure finds the heights, by repeating until none becomes smaller.
func (x *generator) measure() {
	x.heights = slices.Repeat([]int{math.MaxInt}, len(x.byLHS))
	for again := true; again; {
		again = false
		for i := range x.g.Rules {
			r := &x.g.Rules[i]
			if h := x.height(r); h < x.heights[r.LHS] {
				x.heights[r.LHS], again = h, true
			}
		}
	}
}

// height is that of the lowest tree of a rule.
func (x *generator) height(r *grammar.Rule) int {
	h := 0
	for _, s := range r.RHS {
		switch {
		case s.IsTerminal() && x.dfas[s.Terminal()] == nil:
			return math.MaxInt
		case !s.IsTerminal():
			h = max(h, x.heights[s.Nonterminal()])
		}
	}
	if h == math.MaxInt {
		return h
	}
	return h + 1
}

// lexemes are those of a random sentence, ignored ones among them.
func (x *generator) lexemes() []string {
	var list []string
	height, longest := 4+x.rng.IntN(12), x.rng.IntN(40) // levels, and lexemes after which the lowest trees are taken
	var derive func(n grammar.Nonterminal, levels int)
	derive = func(n grammar.Nonterminal, levels int) {
		if len(list) > longest {
			levels = 0
		}
		for _, s := range x.choose(n, levels).RHS {
			if !s.IsTerminal() {
				derive(s.Nonterminal(), levels-1)
				continue
			}
			list = append(list, x.lexeme(s.Terminal()))
			list = append(list, x.between()...)
		}
	}
	if x.heights[x.g.Start] < math.MaxInt {
		derive(x.g.Start, max(height, x.heights[x.g.Start]))
	}
	return list
}

// choose takes a rule of n whose lowest tree has at most so many levels, or else one of the lowest.
func (x *generator) choose(n grammar.Nonterminal, levels int) *grammar.Rule {
	var fit []*grammar.Rule
	for _, r := range x.byLHS[n] {
		if x.height(r) <= max(levels, x.heights[n]) {
			fit = append(fit, r)
		}
	}
	return fit[x.rng.IntN(len(fit))]
}

// between are ignored lexemes: mostly white space, now and then any and white space, or nothing.
func (x *generator) between() (list []string) {
	if n := len(x.ignored); n > 0 && (len(x.blanks) == 0 || x.rng.IntN(20) == 0) {
		list = append(list, x.lexeme(x.ignored[x.rng.IntN(n)]))
	}
	if len(x.blanks) > 0 && (len(list) > 0 || x.rng.IntN(20) > 0) {
		list = append(list, x.blanks[x.rng.IntN(len(x.blanks))])
	}
	return list
}

// lexeme is a random text that is emitted as a terminal, or at least matches it.
func (x *generator) lexeme(t grammar.Terminal) (text string) {
	for range 20 {
		if text = x.walk(t); x.emitted(text, t) {
			break
		}
	}
	return text
}

// emitted tells whether a text is a lexeme of a terminal somewhere.
func (x *generator) emitted(text string, t grammar.Terminal) bool {
	copies := []grammar.Terminal{t}
	if x.g.Split != nil {
		copies = x.g.Split.Copies[t]
	}
	is := func(e lexer.End) bool {
		return slices.ContainsFunc(x.lexer.Members(e.Set), func(m grammar.Terminal) bool { return slices.Contains(copies, m) })
	}
	return slices.ContainsFunc(x.starts, func(q lexer.State) bool {
		for i := 0; i < len(text) && q != lexer.None; i++ {
			q = x.lexer.Next(q, text[i])
		}
		return q != lexer.None && slices.ContainsFunc(x.lexer.Ends(q), is)
	})
}

// walk is a random text that matches a terminal. Beyond a dozen bytes it takes the shortest way to
// an end.
func (x *generator) walk(t grammar.Terminal) string {
	const long = 12
	dfa, ends := x.dfas[t], x.ends[t]
	var b strings.Builder
	for q := x.from[t][x.rng.IntN(len(x.from[t]))]; ; {
		if dfa.Accepting(q) && b.Len() > 0 && (x.rng.IntN(3) == 0 || b.Len() > long) {
			return b.String()
		}
		var plain, all []byte
		for c := range 256 {
			to := dfa.Next(q, byte(c))
			if to == automata.Dead || b.Len() > long && ends[to] >= ends[q] {
				continue
			}
			all = append(all, byte(c))
			if c < 0x7f && (c >= ' ' || c == '\n') {
				plain = append(plain, byte(c))
			}
		}
		if len(all) == 0 {
			return b.String()
		}
		if len(plain) > 0 && x.rng.IntN(20) > 0 {
			all = plain
		}
		c := all[x.rng.IntN(len(all))]
		b.WriteByte(c)
		q = dfa.Next(q, c)
	}
}

// mutate makes a mistake: a lexeme that is deleted, doubled, swapped with the next or replaced, or
// a character that is deleted or put in.
func (x *generator) mutate(lexemes []string) string {
	list := slices.Clone(lexemes)
	if len(list) == 0 {
		return "?"
	}
	i := x.rng.IntN(len(list))
	switch x.rng.IntN(6) {
	case 0:
		list = slices.Delete(list, i, i+1)
	case 1:
		list = slices.Insert(list, i, list[i])
	case 2:
		j := min(i+1, len(list)-1)
		list[i], list[j] = list[j], list[i]
	case 3:
		if t := x.rng.IntN(len(x.dfas)); x.dfas[t] != nil {
			list[i] = x.lexeme(grammar.Terminal(t))
		}
	default:
		return x.mutateCharacter(strings.Join(list, ""))
	}
	return strings.Join(list, "")
}

// mutateCharacter deletes a character, or puts in one.
func (x *generator) mutateCharacter(text string) string {
	runes := []rune(text)
	if len(runes) == 0 {
		return "?"
	}
	i := x.rng.IntN(len(runes))
	if x.rng.IntN(2) == 0 {
		return string(slices.Delete(runes, i, i+1))
	}
	const others = " \n\t'\"/\\(){}[]<>:;,.=+-*#$%&|!?_aZ09é"
	r := []rune(others)
	return string(slices.Insert(runes, i, r[x.rng.IntN(len(r))]))
}

// texts are n sentences, and four of each with a mistake. The byte order mark is left out: Lark's
// texts are of characters, which have none.
func (x *generator) texts(n int) (list []string) {
	seen := map[string]bool{}
	add := func(text string) {
		if !seen[text] && !bytes.ContainsRune([]byte(text), 0xfeff) {
			seen[text] = true
			list = append(list, text)
		}
	}
	for range n {
		lexemes := x.lexemes()
		add(strings.Join(lexemes, ""))
		for range 4 {
			add(x.mutate(lexemes))
		}
	}
	return list
}
