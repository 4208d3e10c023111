package published

import (
	"cmp"
	"fmt"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
)

// Differences. Lark's tokens are followed through our lexer. At the first one that we do not read
// as Lark does, one of the classes says why. Three of them are differences that are meant.

const (
	// longestMatch: Lark ends a lexeme although there is a longer one, of the same terminal or of
	// another. The contract takes that.
	longestMatch = "longest match"
	// noWayBack: Lark ends a lexeme where a longer one has begun that is never completed. The
	// contract reads on and never goes back.
	noWayBack = "no way back"
	// literalOverIgnored: the lexeme is a literal's, and an ignored regular expression matches it.
	// Lark ignores it. Here a literal wins over a regular expression, whatever that is for.
	literalOverIgnored = "literal over ignored"
	// noVerdict: Lark reads longer than testdata/answers.py waits.
	noVerdict = "no verdict"
	// anotherTerminal: the lexeme is the same, and is another terminal. A mistake.
	anotherTerminal = "another terminal"
	// shorterMatch: we cannot read a lexeme that Lark reads. A mistake.
	shorterMatch = "shorter match"
	// sameTokens: the lexers agree, and the parsers do not. A mistake.
	sameTokens = "same tokens"
)

// classify says why verdicts on a text differ. detail is for a person.
func classify(r *recognizer.Recognizer, text string, tokens []token) (class, detail string) {
	at, s := 0, r.Start()
	for _, k := range tokens {
		q := s.Lexer
		for i := range k.length {
			if q = r.Lexer.Next(q, text[at+i]); q == lexer.None {
				return shorterMatch, fmt.Sprintf("%s %q ends after %d bytes", k.terminal, text[at:at+k.length], i)
			}
		}
		end := at + k.length
		if end < len(text) && r.Lexer.Next(q, text[end]) != lexer.None {
			return longer(r.Lexer, q, text[end:]), fmt.Sprintf("%s %q goes on with %q", k.terminal, text[at:end], text[end:min(end+10, len(text))])
		}
		// The end that the parser takes, if there is one.
		ends := slices.DeleteFunc(slices.Clone(r.Lexer.Ends(q)), func(e lexer.End) bool {
			return !(end == len(text) && e.AtEnd || end < len(text) && r.Lexer.Next(e.Start, text[end]) != lexer.None)
		})
		i := max(0, slices.IndexFunc(ends, func(e lexer.End) bool {
			_, ok := r.EmitSet(s, e.Set)
			return ok
		}))
		if len(ends) == 0 {
			if end < len(text) && r.Lexer.Next(r.Lexer.Start(), text[end]) == lexer.None {
				return sameTokens, "" // Lark stops here, too
			}
			return shorterMatch, fmt.Sprintf("%s %q is no lexeme before %q", k.terminal, text[at:end], text[end:])
		}
		e := ends[i]
		if ours := r.Grammar.Terminals[r.Lexer.Members(e.Set)[0]]; ours.Name != k.terminal {
			class, theirs := anotherTerminal, r.Grammar.Terminals[terminalOf(r.Grammar, k.terminal)]
			if ours.Literal && !theirs.Literal && theirs.Ignored && ours.Priority == theirs.Priority {
				class = literalOverIgnored
			}
			return class, fmt.Sprintf("%q is %s, with Lark %s", text[at:end], ours.Name, k.terminal)
		}
		if next, ok := r.EmitSet(s, e.Set); ok {
			s = next
		}
		at, s.Lexer = end, e.Start
	}
	return sameTokens, ""
}

// longer says how a lexeme goes on that is pending in q.
func longer(lex lexer.Automaton, q lexer.State, rest string) string {
	for i := range len(rest) {
		if q = lex.Next(q, rest[i]); q == lexer.None {
			break
		}
		if len(lex.Ends(q)) > 0 {
			return longestMatch
		}
	}
	return noWayBack
}

// meantClasses are those that are meant, in the order of the table; all others are mistakes.
var meantClasses = []string{longestMatch, noWayBack, literalOverIgnored, noVerdict}

// meant tells a class that is a difference of the contract from a mistake.
func meant(class string) bool { return slices.Contains(meantClasses, class) }

// terminalOf finds a terminal that Lark has by its name.
func terminalOf(g *grammar.Grammar, name string) grammar.Terminal {
	t, ok := g.Lookup(name)
	if !ok {
		panic("the terminals were compared before: no " + name)
	}
	return t
}

// A tally counts texts of a grammar.
type tally struct {
	texts, equal, accepted int
	classes                map[string]int
}

// String is the tally in a line.
func (t *tally) String() string {
	return fmt.Sprintf("%d texts, %d accepted by Lark, %d verdicts equal, %v", t.texts, t.accepted, t.equal, t.classes)
}

// add counts a text.
func (t *tally) add(accepted, equal bool, class string) {
	t.texts++
	t.accepted += btoi(accepted)
	t.equal += btoi(equal)
	if !equal {
		t.classes[cmp.Or(class, "unknown")]++
	}
}

// join adds the counts of another tally.
func (t *tally) join(o *tally) {
	t.texts, t.equal, t.accepted = t.texts+o.texts, t.equal+o.equal, t.accepted+o.accepted
	if t.classes == nil {
		t.classes = map[string]int{}
	}
	for class, n := range o.classes {
		t.classes[class] += n
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
