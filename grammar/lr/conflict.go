package lr

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gcdbench/grammar"
)

// An Outcome says what became of a conflict.
type Outcome uint8

const (
	// ByShift: the shift (or accept) won over the reductions.
	ByShift Outcome = iota
	// ByPriority: of the reductions the one whose rule has strictly the highest priority won.
	ByPriority
	// Kept: all actions are in the tables.
	Kept
	// Unresolved: two reductions, no priority between them. Build fails.
	Unresolved
)

// String is a phrase for reports.
func (o Outcome) String() string {
	return [...]string{"shift wins", "priority wins", "kept", "unresolved"}[o]
}

// A Conflict is a table entry for which the grammar gives more than one action.
type Conflict struct {
	State     int32
	Lookahead grammar.Terminal // may be Tables.End()
	Actions   []Action         // a shift or accept first, then reductions by ascending rule
	Items     []Item           // the rules that compete, in the order of Actions
	Outcome   Outcome
	Chosen    Action // the action in the tables; none when Kept or Unresolved
	// Example is the start of a sentence that runs into the conflict, in terminals, with a dot
	// where the parser has to choose. It is that of the first reduction.
	Example string
}

// An Item is a rule that takes part in a conflict.
type Item struct {
	Action Action
	Rule   int32 // index in Grammar.Rules; -1 for the acceptance of a whole sentence
	Dot    int   // how many symbols of the rule were read
	Pos    grammar.Position
	Text   string // the rule with a dot
	// Example is a start of a sentence after which this reduction is right and the lookahead can
	// follow; empty for a shift, which can follow any way to the state.
	Example string
}

// ShiftReduce tells whether the conflict is (also) between a shift and a reduction.
func (c *Conflict) ShiftReduce() bool { return c.Actions[0].Kind() != KindReduce }

// ReduceReduce tells whether the conflict is (also) between reductions.
func (c *Conflict) ReduceReduce() bool {
	return len(c.Actions) > 2 || c.Actions[0].Kind() == KindReduce
}

// A clash is a conflict before it is told.
type clash struct {
	state, terminal int32
	actions         []Action
	chosen          Action
	outcome         Outcome
}

func unresolved(all []clash) []clash {
	var bad []clash
	for _, c := range all {
		if c.outcome == Unresolved {
			bad = append(bad, c)
		}
	}
	return bad
}

// CountConflicts counts the table entries in conflict. One with a shift and two reductions counts
// as both kinds.
func (t *Tables) CountConflicts() (shiftReduce, reduceReduce int) {
	for _, c := range t.clashes {
		k := Conflict{Actions: c.actions}
		if k.ShiftReduce() {
			shiftReduce++
		}
		if k.ReduceReduce() {
			reduceReduce++
		}
	}
	return shiftReduce, reduceReduce
}

// Conflicts describes every conflict of the grammar. Descriptions are made on the first call, by
// analysing the grammar once more: tables that parse need not hold what only a report wants. Where
// there are very many, or the grammar is very large, only the first have Items and Examples; of
// tables whose states were made on demand none has. Of
// tables that were split they are those of the tables before, which have the same states and rules,
// and the same numbers of terminals.
func (t *Tables) Conflicts() []Conflict {
	if t.unsplit != nil {
		return t.unsplit.Conflicts()
	}
	t.narrative.once.Do(func() {
		if len(t.clashes) == 0 {
			return
		}
		told, err := t.describe()
		if limit := (*LimitError)(nil); errors.As(err, &limit) {
			told = undescribed(t.clashes)
		} else if err != nil {
			panic(fmt.Sprintf("lr: grammar %s was changed after its tables were built: %v", t.g.Name, err))
		}
		t.narrative.conflicts = told
	})
	return t.narrative.conflicts
}

// describe analyses the grammar once more.
func (t *Tables) describe() ([]Conflict, error) {
	if t.visited {
		return undescribed(t.clashes), nil
	}
	l, err := analyse(context.Background(), t.g)
	if err != nil {
		return nil, err
	}
	return describe(l, t.clashes)
}

// undescribed is conflicts without the rules and the sentences that run into them.
func undescribed(clashes []clash) []Conflict {
	told := make([]Conflict, len(clashes))
	for i, c := range clashes {
		told[i] = c.conflict()
	}
	return told
}

func (c clash) conflict() Conflict {
	return Conflict{State: c.state, Lookahead: grammar.Terminal(c.terminal), Actions: c.actions, Outcome: c.outcome, Chosen: c.chosen}
}

// A ConflictError says that reduce/reduce conflicts could not be resolved.
type ConflictError struct {
	Grammar   string
	Conflicts []Conflict // all of Outcome Unresolved
}

// maxReported bounds how many conflicts a message spells out.
const maxReported = 8

// Error lists the conflicts, those between the same rules in the same state as one.
func (e *ConflictError) Error() string {
	groups := e.grouped()
	var b strings.Builder
	fmt.Fprintf(&b, "grammar %s: %d reduce/reduce %s that no priority decides", e.Grammar, len(groups), plural(len(groups), "conflict"))
	for i, group := range groups {
		if i == maxReported {
			fmt.Fprintf(&b, "\n  and %d more", len(groups)-i)
			break
		}
		e.tell(&b, group)
	}
	b.WriteString("\n  Give one of the rules a higher priority (name.2: ...), join the rules, or keep every way to parse with: %conflicts keep")
	return b.String()
}

func plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

// grouped joins conflicts that differ in their lookahead only.
func (e *ConflictError) grouped() [][]*Conflict {
	var groups [][]*Conflict
	at := make(map[string]int)
	for i := range e.Conflicts {
		c := &e.Conflicts[i]
		key := fmt.Sprint(c.State, c.Actions)
		k, ok := at[key]
		if !ok {
			k = len(groups)
			at[key] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], c)
	}
	return groups
}

func (e *ConflictError) tell(b *strings.Builder, group []*Conflict) {
	c := group[0]
	fmt.Fprintf(b, "\n  state %d: two ways to reduce at the dot in   %s", c.State, c.Example)
	for _, it := range c.Items {
		fmt.Fprintf(b, "\n    %s: %s", it.Pos, it.Text)
	}
	if len(group) > 1 {
		fmt.Fprintf(b, "\n    (and with %d more %s after the dot)", len(group)-1, plural(len(group)-1, "terminal"))
	}
}
