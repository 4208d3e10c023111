package grammars_test

import (
	"strings"
	"testing"

	"gcdbench/recognizer"
)

func sqlRecognizer(t *testing.T) *recognizer.Recognizer { return embedded(t, "sql") }

func TestSQLCases(t *testing.T) {
	for _, c := range sqlCases {
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

// TestSQLKeywords uses every keyword as its list in the grammar says: as a name, as an alias with
// and without AS, and after a dot.
func TestSQLKeywords(t *testing.T) {
	r := sqlRecognizer(t)
	uses := []struct{ frame, lists string }{
		{"SELECT WORD.a FROM t", "plain_keyword continuing_keyword"},
		{"SELECT a FROM WORD JOIN t USING (WORD)", "plain_keyword continuing_keyword"},
		{"SELECT a WORD FROM t", "plain_keyword"},
		{"SELECT b FROM t WORD, u", "plain_keyword continuing_keyword"},
		{"SELECT a AS WORD, t.WORD FROM s.WORD", "plain_keyword continuing_keyword reserved_keyword"},
	}
	for i := range r.Grammar.Rules {
		rule := &r.Grammar.Rules[i]
		list := r.Grammar.Nonterminals[rule.LHS].Name
		if !strings.HasSuffix(list, "_keyword") {
			continue
		}
		word := r.Grammar.Terminals[rule.RHS[0].Terminal()].Source
		for _, use := range uses {
			text := strings.ReplaceAll(use.frame, "WORD", word)
			err := r.Check([]byte(text))
			if strings.HasSuffix(word, "notnull") || strings.HasSuffix(word, "isnull") {
				continue // operators after an operand, where an alias may stand as well
			}
			if want := strings.Contains(use.lists, list); want != (err == nil) {
				t.Errorf("%s: %s: %v", list, text, err)
			}
		}
	}
}

// TestSQLConflicts checks that the only conflicts are those that the head of the grammar explains:
// each is named by the rule that is not reduced, and by the terminals that are shifted instead.
func TestSQLConflicts(t *testing.T) {
	explained := map[string]string{
		"selectable":         `")"`,  // ((SELECT 1))
		"joined":             `"on"`, // INSERT INTO t SELECT * FROM a JOIN b ON CONFLICT
		"plain_keyword":      `"(" STRING "for" "preceding" "following"`,
		"continuing_keyword": `"("`, // EXISTS (SELECT 1), VALUES (1)
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
	checkSamples(t, sqlRecognizer(t), "../datasets/samples/sql", "*.sql", 60)
}

func TestSQLMistakes(t *testing.T) {
	checkMistakes(t, sqlRecognizer(t), "../datasets/samples/sql", "*.sql", 12)
}

// TestSQLCorpus reads the queries of Spider and of PostgreSQL's tests: the grammar takes every one
// of them.
func TestSQLCorpus(t *testing.T) {
	checkCorpus(t, sqlRecognizer(t), "../../shared/data/sql-dev.jsonl.gz")
}
