package reports

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/reports/internal/loaded"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/result"
)

// lines are the lines of WriteSchemas, as maps by column.
func schemaTable(t *testing.T, set *Set) []map[string]string {
	t.Helper()
	var b strings.Builder
	must.OK(t, WriteSchemas(&b, set))
	list := must.Get(csv.NewReader(strings.NewReader(b.String())).ReadAll())(t)
	var table []map[string]string
	for _, line := range list[1:] {
		row := map[string]string{}
		for i, name := range list[0] {
			if _, twice := row[name]; twice {
				t.Fatalf("two columns are called %s", name)
			}
			row[name] = line[i]
		}
		table = append(table, row)
	}
	return table
}

// TestWriteSchemas: what each schema's line says, by the made-up results.
func TestWriteSchemas(t *testing.T) {
	set := load(t, made.SchemaSet.Store(t))
	table := schemaTable(t, set)
	if len(table) != 4*18 {
		t.Fatalf("%d lines", len(table))
	}
	find := func(label, schema string) map[string]string {
		i := slices.IndexFunc(table, func(r map[string]string) bool { return r["label"] == label && r["schema"] == schema })
		if i < 0 {
			t.Fatalf("no line of %s and %s", label, schema)
		}
		return table[i]
	}
	const ok = "group=easy outcome=ok stage= reason= unjudged_instances=0 "
	for _, c := range []struct{ label, schema, want string }{
		{"naive", "s00", ok + "right=true valid_instances=2 invalid_instances=0 invalid_accepted=0 valid_refused=0 valid_refused_key_order=0 bytes=300 terminals=10 rules=20 lr_states=40 " +
			"approximated_keywords=0 schema_grammar_ns=1000000 compile_ns=200000 first_mask_ns=50000 ttfm_ns=1250000 tbm_ns_n=240 cold_tbm_ns_n=80 engine_bytes=1048576 tokenizer=o200k_base[:32000] algorithm=naive"},
		{"naive", "s01", "group=hard outcome=ok right=false valid_instances=1 invalid_instances=1 invalid_accepted=1 valid_refused=0 valid_refused_key_order=0 approximated_keywords=1 tbm_ns_n=120"},
		{"naive", "s02", ok + "right=false valid_refused=0 valid_refused_key_order=1 tbm_ns_n=0 tbm_ns_max= cold_tbm_ns_n=0"},
		{"naive", "s04", ok + "right=false valid_refused=1 valid_refused_key_order=0"},
		{"naive", "s12", ok + "right=true valid_instances=0 invalid_instances=0 tbm_ns_n=0 tbm_ns_p50="},
		{"naive", "s13", "group=hard outcome=unsupported stage=grammar reason=uniqueItems: items are unbounded right=false valid_instances=1 invalid_accepted= valid_refused= unjudged_instances= " +
			"bytes=1600 terminals= rules= lr_states= schema_grammar_ns= compile_ns= first_mask_ns= ttfm_ns= engine_bytes="},
		{"naive", "s15", "outcome=compile-error reason=not JSON"},
		{"naive", "s17", "group=hard outcome=ok right=true"},
		{"psc (compile=lazy)", "s17", "outcome=timeout stage=algorithm reason=not done after 1m0s right=false valid_instances=1 algorithm=psc"},
		{"trie #2", "s07", "group=hard outcome=ok right=false unjudged_instances=1 valid_refused=0 algorithm=trie"},
		{"trie", "s05", "right=true cold_tbm_ns_n=40"},
	} {
		row := find(c.label, c.schema)
		for _, field := range strings.Split(strings.ReplaceAll(c.want, "  ", " "), " ") {
			name, value, is := strings.Cut(field, "=")
			if !is {
				continue // a later word of a reason
			}
			if got, known := row[name]; !known || got != value && !(name == "reason" && strings.Contains(c.want, "reason="+got+" ") || name == "reason" && strings.HasSuffix(c.want, "reason="+got)) {
				t.Errorf("%s on %s: %s is %q, want %q", c.label, c.schema, name, got, value)
			}
		}
	}
	if cold := find("trie", "s05")["cold_tbm_ns_max"]; len(cold) != len("5000000") || cold < "5000000" {
		t.Errorf("the slow step of s05 takes %s", cold)
	}
}

// TestWriteSchemasTotals: the lines of a cell add up to the cell's own counts.
func TestWriteSchemasTotals(t *testing.T) {
	set := load(t, made.SchemaSet.Store(t))
	table := schemaTable(t, set)
	for _, c := range set.Cells {
		sum := map[string]int{}
		steps := 0
		for _, row := range table {
			if row["key"] != c.Key {
				continue
			}
			sum[row["outcome"]]++
			if row["right"] == "true" {
				sum["right"]++
			}
			for _, name := range []string{"invalid_accepted", "valid_refused", "valid_refused_key_order", "unjudged_instances", "tbm_ns_n"} {
				n := 0
				_, _ = fmt.Sscan(row[name], &n) // empty: nothing to add
				sum[name] += n
			}
			steps += sum["tbm_ns_n"]
		}
		f := c.SchemaFigures
		got := []int{sum["ok"], sum["right"], sum["invalid_accepted"], sum["valid_refused"], sum["valid_refused_key_order"], sum["unjudged_instances"], sum["tbm_ns_n"]}
		if want := []int{f.Compiled, f.Right, f.InvalidAccepted, f.ValidRefused, f.ValidRefusedKeyOrder, f.Unjudged, c.TBMNS.Again.N}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.Label, got, want)
		}
	}
}

// TestWriteSchemasWrongMask: a cell with a wrong mask has no times for any schema.
func TestWriteSchemasWrongMask(t *testing.T) {
	for _, row := range schemaTable(t, load(t, made.WrongMaskSet.Store(t))) {
		if row["label"] != "trie" {
			continue
		}
		if row["ttfm_ns"]+row["compile_ns"]+row["tbm_ns_max"]+row["cold_tbm_ns_max"]+row["engine_bytes"] != "" {
			t.Errorf("%s has times: %v", row["schema"], row)
		}
		if (row["right"] == "true") != !slices.Contains(strings.Fields("s00 s01 s02 s04 s13 s14 s15 s16"), row["schema"]) {
			t.Errorf("%s is right: %s", row["schema"], row["right"])
		}
	}
}

// TestWriteSchemasNone: without a workload of schemas there is nothing to list, and no file; a
// corpus of no schemas is a head without lines.
func TestWriteSchemasNone(t *testing.T) {
	var b strings.Builder
	set := load(t, made.Sets["few"].Store(t))
	if err := WriteSchemas(&b, set); !errors.Is(err, ErrNoSchemas) || b.Len() > 0 {
		t.Errorf("%v, %q", err, b.String())
	}
	files, err := WriteFiles(filepath.Join(t.TempDir(), "r"), set, "csv")
	if err != nil || slices.ContainsFunc(files, func(f string) bool { return filepath.Base(f) == "schemas.csv" }) {
		t.Errorf("%v, %v", files, err)
	}
	if err := WriteSchemas(&b, &Set{Set: &result.Set{Cells: []*result.Cell{loaded.CellOf("w", "v", "psc", result.SchemaFigures{})}}}); err != nil || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("%v, %q", err, b.String())
	}
}

// TestWriteFilesSchemas: a report of schemas comes with their lines.
func TestWriteFilesSchemas(t *testing.T) {
	seed.Usual(t)
	dir := t.TempDir()
	set := load(t, made.SchemaSet.Store(t))
	files, err := WriteFiles(dir, set, "html")
	must.OK(t, err)
	var names []string
	for _, f := range files {
		names = append(names, filepath.Base(f))
	}
	want := "report.html schemas.csv"
	for _, name := range []string{"ecdf", "tradeoff", "cumulative", "ttfm", "tbm", "tbm-tail"} {
		want += fmt.Sprintf(" %s.svg %[1]s.png %[1]s.pdf", name)
	}
	if strings.Join(names, " ") != want {
		t.Errorf("%v, want %s", names, want)
	}
	text, err := os.ReadFile(filepath.Join(dir, "schemas.csv"))
	if err != nil || strings.Count(string(text), "\n") != 1+4*18 {
		t.Errorf("%v, %d lines", err, strings.Count(string(text), "\n"))
	}
}

// TestGroupTimes: the times of a group are those of its schemas, and together they are all there
// are.
func TestGroupTimes(t *testing.T) {
	for _, c := range load(t, made.SchemaSet.Store(t)).Cells {
		ttfm, warm, cold := 0, 0, 0
		slowest := 0.0
		for _, g := range c.Groups {
			ttfm, warm, cold = ttfm+g.TTFMNS.N, warm+g.TBMNS.N, cold+g.ColdTBMNS.N
			slowest = max(slowest, g.ColdTBMNS.Max)
			if g.TTFMNS.N != g.Compiled {
				t.Errorf("%s, %s: %d schemas with times, %d compiled", c.Label, g.Group, g.TTFMNS.N, g.Compiled)
			}
		}
		if ttfm != c.TTFMNS.N || warm != c.TBMNS.Again.N || cold != c.ColdTBMNS.N || slowest != c.ColdTBMNS.Max {
			t.Errorf("%s: %d, %d, %d, at most %v", c.Label, ttfm, warm, cold, slowest)
		}
		if c.Groups[1].ColdTBMNS.Max != c.ColdTBMNS.Max && c.Label == "trie" { // s05 is hard
			t.Errorf("%s: the slowest step is not in the group hard: %v", c.Label, c.Groups[1].ColdTBMNS)
		}
	}
}
