package languages_test

import (
	"testing"

	"gcdbench/grammar/recognizer"
)

func javaRecognizer(t *testing.T) *recognizer.Recognizer { return embedded(t, "java") }

// TestJavaConflicts checks that the only conflicts are those that the head of the grammar explains:
// each is named by the rule that is not reduced and the terminal that is shifted instead.
func TestJavaConflicts(t *testing.T) {
	explained := map[string]bool{
		`if_statement "else"`:            true, // dangling else
		`chain ">"`:                      true, // end of type arguments, or a shift operator
		`chain "<"`:                      true, // nested type arguments; a < b < c is refused
		`restricted_identifier STEP`:     true, // yield ++a; yield++; is refused
		`indexable ")"`:                  true, // (record) may become the head of a lambda
		`constructor_modifiers "module"`: true, // a module declaration
		`constructor_modifiers "open"`:   true,
	}
	// A module's name.
	for _, first := range []string{"CAPITALIZED", "IDENTIFIER", `"exports"`, `"module"`, `"non"`, `"open"`, `"opens"`, `"permits"`, `"provides"`, `"record"`,
		`"requires"`, `"sealed"`, `"to"`, `"transitive"`, `"uses"`, `"var"`, `"when"`, `"with"`, `"yield"`} {
		explained["uncapitalized "+first] = true
	}
	onlyExplained(t, javaRecognizer(t), func(rule, terminal string) bool { return explained[rule+" "+terminal] })
}

// onlyExplained checks that the tables are deterministic, and that each conflict is one between a
// shift and a reduction that is explained, by the rule that is not reduced and the terminal.
func onlyExplained(t *testing.T, r *recognizer.Recognizer, explained func(rule, terminal string) bool) {
	t.Helper()
	if !r.Tables.Deterministic() {
		t.Error("the tables are not deterministic")
	}
	for _, c := range r.Tables.Conflicts() {
		if !c.ShiftReduce() || len(c.Actions) != 2 {
			t.Errorf("not between one shift and one reduction: %s", c.Example)
			continue
		}
		lhs, _ := r.Tables.Rule(c.Actions[1].Target())
		rule, terminal := r.Grammar.Nonterminals[lhs].Name, r.Grammar.TerminalName(c.Lookahead)
		if !explained(rule, terminal) {
			t.Errorf("conflict of %s and %s: %s", rule, terminal, c.Example)
		}
	}
}
