package config

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"gcdbench/internal/yamltext"
)

// The part of a configuration that is about requests under load.

// UnderLoad says which loads to serve, and how. Package harness/load explains the terms.
type UnderLoad struct {
	Models    []Model
	Scenarios []string // LoadScenarios
	Rates     []float64
	Search    bool
	Trace     string // the path of a file of requests; "" for none

	Server

	Unseen  []float64 // shares, each a load of its own
	Zipf    float64
	Hostile []float64 // shares, each a load of its own

	TTFT, ITL        time.Duration
	Share            float64
	Warmup, Duration time.Duration
	Requests         int // of the counted part, at least
	Repeats          int
	Precision        float64
	Checks           int
}

// Server is how a server is set up.
type Server struct {
	Batch int `json:"batch"` // places
	// StepTokens is how many tokens a step has at most: one for each generation, and of prompts, which
	// are read in pieces.
	StepTokens     int    `json:"step_tokens"`
	Masks          string `json:"masks"`              // Before, After or Overlapped
	CompileThreads int    `json:"compile_threads"`    // beside the batch
	MaskThreads    int    `json:"mask_threads"`       // that make the masks of a batch
	CacheBytes     int64  `json:"cache_bytes"`        // of compiled grammars, least recently used first; 0 keeps none
	CompileNS      int64  `json:"compile_timeout_ns"` // from the start of a compile; 0 for no limit
	// GOGC is by how much the heap of engines in Go grows until garbage is collected, in percent of
	// what was live; 0 for what the process has, 100 as Go does.
	GOGC int `json:"gogc"`
	// YieldNS is the time from the start of a compile, or of what a generation does in a step, until
	// it lets others pass: it goes on, and another thread takes the next one. 0 has them wait.
	YieldNS int64 `json:"yield_after_ns"`
	Warm    bool  `json:"warm"` // a compile thread makes the first mask, so that no batch waits for it
}

// When masks are made, beside the model's step.
const (
	Before     = "before"
	After      = "after"
	Overlapped = "overlapped"
)

// LoadScenarios are LoadGen's, and a trace.
var LoadScenarios = []string{"single", "offline", "server", "trace"}

// LoadMasks are when masks are made, beside the model's step.
var LoadMasks = []string{Before, After, Overlapped}

// Defaults of load. Threads and cache are what vLLM has (vllm/v1/structured_output at 8ae7ba4d and
// 0b940c49): compiles on (cores+1)/2 threads, masks on max(1, min(cores/2, 8)), a cache of
// VLLM_XGRAMMAR_CACHE_MB, 512 by default, no limit of time for a compile, and masks made while the
// model's step runs. So are the tokens of a step (EngineArgs.get_batch_defaults in
// vllm/engine/arg_utils.py, of a server on an A100). The limits are those of MLPerf Inference's
// interactive Llama 3.1 8B: 0.5 s to the first token and 30 ms for each other one, for 99% of
// requests.
const (
	DefaultLoadBatch    = 64
	DefaultStepTokens   = 2048
	DefaultLoadCache    = 512 << 20
	DefaultLoadTTFT     = 500 * time.Millisecond
	DefaultLoadITL      = 30 * time.Millisecond
	DefaultLoadShare    = 0.99
	DefaultLoadDuration = 10 * time.Second
	DefaultLoadRequests = 300 // of which 3 may miss the limits
	DefaultLoadRepeats  = 3   // the fewest that have an interval
	DefaultPrecision    = 0.05
	DefaultChecks       = 20
)

// loadShape is load.
var loadShape = object{"load", []field{
	{"models", "The models whose decoding steps the masks go with.", true, list{modelShape, 1}},
	{"scenarios", "How requests come: `single`, one at a time; `offline`, all at once; `server`, the default, at random times of a rate (Poisson); `trace`, as a file says.", false, list{word(LoadScenarios...), 1}},
	{"rates", "Rates of the scenario server that are measured, in requests a second.", false, list{number(0.001, 1e6), 1}},
	{"search", "Whether to look for the highest rate of the scenario server that keeps the limits; true by default.", false, truth()},
	{"trace", "A file of requests for the scenario trace, relative to this file: JSON Lines of {\"at\": seconds, \"grammar\": a schema's id, or a schema, \"document\": text}.", false, text("a path")},
	{"batch", "Places in the batch; 64 by default.", false, integer(1, 4096)},
	{"step_tokens", "How many tokens a step has at most, of generations and of prompts, which are read in pieces; 2048 by default, as vLLM has for a server on an A100 (max_num_batched_tokens). Fewer keep steps short, more have first tokens sooner.", false, integer(1, 1<<20)},
	{"masks", "When masks are made: `before` the model's step, `after` it, or `overlapped` with it, the default, as vLLM does.", false, word(LoadMasks...)},
	{"compile_threads", "Threads that compile grammars beside the batch; half of the cores by default, as vLLM has.", false, threadsShape},
	{"mask_threads", "Threads that make the masks of a batch; half of the cores by default, 8 at most, as vLLM has.", false, threadsShape},
	{"cache", "The size of the cache of compiled grammars, without the least recently used beyond it; 512MiB by default, as vLLM has, `none` for no cache.", false, sizeOrNoneShape},
	{"compile_timeout", "The longest time of a compile, after which its request fails; none by default, as vLLM has.", false, duration()},
	{"gogc", "By how much the heap of engines in Go grows until garbage is collected, in percent of what was live; 100 by default, as Go has. More takes memory and spares a server work: a collection marks all of its cache.", false, integer(1, 10_000)},
	{"yield_after", "After how long a compile, or a mask, lets others pass: it goes on in its thread while another takes the next one, so that a bad neighbour holds up nobody; never by default, as in vLLM.", false, duration()},
	{"warm", "Whether a compile thread makes the first mask too, so that no batch waits for it, with every engine; true by default.", false, truth()},
	{"unseen", "The share of requests, in percent, whose grammar nobody has asked for before; 100 by default. Each is a load of its own.", false, list{number(0, 100), 1}},
	{"zipf", "The exponent of the popularity of grammars among the other requests; 1 by default.", false, number(0, 10)},
	{"hostile", "The share of requests, in percent, that are bad neighbours: schemas that cost much; 0 by default. Each is a load of its own.", false, list{number(0, 100), 1}},
	{"ttft", "The limit of the time to the first token; 500ms by default.", false, duration()},
	{"itl", "The limit of the time from a token to the next, of 99 in 100 tokens of a request; 30ms by default.", false, duration()},
	{"share", "The share of requests, in percent, that has to keep the limits; 99 by default.", false, number(1, 100)},
	{"warmup", "How long a load runs before requests count; a fifth of duration by default.", false, duration()},
	{"duration", "How long requests count; 10s by default, or as long as `requests` take to come.", false, duration()},
	{"requests", "How many requests count at least, as far as they come in five times the duration; 300 by default.", false, integer(1, 1_000_000)},
	{"repeats", "How often each load is served, each time with other requests; 3 by default, the fewest that have an interval.", false, integer(1, 100)},
	{"precision", "How near the search comes to the capacity, in percent; 5 by default.", false, number(0.5, 50)},
	{"check", "How many masks of a load are compared with naive's afterwards; 20 by default.", false, integer(0, 100_000)},
}}

// load reads the section; nil if there is none.
func (b *builder) load(n *yaml.Node, cfg *Config) *UnderLoad {
	if n == nil {
		return nil
	}
	cores := runtime.NumCPU()
	l := &UnderLoad{Scenarios: listed(member(n, "scenarios"), "server"), Rates: numbers(member(n, "rates"), 1), Search: isTrue(member(n, "search"), true),
		Server: Server{Batch: int(intOr(member(n, "batch"), DefaultLoadBatch)), StepTokens: int(intOr(member(n, "step_tokens"), DefaultStepTokens)), Masks: listed(member(n, "masks"), Overlapped)[0],
			CompileThreads: threads(member(n, "compile_threads"), (cores+1)/2), MaskThreads: threads(member(n, "mask_threads"), max(1, min(cores/2, 8))),
			CacheBytes: sizeOrNone(member(n, "cache"), DefaultLoadCache),
			CompileNS:  nanoseconds(member(n, "compile_timeout")), GOGC: int(intOr(member(n, "gogc"), 0)), YieldNS: nanoseconds(member(n, "yield_after")), Warm: isTrue(member(n, "warm"), true)},
		Unseen: numbers(member(n, "unseen"), 100, 100), Zipf: numberOr(member(n, "zipf"), 1), Hostile: numbers(member(n, "hostile"), 100, 0),
		TTFT: durationOr(member(n, "ttft"), DefaultLoadTTFT), ITL: durationOr(member(n, "itl"), DefaultLoadITL), Share: numberOr(member(n, "share"), 100*DefaultLoadShare) / 100,
		Duration: durationOr(member(n, "duration"), DefaultLoadDuration), Requests: int(intOr(member(n, "requests"), DefaultLoadRequests)),
		Repeats: int(intOr(member(n, "repeats"), DefaultLoadRepeats)), Precision: numberOr(member(n, "precision"), 100*DefaultPrecision) / 100, Checks: int(intOr(member(n, "check"), DefaultChecks))}
	l.Warmup = durationOr(member(n, "warmup"), l.Duration/5)
	for _, m := range member(n, "models").Content {
		l.Models = append(l.Models, b.model(m, cfg, l.Batch))
	}
	b.distinctModels(l.Models)
	for _, key := range []string{"scenarios", "rates", "unseen", "hostile"} {
		b.distinct(member(n, key))
	}
	b.loadFits(n, l, cfg)
	return l
}

// loadFits reports keys that do not go together.
func (b *builder) loadFits(n *yaml.Node, l *UnderLoad, cfg *Config) {
	traced := slices.Contains(l.Scenarios, "trace")
	trace := member(n, "trace")
	switch {
	case trace != nil && !traced:
		b.errorf(trace, "trace goes with the scenario trace: add it to scenarios")
	case trace == nil && traced:
		b.errorf(member(n, "scenarios"), "the scenario trace needs the key trace, a file of requests")
	case trace != nil:
		l.Trace = b.existing(trace, "trace")
	}
	for _, r := range l.Rates {
		if !slices.Contains(l.Scenarios, "server") {
			b.errorf(member(n, "rates"), "the rate %v goes with the scenario server: add it to scenarios", r)
		}
	}
	if l.Hostile[len(l.Hostile)-1] > 0 && !slices.ContainsFunc(cfg.Workloads, func(w Workload) bool { return w.Schema != nil }) {
		b.errorf(member(n, "hostile"), "bad neighbours are JSON schemas: they need a workload with grammar: %s", GrammarSchema)
	}
}

// distinct reports words and numbers that a list has twice.
func (b *builder) distinct(n *yaml.Node) {
	seen := map[string]bool{}
	for _, at := range items(n) {
		value := at.Value
		if f, err := strconv.ParseFloat(value, 64); err == nil {
			value = fmt.Sprint(f)
		}
		if seen[value] {
			b.errorf(at, "%s stands in the list already: expected each once", yamltext.Clip(at.Value))
		}
		seen[value] = true
	}
}

// sizeOrNoneShape is a size, or none.
var sizeOrNoneShape = quantity("none, or a size such as 512MiB, 8GiB or 100kB", `^none$|`+sizePattern, func(v string) error {
	if v == "none" {
		return nil
	}
	_, err := ParseSize(v)
	return err
})

// sizeOrNone is a size in bytes, 0 of none.
func sizeOrNone(n *yaml.Node, otherwise int64) int64 {
	switch {
	case n == nil:
		return otherwise
	case n.Value == "none":
		return 0
	}
	return sizeOr(n)
}

// listed are the words of a list, or a single one.
func listed(n *yaml.Node, otherwise ...string) (list []string) {
	switch {
	case n == nil:
		return otherwise
	case n.Kind == yaml.ScalarNode:
		return []string{n.Value}
	}
	for _, w := range n.Content {
		list = append(list, w.Value)
	}
	return list
}

// numbers are those of a list, divided.
func numbers(n *yaml.Node, by float64, otherwise ...float64) (list []float64) {
	if n != nil {
		otherwise = nil
		for _, v := range n.Content {
			otherwise = append(otherwise, numberOr(v, 0))
		}
	}
	for _, v := range otherwise {
		list = append(list, v/by)
	}
	slices.Sort(list)
	return list
}

// numberOr is a number whose shape was checked.
func numberOr(n *yaml.Node, otherwise float64) float64 {
	if n == nil {
		return otherwise
	}
	v, _ := strconv.ParseFloat(n.Value, 64)
	return v
}

// durationOr is a duration whose shape was checked.
func durationOr(n *yaml.Node, otherwise time.Duration) time.Duration {
	if n == nil {
		return otherwise
	}
	d, _ := ParseDuration(n.Value)
	return d
}

// nanoseconds are those of a duration, 0 where it is missing.
func nanoseconds(n *yaml.Node) int64 { return durationOr(n, 0).Nanoseconds() }

// isTrue is a truth value.
func isTrue(n *yaml.Node, otherwise bool) bool {
	if n == nil {
		return otherwise
	}
	return strings.EqualFold(n.Value, "true")
}

// threads is a number of threads, "all" for the machine's cores.
func threads(n *yaml.Node, otherwise int) int {
	if n != nil && n.Value == "all" {
		return runtime.NumCPU()
	}
	return int(intOr(n, int64(otherwise)))
}

// number is a number within bounds.
func number(min, max float64) scalar {
	want := fmt.Sprintf("a number from %v to %v", min, max)
	return scalar{want: want, tags: []string{"!!int", "!!float"}, json: map[string]any{"type": "number", "minimum": min, "maximum": max},
		test: func(v string) string {
			f, err := strconv.ParseFloat(v, 64)
			if err != nil || math.IsNaN(f) || f < min || f > max {
				return fmt.Sprintf("%s is out of range", yamltext.Clip(v))
			}
			return ""
		}}
}
