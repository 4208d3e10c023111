package audit

import (
	"strings"
	"testing"
)

// TestSQLStatements: a script is cut at its statements, without what belongs to psql.
func TestSQLStatements(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         []string
	}{
		{"semicolons", "SELECT 1; SELECT 2 ;\n", []string{"SELECT 1;", "SELECT 2 ;"}},
		{"none at the end", "SELECT 1;\n-- done\nSELECT 2", []string{"SELECT 1;", "-- done\nSELECT 2"}},
		{"comments alone", "-- a; b\n/* ; */\n", nil},
		{"empty", ";;\n;", nil},
		{"in quotes", `SELECT ';', ";", e'\';', $$;$$, $a$ ; $$ ; $a$; SELECT 2`, []string{`SELECT ';', ";", e'\';', $$;$$, $a$ ; $$ ; $a$;`, "SELECT 2"}},
		{"a quote that does not end", "SELECT $a$ ; x", []string{"SELECT $a$ ; x"}},
		{"commands", "\\set x 1\nSELECT 1;\n\\d t\nSELECT 2 \\gset\nSELECT 3;", []string{"SELECT 1;", "SELECT 2;", "SELECT 3;"}},
		{"data", "COPY t FROM stdin;\n1\t;\n\\.\nSELECT 1;", []string{"COPY t FROM stdin;", "SELECT 1;"}},
		{"data without end", "COPY t (a) FROM STDIN WITH (FORMAT csv);\n1;2", []string{"COPY t (a) FROM STDIN WITH (FORMAT csv);"}},
		{"a file's data", "COPY t FROM 'f'; SELECT 1;", []string{"COPY t FROM 'f';", "SELECT 1;"}},
		{"a body", "CREATE FUNCTION f() BEGIN ATOMIC SELECT CASE WHEN a THEN 1 END; SELECT 2; END; SELECT 3;",
			[]string{"CREATE FUNCTION f() BEGIN ATOMIC SELECT CASE WHEN a THEN 1 END; SELECT 2; END;", "SELECT 3;"}},
		{"a transaction", "BEGIN; SELECT CASE WHEN a THEN 1 END; END; SELECT 1;", []string{"BEGIN;", "SELECT CASE WHEN a THEN 1 END;", "END;", "SELECT 1;"}},
		{"a rule", "CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2); SELECT 3", []string{"CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2);", "SELECT 3"}},
		{"a lone parenthesis", "SELECT ); SELECT 2", []string{"SELECT );", "SELECT 2"}},
	} {
		var got []string
		for _, s := range sqlStatements([]byte(c.script)) {
			got = append(got, string(s))
		}
		if strings.Join(got, "\x00") != strings.Join(c.want, "\x00") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSQLClass: the class is told by the first words.
func TestSQLClass(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1": sqlQuery, "-- c\n select 1": sqlQuery, "((select 1))": sqlQuery, "WITH a AS (SELECT 1) SELECT 1": sqlQuery, "VALUES (1)": sqlQuery, "TABLE t": sqlQuery,
		"INSERT INTO t": sqlChange, "/* c */ update t": sqlChange, "DELETE FROM t": sqlChange, "MERGE INTO t": sqlChange, "REPLACE INTO t": sqlChange,
		"CREATE TABLE t": sqlCreate, "create global temporary table t": sqlCreate, "CREATE OR REPLACE RECURSIVE VIEW v": sqlCreate, "CREATE UNLOGGED TABLE t": sqlCreate,
		"CREATE MATERIALIZED VIEW v": sqlCreate, "CREATE TEMP VIEW v": sqlCreate,
		"CREATE INDEX i": "", "CREATE TABLESPACE t": "", "DROP TABLE t": "", "SELECTED": "", "": "", "EXPLAIN SELECT 1": "", "CREATE": "", "selection": "",
	} {
		if got := sqlClass([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
