package models_test

import (
	"encoding/json"
	"math"
	"os/exec"
	"path/filepath"
	"testing"

	"gcdbench/harness/models"
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
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	out, err := exec.Command(python, "-B", "-c", script).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var said struct {
		Cached         float64
		Quantiles, Few [3]float64
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatal(err)
	}
	if said.Quantiles != [3]float64{51, 11, 90} || said.Few != [3]float64{3, 3, 3} {
		t.Errorf("quantiles %v, of one value %v", said.Quantiles, said.Few)
	}
	// One layer in six has no window of 512 tokens. The second sequence of a batch adds its cache.
	s, err := models.ShapeOf("gemma-3-270m")
	if err != nil {
		t.Fatal(err)
	}
	roof := models.Roof(s, &models.Device{BytesPerSecond: 1, FLOPS: math.Inf(1), BytesPerWeight: 1}, 1000, 1, 2)
	tokens := (roof.Steps[1].MS - roof.Steps[0].MS) / 1e3 / float64(2*s.KVHeads*s.HeadDim)
	if want := 3*1000 + 15*512.0; said.Cached != want || math.Abs(tokens-want) > 1e-3 {
		t.Errorf("the layers read %v tokens by measure.py and %v by the roofline, want %v", said.Cached, tokens, want)
	}
}
