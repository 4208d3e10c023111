package recognizer

import (
	"fmt"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/special"
)

// An Explanation says why a text may or may not follow a prefix, step by step.
type Explanation struct {
	Legal bool `json:"legal"`
	// Reason is the verdict in words.
	Reason string `json:"reason"`
	// Before is the place the prefix leads to, After the place after the last byte that could be
	// read.
	Before Place `json:"before"`
	After  Place `json:"after"`
	// Emitted are the lexemes that end inside the text, in order; the last one may have failed.
	Emitted []Emission `json:"emitted"`
	// Failed names the terminals that the parser would not take: those of the lexeme that failed,
	// or all that the pending lexeme could still become. Empty if the text is legal or the lexer
	// refused.
	Failed []string `json:"failed,omitempty"`
	// Expected names the terminals that the parser would take where it refused.
	Expected []string `json:"expected,omitempty"`
}

// A Place is a State in words.
type Place struct {
	LexerState int      `json:"lexer_state"`
	Pending    string   `json:"pending"` // the pending lexeme
	Accepts    []string `json:"accepts"` // what the pending lexeme is emitted as if it ends here
	Reach      []string `json:"reach"`   // what it can still become; "(ignored)" stands for any ignored terminal
	// Stacks are the parser's stacks, LR states from the bottom, the top last.
	Stacks [][]int32 `json:"parser_stacks"`
	// Depth and Columns are the layout registers; omitted without layout.
	Depth   int   `json:"bracket_depth,omitempty"`
	Columns []int `json:"columns,omitempty"`
}

// An Emission is a lexeme that ended, and what it was emitted as.
type Emission struct {
	Lexeme    string   `json:"lexeme"`
	Terminals []string `json:"terminals"`
	Ignored   bool     `json:"ignored,omitempty"`
	Accepted  bool     `json:"accepted"`
}

// Explain reads prefix and then text, and says what happened in text. It fails with a *Refusal if
// prefix itself is no legal prefix.
func (r *Recognizer) Explain(prefix, text []byte) (*Explanation, error) {
	r = r.afterReading(prefix, text)
	s, start := r.Start(), 0
	for i, b := range prefix {
		next, ok := r.Step(s, b)
		if !ok {
			return nil, r.refusal(s, prefix, start, i)
		}
		if !r.Pending(s) || r.Lexer.Next(s.Lexer, b) == lexer.None {
			start = i
		}
		s = next
	}
	if len(prefix) > 0 && !r.Legal(s) {
		return nil, newRefusal(prefix, start, fmt.Sprintf("%q cannot become anything the parser accepts%s", prefix[start:], r.expected(s)))
	}
	e := &Explanation{Before: r.place(s, prefix[start:]), Emitted: []Emission{}}
	r.explain(e, s, prefix[start:len(prefix):len(prefix)], text)
	return e, nil
}

// explain fills e for text read from s, whose pending lexeme is given.
func (r *Recognizer) explain(e *Explanation, s State, pending, text []byte) {
	for i, b := range text {
		continues := r.Lexer.Next(s.Lexer, b) != lexer.None
		next, ok := r.Step(s, b)
		lexeme := pending
		if !continues && r.Pending(s) {
			r.emission(e, s, pending, b)
			pending = nil
		}
		if !ok {
			r.explainStep(e, s, lexeme, text, i)
			return
		}
		pending = append(pending, b)
		s = next
	}
	e.After = r.place(s, pending)
	e.Legal = len(text) > 0 && r.Legal(s)
	switch {
	case len(text) == 0:
		e.Reason = "the token has no bytes"
	case e.Legal:
		e.Reason = "the pending lexeme can still become a terminal that is ignored or that the parser accepts"
	default:
		e.Failed = e.After.Reach
		e.Expected = r.acceptable(s)
		e.Reason = "the parser accepts nothing that the pending lexeme can still become"
	}
}

// emission records that the lexeme pending in s ended before byte b, if it is complete: in the way
// that was accepted, or in the first that was not.
func (r *Recognizer) emission(e *Explanation, s State, lexeme []byte, b byte) {
	set, accepted, follows := lexer.NoSet, false, r.followed(s, b)
	for _, end := range r.Lexer.Ends(s.Lexer) {
		if accepted || follows && r.Lexer.Next(end.Start, b) == lexer.None {
			continue
		}
		if _, ok := r.Emit(s, end); ok || set == lexer.NoSet {
			set, accepted = end.Set, ok
		}
	}
	if set != lexer.NoSet {
		e.Emitted = append(e.Emitted, Emission{string(special.Shown(lexeme)), r.names(r.Lexer.Members(set)), r.Lexer.Ignored(set), accepted})
	}
}

// explainStep says why Step refused text[at] in s, whose pending lexeme is given.
func (r *Recognizer) explainStep(e *Explanation, s State, lexeme, text []byte, at int) {
	e.After = r.place(s, lexeme)
	switch {
	case r.Pending(s) && len(r.Lexer.Ends(s.Lexer)) == 0:
		e.Reason = fmt.Sprintf("the pending lexeme is not complete and cannot go on with %s", char(text, at))
	case !r.Pending(s):
		e.Reason = "no lexeme begins with " + char(text, at)
	case r.unfit(s, text[at]):
		e.Reason = r.unfollowed(append(lexeme[:len(lexeme):len(lexeme)], text[at:]...), 0, len(lexeme))
	default:
		e.Failed = r.names(r.candidates(s))
		e.Reason = "the lexeme that ends here is not accepted: " + r.unexpected(s, lexeme)
		if !r.pendingNewline(s) {
			e.Expected = r.acceptable(s)
		}
	}
}

// unfit tells whether a byte cannot follow the lexeme pending in s in any way to end it, or in any
// that the parser takes.
func (r *Recognizer) unfit(s State, b byte) bool {
	_, taken := r.EmitAny(s)
	return taken || !r.followed(s, b)
}

// ExplainEnd says whether and why the text may end after prefix.
func (r *Recognizer) ExplainEnd(prefix []byte) (*Explanation, error) {
	e, err := r.Explain(prefix, nil)
	if err != nil {
		return nil, err
	}
	if err := r.Check(prefix); err != nil {
		e.Reason = "the text may not end here: " + err.Error()
		return e, nil
	}
	e.Legal, e.Reason = true, "the pending lexeme is complete and the parser accepts the end of the text"
	return e, nil
}

// place describes s.
func (r *Recognizer) place(s State, pending []byte) Place {
	p := Place{LexerState: int(s.Lexer), Pending: string(special.Shown(pending)), Accepts: []string{}, Reach: []string{}, Stacks: s.Stacks.Describe()}
	if !r.Pending(s) {
		p.Pending = ""
	}
	p.Accepts = append(p.Accepts, r.names(r.candidates(s))...)
	reach := r.Lexer.ReachSet(r.Lexer.Reach(s.Lexer))
	if reach.Ignored {
		p.Reach = append(p.Reach, "(ignored)")
	}
	p.Reach = append(p.Reach, r.names(reach.Terminals())...)
	if r.Layout != nil {
		p.Depth, p.Columns = s.Layout.Depth(), append([]int{0}, stops(s.Layout)...)
	}
	return p
}

func (r *Recognizer) acceptable(s State) []string {
	return r.names(r.Tables.Acceptable(s.Stacks, nil))
}

func (r *Recognizer) names(terms []grammar.Terminal) []string {
	names := make([]string, 0, len(terms))
	for _, t := range terms { // which may be copies of one (grammar.Split)
		if name := r.Grammar.TerminalName(t); r.Grammar.Split == nil || !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
