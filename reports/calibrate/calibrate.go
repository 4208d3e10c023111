// Package calibrate tests the clock of the benchmark: the harness measures engines whose cost is
// known, and the times in the reports are compared with these costs.
//
// The engines compute for 50 ns, 500 ns, 5 µs, 50 µs and 5 ms, or read memory for the longer ones
// of these, and one takes 5% longer than another. They are engines like any other: a configuration
// names them, package harness runs it, package reports reads the result. So the test covers the
// whole way of a time from the clock to the table. The vocabulary is small, so that writing the
// mask takes no time worth counting beside the work.
//
// A time has to be found within 10%, or 20 ns if that is more; a ratio of two within 5%, or what 20
// ns are of the shorter one; and of the two engines that are 5% apart the interval must tell which
// is slower. The same must come out with one timed pass and with five.
package calibrate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gcdbench/algorithms"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/prepare"
	"gcdbench/harness/stats"
	"gcdbench/reports"
	"gcdbench/reports/result"
	"gcdbench/tokenizers"
)

// What a time and a ratio may be off by.
const (
	timeTolerance  = 0.10
	leastTolerance = 20.0 // ns
	ratioTolerance = 0.05
	// apart is the difference of two engines that have to be told apart, as a share.
	apart = 1.05
)

// Result is the result of a calibration. Its JSON is the output of `gcdbench calibrate --json`.
type Result struct {
	Engines []Engine `json:"engines"`
	Pairs   []Pair   `json:"pairs"`
}

// Engine is an engine of known cost. Times are of one mask, in nanoseconds.
type Engine struct {
	Name string  `json:"name"`
	True float64 `json:"true_ns"`
	// Found is the median of five timed passes, OnePass that of one; First is the first pass over each
	// document. It counts for engines that compute only, since the time to read memory depends on its
	// earlier use.
	Found   float64 `json:"found_ns"`
	OnePass float64 `json:"found_one_pass_ns"`
	First   float64 `json:"found_first_ns"`
	Right   bool    `json:"right"` // what counts is within the tolerance
}

// Pair is the ratio of the times of two engines, A's divided by B's.
type Pair struct {
	A     string  `json:"a"`
	B     string  `json:"b"`
	True  float64 `json:"true"`
	Found float64 `json:"found"`
	Low   float64 `json:"low"` // of Found's 95% interval
	High  float64 `json:"high"`
	Right bool    `json:"right"` // within the tolerance, and told from 1 if they differ
}

// Failed counts the times and ratios that are not right.
func (r *Result) Failed() int {
	n := 0
	for _, e := range r.Engines {
		n += stats.Truth(!e.Right)
	}
	for _, p := range r.Pairs {
		n += stats.Truth(!p.Right)
	}
	return n
}

// vocabulary is the vocabulary of the engines: small, so that the mask itself takes no time.
const vocabulary = "{name: o200k_base, cut: 4096}"

// All and Short are how long a mask of the slowest known engine takes. With Short those of 5 ms are
// left out, which take most of the time.
const (
	All   = 5 * time.Millisecond
	Short = 50 * time.Microsecond
)

// Run measures the engines of known cost, none slower than slowest. It takes about a minute, with
// Short some ten seconds, and works in a temporary directory. progress gets lines; nil for silence.
func Run(ctx context.Context, slowest time.Duration, progress io.Writer) (*Result, error) {
	dir, err := os.MkdirTemp("", "gcdbench-calibrate-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a temporary directory: %w", err)
	}
	defer os.RemoveAll(dir)
	problem, err := problem(ctx)
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(engines(), func(k *known) bool { return k.took > slowest })
	sets := map[int]*reports.Set{}
	for _, repeat := range []int{1, 5} {
		if sets[repeat], err = measure(ctx, list, filepath.Join(dir, fmt.Sprint(repeat)), repeat, progress); err != nil {
			return nil, err
		}
	}
	truth, err := truths(ctx, list, problem)
	if err != nil {
		return nil, err
	}
	return compare(list, truth, sets), nil
}

// engines are the known ones. Ratios are taken of neighbours.
func engines() []*known {
	const unit = time.Millisecond
	perStep := float64(unit) / float64(stepsFor(unit))
	var list []*known
	computes := func(name string, took time.Duration) {
		list = append(list, &known{name: name, took: took, work: computing(max(1, int(math.Round(float64(took)/perStep))))})
	}
	for _, took := range []time.Duration{50, 500, 5_000, 50_000, 5_000_000} {
		computes("computes-"+took.String(), took)
		if took == 5_000 {
			computes("computes-"+took.String()+"-and-5-percent", time.Duration(apart*float64(took)))
		}
	}
	memory := newMemory()
	for _, took := range []time.Duration{500, 5_000, 50_000, 5_000_000} { // one read alone takes longer than 50 ns
		t := &touching{memory: memory, took: took, at: 1, times: make([]float64, keptCalls)}
		list = append(list, &known{name: "reads-memory-" + took.String(), took: took, work: t.do, touches: t})
	}
	for _, k := range list {
		k.name = strings.ReplaceAll(k.name, "µ", "u")
	}
	return list
}

// truths are the times of the engines, found without the harness.
func truths(ctx context.Context, list []*known, p *algorithms.Problem) ([]float64, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_, release := environment.Pin()
	defer release()
	clock := environment.Calibrate()
	out := make([]float64, len(list))
	for i, k := range list {
		if k.touches != nil {
			out[i] = k.touches.trueNS(clock)
			continue
		}
		ns, err := k.trueNS(ctx, p)
		if err != nil {
			return nil, err
		}
		out[i] = ns
	}
	return out, nil
}

// problem is the problem of all engines.
func problem(ctx context.Context) (*algorithms.Problem, error) {
	g, err := languages.Load(ctx, "json")
	if err != nil {
		return nil, err
	}
	r, err := recognizer.New(ctx, g, recognizer.Options{})
	if err != nil {
		return nil, err
	}
	tok, err := tokenizers.Load(ctx, "o200k_base", tokenizers.Options{})
	if err == nil {
		tok, err = tok.Cut(4096)
	}
	if err != nil {
		return nil, err
	}
	return &algorithms.Problem{Recognizer: r, Vocabulary: tok.Vocabulary()}, nil
}

// measure runs a configuration of the engines and reads its report.
func measure(ctx context.Context, list []*known, dir string, repeat int, progress io.Writer) (*reports.Set, error) {
	byName := map[string]algorithms.Algorithm{}
	names := prepare.Known()
	names.Algorithms = map[string][]config.Option{}
	var quoted []string
	for _, k := range list {
		byName[k.name], names.Algorithms[k.name] = k, nil
		quoted = append(quoted, fmt.Sprintf("%q", k.name))
	}
	text := fmt.Sprintf("name: calibrate\nalgorithms: [%s]\ntokenizers: [%s]\nworkloads:\n  - {grammar: json, dataset: {name: json-samples, limit: 4, max_bytes: 400, negatives: 0}}\n"+
		"measure: {warmup: 1, repeat: %d, compiles: 1}\n", strings.Join(quoted, ", "), vocabulary, repeat)
	cfg, err := config.Parse("calibrate.yaml", []byte(text), names)
	if err != nil {
		return nil, err
	}
	_, err = harness.Run(ctx, cfg, prepare.Options{Out: dir, Progress: progress, Algorithm: func(name string) (algorithms.Algorithm, error) {
		if a := byName[name]; a != nil {
			return a, nil
		}
		return nil, errors.New("no engine of known cost has this name")
	}})
	if err != nil {
		return nil, err
	}
	return reports.Load(dir)
}

// compare compares the times that were found with the true ones.
func compare(list []*known, found []float64, sets map[int]*reports.Set) *Result {
	r := &Result{}
	truth := map[string]float64{}
	for i, k := range list {
		e := Engine{Name: k.name, True: found[i]}
		truth[k.name] = e.True
		one, five := cellOf(sets[1], k.name), cellOf(sets[5], k.name)
		e.OnePass, e.Found, e.First = one.MaskNS.Again.P50, five.MaskNS.Again.P50, five.MaskNS.First.P50
		e.Right = timeRight(e.True, e.Found) && timeRight(e.True, e.OnePass)
		if k.touches == nil {
			e.Right = e.Right && timeRight(e.True, e.First)
		}
		r.Engines = append(r.Engines, e)
	}
	for _, pair := range pairs(list) {
		a, b := pair[0].name, pair[1].name
		ratio := result.RatioOf(cellOf(sets[5], a), cellOf(sets[5], b), "again")
		r.Pairs = append(r.Pairs, pairOf(a, b, truth[a], truth[b], ratio))
	}
	return r
}

// timeRight reports whether a time was found.
func timeRight(truth, found float64) bool {
	return math.Abs(found-truth) <= max(timeTolerance*truth, leastTolerance)
}

// pairOf judges the ratio that was found of two engines whose times are known.
func pairOf(a, b string, trueA, trueB float64, ratio stats.Ratio) Pair {
	p := Pair{A: a, B: b, True: trueA / trueB, Found: ratio.Value, Low: ratio.Interval.Low, High: ratio.Interval.High}
	off := max(ratioTolerance, leastTolerance/min(trueA, trueB)) // what a time may be off by, its ratios may be
	p.Right = math.Abs(p.Found/p.True-1) <= off && p.Low > 1     // the first of a pair is the slower one
	return p
}

// pairs are the engines whose ratio is taken, the longer one first: neighbours of one kind, and two
// of different kinds.
func pairs(list []*known) (out [][2]*known) {
	for i := range list[1:] {
		a, b := list[i+1], list[i]
		if (a.touches == nil) == (b.touches == nil) {
			out = append(out, [2]*known{a, b})
		}
	}
	byTime := func(took time.Duration, touches bool) *known {
		i := slices.IndexFunc(list, func(k *known) bool { return k.took == took && (k.touches != nil) == touches })
		return list[i]
	}
	return append(out, [2]*known{byTime(50_000, true), byTime(5_000, false)}, [2]*known{byTime(50_000, false), byTime(5_000, true)})
}

// cellOf finds the cell of an engine.
func cellOf(set *reports.Set, name string) *result.Cell {
	i := slices.IndexFunc(set.Cells, func(c *result.Cell) bool { return c.Algorithm == name })
	return set.Cells[i] // every engine of the configuration has one
}

// median of values, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
