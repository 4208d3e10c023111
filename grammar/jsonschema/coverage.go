package jsonschema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/pattern"
	"gcdbench/internal/jsontext"
)

// A Status says what became of a keyword.
type Status string

// What becomes of a keyword.
const (
	// Enforced: exactly what the keyword says.
	Enforced Status = "enforced"
	// Narrower: every text that is accepted is right, and some right ones are refused.
	Narrower Status = "narrower"
	// Wider: some wrong texts are accepted; only with Options.Lenient.
	Wider Status = "wider"
	// Refused: the keyword is why the schema was not compiled.
	Refused Status = "refused"
	// Annotation: the keyword constrains nothing (an unknown format, say).
	Annotation Status = "annotation"
	// Unused: no instance depends on the keyword, since its schema is never reached.
	Unused Status = "unused"
	// Unreached: the compile ended, for another keyword, before it came to this one.
	Unreached Status = "unreached"
)

// severity orders statuses: a keyword has the worst of what its uses became.
func (s Status) severity() int {
	return slices.Index([]Status{Unreached, Unused, Annotation, Enforced, Narrower, Wider, Refused}, s)
}

// A Coverage says what became of one occurrence of a keyword.
type Coverage struct {
	Pointer string `json:"pointer"` // JSON pointer of the keyword in the document
	Keyword string `json:"keyword"`
	Status  Status `json:"status"`
	Reason  string `json:"reason,omitempty"`
}

// An UnsupportedError names a keyword that cannot be compiled without accepting invalid instances.
type UnsupportedError struct {
	Pointer string
	Keyword string
	// Reason is one of a few fixed texts, so that outcomes may be counted by it (with Keyword
	// before it): "items are unbounded", say.
	Reason string
	// Detail is more about this case: a number, or what to do instead. It may be empty.
	Detail string
	// Lenient: Options.Lenient would leave the keyword out.
	Lenient bool
}

// Error is pointer: reason; detail.
func (e *UnsupportedError) Error() string {
	pointer := e.Pointer
	if pointer == "" { // the whole document
		pointer = "/"
	}
	return pointer + ": unsupported: " + e.because()
}

func (e *UnsupportedError) because() string {
	if e.Detail == "" {
		return e.Reason
	}
	return e.Reason + "; " + e.Detail
}

// reasonAutomaton is the reason of what makes too large an automaton.
const reasonAutomaton = "the automaton is too large"

// A refusal is an UnsupportedError whose place is not known yet.
func refusal(reason, format string, args ...any) *UnsupportedError {
	return &UnsupportedError{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// refusalOf is the refusal that an error is: automata outgrow their limits, patterns have what they
// must not.
func refusalOf(err error) *UnsupportedError {
	var refused *UnsupportedError
	var limit *automata.LimitError
	var lacking *pattern.Unsupported
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &limit):
		return &UnsupportedError{Reason: reasonAutomaton, Detail: limit.What + fmt.Sprintf(" (limit %s = %d); ", limit.Name, limit.Limit) + limit.Hint}
	case errors.As(err, &lacking):
		return &UnsupportedError{Reason: "the pattern has what is not regular", Detail: err.Error()}
	}
	return &UnsupportedError{Reason: "not expressible", Detail: err.Error()}
}

// at is the refusal with the keyword that it is about. The original may be shared.
func (e *UnsupportedError) at(n *node, keyword string) *UnsupportedError {
	n, keyword = place(n, keyword)
	located := *e
	located.Pointer, located.Keyword = "/", keyword
	if located.Reason == reasonAutomaton && (keyword == "enum" || keyword == "const") { // the hint is about patterns
		located.Detail = "its values have too many characters in all; give fewer, or shorter ones"
	}
	if n != nil {
		located.Pointer = n.ptr
		if keyword != "" {
			located.Pointer += "/" + escapePointer(keyword)
		}
	}
	return &located
}

// A ledger is what a compile notes of the keywords of its document.
type ledger struct {
	opt      Options
	budget   budget
	coverage map[string]*Coverage // by pointer
	leaving  map[string]string    // pointers of what is refused, but only an alternative, with why that is left out
	dropped  bool                 // some cases were left out
	cut      bool                 // cases of objects were left out that factors would have, or others for what all rules take
	late     bool                 // rules are written on demand: what bounds a grammar bounds each goal
}

// place is the keyword of the document that a keyword of a schema stands for.
func place(n *node, keyword string) (*node, string) {
	for n != nil && n.from.node != nil {
		n, keyword = n.from.node, n.from.keyword
	}
	return n, keyword
}

// cover notes what became of a keyword.
func (c *ledger) cover(n *node, keyword string, s Status, reason string) {
	n, keyword = place(n, keyword)
	if n == nil || keyword == "" {
		return
	}
	c.coverAt(n.ptr+"/"+escapePointer(keyword), keyword, s, reason)
}

// coverAt is cover by pointer.
func (c *ledger) coverAt(ptr, keyword string, s Status, reason string) {
	if why := c.leaving[ptr]; why != "" && s == Refused {
		s, reason = Narrower, why
	}
	switch old := c.coverage[ptr]; {
	case old == nil || old.Status.severity() < s.severity():
		c.coverage[ptr] = &Coverage{Pointer: ptr, Keyword: keyword, Status: s, Reason: reason}
	case old.Status == s && s == Narrower && !strings.Contains(old.Reason, reason):
		old.Reason += "; " + reason
	}
}

// narrow notes that a literal is enforced by less than it allows, wherever it comes from.
func (c *ledger) narrow(l *literal, reason string) {
	if l.id > 0 {
		if slices.Contains(l.notes, reason) {
			return
		}
		l.notes = append(l.notes, reason)
	}
	c.cover(l.node, l.keyword, Narrower, reason)
	for o := range l.places {
		c.cover(o.node, o.keyword, Narrower, reason)
	}
}

// unsupported is the error for a keyword that would be left out; nil if that is allowed, and noted.
func (c *ledger) unsupported(n *node, keyword string, refused *UnsupportedError) error {
	if c.opt.Lenient {
		c.cover(n, keyword, Wider, refused.because())
		return nil
	}
	c.cover(n, keyword, Refused, refused.because())
	located := refused.at(n, keyword)
	located.Lenient = true
	return located
}

// coverRefused notes the keyword that an error is about.
func (c *ledger) coverRefused(err error) {
	var refused *UnsupportedError
	if errors.As(err, &refused) && refused.Keyword != "" {
		delete(c.leaving, refused.Pointer)
		c.coverAt(refused.Pointer, refused.Keyword, Refused, refused.because())
	}
}

// report is the coverage of every occurrence of a constraining keyword, in order of the document.
// What no use is noted of is unused, or unreached if the compile ended before.
func (c *ledger) report(d *document, ended bool) []Coverage {
	unnoted := Unused
	if ended {
		unnoted = Unreached
	}
	var list []Coverage
	for _, n := range d.nodes[1:] {
		if n.v.Kind != jsontext.Object || n.ptr == syntheticPointer || n.outside != nil {
			continue
		}
		for _, key := range n.v.Keys {
			if !d.table.byName[key].constrains() {
				continue
			}
			found := Coverage{Pointer: n.ptr + "/" + escapePointer(key), Keyword: key, Status: unnoted}
			for _, same := range n.everywhere() {
				x := c.coverage[d.representative(same).ptr+"/"+escapePointer(key)]
				if x != nil && x.Status.severity() > found.Status.severity() {
					found.Status, found.Reason = x.Status, x.Reason
				}
			}
			if found.Status != unnoted || !n.elsewhere { // of other documents only what is used
				list = append(list, found)
			}
		}
	}
	return list
}

// leftOut notes that cases are left out, on account of a keyword if it is known.
func (c *ledger) leftOut(n *node, keyword, reason string) {
	c.cover(n, keyword, Narrower, reason)
	c.dropped = true
}
