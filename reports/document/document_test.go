package document

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/stats"
	"gcdbench/reports/show"
)

// TestChooseNotes: footnotes that are left are named by letters without a gap, and still stand at
// their rows.
func TestChooseNotes(t *testing.T) {
	table := &Table{Columns: []Column{{Head: "algorithm"}, {"a", true}, {"b", true}}, Notes: []string{"of a", "of b"},
		Rows: [][]Text{{{Body: "x"}, {Body: "1", Mark: "a"}, {Body: "2", Mark: "b"}}, {{Body: "y"}, {Body: "3", Mark: ""}, {Body: "4", Mark: "b"}}}}
	got := table.chosen([]string{"b"})
	if !slices.Equal(got.Notes, []string{"of b"}) || got.Rows[0][1] != (Text{Body: "2", Mark: "a"}) || got.Rows[1][1] != (Text{Body: "4", Mark: "a"}) {
		t.Errorf("%+v", got)
	}
	if table.chosen([]string{"c"}) != nil {
		t.Error("a table of nothing but names")
	}
}

// TestShownRows: where rows are printed a name is left out that the row above has, if what stands
// left of it is the same too; what a row is about stays known.
func TestShownRows(t *testing.T) {
	row := func(texts ...string) (list []Text) {
		for _, text := range texts {
			list = append(list, Text{Body: text})
		}
		return list
	}
	table := &Table{Once: 2, Columns: []Column{{Head: "workload"}, {Head: "algorithm"}, {Head: "n", Right: true}},
		Rows: [][]Text{row("json", "naive", "1"), row("json", "naive", "1"), row("json", "trie", "1"), row("java", "trie", "1"), row("java", "all", "1")}}
	var got []string
	for i, row := range table.Shown() {
		key := table.Key(table.Rows[i])
		got = append(got, fmt.Sprintf("%s|%s|%s %s/%s", row[0].Body, row[1].Body, row[2].Body, key.Workload, key.Algorithm))
	}
	want := []string{"json|naive|1 json/naive", "||1 json/naive", "|trie|1 json/trie", "java|trie|1 java/trie", "|all|1 java/"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if part := table.with([]int{1, 2}); part.Once != 1 || part.Shown()[1][0].Body != "" {
		t.Errorf("a part has %d columns of names that are not repeated", part.Once)
	}
	if table.Rows[1][0].Body != "json" {
		t.Error("the table itself was changed")
	}
}

// TestStatesOfColumns: columns that are chosen keep their states, and what rows are about hides
// nothing.
func TestStatesOfColumns(t *testing.T) {
	table := &Table{Columns: []Column{{Head: "algorithm"}, {Head: "a", Right: true}, {Head: "b", Right: true}}, States: []string{"", "fresh", "new"},
		Rows: [][]Text{{{Body: "psc"}, {Body: "1"}, {Body: "2"}}}}
	part := table.chosen([]string{"b"})
	if !slices.Equal(part.States, []string{"", "new"}) {
		t.Errorf("states %q", part.States)
	}
}

// TestHeads: a head is broken where it is wider than all that stands below it, and no further.
func TestHeads(t *testing.T) {
	for _, c := range []struct{ head, entry, want string }{
		{"p50 µs", "1.00", "p50 µs"},
		{"first mask p50 ms", "1.00", "first|mask p50|ms"},
		{"first mask p50 ms", "1,000 [990, 1,010]", "first mask p50 ms"},
		{"first mask p50 ms", "ninesigns", "first|mask p50|ms"},
		{"first mask p50 ms", "ten signs.", "first mask|p50 ms"},
		{"outrageously-long here", "", "outrageously-long|here"},
		{"", "x", ""},
	} {
		table := &Table{Columns: []Column{{Head: "other"}, {Head: c.head}}, Rows: [][]Text{{{}, {Body: c.entry}}, {{Body: "something much longer"}, {Body: "é"}}}}
		if got := strings.Join(table.Heads()[1], "|"); got != c.want {
			t.Errorf("%q over %q: %q, want %q", c.head, c.entry, got, c.want)
		}
	}
}

func TestNotes(t *testing.T) {
	var table Table
	marks := table.Note("x") + table.Note("y") + table.Note("x")
	if marks != "aba" || len(table.Notes) != 2 {
		t.Errorf("marks %q, notes %v", marks, table.Notes)
	}
	long := strings.Repeat("µ", 300)
	if got := show.OneLine("first\nsecond"); got != "first" {
		t.Errorf("%q", got)
	}
	if got := show.OneLine(long); got != strings.Repeat("µ", 160)+"..." {
		t.Errorf("%q", got)
	}
}

func TestWrap(t *testing.T) {
	text := strings.Repeat("word ", 50)
	for _, line := range strings.Split(strings.TrimSuffix(wrap(text, "    "), "\n"), "\n") {
		if len(line) > textWidth {
			t.Errorf("a line of %d: %q", len(line), line)
		}
	}
	for in, want := range map[string]string{"": "\n", "a": "a\n", "a  b\nc": "a b c\n"} {
		if got := wrap(in, ""); got != want {
			t.Errorf("wrap(%q) = %q", in, got)
		}
	}
	if long := strings.Repeat("x", 300); wrap(long, "") != long+"\n" {
		t.Error("a long word is broken")
	}
}

func TestMarkdownEscapes(t *testing.T) {
	for in, want := range map[string]string{
		"o200k_base[:2000]": "o200k_base[:2000]", "a|b": `a\|b`, "_x_": `\_x\_`, "[a](b)": `[a]\(b)`, "**": `\*\*`, "<b>": "&lt;b&gt;", "a\nb": "a b", "~": `\~`,
	} {
		if got := EscapeMarkdown(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.012345: "0.0123", 1.2345: "1.23", 12.345: "12.3", 123.45: "123", 1234.5: "1,230",
		58312: "58,300", 1234567: "1,230,000", 9.996: "10.0", 99.96: "100", 999.6: "1,000", 0.0009996: "0.00100", -1234: "-1,230",
		math.Inf(1): show.None, math.NaN(): show.None} {
		if got := show.Significant(v); got != want {
			t.Errorf("significant(%v) = %q, want %q", v, got, want)
		}
	}
	ratios := []struct {
		r    stats.Ratio
		want string
	}{
		{stats.Ratio{}, show.None},
		{stats.Ratio{Value: 0.002, N: 9}, "500x faster"},
		{stats.Ratio{Value: 0.5, N: 9, Interval: stats.Interval{Low: 0.4, High: 0.625}}, "2.00x faster [1.60, 2.50]"},
		{stats.Ratio{Value: 1, N: 9}, "1.00x faster"},
		{stats.Ratio{Value: 1.5, N: 9}, "1.50x slower"},
		{stats.Ratio{Value: 3, N: 9, Interval: stats.Interval{Low: 2, High: 4}}, "3.00x slower [2.00, 4.00]"},
		{stats.Ratio{Value: 1.01, N: 9, Interval: stats.Interval{Low: 0.99, High: 1.03}}, "~ [0.990, 1.03]"},
	}
	for _, c := range ratios {
		if got := show.Speed(c.r); got != c.want {
			t.Errorf("speed(%+v) = %q, want %q", c.r, got, c.want)
		}
	}
	if got := show.Passed(0, 0, stats.Interval{}); got != show.None {
		t.Errorf("passed none of none: %q", got)
	}
	if got := Letter(0) + Letter(25) + Letter(26) + Letter(27); got != "azaaab" {
		t.Errorf("letters %q", got)
	}
}

// TestTelling: columns and tables without a figure go; one that is a sentence stays.
func TestTelling(t *testing.T) {
	table := &Table{ID: "x", Columns: []Column{{Head: "algorithm"}, {"a", true}, {"b", true}, {Head: "words"}}, States: []string{"", "new", "again", ""}, Notes: []string{"of a", "of b"},
		Rows: [][]Text{{{Body: "psc"}, {Body: show.None, Mark: "a"}, {Body: "1", Mark: "b"}, {}}, {{Body: "trie"}, {}, {Body: show.None}, {}}}}
	got := table.Telling()
	if len(got.Columns) != 3 || got.Columns[1].Head != "b" || got.Rows[0][1].Body != "1" || !slices.Equal(got.States, []string{"", "again", ""}) || !slices.Equal(got.Notes, []string{"of b"}) {
		t.Errorf("%+v", got)
	}
	table.Rows[0][2].Body = show.None
	if got := table.Telling(); got != nil {
		t.Errorf("a table of dashes: %+v", got)
	}
	if got := (&Table{Columns: table.Columns}).Telling(); got != nil {
		t.Errorf("a table without rows: %+v", got)
	}
	if sentence := (&Table{Title: "Right answers"}); sentence.Telling() != sentence {
		t.Error("a sentence is gone")
	}
}
