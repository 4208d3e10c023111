package languages_test

// sqlExpressionCases are values, operators and names as PostgreSQL 16 and later read them, with the
// verdict of PostgreSQL's parser.
var sqlExpressionCases = []sqlTopic{
	{"numbers", sqlValue,
		[]string{"0xFF, 0Xdead_BEEF, 0o17, 0O7_1, 0b1, 0B10_01, 0x_f", "1_000, 1_0.0_1, .5_0, 1_0e1_0, 1.e5, 1., 0.0E+1, 1_2_3", "0xFF::int, -0b1"},
		[]string{"0o17 8", "1__0 2", "0x 1", "1._5 6", "1e+", "1..2", "0b2 1", "1e 5"}},
	{"strings", sqlValue,
		[]string{"'a'\n'b'", "'a'  \n\t 'b'\r\n'c' || 'd'", "E'\\''\n'\\n'", "B'1'\n'0', x'1'\n'F'", "U&'a'\n'b' UESCAPE '!'", "U&\"d!0061t\" UESCAPE '!', U&\"a\"", "n'a', 'a' \n + 1", "E'\\u0041\\U0001F600\\x41\\101\\q'", "'a'\nIN ('b'\n)"},
		[]string{"'a' 'b'", "'a'\t'b'", "'a'\n\"b\"", "E'\\'", "U&'a' UESCAPE", "U&'a' UESCAPE b", "\"\"", "B'1' '0'", "E'\\u12'", "E'\\U00110000'", "JSON_SERIALIZE(a RETURNING bytea FORMAT JSON ENCODING latin1)"}},
	{"comments", sqlStatement,
		[]string{"SELECT /* a /* b */ c */ 1", "SELECT /*/**/*/ 1", "SELECT /***/ 1 /**//**/", "SELECT /* /* /* a */ */ */ 1", "SELECT 1 /*/ */ + 2", "SELECT 1 --/*\n+ 2"},
		[]string{"SELECT /* /* */ 1", "SELECT 1 /*", "/* SELECT 1"}},
	{"operators before an operand", sqlValue,
		[]string{"|| a", "a || || b", ">> a", "@> b", "&& c, -> d", "<-> a", "- @ - a", "a + || b", "== a, ~~ b", "NOT || a", "@-@ a, |/ b, ||/ c", "a <@ <@ b"},
		[]string{"= a", "< a", ">= a", "<> a", "!= a", "* a", "/ a", "% a", "^ a", "a < < b", "a = = b", "a ||", "a + * b", "a % % b"}},
	{"comparisons", sqlValue,
		[]string{"(a < b) < c", "a < b AND c < d", "a < b IS TRUE", "a = b IS NULL = c", "a < b + c", "a < b LIKE c", "a LIKE b < c", "a IN (1) < b", "a < b IN (1)", "a IN (1) IN (2)", "a = ANY (b) < c", "a = NOT b = c", "a < NOT b", "a LIKE NOT b", "a IS NOT DISTINCT FROM b < c", "a BETWEEN b AND c < d", "a < b BETWEEN c AND d", "a LIKE b ESCAPE c = d LIKE e", "a <% b %> c"},
		[]string{"a < b < c", "a = b = c", "a <> b >= c", "a < b IN (1) < c", "a LIKE b LIKE c", "a LIKE b IN (c)", "a BETWEEN b AND c BETWEEN d AND e", "a IS DISTINCT FROM b IS NULL", "a IS DISTINCT FROM b IS DISTINCT FROM c", "a < b = ANY (c)", "a = b LIKE c = d", "a NOT LIKE b NOT IN (c)"}},
	{"words as labels", sqlStatement,
		[]string{"SELECT a select, b case, c when, d join, e left, f user, g table, h null, i and, j or FROM t", "SELECT a int, b json, c values, d coalesce, e current_date, f analyze FROM t", "SELECT 1 AS for, 2 AS year, 3 AS char FROM t", "SELECT a.over, b.within, c.year", "SELECT coalesce, int, json, row FROM values, interval"},
		[]string{"SELECT a for", "SELECT a year", "SELECT a char", "SELECT a over", "SELECT a from", "SELECT a grant", "SELECT a overlaps", "SELECT left FROM t", "SELECT join", "SELECT a FROM join", "SELECT a FROM select", "SELECT a FROM grant", "SELECT a FROM t left"}},
	{"words as functions and types", sqlValue,
		[]string{"left(a, 1), like(a, b), overlaps(a, b, c, d), binary(a), over(a), within(b)", "a::double precision, b::bit varying(3), c::national char, d::nchar(2), e::dec(3, 1), f::real, g::left, h::over, i::interval second(3), j::json", "current_date, current_time(3), localtimestamp, user, session_user, current_schema, current_schema()", "coalesce(a, b), greatest(a), grouping(a, b), nullif(a, b), normalize(a, NFC), treat(a AS b), merge_action(), xmlconcat(a, b)", "int '1', decimal(3) '1', json '{}', left 'a', s.f(1) 'b', f(1) 'c'", "cast(a AS xml), xmlparse(content a preserve whitespace), xmlserialize(document a AS text no indent)"},
		[]string{"int(a)", "a + values(1)", "row 'a'", "coalesce()", "coalesce 'a'", "nullif(a)", "nullif(a, b, c)", "between(a)", "varchar(a)", "current_date()", "user()", "a::select", "a::user", "a::values", "a::int(3)", "a::coalesce", "a + select(b)", "exists(1)", "treat(a, b)", "merge_action(1)", "json_object 'a'", "grouping()", "a::precision", "normalize(a, NFX)", "interval(a) 'b'", "extract(select FROM a)"}},
	{"joins and conditions", sqlTables,
		[]string{"a JOIN b JOIN c JOIN d ON x ON y ON z", "a JOIN b CROSS JOIN c ON x", "a NATURAL JOIN b JOIN c ON x", "a CROSS JOIN b JOIN c USING (d)", "a LEFT JOIN b JOIN c ON x ON y RIGHT JOIN d ON z", "coalesce(a, b) c, CAST(1 AS int), current_date AS d (e)", "ROWS FROM (f(1), coalesce(2)) r"},
		[]string{"a JOIN b ON x ON y", "a NATURAL JOIN b ON x", "a CROSS JOIN b ON x", "a JOIN b USING (c) ON x", "a ON x JOIN b", "a, b ON x", "a JOIN b USING (c) USING (d)"}},
	{"limits and locks", sqlTail,
		[]string{"LIMIT 1 OFFSET 2 FOR UPDATE", "OFFSET 2 LIMIT 1", "FOR UPDATE LIMIT 1", "FOR UPDATE OF t FOR SHARE OF u NOWAIT", "FOR READ ONLY", "FETCH FIRST (1 + 1) ROWS ONLY", "ORDER BY a OFFSET (1) ROWS FETCH NEXT ROW WITH TIES", "OFFSET a + 1"},
		[]string{"LIMIT 1 LIMIT 2", "OFFSET 1 OFFSET 2", "LIMIT 1 FETCH FIRST ROW ONLY", "LIMIT 1 FOR UPDATE LIMIT 2", "FOR UPDATE LIMIT 1 FOR UPDATE", "OFFSET 1 + 1 ROWS", "FETCH FIRST 1 + 1 ROWS ONLY", "FOR READ", "FOR UPDATE ORDER BY a"}},
}
