package languages_test

import (
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar/recognizer"
)

func sqlRecognizer(t *testing.T) *recognizer.Recognizer { return embedded(t, "sql") }

// TestSQLKeywords uses every keyword as its list in the grammar says: as the name of a column, a
// table, a function and a type, as an alias with and without AS, and after a dot.
func TestSQLKeywords(t *testing.T) {
	r := sqlRecognizer(t)
	const names, columns, functions, reserved = "plain_word continuing_word", " column_word column_word_after_as",
		" function_word function_word_after_as", " reserved_word reserved_word_after_as"
	uses := []struct{ frame, lists string }{
		{"SELECT WORD.a FROM t", names + columns},
		{"SELECT a FROM WORD JOIN t USING (WORD)", names + columns},
		{"SELECT WORD(a)::WORD.b", names + functions},
		{"SELECT a WORD FROM t", "plain_word column_word function_word reserved_word"},
		{"SELECT b FROM t WORD, u", names + columns},
		{"SELECT a AS WORD, t.WORD FROM s.WORD", names + columns + functions + reserved},
	}
	// Words that mean something else in a frame.
	other := "SELECT isnull a FROM t SELECT notnull a FROM t" + " collation( operator( isnull notnull exists( row( values( grouping( treat( json( float( bit("
	lists := make(map[string]int)
	for i := range r.Grammar.Rules {
		rule := &r.Grammar.Rules[i]
		list := r.Grammar.Nonterminals[rule.LHS].Name
		if !slices.Contains(strings.Fields(names+columns+functions+reserved), list) {
			continue
		}
		for _, word := range wordsOf(r.Grammar.Terminals[rule.RHS[0].Terminal()].Source) {
			lists[list]++
			for _, use := range uses {
				text := strings.ReplaceAll(use.frame, "WORD", word)
				err := r.Check([]byte(text))
				if strings.Contains(other, " "+word+" ") || strings.Contains(other, " "+word+"(") {
					continue
				}
				if want := slices.Contains(strings.Fields(use.lists), list); want != (err == nil) {
					t.Errorf("%s: %s: %v", list, text, err)
				}
			}
		}
	}
	if len(lists) != 8 || lists["plain_word"] < 100 {
		t.Errorf("the lists of words: %v", lists)
	}
}

// wordsOf are the keywords of a terminal: its text, or the alternatives of its regex.
func wordsOf(source string) []string {
	source = strings.TrimSuffix(strings.TrimPrefix(source, "(?:"), ")")
	return strings.Split(source, "|")
}

// TestSQLConflicts checks that the only conflicts are those that the head of the grammar explains:
// each is named by the rule that is not reduced, and by the terminals that are shifted instead.
func TestSQLConflicts(t *testing.T) {
	explained := map[string]string{
		"selectable":        `")"`,                                               // ((SELECT 1))
		"open_join":         `"on"`,                                              // INSERT INTO t SELECT * FROM a JOIN b ON CONFLICT
		"quoted_identifier": `"uescape"`,                                         // U&"a" UESCAPE '!'
		"string":            `"uescape"`,                                         // U&'a' UESCAPE '!'
		"column_word":       `"with" "without"`,                                  // time WITH TIME ZONE '12:00'
		"time_zone":         `"with" "without"`,                                  // a::time WITH TIME ZONE
		"unique_keys":       `"with" "without" "keys" "value" "scalar" "object"`, // IS JSON OBJECT WITH UNIQUE KEYS
		"ordinality":        `"with"`,                                            // f() WITH ORDINALITY
		"operator_class":    `"nulls"`,                                           // EXCLUDE (a NULLS FIRST WITH =)
		"plain_word":        `FRAME_SIDE "path"`,                                 // UNBOUNDED PRECEDING, NESTED PATH 'b'
	}
	onlyExplained(t, sqlRecognizer(t), func(rule, terminal string) bool {
		return strings.Contains(" "+explained[rule]+" ", " "+terminal+" ")
	})
}
