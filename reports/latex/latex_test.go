package latex

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gcdbench/reports/document"
	"gcdbench/reports/show"
)

// TestEscapeLaTeX: commands, what LaTeX joins to other signs, and what its old fonts are without.
func TestEscapeLaTeX(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a-b": "a-b", "a--b": "a-{}-b", "Github_easy---o1": `Github\_easy-{}-{}-o1`, "----": "-{}-{}-{}-", "94–96%": `94--96\%`, "–": "--",
		`a\b`: `a\textbackslash{}b`, "{x}": `\{x\}`, "5 µs ~ <6>": `5 $\mu$s $\sim$ \textless{}6\textgreater{}`, "a\nb": "a b",
		"$&#^_%|": `\$\&\#\textasciicircum{}\_\%\textbar{}`, "2×": `2$\times$`, "?`!`": "?\\`{}!\\`{}", "a''b,,": `a'{}'b,{},`,
		`say "yes" ("no")`: "say ``{}yes''{} (``{}no''{})", `""`: "``{}''{}", `"`: "``{}", `a"`: `a''{}`, `"a""b"`: "``{}a''{}``{}b''{}",
		"Zoë Łódź naïve": `Zo\"{e} \L{}\'{o}d\'{z} na\"{\i}ve`, "中": `\textbackslash{}u4e2d`, "👩": `\textbackslash{}u1f469`,
	} {
		if got := Escape(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestBreakable: only words that may not fit into a line get places to break them, and no sign is
// lost.
func TestBreakable(t *testing.T) {
	for text, want := range map[string]string{
		"short words stay":  "short words stay",
		"a/b/c/d/e_f":       `a/\penalty5000{}b/\penalty5000{}c/\penalty5000{}d/\penalty5000{}e\_\penalty5000{}f`,
		"0123456789abcdefg": `01234567\penalty9000{}89abcdef\penalty9000{}g`,
		"x a---b---c---d y": `x a-{}-{}-\penalty5000{}b-{}-{}-\penalty5000{}c-{}-{}-\penalty5000{}d y`,
	} {
		if got := breakable(text, 10); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if got := breakable(text, len(text)); got != Escape(text) {
			t.Errorf("%q, which fits: %s", text, got)
		}
	}
}

// TestLatexHead stacks the lines of a head, aligned as the column is.
func TestLatexHead(t *testing.T) {
	for _, c := range []struct {
		lines       []string
		align, want string
	}{
		{nil, "l", ""},
		{[]string{"p50 µs"}, "r", `p50 $\mu$s`},
		{[]string{"right, of", "all [95%]"}, "r", `\shortstack[r]{right, of \\ all [95\%]}`},
		{[]string{"group", "[95%]"}, "l", `\shortstack[l]{group \\ {}[95\%]}`},
		{[]string{"*", "x"}, "l", `\shortstack[l]{{}* \\ x}`},
	} {
		if got := latexHead(c.lines, c.align); got != c.want {
			t.Errorf("%q: %s, want %s", c.lines, got, c.want)
		}
	}
}

// wideTable has so many rows, of which every third begins a workload, and so many figures.
func wideTable(rows, figures int) *document.Table {
	t := &document.Table{ID: "wide", Title: "Wide", Columns: []document.Column{{Head: "workload"}, {Head: "machine"}, {Head: "algorithm"}}, Caption: "What it is."}
	for i := range figures {
		t.Columns = append(t.Columns, document.Column{Head: fmt.Sprintf("figure %d", i), Right: true})
	}
	for i := range rows {
		row := []document.Text{{}, {}, {Body: fmt.Sprintf("algorithm %d", i)}}
		if i%3 == 0 {
			row[0].Body, row[1].Body = fmt.Sprintf("workload %d", i/3), "laptop"
		}
		if i%7 == 0 {
			row[2].Mark = t.Note(fmt.Sprintf("note %d", i))
		}
		for j := range figures {
			row = append(row, document.Text{Body: fmt.Sprint(1000*i + j)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// TestLayout: every entry of a table is in exactly one piece, each piece names its rows, and no
// float is higher or wider than its place.
func TestLayout(t *testing.T) {
	for _, p := range []place{wholePage, oneColumn} {
		for _, c := range []struct{ rows, figures int }{{1, 1}, {4, 5}, {4, 40}, {200, 3}, {200, 17}} {
			what := fmt.Sprintf("%d rows of %d figures on %g points", c.rows, c.figures, p.width)
			table := wideTable(c.rows, c.figures)
			l := p.layout(table)
			seen := map[string]int{}
			for _, float := range l.floats {
				if h := p.heightOf(float); h > p.height {
					t.Errorf("%s: a float of %g points", what, h)
				}
				for _, part := range float {
					widths := widths(part.Table, l.size)
					for i, w := range part.wrapped {
						if w > 0 {
							widths[i] = w
						}
					}
					if got := l.size.total(widths); got > p.width {
						t.Errorf("%s: a tabular of %g points", what, got)
					}
					if first := part.Rows[0]; part.Names() < 1 || first[0].Body == "" {
						t.Errorf("%s: a piece begins with %v", what, first)
					}
					for _, row := range part.Rows {
						for _, entry := range row[part.Names():] {
							seen[entry.Body]++
						}
					}
				}
			}
			for _, row := range table.Rows {
				for _, entry := range row[3:] {
					if seen[entry.Body] != 1 {
						t.Fatalf("%s: %q is there %d times", what, entry.Body, seen[entry.Body])
					}
				}
			}
			divided := len(l.floats) > 1 || len(l.floats[0]) > 1
			if wide := c.rows > 4 || c.figures > 5; divided != wide && p == wholePage {
				t.Errorf("%s: divided is %v", what, divided)
			}
			if c.figures == 40 && !slices.Equal(l.same, []string{"machine: laptop"}) {
				t.Errorf("%s: %q goes into the caption", what, l.same)
			}
		}
	}
}

// TestWholeWords: a column of names is wide enough for its words, so that no name is broken inside
// of a word; only a very long word is.
func TestWholeWords(t *testing.T) {
	for name, whole := range map[string]string{"greatgramma, as published": "greatgramma,", "psc with " + strings.Repeat("word", 20): "with"} {
		table := wideTable(4, 20)
		for i := range table.Rows {
			table.Rows[i][2].Body = name
			table.Rows[i][0].Body = fmt.Sprintf("a workload of some programs %d", i)
		}
		l := wholePage.layout(table)
		column := l.floats[0][0].Names() - 1
		got := l.floats[0][0].wrapped[column]
		if least := l.size.em * textWidthOf(whole); got < least || got > 2*least+leastWrapped {
			t.Errorf("%s: a column of %g points, the word %s takes %g", name, got, whole, least)
		}
	}
}

// TestIdleColumns: a table that is too wide loses what says nothing in it, and no other.
func TestIdleColumns(t *testing.T) {
	table := wideTable(6, 30)
	for _, row := range table.Rows {
		row[5].Body = show.None
	}
	table.Rows[0][6].Body = show.None
	narrow, same := withoutIdle(table)
	var gone []string
	for _, c := range table.Columns {
		if !slices.Contains(narrow.Columns, c) {
			gone = append(gone, c.Head)
		}
	}
	if !slices.Equal(gone, []string{"machine", "figure 2"}) || !slices.Equal(same, []string{"machine: laptop"}) || len(narrow.Rows[0]) != 31 || narrow.Caption != table.Caption {
		t.Errorf("without %q, for the caption %q", gone, same)
	}
	small := wideTable(6, 2)
	small.Rows = small.Rows[:1]
	small.Rows[0][3].Body = show.None
	if l := wholePage.layout(small); len(l.floats[0][0].Columns) != 5 || l.same != nil {
		t.Errorf("a table that fits has %d columns", len(l.floats[0][0].Columns))
	}
}

// TestLatexFloats: the notes of a float are those of its rows, the explanation is below the last
// one, and captions are short.
func TestLatexFloats(t *testing.T) {
	text := tableOf(wideTable(200, 17), wholePage)
	floats := strings.Split(text, `\begin{table*}`)[1:]
	if len(floats) < 3 {
		t.Fatalf("%d floats", len(floats))
	}
	for i, float := range floats {
		for _, m := range regexp.MustCompile(`algorithm (\d+)(\\textsuperscript)?`).FindAllStringSubmatch(float, -1) {
			noted := strings.Contains(float, "~note "+m[1]+"\\par") || strings.Contains(float, "~note "+m[1]+"}")
			if marked := m[2] != ""; marked != noted {
				t.Errorf("float %d: the note of algorithm %s", i, m[1])
			}
		}
		if last := i == len(floats)-1; strings.Contains(float, "What it is.") != last {
			t.Errorf("float %d: the explanation", i)
		}
		if continued := strings.Contains(float, ", continued"); continued != (i > 0) {
			t.Errorf("float %d: its caption", i)
		}
	}
}
