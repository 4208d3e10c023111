package languages_test

// Frames for sqlCases: a small text stands for the dots.
const (
	sqlStatement = "..."
	sqlTail      = "SELECT a FROM t ..."
	sqlTables    = "SELECT * FROM ..."
	sqlValue     = "SELECT x NOT IN (...) AND y FROM t"
)

// sqlTopic has small texts that stand for the dots of a frame: PostgreSQL's parser takes the valid
// ones and refuses the broken ones.
type sqlTopic struct {
	topic, frame  string
	valid, broken []string
}

// sqlCases are small texts by topic, with the verdict of PostgreSQL's parser. sqlDifferences has
// what the grammar takes otherwise.
var sqlCases = []sqlTopic{
	{"statements", sqlStatement,
		[]string{"SELECT 1", "select 1;", "SeLeCt 1 ;", "SELECT", "SELECT FROM t", "TABLE t", "TABLE ONLY s.t ORDER BY 1", "VALUES (1), (2, 'a')", "(SELECT 1)", "((SELECT 1))", "((SELECT 1) UNION (SELECT 2)) LIMIT 1",
			"-- first\nSELECT /* in */ 1 -- last", "/**/SELECT/***/1/*;*/;", "\r\n\tSELECT\f1\n"},
		[]string{"SELEC 1", "1", "SELECT 1,", "SELECT , 1", "SELECT 1 2", "SELECT 1)", "(SELECT 1", "SELECT FROM", "FROM t", "SELECT * t", "SELECT 1 FROM t, ", "TABLE", "VALUES", "VALUES ()", "VALUES (1) (2)", "VALUES 1", "SELECT /* 1", "SELECT * FROM t WHERE",
			"SELECT a FROM t WHERE b = 1 WHERE c = 2", "SELECT a WHERE b FROM t"}},
	{"select lists", sqlStatement,
		[]string{"SELECT *", "SELECT t.*, u.a, s.u.b, *", "SELECT a AS b, c d, e AS select, f \"g\"", "SELECT DISTINCT a, b", "SELECT DISTINCT ON (a, lower(b)) c", "SELECT ALL a", "SELECT a AS \"from\" FROM t",
			"SELECT (r).*, (r).a.b, (f(x)).c FROM t", "SELECT t.from, t.order FROM t", "SELECT count(*), count(DISTINCT a), name, type, value, date, year, position, row, key FROM t", "SELECT a value, b name, c data FROM t", "SELECT a INTO TEMP TABLE b FROM t"},
		[]string{"SELECT a AS, b", "SELECT a AS b c", "SELECT a, , b", "SELECT DISTINCT ON a", "SELECT a.*.b", "SELECT * AS b", "SELECT DISTINCT FROM t", "SELECT DISTINCT DISTINCT a", "SELECT ALL DISTINCT a", "SELECT a b c", "SELECT a from from", "SELECT select", "SELECT a AS 1", "SELECT a AS 'b'", "SELECT .a", "SELECT a.", "SELECT a..b", "SELECT order FROM t"}},
	{"joins", sqlTables,
		[]string{"a, b c, d AS e", "a JOIN b ON a.x = b.x", "a INNER JOIN b USING (x, y)", "a LEFT JOIN b ON x LEFT OUTER JOIN c ON y", "a RIGHT JOIN b USING (x) FULL OUTER JOIN c USING (y) AS j", "a NATURAL JOIN b NATURAL LEFT JOIN c", "a CROSS JOIN b, c",
			"(a JOIN b ON x) JOIN c ON y", "(a JOIN b ON x) AS j (c, d)", "((a JOIN b ON x)) j CROSS JOIN ((c JOIN d ON y) JOIN e ON z)", "a JOIN (b JOIN c ON x) ON y", "a JOIN b JOIN c ON x ON y", "s.a AS b (c, d)", "ONLY a", "ONLY (a) b", "a * JOIN b * ON x", "a TABLESAMPLE bernoulli (10) REPEATABLE (1)", "a JOIN LATERAL (SELECT a.x) b ON true"},
		[]string{"a JOIN", "a JOIN ON x", "JOIN b ON x", "a b c", "a, , b", "a LEFT b", "a OUTER JOIN b ON x", "a NATURAL CROSS JOIN b", "a JOIN b USING x", "a JOIN b USING ()", "a JOIN b USING (x.y)", "a JOIN b ON", "a ON x", "a AS", "a AS 1", "(a, b)", "(a)", "a LEFT RIGHT JOIN b ON x", "a INNER OUTER JOIN b ON x", "a WHERE b JOIN c", "a.b.", "LATERAL a", "a AS b.c", "1", "'a'"}},
	{"derived tables", sqlTables,
		[]string{"(SELECT 1) t", "(SELECT 1) AS t (a)", "f(1) day, g(2) year (a)", "((SELECT 1)) t", "((SELECT 1) UNION SELECT 2) t", "(VALUES (1, 'a'), (2, 'b')) AS t (id, name)", "(TABLE u) t", "(WITH c AS (SELECT 1) SELECT * FROM c) t", "((SELECT 1) a JOIN (SELECT 2) b ON true)",
			"generate_series(1, 10)", "s.f(1) AS g (i)", "f() WITH ORDINALITY AS g (a, i)", "LATERAL f(x) g", "ROWS FROM (f(1), g(2) AS (a int, b text)) WITH ORDINALITY AS r", "json_to_record('{}') AS x (a int, b text[], c varchar(10) COLLATE \"C\")", "f() AS (a int)",
			"xmltable('/r' PASSING x COLUMNS i FOR ORDINALITY, a int PATH '@a' DEFAULT 0 NOT NULL) AS y"},
		[]string{"(SELECT 1", "(SELECT 1 t", "()", "(1)", "(VALUES 1) t", "f(", "f() AS", "f() AS (a)", "ROWS FROM ()", "(SELECT 1;) t", "SELECT 1"}},
	{"clauses", sqlTail,
		[]string{"WHERE b", "GROUP BY a, b + 1", "GROUP BY ()", "GROUP BY DISTINCT a, b", "GROUP BY ROLLUP (a, (b, c)), CUBE (d)", "GROUP BY GROUPING SETS ((a, b), (a), (), ROLLUP (c))", "GROUP BY a HAVING count(*) > 1 AND max(b) < 2",
			"WHERE b GROUP BY a HAVING c WINDOW w AS (ORDER BY d), x AS (w ROWS 1 PRECEDING) ORDER BY e LIMIT 1 OFFSET 2", "ORDER BY a, b DESC, c ASC NULLS FIRST, d NULLS LAST, e USING <", "LIMIT 10", "LIMIT ALL OFFSET 5", "OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY", "FETCH FIRST ROW ONLY", "ORDER BY a FETCH FIRST 5 ROWS WITH TIES", "OFFSET $1 LIMIT $2",
			"FOR UPDATE", "FOR NO KEY UPDATE OF t NOWAIT", "LIMIT 1 FOR SHARE SKIP LOCKED", "ORDER BY CASE WHEN a THEN 1 ELSE 2 END, lower(b) COLLATE \"C\" DESC"},
		[]string{"WHERE", "GROUP a", "GROUP BY", "GROUP BY a,", "ORDER a", "ORDER BY", "ORDER BY a DESC ASC", "ORDER BY a b", "ORDER BY a FIRST", "ORDER BY a NULLS", "ORDER BY DESC", "LIMIT", "HAVING", "HAVING a GROUP BY b", "ORDER BY a WHERE b", "LIMIT 1 ORDER BY a", "GROUP BY a WHERE b", "GROUP BY a AS b", "WHERE a AS b", "FETCH 5", "FETCH FIRST 5", "FOR", "WINDOW w", "WINDOW w AS ORDER BY a", "WHERE a, b", "ORDER BY a HAVING b", "GROUP BY GROUPING SETS"}},
	{"set operations", sqlStatement,
		[]string{"SELECT 1 UNION SELECT 2 UNION ALL SELECT 3", "SELECT a FROM t INTERSECT SELECT b FROM u EXCEPT ALL (SELECT c FROM v) ORDER BY 1 LIMIT 2", "(SELECT 1 LIMIT 1) UNION DISTINCT (SELECT 2 ORDER BY 1)", "VALUES (1) UNION TABLE t", "(SELECT 1 UNION SELECT 2) EXCEPT SELECT 3"},
		[]string{"SELECT 1 UNION", "UNION SELECT 1", "SELECT 1 UNION UNION SELECT 2", "SELECT 1 UNION 2", "SELECT 1 ORDER BY 1 UNION SELECT 2", "SELECT 1 LIMIT 1 UNION SELECT 2", "SELECT 1 UNION ALL ALL SELECT 2", "SELECT 1 INTERSECT ALL", "SELECT 1 MINUS (SELECT 2)"}},
	{"common tables", sqlStatement,
		[]string{"WITH a AS (SELECT 1) SELECT * FROM a", "WITH a (x, y) AS (VALUES (1, 2)), b AS (TABLE a) SELECT * FROM b", "WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r", "WITH a AS MATERIALIZED (SELECT 1), b AS NOT MATERIALIZED (SELECT 2) TABLE a",
			"WITH a AS (DELETE FROM t RETURNING *) SELECT count(*) FROM a", "WITH RECURSIVE r AS (SELECT 1) SEARCH DEPTH FIRST BY a SET o CYCLE a, b SET c TO true DEFAULT false USING p SELECT 1", "WITH a AS (WITH b AS (SELECT 1) TABLE b) (SELECT 2)", "WITH recursive AS (SELECT 1) SELECT 2"},
		[]string{"WITH SELECT 1", "WITH a SELECT 1", "WITH a AS SELECT 1", "WITH a AS (SELECT 1)", "WITH a AS () SELECT 1", "WITH a AS (SELECT 1), SELECT 2", "WITH a AS (SELECT 1) b AS (SELECT 2) SELECT 3", "WITH a () AS (SELECT 1) SELECT 2", "SELECT 1 WITH a AS (SELECT 1)", "WITH a.b AS (SELECT 1) SELECT 2", "WITH a AS (1) SELECT 2"}},
	{"operators", sqlValue,
		[]string{"a + b - c * d / e % f ^ g", "-a, +b, - -c", "a = 1 AND b <> 2 OR c != 3 AND NOT d", "a<-1, b>-1, c=-1, d<=-1, e>=-1, f<>-1, g*-1", "a || 'b' || c", "~a & b | c # d << e >> f", "@a, |/ b, ||/ c, !!d", "a <= b, c >= d", "(a > 1) = (b > 2)", "a = NOT b",
			"a -> 'b' ->> 0, c #> '{d}', e #>> '{f}', g - 'h', i #- '{j}'", "a ? 'b', c ?| d, e ?& f, g @> h, i <@ j, k && l", "a @@ b, c @? '$.d', e @@@ f", "a ~ 'x' AND b !~* 'y' AND c ~* 'z' AND d !~ e", "a <-> b, c -|- d, e &< f, g |>> h, i ?-| j, k @-@ l", "a OPERATOR(pg_catalog.+) b", "a ~~ b, c !~~* d", "NOT NOT a", "not(a)", "u&1, u & v, u&v"},
		[]string{"a +", "* a", "/ a", "a b", "a = = b", "a > = b", "a < > b", "a AND", "AND a", "a OR OR b", "a NOT b", "NOT", "a =", "= a", "a AND OR b", "(a", "a)", "a ! = b", "a && ", "a AND (OR b)", "a = AND b", "(a = 1 b = 2)", "a;", "{a}", "a \\ b", "a >< "}},
	{"predicates", sqlValue,
		[]string{"a IS NULL AND b IS NOT NULL", "a ISNULL, b NOTNULL", "a IS TRUE OR b IS NOT FALSE OR c IS UNKNOWN", "a IS DISTINCT FROM b, c IS NOT DISTINCT FROM d + 1", "a BETWEEN 1 AND 2 AND b NOT BETWEEN c + 1 AND d * 2 OR e", "a BETWEEN SYMMETRIC 2 AND 1", "a LIKE 'b%' AND c NOT LIKE d || '%' ESCAPE '!'", "a ILIKE b, c NOT ILIKE d, e SIMILAR TO f, g NOT SIMILAR TO h",
			"a IN (1, 2, 3) AND b NOT IN (SELECT c FROM u)", "(a, b) IN ((1, 2), (3, 4))", "a IN ((SELECT 1), 2)", "a = ANY (b), c > ALL (SELECT d), e <> SOME ('{1}'::int[])", "a LIKE ANY (ARRAY['b', 'c'])", "EXISTS (SELECT 1) AND NOT EXISTS (SELECT 2)", "a IS NULL = b IS NULL", "(a, b) OVERLAPS (c, d)", "a IN (1) IS TRUE", "a + 1 IN (2) AND -b IS NULL", "a IS NOT NULL IS TRUE", "a IS NFC NORMALIZED"},
		[]string{"a IS", "a IS b", "a IS NOT", "a NOT NULL NULL", "a BETWEEN 1", "a BETWEEN 1 AND", "a BETWEEN AND 2", "a BETWEEN 1, 2", "a LIKE", "LIKE a", "a IN", "a IN ()", "a IN 1", "a IN (1,)", "a IN (1 2)", "IN (1)", "a NOT", "a NOT = b", "a LIKE 'b' ESCAPE", "EXISTS 1", "EXISTS (1)", "a = ANY b", "ANY (a)", "a IS NOT DISTINCT b", "a SIMILAR b", "a NOT EXISTS (SELECT 1)", "a = ANY ()", "NOT IN (1)"}},
	{"primaries", sqlValue,
		[]string{"NULL, TRUE, false, DEFAULT_VALUE", "CASE a WHEN 1 THEN 'b' ELSE 'c' END", "CASE WHEN a THEN b WHEN c THEN d END", "CASE WHEN a IN (1, 2) AND b THEN CASE c WHEN 1 THEN 2 END END || d", "CAST(a AS int), CAST(b AS numeric(10, 2)), CAST(c AS double precision)", "a::int::text, -1::int, (b + 1)::varchar(10), c::timestamp with time zone, d::int[][], e::time(3) without time zone, f::int[3]",
			"ARRAY[1, 2], ARRAY[[1], [2]], ARRAY[]::int[], ARRAY(SELECT 1)", "a[1], a[1][2], a[1:2], a[:2], a[1:], a[i:j], a[i + 1:j * 2], (f(a))[1].b, $1[1]", "ROW(1, 2), ROW(), (1, 2)", "(SELECT 1), (SELECT 1) + 1, ((SELECT 1))", "t.*, (t).*", "current_date, current_timestamp(3), current_user", "a COLLATE \"C\" < b COLLATE pg_catalog.\"default\"", "a AT TIME ZONE 'UTC' AT TIME ZONE b", "$1, $22", "(a)", "((a))", "(a).b", "user"},
		[]string{"()", "(a,)", "(,a)", "CASE END", "CASE a END", "CASE WHEN a b END", "CASE WHEN a THEN", "CASE WHEN a THEN b", "CASE ELSE a END", "CASE WHEN a THEN b ELSE END", "CASE WHEN a THEN b ELSE c ELSE d END", "CAST(a)", "CAST(a, int)", "CAST(a AS)", "a::", "::int", "a::1", "ARRAY", "ARRAY[1", "ARRAY(1)", "[1]", "a[]", "a[1", "a]", "f(a)[1]", "f(a).b", "ARRAY[1][1]", "(a, b).c", "ROW(1", "(SELECT 1", "a COLLATE", "a AT TIME", "a.1", "END", "WHEN a", "a::int[", "a::'int'"}},
	{"calls", sqlValue,
		[]string{"f(), g(1), s.h(2, 'a'), count(*)", "sum(DISTINCT a), string_agg(a, ',' ORDER BY b DESC, c), array_agg(ALL a)", "f(a => 1, b := 2)", "f(VARIADIC a), f(1, VARIADIC b)", "left(a, 1), right(b, 2), replace(c, 'd', 'e'), coalesce(f, g), nullif(h, i), greatest(1, 2)",
			"rank() OVER (), sum(a) OVER w, sum(b) OVER (PARTITION BY c, d ORDER BY e)", "count(*) FILTER (WHERE a > 1), percentile_cont(0.5) WITHIN GROUP (ORDER BY b), sum(c) FILTER (WHERE d) OVER (w ORDER BY e)",
			"sum(a) OVER (ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)", "sum(a) OVER (RANGE BETWEEN '1 day' PRECEDING AND '1 day' FOLLOWING EXCLUDE TIES)", "sum(a) OVER (ROWS 2 PRECEDING EXCLUDE CURRENT ROW), sum(a) OVER (GROUPS UNBOUNDED PRECEDING EXCLUDE NO OTHERS)",
			"extract(year FROM a), extract('day' FROM b - c), EXTRACT(epoch FROM now())", "substring(a FROM 1 FOR 2), substring(a FROM 2), substring(a FOR 2), substring(a SIMILAR b ESCAPE c), substring(a, 1, 2), substr(a, 1)", "trim(a), trim(BOTH 'x' FROM b), trim(LEADING FROM c), trim('x' FROM d), trim(e, 'f')", "position('a' IN b), overlay(a PLACING b FROM 1 FOR 2)", "collation for (a)", "date(a), char_length(c), year(d)",
			"xmlelement(name a, xmlattributes(b AS c, d), e), xmlforest(f, g AS h), xmlserialize(content i AS text), xmlparse(document j)"},
		[]string{"f(", "f(1,)", "f(,1)", "f(1 2)", "f(*, 1)", "count(DISTINCT)", "f(a =>)", "f(a ORDER b)", "sum(a) OVER", "sum(a) OVER (PARTITION a)", "sum(a) OVER (ORDER BY b PARTITION BY c)", "sum(a) OVER (ROWS)", "sum(a) OVER (ROWS 1)", "sum(a) OVER (ROWS BETWEEN 1 PRECEDING)", "sum(a) FILTER (a)", "sum(a) FILTER WHERE a", "f() WITHIN (ORDER BY a)", "extract(year)", "extract(year, a)", "substring(a FROM)", "position('a', b)", "trim(BOTH)", "f(a)(b)", "1(a)", "a OVER w", "f(SELECT 1)"}},
	{"literals", sqlValue,
		[]string{"0, 42, 3.14, .5, 1., 1e10, 1.5E-3", "'', 'a', 'it''s', 'a\nb', '日本 😀', 'a\\', '--', '/*'", `E'\n\'', e'a\\', B'101', x'1F', N'a', U&'\0061', U&'!0061' UESCAPE '!'`, "$$a$$, $$it's $1$$, $tag$a $ b $$ c$tag$, $$\n$$", "date '2024-01-31', timestamp '2024-01-31 12:00', time with time zone '12:00+01', timestamp without time zone '2024-01-31'",
			"interval '1 day', interval '1' year, interval '1-2' year to month, interval '10' second(2), interval(3) '1 day'", "point '(1,2)', s.mood 'sad', numeric(5, 2) '1.23', double precision '1', bit varying '1', timestamp(3) with time zone '2024-01-31', national char(2) 'ab'"},
		[]string{"'", "'a", "a'", "'a' 'b'", "'a'b'c'", "count(*) 'a'", "\"a", "$$a", "$$a$", "1.2.3 4", "E'\\'", "interval '1' to day", "timestamp with '2024-01-31'", "0..1 2", "$a"}},
	{"names", sqlValue,
		[]string{`"a b", "a""b", "select", t."b", "t"."b", "日本"`, "a1, _a, a$1, été, 名前", "name, type, value, date, time, year, month, day, key, first, last, range, rows, next, position, filter, over, location, language, level, status", "t.select, t.user, t.\"order\"", "interval, row, timestamp, char, document, if, no, by, set, at, values, exists"},
		[]string{"1a b", "a b", "a-", "a, select", "t.1", "a.'b'", "\"a\"\"", "table", "where", "a.b.", "from", "group", "order", "case", "#"}},
	{"inserts", sqlStatement,
		[]string{"INSERT INTO t VALUES (1, DEFAULT, NULL)", "INSERT INTO s.t (a, b) VALUES (1, 2), (3, 4) RETURNING id, b AS c", "INSERT INTO t SELECT * FROM u", "INSERT INTO t (a) (SELECT 1)", "INSERT INTO t DEFAULT VALUES", "INSERT INTO t AS x (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = excluded.b, c = DEFAULT WHERE x.d", "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", "INSERT INTO t VALUES (1) ON CONFLICT ON CONSTRAINT k DO NOTHING RETURNING *", "WITH a AS (SELECT 1) INSERT INTO t TABLE a", "INSERT INTO t (a[1], b.c) OVERRIDING SYSTEM VALUE VALUES (1, 2)"},
		[]string{"INSERT t VALUES (1)", "INSERT INTO VALUES (1)", "INSERT INTO t", "INSERT INTO t ()", "INSERT INTO t () VALUES (1)", "INSERT INTO t (a b) VALUES (1)", "INSERT INTO t VALUES 1", "INSERT INTO t VALUES (1) ON CONFLICT", "INSERT INTO t SET a = 1", "INSERT INTO t (a) VALUES (1) WHERE b", "INSERT INTO t b VALUES (1)", "INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE"}},
	{"updates and deletes", sqlStatement,
		[]string{"UPDATE t SET a = 1", "UPDATE ONLY s.t AS x SET a = DEFAULT, b = b + 1 FROM u WHERE x.c = u.c RETURNING x.*", "UPDATE t x SET (a, b) = (SELECT 1, 2), c[1] = 3, d.e = 4", "UPDATE t SET (a, b) = (1, DEFAULT)", "DELETE FROM t", "DELETE FROM t WHERE CURRENT OF c", "UPDATE t SET a = 1 WHERE CURRENT OF c", "DELETE FROM t x USING u, v WHERE x.a = u.a RETURNING *", "WITH a AS (SELECT 1) DELETE FROM t WHERE b IN (TABLE a)",
			"MERGE INTO t USING u ON t.a = u.a WHEN MATCHED AND u.b THEN DELETE WHEN MATCHED THEN UPDATE SET b = u.b WHEN NOT MATCHED THEN INSERT (a, b) VALUES (u.a, DEFAULT)", "MERGE INTO t x USING (SELECT 1 AS a) AS u ON x.a = u.a WHEN NOT MATCHED THEN DO NOTHING"},
		[]string{"UPDATE t", "UPDATE SET a = 1", "UPDATE t SET", "UPDATE t SET a", "UPDATE t SET a == 1", "UPDATE t SET a = 1,", "UPDATE t SET a = 1 b = 2", "UPDATE t WHERE a SET b = 1", "UPDATE t SET 1 = a", "DELETE t", "DELETE * FROM t", "DELETE FROM", "DELETE FROM t SET a = 1", "DELETE FROM t WHERE", "MERGE INTO t USING u ON a", "MERGE INTO t USING u ON a WHEN MATCHED THEN INSERT DEFAULT VALUES", "MERGE INTO t USING u ON a WHEN NOT MATCHED THEN DELETE", "MERGE t USING u", "UPDATE t SET a = 1 ORDER"}},
	{"definitions", sqlStatement,
		[]string{"CREATE TABLE t (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name varchar(40) COLLATE \"C\" NOT NULL UNIQUE, n int DEFAULT 0 CHECK (n >= 0), u int REFERENCES s.u (id) ON DELETE CASCADE ON UPDATE SET NULL)", "CREATE TEMP TABLE IF NOT EXISTS t (a int, b text[], CONSTRAINT k PRIMARY KEY (a, b), FOREIGN KEY (a) REFERENCES u, UNIQUE (b), CHECK (a > 0))", "CREATE TABLE t ()", "CREATE TABLE t (a) AS SELECT 1", "CREATE TABLE t AS TABLE u", "CREATE OR REPLACE VIEW v (a) AS SELECT 1", "CREATE TABLE t (a int, b int GENERATED ALWAYS AS (a * 2) STORED)", "CREATE TABLE t (value int NOT NULL DEFAULT 1, name text DEFAULT 'a' || 'b' NOT NULL)"},
		[]string{"CREATE t (a int)", "CREATE TABLE (a int)", "CREATE TABLE t", "CREATE TABLE t (a)", "CREATE TABLE t (a int,)", "CREATE TABLE t (int)", "CREATE TABLE t (a int PRIMARY)", "CREATE TABLE t (a int b int)", "CREATE TABLE t (PRIMARY KEY a)", "CREATE TABLE t (a int REFERENCES)", "CREATE VIEW v", "CREATE VIEW v SELECT 1", "CREATE TABLE t (a int DEFAULT)", "CREATE TABLE t (a int NOT)"}},
	{"forms of SQLite and MySQL that are not taken", sqlStatement, nil,
		[]string{"REPLACE INTO t VALUES (1)", "INSERT OR REPLACE INTO t VALUES (1)", "SELECT a REGEXP b", "SELECT a GLOB b", "SELECT a DIV b", "SELECT a XOR b", "SELECT a FROM t GROUP BY a WITH ROLLUP", `SELECT 'a\'b'`, "SELECT now() - INTERVAL 30 DAY", "SELECT 1 WHERE a NOT NULL", "SELECT lag(a) IGNORE NULLS OVER w"}},
}

// sqlDifferences are texts on which the grammar differs from PostgreSQL's, as its head says: wider
// ones are taken here and refused there, narrower ones the other way round.
var sqlDifferences = []struct {
	why             string
	wider, narrower []string
}{
	{"comparisons of simple operands are chained", []string{"SELECT a BETWEEN b < c < d AND e", "CREATE TABLE t (a bool DEFAULT 1 < 2 < 3)"}, nil},
	{"parameters of drivers; forms of SQLite and MySQL", []string{"SELECT `a b` FROM `t`", "SELECT a FROM t LIMIT 5, 10", "SELECT a FROM t JOIN u", "SELECT a FROM t JOIN u JOIN v USING (b) WHERE c", "SELECT a FROM t WHERE b = ? AND c IN (?, ?) AND d=? AND e = :f", "SELECT a[:b], a[b:c], a[b:c + 1], a[b:f(c)::int], JSON_OBJECT('k':t.v), ARRAY[:a]"}, nil},
	{"joins without a condition", []string{"SELECT 1 FROM a JOIN b", "SELECT 1 FROM (a JOIN b) c"}, nil},
	{"a number may touch a name", []string{"SELECT 1a", "SELECT 0xfg", "SELECT 1.5e5e"}, nil},
	{"options that exclude each other", []string{"CREATE TABLE t (UNIQUE (a) DEFERRABLE NOT DEFERRABLE)", "CREATE TABLE t (UNIQUE (a) NOT VALID)"}, nil},
	{"tags of dollar quotes", []string{"SELECT $a$ x $b$"}, []string{"SELECT $a$ $b$ $a$"}},
	{"comments nest three deep", nil, []string{"SELECT /* /* /* /* */ */ */ */ 1"}},
	{"a comment inside a continued string", nil, []string{"SELECT 'a' -- b\n'c'"}},
	{"escapes of U&'' are not read", []string{`SELECT U&'\zz'`}, nil},
	{"operators with + - * / ? inside are listed", nil, []string{"SELECT a <+> b", "SELECT !=- 1", "SELECT */ 1"}},
	{"BETWEEN is reserved", nil, []string{"SELECT a FROM between"}},
	{"words that continue an expression, as aliases without AS", nil, []string{"SELECT a is", "SELECT a in, b", "SELECT a like", "SELECT a at", "SELECT a escape", "UPDATE t u SET a = 1 FROM v set"}},
	{"WITH behind a function or TIME", nil, []string{"CREATE TABLE t AS SELECT * FROM f() WITH NO DATA", "CREATE VIEW v AS SELECT a::time WITH CHECK OPTION"}},
	{"FORMAT JSON behind a query", nil, []string{"SELECT JSON_ARRAY(SELECT 1 FORMAT JSON)"}},
	{"one statement", nil, []string{"", ";", "SELECT 1; SELECT 2", ";SELECT 1"}},
}
