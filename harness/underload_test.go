package harness

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/load"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// loadConfig is a configuration of a world with a section load.
func (w *world) loadConfig(t *testing.T, algorithms, workload, keys string) *config.Config {
	t.Helper()
	text := fmt.Sprintf(`name: test
seed: 3
algorithms: [%s]
tokenizers: [{file: tok.json, label: tok}]
workloads: [%s]
load: {models: [{model: llama-3.2-1b, device: h100-sxm, tokenizer: tok}], batch: 4, warmup: 10ms, duration: 100ms, requests: 20, repeats: 1, %s}
`, algorithms, workload, keys)
	cfg := must.Get(config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), config.Names{}))(t)
	return cfg
}

// served are the loads of a configuration by label and scenario, and the capacities by label.
func (w *world) served(t *testing.T, cfg *config.Config) (map[string]*load.Cell, map[string]*load.Found) {
	t.Helper()
	cells, found := map[string]*load.Cell{}, map[string]*load.Found{}
	must.OK(t, Load(context.Background(), cfg, LoadOptions{Options: w.options(), Served: func(c *load.Cell) error {
		cells[c.ID.Label+" "+c.ID.Scenario] = c
		return nil
	}, Found: func(c *load.Found) error {
		found[c.ID.Label] = c
		return nil
	}}))
	return cells, found
}

const (
	programWorkload = "{grammar: list.lark, dataset: {format: jsonl, path: docs.jsonl}}"
	schemaWorkload  = "{grammar: schema, dataset: {format: maskbench, path: schemas.jsonl}}"
	generous        = "ttft: 1m, itl: 1m"
)

// TestLoad: all requests end, as they should: those of schemas that the engine takes well, others
// by name; kept masks are compared with naive's; and none compiles nothing.
func TestLoad(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	cells, _ := w.served(t, w.loadConfig(t, "psc", schemaWorkload, generous+", scenarios: [single, offline], check: 40, unseen: [50]"))
	if len(cells) != 4 {
		t.Fatalf("%d loads: %v", len(cells), cells)
	}
	for name, c := range cells {
		if c.Outcome != cell.OK || c.OK+c.Refused != 20 || c.Requests != 20 || c.Good != c.OK || c.GoodShare != 1 || c.Tokens < c.OK || c.TTFT.N != c.OK {
			t.Errorf("%s: %s %s: %+v", name, c.Outcome, c.Detail, c.Figures)
		}
		if none := c.ID.Label == load.Unconstrained; none != (c.Checked == 0) || none != (c.Refused == 0) || none && (c.Hits > 0 || c.Parts.Compile.Max > 0) {
			t.Errorf("%s: %d masks checked, %d not taken: %v; %v hits", name, c.Checked, c.Refused, c.Why, c.Hits)
		}
	}
	if one := cells["psc single"]; one.MeanBatch != 1 || one.Hits == 0 {
		t.Errorf("single stream has a mean batch of %v, and %v of hits", one.MeanBatch, one.Hits)
	}
}

// TestLoadWrong: an engine with a wrong mask is found out, and one that panics ends nothing but its
// load.
func TestLoadWrong(t *testing.T) {
	seed.Usual(t)
	w := newWorld(t)
	cfg := w.loadConfig(t, "right, flips", programWorkload, generous+", scenarios: [offline]")
	requests := seed.Rounds(60, 300, 300)
	cfg.Load.Requests, cfg.Load.Checks = requests, requests
	cells, _ := w.served(t, cfg)
	if c := cells["right offline"]; c.Outcome != cell.OK || c.Checked != requests {
		t.Errorf("right: %s %s, %d masks checked", c.Outcome, c.Detail, c.Checked)
	}
	if c := cells["flips offline"]; c.Outcome != cell.WrongMask || c.Kept {
		t.Errorf("flips: %s %s %+v", c.Outcome, c.Detail, c.Figures)
	}
	w = newSchemaWorld(t, tinySchemas)
	cells, _ = w.served(t, w.loadConfig(t, "panics-h, right", schemaWorkload, generous+", scenarios: [offline]"))
	if c := cells["panics-h offline"]; c.Outcome != cell.Crash || !strings.Contains(c.Detail, "out of ideas") || c.OK > 0 {
		t.Errorf("panics: %s %s: %+v", c.Outcome, c.Detail, c.Figures)
	}
	if c := cells["right offline"]; c.Outcome != cell.OK || c.OK == 0 {
		t.Errorf("right: %s %s: %+v", c.Outcome, c.Detail, c.Figures)
	}
}

// TestLoadCut: a schema whose grammar is cut when written whole is served by engines that take
// rules on demand, and not taken by others, which would have another language.
func TestLoadCut(t *testing.T) {
	seed.Usual(t)
	var conditions []string
	for i := range 10 {
		conditions = append(conditions, fmt.Sprintf(`{"if": {"properties": {"a%d": {"const": 1}}, "required": ["a%d"]}, "then": {"required": ["b%d"]}}`, i, i, i))
	}
	cut := tinySchema{"cut", `{"type": "object", "allOf": [` + strings.Join(conditions, ", ") + `]}`, []instance{{`{"a1": 1, "b1": 2}`, true}}}
	w := newSchemaWorld(t, append(tinySchemas[:2:2], cut))
	cells, _ := w.served(t, w.loadConfig(t, "psc, legality", schemaWorkload, generous+", scenarios: [offline]"))
	if c := cells["psc offline"]; c.OK != c.Requests {
		t.Errorf("psc took %d of %d: %v", c.OK, c.Requests, c.Why)
	}
	if c := cells["legality offline"]; c.OK == 0 || c.Refused == 0 || !strings.Contains(fmt.Sprint(c.Why), "combinations") {
		t.Errorf("legality took %d of %d: %v", c.OK, c.Requests, c.Why)
	}
}

// TestLoadServer: a search finds a capacity, whose highest load kept the limits, and a call that
// finds all loads serves none.
func TestLoadServer(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	cfg := w.loadConfig(t, "right", schemaWorkload, generous+", precision: 50, hostile: [0]")
	kept, served := map[load.ID]*load.Cell{}, 0
	opt := LoadOptions{Options: w.options(), Have: func(id load.ID) *load.Cell { return kept[id] }, Served: func(c *load.Cell) error {
		kept[c.ID] = c
		served++
		return nil
	}}
	var found [2]map[string]float64
	for call := range found {
		found[call] = map[string]float64{}
		opt.Found = func(c *load.Found) error {
			found[call][c.ID.Label] = c.Mean
			return nil
		}
		before := served
		must.OK(t, Load(context.Background(), cfg, opt))
		if call == 1 && served != before {
			t.Errorf("%d loads were served again", served-before)
		}
	}
	if found[0]["right"] <= 0 || found[0]["none"] <= 0 || found[0]["right"] != found[1]["right"] {
		t.Errorf("capacities: %v", found)
	}
	best := map[string]*load.Cell{}
	for id, c := range kept {
		if b := best[id.Label]; c.Kept && (b == nil || id.Rate > b.ID.Rate) {
			best[id.Label] = c
		}
	}
	for label, c := range best {
		if want := c.ID.Rate * float64(c.Requests-c.Refused) / float64(c.Requests); math.Abs(found[0][label]-want) > 1e-9 || (c.Refused == 0) != (label == load.Unconstrained) {
			t.Errorf("%s: a capacity of %v, and %d of %d requests at %v were not taken", label, found[0][label], c.Refused, c.Requests, c.ID.Rate)
		}
	}
}

// TestLoadTrace: requests come as a file says, with schemas of the workload or of their own; what
// is wrong with a line is an error with its number.
func TestLoadTrace(t *testing.T) {
	seed.Usual(t)
	w := newSchemaWorld(t, tinySchemas[:2])
	w.file(t, "trace.jsonl", `{"at": 0, "grammar": "a-number", "document": "7"}
{"at": 0.01, "grammar": {"type": "boolean"}, "document": "true"}

{"at": 0.01, "grammar": {"type": "boolean"}, "document": "7"}
`)
	keys := generous + ", scenarios: [trace], trace: trace.jsonl"
	cells, _ := w.served(t, w.loadConfig(t, "psc", schemaWorkload, keys))
	if c := cells["psc trace"]; c.Outcome != cell.OK || c.Requests != 3 || c.OK != 2 || c.Refused != 1 {
		t.Errorf("%s %s: %+v", c.Outcome, c.Detail, c.Figures)
	}
	for line, want := range map[string]string{
		`{"at": -1, "grammar": "a-number", "document": "7"}`: `trace.jsonl:1:1: "at" is missing`,
		`{"at": 1, "grammar": "a-number"}`:                   `trace.jsonl:1:1: "document" is missing`,
		`{"at": 1, "grammar": "nothing", "document": "7"}`:   `trace.jsonl:1:1: "nothing" is the id of no schema`,
		`{"at": 1, "document": "7"}`:                         `trace.jsonl:1:1: "grammar" is missing`,
		`{"at": 1, "grammar": "a-number", "document": "7"}` + "\n" + `{"at": 0, "grammar": "a-number", "document": "7"}`: `trace.jsonl:2:1: it comes before`,
		`{"when": 1}`: `trace.jsonl:1:1: json: unknown field`,
		``:            `trace.jsonl: no request`,
	} {
		w.file(t, "trace.jsonl", line)
		err := Load(context.Background(), w.loadConfig(t, "psc", schemaWorkload, keys), LoadOptions{Options: w.options()})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// TestLoadMissing: a configuration without the section is told what to add.
func TestLoadMissing(t *testing.T) {
	w := newWorld(t)
	err := Load(context.Background(), w.config(t, "psc", "warmup: 1"), LoadOptions{Options: w.options()})
	if err == nil || !strings.Contains(err.Error(), "it has no section load") {
		t.Error(err)
	}
}

// TestLoadPrograms: all requests of a program's grammar share one engine.
func TestLoadPrograms(t *testing.T) {
	w := newWorld(t)
	cells, _ := w.served(t, w.loadConfig(t, "psc", programWorkload, generous+", scenarios: [offline]"))
	if c := cells["psc offline"]; c == nil || c.Outcome != cell.OK || c.OK != 20 || c.Checked == 0 {
		t.Errorf("%+v", c)
	}
}

// TestNeighbours: instances of bad neighbours are written by a vocabulary of bytes, and their
// schemas are JSON.
func TestNeighbours(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas[:2])
	cells, _ := w.served(t, w.loadConfig(t, "psc", schemaWorkload, generous+", scenarios: [offline], hostile: [30], compile_timeout: 20s"))
	for name, c := range cells {
		if c.Outcome != cell.OK || c.Figures.Hostile == 0 || c.Figures.Hostile+c.Requests != 20 || c.OK+c.Refused != c.Requests {
			t.Errorf("%s: %s %s: %+v", name, c.Outcome, c.Detail, c.Figures)
		}
	}
}
