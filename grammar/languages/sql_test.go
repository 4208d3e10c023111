package languages_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar/recognizer"
	"gcdbench/harness/judges"
)

func sqlRecognizer(t *testing.T) *recognizer.Recognizer { return embedded(t, "sql") }

// allSQLCases are the tables of texts, one file each.
func allSQLCases() []sqlTopic {
	return slices.Concat(sqlCases, sqlExpressionCases, sqlJSONCases, sqlTableCases)
}

func TestSQLCases(t *testing.T) {
	for _, c := range allSQLCases() {
		for _, text := range c.valid {
			if err := sqlRecognizer(t).Check([]byte(inFrame(c.frame, text))); err != nil {
				t.Errorf("%s: %s: %v", c.topic, text, err)
			}
		}
		for _, text := range c.broken {
			if sqlRecognizer(t).Check([]byte(inFrame(c.frame, text))) == nil {
				t.Errorf("%s: accepted %s", c.topic, text)
			}
		}
	}
}

func TestSQLDifferences(t *testing.T) {
	for _, c := range sqlDifferences {
		for _, text := range c.wider {
			if err := sqlRecognizer(t).Check([]byte(text)); err != nil {
				t.Errorf("%s: no longer taken, so it belongs to sqlCases: %s: %v", c.why, text, err)
			}
		}
		for _, text := range c.narrower {
			if sqlRecognizer(t).Check([]byte(text)) == nil {
				t.Errorf("%s: now taken, so it belongs to sqlCases: %s", c.why, text)
			}
		}
	}
}

// TestSQLByPostgreSQL asks PostgreSQL's own parser about the tables: it gives the verdicts that
// stand there.
func TestSQLByPostgreSQL(t *testing.T) {
	judge, err := judges.OfLanguage("sql", judges.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer judge.Close()
	ask := func(topic, text string, want bool) {
		v, err := judge.Judge(t.Context(), []byte(text))
		var missing *judges.MissingError
		if errors.As(err, &missing) {
			t.Skip(err)
		}
		if major, _, _ := strings.Cut(judge.Version(), "."); err == nil && major != "18" {
			t.Skipf("the parser is PostgreSQL %s's; the tables are about 18", judge.Version())
		}
		if err != nil || v.Valid != want {
			t.Errorf("%s: %s: %+v, %v; the table says %v", topic, text, v, err, want)
		}
	}
	for _, c := range allSQLCases() {
		for _, text := range c.valid {
			ask(c.topic, inFrame(c.frame, text), true)
		}
		for _, text := range c.broken {
			ask(c.topic, inFrame(c.frame, text), false)
		}
	}
	for _, c := range sqlDifferences {
		for _, text := range c.wider {
			ask(c.why, text, false)
		}
		for _, text := range c.narrower {
			ask(c.why, text, true)
		}
	}
}

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
	r := sqlRecognizer(t)
	if !r.Tables.Deterministic() {
		t.Error("the tables are not deterministic")
	}
	for _, c := range r.Tables.Conflicts() {
		if !c.ShiftReduce() || len(c.Actions) != 2 {
			t.Errorf("not between one shift and one reduction: %s", c.Example)
			continue
		}
		lhs, _ := r.Tables.Rule(c.Actions[1].Target())
		name := r.Grammar.Nonterminals[lhs].Name
		if !strings.Contains(" "+explained[name]+" ", " "+r.Grammar.TerminalName(c.Lookahead)+" ") {
			t.Errorf("conflict of %s: %s", name, c.Example)
		}
	}
}

func TestSQLSamples(t *testing.T) {
	checkSamples(t, sqlRecognizer(t), "../../datasets/samples/sql", "*.sql", 60)
}

func TestSQLMistakes(t *testing.T) {
	checkMistakes(t, sqlRecognizer(t), "../../datasets/samples/sql", "*.sql", 12)
}

// TestSQLCorpus reads the queries of Spider and of PostgreSQL's tests: the grammar takes every one
// of them.
func TestSQLCorpus(t *testing.T) {
	checkCorpus(t, sqlRecognizer(t), "../../../shared/data/sql-dev.jsonl.gz")
}
