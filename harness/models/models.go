// Package models knows how long one decoding step of a language model takes, as a table over the
// number of sequences in the batch. Throughput is computed from such tables, since this benchmark
// runs no model.
//
// # Two kinds of tables
//
// A measured table is what harness/models/measure.py writes: it times a model of random weights and
// the right shape, since the time of a step does not depend on the weights' values.
//
// A roofline is arithmetic (Williams, Waterman and Patterson, Roofline, CACM 52(4), 2009). A step
// reads all weights and the caches of all sequences from memory once, and computes two operations
// for each weight and sequence. It takes at least the longer of the two times, by the bandwidth and
// the operations per second of a device's data sheet. No real step is as fast: kernels start,
// layers wait for each other, samplers run. So a roofline flatters no engine of masks. It makes
// masks look more expensive than they are beside a real model.
//
// A request's prompt is read before its first step, but for its last token, which the step reads.
// A roofline of that has the weights of the layers read once, the cache written, and two operations
// for each weight and token beside those of attention. measure.py times no prompts.
//
// Every table says its kind and the source of its numbers.
//
// shapes.json and devices.json are the numbers, which measure.py reads as well.
package models

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"gcdbench/internal/files"
	"gcdbench/internal/words"
)

// Kinds of a table.
const (
	// Measured is a table of harness/models/measure.py.
	Measured = "measured"
	// Roofline is computed from data sheets.
	Roofline = "roofline"
)

// Table is the time of one decoding step by the number of sequences.
type Table struct {
	Model   string `json:"model"`   // as figures call it
	Device  string `json:"device"`  // what runs it
	Kind    string `json:"kind"`    // Measured or Roofline
	Source  string `json:"source"`  // where the numbers come from
	Context int    `json:"context"` // tokens in the cache of each sequence
	// Prompt is the tokens of each request's prompt, and PrefillMS how long the model reads all but
	// the last of them, of one request at a time; 0 where it is not known.
	Prompt    int     `json:"prompt,omitempty"`
	PrefillMS float64 `json:"prefill_ms,omitempty"`
	// ComputeMS is the arithmetic of that alone, of a roofline: a step that reads the weights anyway
	// has room for some of it.
	ComputeMS float64 `json:"compute_ms,omitempty"`
	Steps     []Step  `json:"steps"` // by batch size, ascending
}

// Step is the time of a step at one batch size. Low and High are the ends of the middle 80% of
// measured steps, over so many of them; zero in a roofline.
type Step struct {
	Batch int     `json:"batch"`
	MS    float64 `json:"ms"`
	Low   float64 `json:"low,omitempty"`
	High  float64 `json:"high,omitempty"`
	Steps int     `json:"steps,omitempty"`
	// Slack is how much of the step in ms, of a roofline, no arithmetic is done.
	Slack float64 `json:"slack,omitempty"`
}

// Largest is the largest batch of the table.
func (t *Table) Largest() int { return t.Steps[len(t.Steps)-1].Batch }

// NS is the time of a step of a batch in nanoseconds, between two sizes of the table on the
// straight line through them. Below the smallest size it is that of the smallest. The batch is not
// larger than Largest.
func (t *Table) NS(batch int) float64 {
	at, found := slices.BinarySearchFunc(t.Steps, batch, func(s Step, b int) int { return s.Batch - b })
	switch {
	case found || at == 0:
		return 1e6 * t.Steps[at].MS
	case at == len(t.Steps):
		panic(fmt.Sprintf("models: a batch of %d in a table up to %d", batch, t.Largest()))
	}
	a, b := t.Steps[at-1], t.Steps[at]
	return 1e6 * (a.MS + (b.MS-a.MS)*float64(batch-a.Batch)/float64(b.Batch-a.Batch))
}

// SlackNS is how much of the step of a batch no arithmetic is done, in ns; 0 where that is not
// known.
func (t *Table) SlackNS(batch int) float64 {
	at, found := slices.BinarySearchFunc(t.Steps, batch, func(s Step, b int) int { return s.Batch - b })
	if !found {
		return 0
	}
	return 1e6 * t.Steps[at].Slack
}

// maxBytes bounds a table's file. A thousand sizes take 100 kB.
const maxBytes = 1 << 20

// Load reads a table as harness/models/measure.py writes it. The error names the file and what is
// wrong with it, with line and column where the JSON itself is.
func Load(path string) (*Table, error) {
	text, err := files.Read(path, maxBytes, "a table of harness/models/measure.py")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	return t, nil
}

// Parse reads a table. The error begins with line and column.
func Parse(text []byte) (*Table, error) {
	t := new(Table)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(t)
	if err == nil && d.More() {
		err = fmt.Errorf("expected the end of the file behind the table")
	}
	if err != nil {
		line, column := words.LineColumn(text, int(d.InputOffset()))
		return nil, fmt.Errorf("%d:%d: %w; expected a table as harness/models/measure.py writes it", line, column, err)
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("1:1: %w", err)
	}
	return t, nil
}

// check looks for what makes a table useless.
func (t *Table) check() error {
	switch {
	case t.Model == "" || t.Device == "" || t.Source == "":
		return fmt.Errorf("the table lacks a model, a device or a source: figures have to say what they rest on")
	case t.Kind != Measured && t.Kind != Roofline:
		return fmt.Errorf("the kind of the table is %q: expected %s or %s", t.Kind, Measured, Roofline)
	case t.Prompt < 0 || !(t.PrefillMS >= 0) || math.IsInf(t.PrefillMS, 0) || t.Prompt == 0 && t.PrefillMS > 0:
		return fmt.Errorf("a prompt of %d tokens takes %v ms: expected both, or neither", t.Prompt, t.PrefillMS)
	case len(t.Steps) == 0:
		return fmt.Errorf("the table has no steps: expected at least one batch size with its time")
	}
	for i, s := range t.Steps {
		switch {
		case s.Batch < 1 || i > 0 && s.Batch <= t.Steps[i-1].Batch:
			return fmt.Errorf("batch sizes of the table have to be above zero and ascending; entry %d has %d", i+1, s.Batch)
		case !(s.MS > 0) || math.IsInf(s.MS, 0):
			return fmt.Errorf("the time of batch %d is %v ms: expected a time above zero", s.Batch, s.MS)
		}
	}
	return nil
}

// Shape is the shape of a decoder: what decides how long a step takes.
type Shape struct {
	Name          string `json:"name"`
	Title         string `json:"title"`
	Layers        int    `json:"layers"`
	Hidden        int    `json:"hidden"`
	Heads         int    `json:"heads"`
	KVHeads       int    `json:"kv_heads"`
	HeadDim       int    `json:"head_dim"`
	Intermediate  int    `json:"intermediate"`
	Vocabulary    int    `json:"vocabulary"` // rows of the embedding, padding included
	Tied          bool   `json:"tied"`       // the head is the embedding
	QKVBias       bool   `json:"qkv_bias"`
	NormsPerLayer int    `json:"norms_per_layer"`
	QKNorm        bool   `json:"qk_norm"`
	Window        int    `json:"window"`       // tokens that a layer with a window reads; 0 for none
	GlobalEvery   int    `json:"global_every"` // every n-th layer has no window
	Source        string `json:"source"`
}

// layerWeights counts the weights of one layer.
func (s *Shape) layerWeights() int {
	q, kv := s.Heads*s.HeadDim, s.KVHeads*s.HeadDim
	n := s.Hidden*(q+2*kv) + q*s.Hidden + 3*s.Hidden*s.Intermediate + s.NormsPerLayer*s.Hidden
	if s.QKVBias {
		n += q + 2*kv
	}
	if s.QKNorm {
		n += 2 * s.HeadDim
	}
	return n
}

// Parameters counts all weights.
func (s *Shape) Parameters() int {
	tables := 2
	if s.Tied {
		tables = 1
	}
	return tables*s.Vocabulary*s.Hidden + s.Layers*s.layerWeights() + s.Hidden
}

// read counts the weights that a step reads and multiplies: all but the embedding, of which it
// reads a row for each sequence; the head is read whole.
func (s *Shape) read() int { return s.Vocabulary*s.Hidden + s.Layers*s.layerWeights() + s.Hidden }

// cached counts the tokens that all layers together read of the cache of one sequence.
func (s *Shape) cached(context int) (tokens int) {
	for layer := range s.Layers {
		if s.Window > 0 && (layer+1)%s.GlobalEvery != 0 {
			tokens += min(context, s.Window)
		} else {
			tokens += context
		}
	}
	return tokens
}

// Device is what runs a model.
type Device struct {
	Name           string  `json:"name"`
	Title          string  `json:"title"`
	BytesPerSecond float64 `json:"bytes_per_second"`
	FLOPS          float64 `json:"flops"` // dense, in the format of the weights
	BytesPerWeight int     `json:"bytes_per_weight"`
	Source         string  `json:"source"`
}

// prefill is the least time in ms in which a shape on a device reads all tokens of a prompt but the
// last, and that of its arithmetic: no head, since no logits are needed.
func prefill(s *Shape, d *Device, prompt int) (alone, compute float64) {
	if prompt < 2 {
		return 0, 0
	}
	attended := 0
	for before := 1; before < prompt; before++ {
		attended += s.cached(before)
	}
	n, weights := float64(prompt-1), float64(s.Layers*s.layerWeights())
	moved := float64(d.BytesPerWeight) * (weights + n*float64(2*s.KVHeads*s.HeadDim*s.Layers))
	computed := n*2*weights + 4*float64(s.Heads*s.HeadDim*attended)
	compute = 1e3 * computed / d.FLOPS
	return max(1e3*moved/d.BytesPerSecond, compute), compute
}

// Roof is the roofline of a shape on a device for batches of 1 to largest, with so many tokens in
// the cache of each sequence, and in the prompt of each request.
func Roof(s *Shape, d *Device, context, prompt, largest int) *Table {
	t := &Table{Model: s.Title, Device: d.Title, Kind: Roofline, Context: context, Source: d.Source + "; " + s.Source,
		Prompt: prompt}
	t.PrefillMS, t.ComputeMS = prefill(s, d, prompt)
	bytes, cached := float64(d.BytesPerWeight), s.cached(context)
	for batch := 1; batch <= largest; batch++ {
		b := float64(batch)
		moved := bytes * (float64(s.read()) + b*float64(2*s.KVHeads*s.HeadDim*cached))
		computed := b * (2*float64(s.read()) + 4*float64(s.Heads*s.HeadDim*cached))
		ms := 1e3 * max(moved/d.BytesPerSecond, computed/d.FLOPS)
		t.Steps = append(t.Steps, Step{Batch: batch, MS: ms, Slack: ms - 1e3*computed/d.FLOPS})
	}
	return t
}

var (
	//go:embed shapes.json
	shapesText []byte
	//go:embed devices.json
	devicesText []byte
)

// named reads a list of the package and finds an entry.
func named[T any](text []byte, what, name string, nameOf func(*T) string) (*T, error) {
	var list []T
	if err := json.Unmarshal(text, &list); err != nil {
		panic(err) // embedded
	}
	var names []string
	for i := range list {
		if nameOf(&list[i]) == name {
			return &list[i], nil
		}
		names = append(names, nameOf(&list[i]))
	}
	return nil, fmt.Errorf("unknown %s %q; known are %s", what, name, strings.Join(names, ", "))
}

// ShapeOf is the shape of a model, by its name in shapes.json. The error lists the names.
func ShapeOf(name string) (*Shape, error) {
	return named(shapesText, "model", name, func(s *Shape) string { return s.Name })
}

// DeviceOf is a device, by its name in devices.json. The error lists the names.
func DeviceOf(name string) (*Device, error) {
	return named(devicesText, "device", name, func(d *Device) string { return d.Name })
}
