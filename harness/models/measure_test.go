package models_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"testing"

	"gcdbench/harness/models"
	"gcdbench/internal/must"
)

// TestKept: the tables that are kept can be read.
func TestKept(t *testing.T) {
	files, err := filepath.Glob("measured/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no table is kept", err)
	}
	for _, file := range files {
		table, err := models.Load(file)
		if err != nil {
			t.Error(err)
		} else if table.Kind != models.Measured {
			t.Errorf("%s is a %s", file, table.Kind)
		}
	}
}

// script is what the parts of measure.py say that need no PyTorch.
const script = `
import json, measure
shape = measure.shape_named("gemma-3-270m")
print(json.dumps({
    "cached": sum(measure.cached(shape, layer, 1000) for layer in range(shape["layers"])),
    "quantiles": measure.quantiles([float(i) for i in range(100, 0, -1)]),
    "few": measure.quantiles([3.0]),
}))
`

// TestMeasure: the script reads the shapes that the rooflines have, and means by windows and by the
// middle 80% what this package says.
func TestMeasure(t *testing.T) {
	python := must.Python(t, "sys")
	out, err := exec.Command(python, "-B", "-c", script).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var said struct {
		Cached         float64
		Quantiles, Few [3]float64
	}
	must.OK(t, json.Unmarshal(out, &said))
	if said.Quantiles != [3]float64{51, 11, 90} || said.Few != [3]float64{3, 3, 3} {
		t.Errorf("quantiles %v, of one value %v", said.Quantiles, said.Few)
	}
	// One layer in six has no window of 512 tokens. The second sequence of a batch adds its cache.
	s := must.Get(models.ShapeOf("gemma-3-270m"))(t)
	roof := models.Roof(s, &models.Device{BytesPerSecond: 1, FLOPS: math.Inf(1), BytesPerWeight: 1}, 1000, 1, 2)
	tokens := (roof.Steps[1].MS - roof.Steps[0].MS) / 1e3 / float64(2*s.KVHeads*s.HeadDim)
	if want := 3*1000 + 15*512.0; said.Cached != want || math.Abs(tokens-want) > 1e-3 {
		t.Errorf("the layers read %v tokens by measure.py and %v by the roofline, want %v", said.Cached, tokens, want)
	}
}

// serving has two slots serve four documents with an engine and a model that are played: schema
// "no" is unsupported, and the masks lack token 9. Each step takes a time that is told.
const serving = `
import argparse, json, serve
class Rows:
    def __getitem__(self, at):
        return 255 if at[1] == 0 else 0
class Engine:
    def __init__(self): self.told = []
    def compile(self, schema, slot): return None if schema == "no" else 0.5
    def ask(self, tokens): self.told.append(tokens)
    def take(self): return Rows(), 0.003
class Decoder:
    def begin(self, tokens): pass
    def sync(self): pass
    def choose(self, rows): clock[0] += 0.010
clock = [0.0]
serve.time.perf_counter = lambda: clock[0]
args = argparse.Namespace(batch=2, seconds=60, masks="serial")
requests = [("a", [1, 2, 3]), ("no", [1]), ("b", [4, 9, 5]), ("c", [6])]
engine = Engine()
s = serve.Served("played", engine, Decoder(), requests, args).run()
print(json.dumps({"told": engine.told, "figures": s.figures(0.008)}))
`

// TestServe: documents take the places of those that have ended, and the figures are those of the
// steps.
func TestServe(t *testing.T) {
	python := must.Python(t, "sys")
	out, err := exec.Command(python, "-B", "-c", serving).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var said struct {
		Told    [][]int
		Figures map[string]any
	}
	must.OK(t, json.Unmarshal(out, &said))
	// Two begin; one goes on and the other is refused at its second token; the last one begins.
	if want := "[[-1 -1] [1 4] [2 -1]]"; fmt.Sprint(said.Told) != want {
		t.Errorf("the engine was told %v; want %s", said.Told, want)
	}
	for name, want := range map[string]float64{
		"documents": 2, "refused": 1, "unsupported": 1, "tokens": 5, "steps": 3,
		"tokens_per_second": 5 / 0.03, "itl_p50_ms": 10, "masks_mean_ms": 3, "compile_mean_ms": 500,
		"clocked_s": 3 * 0.011, "measured_over_clocked": 0.03 / 0.033,
	} {
		if got, ok := said.Figures[name].(float64); !ok || math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s is %v; want %v", name, said.Figures[name], want)
		}
	}
}
