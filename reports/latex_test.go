package reports

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"gcdbench/harness/cell"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/reports/document"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/latex"
	"gcdbench/reports/output"
)

// tabulars finds the columns and the lines of the tabulars of a text.
var tabulars = regexp.MustCompile(`(?s)\\begin\{tabular\}\{@\{\}(.*?)@\{\}\}\n\\toprule\n(.*?)\\bottomrule`)

// column finds the columns of a tabular's preamble.
var column = regexp.MustCompile(`>\{[^{}]*\}p\{\d+pt\}|[lr]`)

// TestLatexTables: each tabular has as many entries in a row as it has columns, and each float a
// label of its own.
func TestLatexTables(t *testing.T) {
	for _, narrow := range []bool{false, true} {
		set := load(t, made.SchemaSet.Store(t))
		must.OK(t, set.Choose(document.Choice{Narrow: narrow}))
		text := render(t, set, "latex")
		labels := map[string]bool{}
		for _, m := range regexp.MustCompile(`\\label\{(.*?)\}`).FindAllStringSubmatch(text, -1) {
			if labels[m[1]] || m[1] == "" {
				t.Errorf("the label %q twice", m[1])
			}
			labels[m[1]] = true
		}
		found := tabulars.FindAllStringSubmatch(text, -1)
		for _, m := range found {
			columns := len(column.FindAllString(m[1], -1))
			for _, line := range strings.Split(strings.TrimSpace(strings.ReplaceAll(m[2], "\\midrule\n", "")), "\n") {
				if n := strings.Count(line, " & ") + 1; n != columns || !strings.HasSuffix(line, ` \\`) {
					t.Errorf("%d entries under %d columns: %s", n, columns, line)
				}
			}
		}
		if len(labels) < 10 || len(found) < len(labels) {
			t.Errorf("%d labels, %d tabulars", len(labels), len(found))
		}
		for _, r := range regexp.MustCompile(`(?m)^%.*$`).ReplaceAllString(text, "") {
			if r > unicode.MaxASCII {
				t.Fatalf("it contains %q", r)
			}
		}
	}
}

// TestLatexCompiles: main.tex of every set of results compiles in a plain article, with nothing
// that sticks out of a page or a column, and so does each file alone with what its head says it
// needs.
func TestLatexCompiles(t *testing.T) {
	seed.Usual(t) // takes seconds
	if _, err := exec.LookPath("pdflatex"); err != nil {
		t.Skip("pdflatex is not installed")
	}
	nasty := made.Sets["few"]
	nasty.Change = func(r *cell.Record, _ []cell.Trace) {
		r.Workload = "a|b_c*d{e}f$g&h#i%j\\k^l~m<n>o\"p`q[r] 'x' ?` --- µ × é 中 \u202e\x1b"
		r.Label = "*" + r.Label
	}
	many := map[string]made.Results{"nasty": nasty, "hostile": made.HostileSet()}
	for name, m := range made.Sets {
		many[name] = m
	}
	for i, name := range slices.Sorted(maps.Keys(many)) {
		m := many[name]
		for _, narrow := range []bool{false, true} {
			if !seed.Full() && narrow != (i%2 == 0) {
				continue // each set in one width
			}
			t.Run(fmt.Sprintf("%s narrow=%v", name, narrow), func(t *testing.T) {
				t.Parallel()
				set := load(t, m.Store(t))
				must.OK(t, set.Choose(document.Choice{Narrow: narrow}))
				dir := t.TempDir()
				must.Get(WriteFiles(dir, set, "latex"))(t)
				pdflatex(t, dir, "main.tex")
			})
		}
	}
	t.Run("many", func(t *testing.T) {
		m := made.Results{Vocabulary: []int{1000}, Samples: 1}
		for i := range 45 {
			m.Workloads = append(m.Workloads, fmt.Sprintf("workload%d", i))
		}
		dir := t.TempDir()
		must.Get(WriteFiles(dir, load(t, m.Store(t)), "latex"))(t)
		main := must.Get(os.ReadFile(filepath.Join(dir, "main.tex")))(t)
		floats, lists := strings.Count(string(main), `\begin{figure`), 0
		for line := range strings.Lines(string(main)) {
			if strings.HasPrefix(line, "% ") && strings.Contains(line, `tables: \input{`) {
				lists++
			} else if name, ok := strings.CutPrefix(line, `\input{`); ok {
				table := must.Get(os.ReadFile(filepath.Join(dir, strings.TrimSuffix(strings.TrimSpace(name), "}")+".tex")))(t)
				floats += strings.Count(string(table), `\begin{table`)
			}
		}
		_, extra, _ := strings.Cut(string(main), `\extrafloats{`)
		extra, _, _ = strings.Cut(extra, "}")
		if n, err := strconv.Atoi(extra); err != nil || n < floats || floats < 20 || lists == 0 {
			t.Errorf("%d lists are left out, there are %d floats, and room for %s", lists, floats, extra)
		}
		pdflatex(t, dir, "main.tex")
	})
	t.Run("alone", func(t *testing.T) {
		dir := t.TempDir()
		set := load(t, made.SchemaSet.Store(t))
		files := latex.Files(set.Document(), set.Figures(), set.TokenizerNames(), false)
		files = append(files, output.File{Name: "all.tex", Data: []byte(render(t, load(t, made.SchemaSet.Store(t)), "latex"))})
		for _, name := range []string{"masks", "all"} {
			files = append(files, output.File{Name: "alone-" + name + ".tex", Data: []byte("\\documentclass{article}\n" + latex.Packages + "\n\\begin{document}\n\\input{" + name + "}\n\\end{document}\n")})
		}
		must.Get(output.Write(dir, files))(t)
		pdflatex(t, dir, "alone-masks.tex")
		pdflatex(t, dir, "alone-all.tex")
	})
}

// pdflatex compiles a file. What does not fit is an error here.
func pdflatex(t *testing.T, dir, name string) {
	t.Helper()
	cmd := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", name)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if err != nil || strings.HasPrefix(line, "Overfull") || strings.Contains(line, "too large") || strings.Contains(line, "Missing character") {
			t.Errorf("%v\n%s", err, out)
			break
		}
	}
	if info, err := os.Stat(filepath.Join(dir, strings.TrimSuffix(name, ".tex")+".pdf")); err != nil || info.Size() == 0 {
		t.Errorf("no PDF: %v", err)
	}
}
