package psc

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/environment"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// A tailStep is a step of the first pass over a schema's instances: the shortest time of all
// rounds, in which the whole corpus was walked with nothing kept. Noise makes a step longer, and
// hardly ever the same one in each round.
type tailStep struct {
	schema, text, at int32
	ns               int64
	built            map[string]float64
}

// A tailSchema is a schema with its valid instances.
type tailSchema struct {
	id    string
	text  []byte
	texts [][]int32
}

// tailSchemas are the schemas of MaskBench: 150 of them, or all with GCDBENCH_FULL=1, or the
// embedded ones with GCDBENCH_CORPUS=schema-samples; and of these only those that GCDBENCH_SCHEMAS
// names, with commas between them.
func tailSchemas(b *testing.B, tok *tokenizers.Tokenizer) (list []tailSchema) {
	q := datasets.Query{Limit: seed.Rounds(150, 150, 0), Sample: true, Seed: 1}
	src, err := datasets.Lookup(os.Getenv("GCDBENCH_CORPUS"))
	if err != nil {
		path := filepath.Join("..", "..", "..", "shared", "data", "maskbench-dev.jsonl.gz")
		if _, err := os.Stat(path); err != nil {
			b.Skip("the schemas are not there: ", err)
		}
		src = must.Get(datasets.Open("maskbench", path, ""))(b)
	}
	set := must.Get(datasets.Load(b.Context(), src, q))(b)
	only := os.Getenv("GCDBENCH_SCHEMAS")
	for schema, of := range set.BySchema() {
		if only != "" && !slices.Contains(strings.Split(only, ","), schema.ID) {
			continue
		}
		s := tailSchema{id: schema.ID, text: schema.Text}
		for i := range of {
			if of[i].Negative {
				continue
			}
			ids := must.Get(tok.EncodeContinuation(of[i].Content))(b)
			s.texts = append(s.texts, append(ids, int32(tok.Vocabulary().EOS()[0])))
		}
		list = append(list, s)
	}
	return list
}

// A tailSlot is a place of a batch: an engine, and the text of its schema that is walked.
type tailSlot struct {
	engine                    algorithms.Engine
	schema, request, text, at int
	state                     algorithms.State // nil between two texts
	row                       []uint64
}

// tailWalk walks all texts of all schemas once, with a Kept of their own, and calls record with
// the time of each step: the commit of the token before and the mask, delivered. Of a longer
// step that is the processor time, as other programs may have the core. Schemas take turns in a
// batch of GCDBENCH_BATCH, one by default; a request is a schema that compiles, by number. Keys
// come as they are declared, or in any order with GCDBENCH_ORDER=any. Between steps the engine
// does what it does meanwhile, unless GCDBENCH_IDLE=off, recorded as step number idle, and half
// a megabyte is read, as a sampler reads its logits. Garbage is collected off the clock, or
// beside it with a percentage as GCDBENCH_GC. start gets the processor time up to the first
// mask, and of that the engine's compile.
func tailWalk(b *testing.B, v *tokenizers.Vocabulary, list []tailSchema, start func(e algorithms.Engine, r *recognizer.Recognizer, ttfm, compile time.Duration), before func(), record func(s *tailSlot, at int, ns int64)) {
	kept, schemas := algorithms.NewKept(), jsonschema.NewKept()
	options := tailOptions()
	d := newTailDecoder(v)
	percent := tailNumber("GCDBENCH_GC", -1)
	defer debug.SetGCPercent(debug.SetGCPercent(percent))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	next, requests := 0, 0
	begin := func(s *tailSlot) (ok bool) {
		for s.engine == nil || s.text == len(list[s.schema].texts) {
			if next == len(list) {
				return false
			}
			if next%8 == 0 && percent < 0 {
				runtime.GC()
			}
			at := next
			next++
			began := environment.ThreadTime()
			opened, err := jsonschema.Open(b.Context(), list[at].text, jsonschema.Options{Kept: schemas, Name: list[at].id, AnyOrder: os.Getenv("GCDBENCH_ORDER") == "any"})
			if err != nil {
				continue
			}
			r := must.Get(recognizer.New(b.Context(), opened.Grammar, recognizer.Options{OnDemand: true}))(b)
			ready := environment.ThreadTime()
			e := must.Get(algorithm{}.Compile(b.Context(), &algorithms.Problem{Recognizer: r, Vocabulary: v, Kept: kept}, options))(b)
			compiled := environment.ThreadTime()
			algorithms.Deliver(e.Start(), d.row)
			start(e, r, environment.ThreadTime()-began, compiled-ready)
			*s = tailSlot{engine: e, schema: at, request: requests, row: make([]uint64, len(d.row))}
			requests++
		}
		s.state, s.at = s.engine.Start(), 0
		return true
	}
	slots := make([]tailSlot, tailNumber("GCDBENCH_BATCH", 1))
	for live := true; live; {
		live = false
		for i := range slots {
			s := &slots[i]
			if s.state == nil && !begin(s) {
				continue
			}
			live, d.row = true, s.row
			before()
			ids := list[s.schema].texts[s.text]
			ns, ok := d.step(s.state, ids, s.at)
			if ok {
				record(s, s.at, ns)
				pprof.SetGoroutineLabels(idleLabel)
				began := environment.ThreadTime()
				for os.Getenv("GCDBENCH_IDLE") != "off" && algorithms.Idle(s.state) {
				}
				record(s, idle, (environment.ThreadTime() - began).Nanoseconds())
				pprof.SetGoroutineLabels(context.Background())
				d.sample()
				s.at++
			}
			if !ok || s.at == len(ids) {
				s.state = nil
				s.text++
			}
		}
	}
	runtime.KeepAlive(d.sum)
}

// tailNumber is a number of the environment.
func tailNumber(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// tailOptions are the options of GCDBENCH_OPTIONS.
func tailOptions() algorithms.Options {
	options := algorithms.Options{}
	for _, o := range strings.Fields(os.Getenv("GCDBENCH_OPTIONS")) {
		name, value, _ := strings.Cut(o, "=")
		options[name] = value
	}
	return options
}

// idle is the number of the steps that are work between two steps.
const idle = -1

var idleLabel = pprof.WithLabels(context.Background(), pprof.Labels("us", "idle"))

// A tailDecoder is what a step needs beside the engine: the caller's row, and the logits.
type tailDecoder struct {
	row    []uint64
	logits []float32
	sum    float32
}

func newTailDecoder(v *tokenizers.Vocabulary) *tailDecoder {
	return &tailDecoder{row: make([]uint64, algorithms.MaskWords(v.Len())), logits: make([]float32, v.Len())}
}

// step is the time of the commit of the token before the at-th, and of the mask, delivered: of a
// longer step the processor time. It is not ok if the token is refused.
func (d *tailDecoder) step(state algorithms.State, ids []int32, at int) (ns int64, ok bool) {
	cpu, t0 := environment.ThreadTime(), time.Now()
	if at > 0 && state.Commit(int(ids[at-1])) != nil {
		return 0, false
	}
	algorithms.Deliver(state, d.row)
	took := time.Since(t0)
	if took > 10*time.Microsecond {
		took = min(took, environment.ThreadTime()-cpu)
	}
	return took.Nanoseconds(), true
}

// sample reads the logits as a sampler does.
func (d *tailDecoder) sample() {
	for l := 0; l < len(d.logits); l += 16 {
		d.sum += d.logits[l]
	}
}

// tailLabel is the label in profiles of a step whose shortest time so far is ns.
func tailLabel(ns int64) string {
	for _, us := range []int64{200, 60, 12} {
		if ns > us*1000 {
			return fmt.Sprintf("over-%d", us)
		}
	}
	return "short"
}

// BenchmarkTail measures the steps of the first pass over the instances of JSON schemas, fresh and
// new together, and names the slowest with what was built in them, by the engine's counters, if
// GCDBENCH_SLOWEST=1. Run it with -benchtime=5x: each round begins with nothing kept, and of each
// step the shortest time counts. In a profile, steps have the label us (over-200, over-60, over-12
// or short) from the second round on, by the shortest time so far. GCDBENCH_OPTIONS has options of
// psc, such as ahead=off; tailWalk says how to have a batch, as under load. Idle is what is built
// between two steps; a request is the time to the first mask, and all steps and what is built
// between them of the first instance. The time to the first mask begins with the schema's text; the
// compiles are psc's own part of it, the first of them with the slices of the vocabulary. Collect
// is the processor time of the collector.
func BenchmarkTail(b *testing.B) {
	tok, err := tokenizers.Load(b.Context(), "llama3", tokenizers.Options{Offline: true})
	if err != nil {
		b.Skip(err)
	}
	v := tok.Vocabulary()
	v.Trie()
	list := tailSchemas(b, tok)
	var steps []tailStep
	var ttfms, compiles, idles, requests []int64
	var opened []string
	collected := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(collected)
	before := collected[0].Value.Float64()
	for round := 0; b.Loop(); round++ {
		n := 0
		label := func() {
			if round > 0 && n < len(steps) {
				pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("us", tailLabel(steps[n].ns))))
			}
		}
		of := 0
		var sums []int64 // of whole requests
		done := func(_ algorithms.Engine, r *recognizer.Recognizer, ttfm, compile time.Duration) {
			if of == len(compiles) {
				opened = append(opened, r.Grammar.Name)
				ttfms, compiles = append(ttfms, ttfm.Nanoseconds()), append(compiles, compile.Nanoseconds())
			}
			ttfms[of], compiles[of] = min(ttfms[of], ttfm.Nanoseconds()), min(compiles[of], compile.Nanoseconds())
			of++
			sums = append(sums, ttfm.Nanoseconds())
			pprof.SetGoroutineLabels(context.Background())
		}
		tailWalk(b, v, list, done, label, func(s *tailSlot, at int, ns int64) {
			if s.text == 0 && at != 0 { // the first mask is in the time to it
				sums[s.request] += ns
			}
			if at == idle {
				if round == 0 {
					idles = append(idles, ns)
				}
				idles[n-1] = min(idles[n-1], ns)
				return
			}
			if round == 0 {
				steps = append(steps, tailStep{int32(s.schema), int32(s.text), int32(at), ns, nil})
			}
			steps[n].ns = min(steps[n].ns, ns)
			n++
		})
		for i, ns := range sums {
			if round == 0 {
				requests = append(requests, ns)
			}
			requests[i] = min(requests[i], ns)
		}
	}
	times := make([]int64, len(steps))
	for i := range steps {
		times[i] = steps[i].ns
	}
	if os.Getenv("GCDBENCH_SLOWEST") != "" {
		for i, ns := range ttfms {
			if ns > 10e6 {
				fmt.Fprintf(os.Stderr, "ttfm %8.1f ms, of that compile %6.1f ms  %s\n", float64(ns)/1e6, float64(compiles[i])/1e6, opened[i])
			}
		}
	}
	percentiles(b, "first", times)
	percentiles(b, "compile", compiles)
	percentiles(b, "ttfm", ttfms)
	percentiles(b, "idle", idles)
	percentiles(b, "request", requests)
	b.ReportMetric(float64(len(steps)), "steps")
	metrics.Read(collected)
	b.ReportMetric(1e9*(collected[0].Value.Float64()-before)/float64(b.N*len(steps)), "collect-mean-ns")
	if os.Getenv("GCDBENCH_SLOWEST") != "" {
		slowest(b, tok, list, steps)
	}
}

// slowest names the 100 slowest steps with what was built in them. That is counted in a round of
// its own, outside of which nothing is timed.
func slowest(b *testing.B, tok *tokenizers.Tokenizer, list []tailSchema, steps []tailStep) {
	order := make([]int, len(steps))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(steps[y].ns, steps[x].ns) })
	order = order[:min(100, len(order))]
	wanted := map[int]bool{}
	for _, i := range order {
		wanted[i] = true
	}
	n := 0
	var e algorithms.Engine
	var r *recognizer.Recognizer
	var before map[string]float64
	count := func() map[string]float64 {
		m := map[string]float64{}
		st := e.Stats()
		m["bytes"] = float64(st.Bytes)
		for _, c := range st.Counters {
			m[c.Name] = c.Value
		}
		m["lexer states"] = float64(r.Lexer.NumStates())
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		m["allocated"] = float64(mem.TotalAlloc)
		return m
	}
	note := func() {
		if wanted[n] {
			before = count()
		}
	}
	tailWalk(b, tok.Vocabulary(), list, func(x algorithms.Engine, of *recognizer.Recognizer, _, _ time.Duration) { e, r = x, of }, note, func(_ *tailSlot, at int, ns int64) {
		if at == idle {
			return
		}
		if wanted[n] {
			after := count()
			steps[n].built = map[string]float64{"this round us": float64(ns) / 1000}
			for k, x := range after {
				if d := x - before[k]; d != 0 && !strings.HasPrefix(k, "depth") && !strings.HasPrefix(k, "masks") {
					steps[n].built[k] = d
				}
			}
		}
		n++
	})
	for _, i := range order {
		x := steps[i]
		s := list[x.schema]
		text := ""
		for _, id := range s.texts[x.text][:x.at] {
			text += string(tok.Vocabulary().Token(int(id)))
		}
		fmt.Fprintf(os.Stderr, "%8.1f us  %s #%d @%d %q\n    %v\n", float64(x.ns)/1000, s.id, x.text, x.at, text[max(0, len(text)-60):], x.built)
	}
}
