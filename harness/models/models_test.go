package models_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/harness/models"
	"gcdbench/internal/must"
)

// TestParameters compares shapes with the numbers of parameters that the model cards count.
func TestParameters(t *testing.T) {
	for name, want := range map[string]int{
		"llama-3.2-1b":  1_235_814_400,
		"qwen-2.5-0.5b": 494_032_768,
		"qwen-2.5-7b":   7_615_616_512,
		"gemma-3-270m":  268_098_176,
	} {
		s := must.Get(models.ShapeOf(name))(t)
		if got := s.Parameters(); got != want {
			t.Errorf("%s has %d parameters, want %d", name, got, want)
		}
	}
}

// TestRoof computes rooflines of a shape by hand: 10 weights of a head, and one layer of 1*(1+2)
// for queries, keys and values, 1 for the output, 3 for the feed-forward part, 2 norms, and a norm
// at the end: 20 weights of 2 bytes, of which one byte takes a second.
func TestRoof(t *testing.T) {
	s := &models.Shape{Title: "tiny", Layers: 1, Hidden: 1, Heads: 1, KVHeads: 1, HeadDim: 1, Intermediate: 1, Vocabulary: 10, Tied: true, NormsPerLayer: 2, GlobalEvery: 1}
	if s.Parameters() != 20 {
		t.Fatalf("%d parameters", s.Parameters())
	}
	slow := &models.Device{BytesPerSecond: 1, FLOPS: 1e9, BytesPerWeight: 2}
	roof := models.Roof(s, slow, 5, 1, 3)
	for i, want := range []float64{40 + 20, 40 + 40, 40 + 60} { // seconds: weights, and 2*5 numbers of cache a sequence
		if got := roof.Steps[i].MS; math.Abs(got-1e3*want) > 1e-6 {
			t.Errorf("memory bound, batch %d: %v ms, want %v s", i+1, got, want)
		}
	}
	weak := &models.Device{BytesPerSecond: 1e9, FLOPS: 1, BytesPerWeight: 2}
	if got, want := models.Roof(s, weak, 5, 1, 2).Steps[1].MS, 2e3*(40+20); math.Abs(got-float64(want)) > 1e-6 {
		t.Errorf("compute bound, batch 2: %v ms, want %v", got, want)
	}
	s.Window, s.GlobalEvery, s.Layers = 2, 2, 2 // of two layers one reads 2 tokens, one all 5
	if got, want := models.Roof(s, slow, 5, 1, 1).Steps[0].MS, 1e3*(2*(10+2*9+1)+2*2*7); math.Abs(got-float64(want)) > 1e-6 {
		t.Errorf("with a window: %v ms, want %v", got, want)
	}
}

// TestRoofOfPaper states the order of magnitude: 2.47 GB of weights at 1,555 GB/s are 1.59 ms.
func TestRoofOfPaper(t *testing.T) {
	s, _ := models.ShapeOf("llama-3.2-1b")
	d := must.Get(models.DeviceOf("a100-40gb"))(t)
	roof := models.Roof(s, d, 0, 161, 256)
	if ms := roof.Steps[0].MS; math.Abs(ms-1.5895) > 1e-3 {
		t.Errorf("Llama 3.2 1B on an A100: %v ms, want 1.59", ms)
	}
	if math.Abs(roof.PrefillMS-1.25) > 0.1 { // nearly 2 GB of layers at the same rate; 160 tokens are bound by memory
		t.Errorf("its prompt: %v ms", roof.PrefillMS)
	}
	if one, many := roof.NS(1), roof.NS(256); many < one || many > 2.1e6 {
		t.Errorf("256 sequences take %v ns, one %v", many, one)
	}
}

// TestPrefill computes the reading of prompts by hand: of the shape of TestRoof, whose layer has 9
// weights of 2 bytes, and for each token 2 numbers of cache.
func TestPrefill(t *testing.T) {
	s := &models.Shape{Title: "tiny", Layers: 1, Hidden: 1, Heads: 1, KVHeads: 1, HeadDim: 1, Intermediate: 1, Vocabulary: 10, Tied: true, NormsPerLayer: 2, GlobalEvery: 1}
	slow := &models.Device{BytesPerSecond: 1, FLOPS: 1e9, BytesPerWeight: 2}
	weak := &models.Device{BytesPerSecond: 1e9, FLOPS: 1, BytesPerWeight: 2}
	windowed := *s
	windowed.Layers, windowed.Window, windowed.GlobalEvery = 2, 2, 2 // one of two layers reads 2 tokens at most
	for _, c := range []struct {
		shape  *models.Shape
		device *models.Device
		prompt int
		want   float64 // seconds
	}{
		{s, slow, 0, 0},
		{s, slow, 1, 0}, // the step reads it
		{s, slow, 4, 18 + 3*4},
		{s, weak, 4, 3*18 + 4*(1+2+3)},
		{&windowed, weak, 5, 4*2*18 + 4*(1+2+2+2+1+2+3+4)},
	} {
		table := models.Roof(c.shape, c.device, 5, c.prompt, 1)
		if math.Abs(table.PrefillMS-1e3*c.want) > 1e-6 || table.Prompt != c.prompt {
			t.Errorf("a prompt of %d: %v ms, want %v s", c.prompt, table.PrefillMS, c.want)
		}
	}
	// The step of slow moves (10 + 9 + 1) weights and 5 * 2 numbers of cache, of 2 bytes each.
	table := models.Roof(s, slow, 5, 4, 1)
	if compute := 1e3 * (3*18 + 4*(1+2+3)) / 1e9; math.Abs(table.ComputeMS-compute) > 1e-12 {
		t.Errorf("the arithmetic of a prompt: %v ms, want %v", table.ComputeMS, compute)
	}
	if slack, want := table.SlackNS(1), 1e9*(2*(20+10)-(2*20+4*5)/1e9); math.Abs(slack-want) > 1 || table.SlackNS(2) != 0 {
		t.Errorf("slack %v ns, want %v", slack, want)
	}
	if slack := models.Roof(s, weak, 5, 4, 1).SlackNS(1); slack != 0 {
		t.Errorf("arithmetic takes the whole step, and leaves %v ns", slack)
	}
}

func TestNS(t *testing.T) {
	table := &models.Table{Steps: []models.Step{{Batch: 2, MS: 10}, {Batch: 4, MS: 20}, {Batch: 8, MS: 22}}}
	for batch, want := range map[int]float64{1: 10e6, 2: 10e6, 3: 15e6, 4: 20e6, 6: 21e6, 8: 22e6} {
		if got := table.NS(batch); got != want {
			t.Errorf("batch %d: %v ns, want %v", batch, got, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a batch beyond the table has a time")
		}
	}()
	table.NS(9)
}

func TestUnknown(t *testing.T) {
	if _, err := models.ShapeOf("llama"); err == nil || !strings.Contains(err.Error(), "gemma-3-270m") {
		t.Errorf("an unknown model: %v", err)
	}
	if _, err := models.DeviceOf("abacus"); err == nil || !strings.Contains(err.Error(), "a100-40gb") {
		t.Errorf("an unknown device: %v", err)
	}
}

func TestLoad(t *testing.T) {
	head := `{"model":"m","device":"d","kind":"measured","source":"s","context":1,`
	for text, want := range map[string]string{
		head + `"steps":[{"batch":1,"ms":2}]}`:                           "",
		head + "\n" + `"stepz":[]}`:                                      "unknown field",
		head + `"prompt":9,"prefill_ms":2,"steps":[{"batch":1,"ms":2}]}`: "",
		head + `"prefill_ms":2,"steps":[{"batch":1,"ms":2}]}`:            "a prompt of 0 tokens takes 2 ms",
		head + `"prompt":-1,"steps":[{"batch":1,"ms":2}]}`:               "a prompt of -1 tokens",
		head + `"steps":[]}`:                                             "no steps",
		head + `"steps":[{"batch":2,"ms":1},{"batch":2,"ms":1}]}`:        "ascending; entry 2 has 2",
		head + `"steps":[{"batch":1,"ms":0}]}`:                           "above zero",
		head + `"steps":[{"batch":1,"ms":-1}]}`:                          "above zero",
		`{"model":"m","device":"d","kind":"guessed","source":"s"}`:       `"guessed"`,
		`{"kind":"measured"}`:                                            "lacks a model",
		head + `"steps":[{"batch":1,"ms":2}]} x`:                         "end of the file",
		head + "\n\n\"steps\":[{\"batch\":\"1\"}]}":                      "3:",
		"":                                "1:1",
		strings.Repeat(" ", 1<<20) + "{}": "larger than",
		head + `"steps":[{"batch":1,"ms":2},{"batch":9,"ms":1e999}]`: "measure.py",
	} {
		path := filepath.Join(t.TempDir(), "table.json")
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
		_, err := models.Load(path)
		switch {
		case want == "" && err != nil:
			t.Errorf("%.80s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path+":")):
			t.Errorf("%.80s: %v, want %q", text, err, want)
		}
	}
	if _, err := models.Load("nowhere.json"); err == nil {
		t.Error("a table that is not there was loaded")
	}
}
