package reports

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
	"gcdbench/harness/models"
	"gcdbench/internal/must"
)

// servedModel takes 1 ms a step for one generation, 4 ms for four, and half a ms for a prompt.
var servedModel = &models.Table{Model: "Example 1B", Device: "Example GPU", Kind: models.Measured, Source: "made up", Context: 7, Prompt: 9, PrefillMS: 0.5,
	Steps: []models.Step{{Batch: 1, MS: 1}, {Batch: 4, MS: 4}}}

// servedStore is a directory of made-up cells with batches: masks of a step take 1 µs for each
// generation the first time, and half of that again. "trie #2" is an engine from outside, naive
// timed out in a batch of four, and psc's batch of four is not there yet.
func servedStore(t *testing.T) string {
	t.Helper()
	const vocabulary = 50_000
	m := made{[]string{"json"}, []int{vocabulary}, 5, func(r *cell.Record, _ []cell.Trace) {
		if r.Label == "trie #2" {
			r.Outside = &algorithms.Provenance{Name: "other", Version: "1"}
		}
	}}
	dir := m.store(t)
	store := must.Get(cell.Open(dir))(t)
	manifest := must.Get(store.Manifest())(t)
	plan := &cell.Throughput{Batch: []int{1, 2, 4, 8}, Threads: []int{1}, Masks: []string{"serial", "overlapped"},
		Models: []cell.Model{{Tokenizer: tokenizerOf(vocabulary), Table: servedModel}}}
	manifest.Throughput = plan
	must.OK(t, store.PutManifest(manifest))
	for _, p := range manifest.Cells {
		r := must.Get(store.Get(p.Key))(t)
		for _, id := range plan.Of(r) {
			b := &cell.BatchRecord{ID: id, Outcome: cell.OK, Requests: r.Requests(0), FirstStolenNS: 50_000}
			lengths := make([]int, len(b.Requests))
			for i, q := range b.Requests {
				lengths[i] = q.Tokens
			}
			for batch := measure.NewBatch(lengths, id.Batch); batch.Live() > 0; batch.Advance() {
				b.FirstNS, b.AgainNS = append(b.FirstNS, int64(1000*batch.Live())), append(b.AgainNS, int64(500*batch.Live()))
			}
			switch {
			case r.Label == "naive" && id.Batch == 4:
				b.Outcome, b.Detail, b.FirstNS, b.AgainNS = cell.Timeout, "not done after 1m", nil, nil
			case strings.HasPrefix(r.Label, "psc") && id.Batch == 4:
				continue
			}
			must.OK(t, store.PutBatch(b))
		}
	}
	return dir
}

// servedBy finds a batch of a cell.
func servedBy(t *testing.T, set *Set, label, masks, state string, batch int) *Throughput {
	t.Helper()
	for _, c := range set.Cells {
		for _, s := range c.Throughput {
			if c.Label == label && s.Masks == masks && s.State == state && s.Batch == batch {
				return s
			}
		}
	}
	return nil
}

// TestThroughput: the figures of batches in all formats.
func TestThroughput(t *testing.T) {
	set := must.Get(Load(servedStore(t)))(t)
	trie := servedBy(t, set, "trie", "serial", stateFirst, 1)
	if trie == nil || !equal(trie.TokensPerSecond, 1e9/(1e6+1000)) || !equal(trie.Unconstrained, 1000) || trie.Tokens != 200 || trie.Steps != 200 || trie.Requests != 5 {
		t.Fatalf("trie alone: %+v", trie)
	}
	if *trie.StolenShare != 0.25 || !equal(*trie.ColdTTFT, (12_345_678+12_000_000+12_600_000)/3+(1_234_567+1_200_000+1_300_000+1_220_000+1_250_000)/5.0+500_000+1_001_000) {
		t.Errorf("stolen %v, cold %v", *trie.StolenShare, *trie.ColdTTFT)
	}
	if again := servedBy(t, set, "trie", "overlapped", stateAgain, 4); again.Lost != 0 || !equal(again.ITL.P50, 4e6) || !equal(again.PerStep.Max, 2000) {
		t.Errorf("overlapped masks of 2 µs beside 4 ms: %+v", again)
	}
	if two := servedBy(t, set, "trie #2", "serial", stateFirst, 2); two == nil || two.Steps != 120 || !equal(two.PerStep.Max, 2000) {
		t.Errorf("two generations from outside: %+v", two)
	}
	if late := servedBy(t, set, "naive", "serial", stateFirst, 4); late == nil || late.Served != nil || late.Outcome != cell.Timeout {
		t.Errorf("a batch that timed out: %+v", late)
	}
	if servedBy(t, set, "trie", "serial", stateFirst, 8) != nil {
		t.Error("a batch of eight of five documents")
	}
	if len(set.Missing) != 1 || !strings.Contains(set.missing(), "psc (compile=lazy) on json in a batch of 4 (threads: 1)") || set.Whole() {
		t.Errorf("missing: %v", set.Missing)
	}
	var text bytes.Buffer
	must.OK(t, Write(&text, set, "markdown"))
	for _, want := range []string{"Throughput: tokens per second", "Latencies with a model", "Example GPU", "made up", "timeout: not done after 1m"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the report does not have %q", want)
		}
	}
}

// TestThroughputFiles: figures, lines of CSV and the JSON have what the tables have.
func TestThroughputFiles(t *testing.T) {
	set, err := Load(servedStore(t))
	must.OK(t, err)
	dir := t.TempDir()
	must.Get(WriteFiles(dir, set, "json"))(t)
	for _, name := range []string{"serving-json-serial", "serving-json-overlapped"} {
		for _, ext := range []string{".svg", ".png", ".pdf"} {
			if info, err := os.Stat(filepath.Join(dir, name+ext)); err != nil || info.Size() < 1000 {
				t.Errorf("%s%s: %v", name, ext, err)
			}
		}
	}
	text := must.Get(os.ReadFile(filepath.Join(dir, "throughput.csv")))(t)
	rows := must.Get(csv.NewReader(bytes.NewReader(text)).ReadAll())(t)
	head, lines := rows[0], rows[1:]
	column := func(name string) int { return slices.Index(head, name) }
	count := 0
	for _, c := range set.Cells {
		count += len(c.Throughput)
	}
	if len(lines) != count || column("output_tokens_per_second") < 0 || column("itl_ns_p99") < 0 {
		t.Fatalf("%d lines of %d, columns %v", len(lines), count, head)
	}
	for _, line := range lines {
		value, err := strconv.ParseFloat(line[column("output_tokens_per_second")], 64)
		if timed := line[column("outcome")] == "ok"; timed != (err == nil) || timed && value <= 0 {
			t.Errorf("%v", line)
		}
	}
	var report struct {
		Cells []struct {
			Label      string
			Throughput []map[string]any
		}
	}
	written, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err == nil {
		err = json.Unmarshal(written, &report)
	}
	must.OK(t, err)
	for _, c := range report.Cells {
		if len(c.Throughput) == 0 {
			t.Errorf("%s has no throughput in the JSON", c.Label)
		}
	}
}

// TestTook: a report says how long its groups took together, unless one was taken up again.
func TestTook(t *testing.T) {
	begin := time.Unix(1_800_000_000, 0)
	of := func(group, end time.Duration, sessions int) *Cell {
		c := &Cell{record: &cell.Record{Started: begin.Add(group), Finished: begin.Add(group + time.Minute)}, batchesEnd: begin.Add(group + end)}
		c.Measured.Sessions = sessions
		return c
	}
	for _, c := range []struct {
		cells []*Cell
		want  string
	}{
		{[]*Cell{of(0, 0, 1), of(0, 150*time.Second, 1)}, "Configuration x took 2.5 minutes to measure."},
		{[]*Cell{of(0, 0, 1), of(time.Hour, 2*time.Minute, 1)}, "Configuration x took 3.0 minutes to measure."},
		{[]*Cell{of(0, 0, 1), of(0, 0, 2)}, ""},
		{[]*Cell{of(0, 0, 1)}, ""},
	} {
		s := new(Set)
		s.noteTook(&cell.Manifest{Name: "x", Config: "name: x", Cells: make([]cell.Planned, 2)}, c.cells)
		if got := strings.Join(s.configs, " "); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestThroughputOfSchemas: each request waits for the compile of its own schema.
func TestThroughputOfSchemas(t *testing.T) {
	c := &Cell{record: &cell.Record{Schemas: &cell.SchemaOptions{},
		Problems: []cell.Problem{{GrammarNS: []int64{10}, CompileNS: []int64{5}, FirstMaskNS: []int64{3}}, {GrammarNS: []int64{20}, CompileNS: []int64{7}}},
		Samples:  []cell.Sample{{Problem: 1}, {Problem: 0}}}}
	requests := []cell.Request{{Sample: 0, Tokens: 4}, {Sample: 1, Tokens: 2}}
	if b := c.batchOf(requests, 1); !slices.Equal(b.lengths, []int{4, 2}) || !slices.Equal(b.compile, []float64{27, 15}) {
		t.Errorf("%+v", b)
	}
	c.Outside = &algorithms.Provenance{}
	if b := c.batchOf(requests, 1); !slices.Equal(b.compile, []float64{27, 18}) {
		t.Errorf("from outside: %+v", b)
	}
}

// TestBatchFailed: a cell with a batch that failed is not right, and its row says why.
func TestBatchFailed(t *testing.T) {
	c := &Cell{batchOutcome: cell.Crash, record: &cell.Record{}}
	c.Label, c.Semantics, c.Outcome = "one", algorithms.SemanticsContract, cell.OK
	s := &Set{Cells: []*Cell{c}}
	if v := s.verdicts(); len(v.Rows) != 1 || v.Rows[0][len(v.Rows[0])-1].Body != "ok, in a batch crash" {
		t.Errorf("%+v", v)
	}
	if got := s.notRight(); !strings.Contains(got, "ok, in a batch crash: one") {
		t.Error(got)
	}
}
