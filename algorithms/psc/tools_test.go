package psc

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/datasets/toolcalls"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/tools"
	"gcdbench/harness/environment"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// BenchmarkTools measures the first pass over responses to requests with tools, by class of
// position, each request with an engine of its own: the time to the first mask, in processor time,
// steps as BenchmarkTail does them, of each the shortest time of all rounds, and how often the
// grammar grew. GCDBENCH_TOKENIZER has another vocabulary than o200k_base, GCDBENCH_FORMAT
// another format than hermes.
func BenchmarkTools(b *testing.B) {
	tok, err := tokenizers.Load(b.Context(), cmp.Or(os.Getenv("GCDBENCH_TOKENIZER"), "o200k_base"), tokenizers.Options{Offline: true})
	if err != nil {
		b.Skip(err)
	}
	tok.Vocabulary().Trie()
	for _, count := range []int{1, 64, 400, 1000, 4000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			corpus := must.Get(toolcalls.Open(b.Context(), cmp.Or(os.Getenv("GCDBENCH_TOOLS"), toolcalls.SamplesName)))(b)
			setup := toolcalls.Setup{Request: tools.Request{Format: cmp.Or(os.Getenv("GCDBENCH_FORMAT"), "hermes"), Choice: tools.ChoiceAuto, Text: tools.TextAround, Parallel: true}, Count: count, Requests: 10, Seed: 1}
			list := must.Get(schemas.Load(b.Context(), corpus.Source(setup), 1))(b)
			times := map[string][]int64{}
			cores := 0
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			for round := 0; b.Loop(); round++ {
				kept, shared, n := algorithms.NewKept(), jsonschema.NewKept(), map[string]int{}
				record := func(class string, ns int64) {
					if round == 0 {
						times[class] = append(times[class], ns)
					}
					times[class][n[class]] = min(times[class][n[class]], ns)
					n[class]++
				}
				for _, s := range list {
					cores += toolsWalk(b, tok, &s, kept, shared, record)
				}
				runtime.GC()
			}
			for class, of := range times {
				percentiles(b, strings.ReplaceAll(class, " ", "-"), of)
			}
			b.ReportMetric(float64(cores)/float64(b.N*len(list)), "cores/request")
		})
	}
}

// toolsWalk walks the right responses to a request, and returns how many cores the engine had.
func toolsWalk(b *testing.B, tok *tokenizers.Tokenizer, s *schemas.Schema, kept *algorithms.Kept, shared *jsonschema.Kept, record func(class string, ns int64)) (cores int) {
	request := must.Get(tools.Read(s.ID, s.Text))(b)
	v := tok.Vocabulary()
	d := newTailDecoder(v)
	began := environment.ThreadTime()
	g := must.Get(tools.ParseLark(b.Context(), s.ID, s.Grammar, shared))(b)
	r := must.Get(recognizer.New(b.Context(), g, recognizer.Options{OnDemand: true}))(b)
	e := must.Get(algorithm{}.Compile(b.Context(), &algorithms.Problem{Recognizer: r, Vocabulary: v, Kept: kept}, tailOptions()))(b)
	algorithms.Deliver(e.Start(), d.row)
	record("ttfm", (environment.ThreadTime() - began).Nanoseconds())
	latest := func() *core { return e.(interface{ latest() *core }).latest() }
	last := latest()
	for _, one := range s.Instances {
		if !one.Valid {
			continue
		}
		ids := must.Get(tok.EncodeContinuation(one.Text))(b)
		spans := toolcalls.Classify(request, one.Text)
		state, offset := e.Start(), 0
		var class toolcalls.Class
		idle := int64(0) // work between steps since a name began
		for at := range ids {
			for len(spans) > 1 && spans[0].End <= offset {
				spans = spans[1:]
			}
			ns, ok := d.step(state, ids, at)
			if !ok {
				break // a call with keys in another order than its schema's
			}
			offset += len(v.Token(int(ids[at])))
			record(string(spans[0].Class), ns)
			if spans[0].Class != class {
				if class = spans[0].Class; class == "arguments" {
					record("chosen", ns)
					record("chosen with idle", ns+idle)
				} else if class == "name" {
					idle = 0
				}
			}
			if c := latest(); c != last {
				last = c
				cores++
			}
			began := environment.ThreadTime()
			for algorithms.Idle(state) {
			}
			idle += (environment.ThreadTime() - began).Nanoseconds()
			d.sample()
		}
	}
	return cores
}

// BenchmarkToolsMemory measures what a request with a thousand tools holds, in MiB of heap after a
// collection: after its first mask, and after 20 calls. What requests have in common was made by
// another request before.
func BenchmarkToolsMemory(b *testing.B) {
	tok, err := tokenizers.Load(b.Context(), cmp.Or(os.Getenv("GCDBENCH_TOKENIZER"), "o200k_base"), tokenizers.Options{Offline: true})
	if err != nil {
		b.Skip(err)
	}
	corpus := must.Get(toolcalls.Open(b.Context(), cmp.Or(os.Getenv("GCDBENCH_TOOLS"), toolcalls.SamplesName)))(b)
	load := func(count, requests int) []schemas.Schema {
		setup := toolcalls.Setup{Request: tools.Request{Format: "hermes", Choice: tools.ChoiceAuto, Text: tools.TextAround, Parallel: true}, Count: count, Requests: requests, Seed: 1}
		return must.Get(schemas.Load(b.Context(), corpus.Source(setup), 1))(b)
	}
	kept, shared := algorithms.NewKept(), jsonschema.NewKept()
	d := newTailDecoder(tok.Vocabulary())
	begin := func(s *schemas.Schema) algorithms.Engine {
		g := must.Get(tools.ParseLark(b.Context(), s.ID, s.Grammar, shared))(b)
		r := must.Get(recognizer.New(b.Context(), g, recognizer.Options{OnDemand: true}))(b)
		e := must.Get(algorithm{}.Compile(b.Context(), &algorithms.Problem{Recognizer: r, Vocabulary: tok.Vocabulary(), Kept: kept}, nil))(b)
		algorithms.Deliver(e.Start(), d.row)
		return e
	}
	heap := func() float64 {
		var mem runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&mem)
		return float64(mem.HeapAlloc) / (1 << 20)
	}
	list := load(1000, 40) // of most of them the responses suit the first request, too
	begin(&load(1, 1)[0])
	for b.Loop() {
		empty := heap()
		e := begin(&list[0])
		b.ReportMetric(heap()-empty, "MiB")
		calls := 0
		for _, s := range list {
			for _, one := range s.Instances {
				state, ids, at := e.Start(), must.Get(tok.EncodeContinuation(one.Text))(b), 0
				for ; at < len(ids) && calls < 20; at++ {
					if _, ok := d.step(state, ids, at); !ok {
						break
					}
					for algorithms.Idle(state) {
					}
				}
				if one.Valid && at == len(ids) {
					calls += strings.Count(string(one.Text), "</tool_call>")
				}
			}
		}
		b.ReportMetric(heap()-empty, "after-MiB")
		b.ReportMetric(float64(calls), "calls")
		runtime.KeepAlive(e)
	}
}

// TestGrown: what was found about free text stays when a call adds rules to the grammar, and the
// masks of texts that share the engine while it grows are trie's.
func TestGrown(t *testing.T) {
	corpus := must.Get(toolcalls.Open(t.Context(), toolcalls.SamplesName))(t)
	requests := seed.Rounds(6, 12, 12)
	setup := toolcalls.Setup{Request: tools.Request{Format: "hermes", Choice: tools.ChoiceAuto, Text: tools.TextAround, Parallel: true}, Count: 8, Requests: requests, Seed: 1}
	list := must.Get(schemas.Load(t.Context(), corpus.Source(setup), 1))(t)
	tok := must.Get(tokenizers.Load(t.Context(), "cl100k_base", tokenizers.Options{Offline: true}))(t)
	grown := 0
	for _, s := range list {
		g := must.Get(tools.ParseLark(t.Context(), s.ID, s.Grammar, nil))(t)
		p := &algorithms.Problem{Recognizer: must.Get(recognizer.New(t.Context(), g, recognizer.Options{OnDemand: true}))(t), Vocabulary: tok.Vocabulary()}
		e, trie := compile(t, p, nil), must.Get(must.Get(algorithms.Lookup("trie"))(t).Compile(t.Context(), p, nil))(t)
		first := e.latest()
		var wait sync.WaitGroup
		for _, one := range s.Instances {
			ids := must.Get(tok.EncodeContinuation(one.Text))(t)
			wait.Add(1)
			go func() {
				defer wait.Done()
				walkTogether(t, s.ID, e.Start(), trie.Start(), ids)
			}()
		}
		wait.Wait()
		last := e.latest()
		if last == first {
			continue
		}
		grown++
		q := must.Get(readText(last.problem, "any text"))(t)
		before := last.auto.spans.Stats().Steps
		last.auto.spans.Shared(q)
		fresh := newTrees(last.problem, e.spans)
		fresh.Shared(q)
		if steps, anew := last.auto.spans.Stats().Steps-before, fresh.Stats().Steps; steps*10 > anew {
			t.Errorf("%s: the walk of free text took %d steps after the grammar grew, and %d anew", s.ID, steps, anew)
		}
	}
	if grown < requests*5/12 {
		t.Errorf("the grammars of %d requests grew", grown)
	}
}

// TestScout: the starts of masks at markers are built before their steps, unless that is switched
// off, and so is what the first mask of the next response needs.
func TestScout(t *testing.T) {
	corpus := must.Get(toolcalls.Open(t.Context(), toolcalls.SamplesName))(t)
	setup := toolcalls.Setup{Request: tools.Request{Format: "hermes", Choice: tools.ChoiceAuto, Text: tools.TextAround, Parallel: true}, Count: 8, Requests: 6, Seed: 1}
	list := must.Get(schemas.Load(t.Context(), corpus.Source(setup), 1))(t)
	tok := must.Get(tokenizers.Load(t.Context(), "cl100k_base", tokenizers.Options{Offline: true}))(t)
	for ahead, most := range map[string]int{"on": 10, "off": 100} {
		markers, built := 0, 0
		for _, s := range list {
			request := must.Get(tools.Read(s.ID, s.Text))(t)
			g := must.Get(tools.ParseLark(t.Context(), s.ID, s.Grammar, nil))(t)
			p := &algorithms.Problem{Recognizer: must.Get(recognizer.New(t.Context(), g, recognizer.Options{OnDemand: true}))(t), Vocabulary: tok.Vocabulary()}
			e := compile(t, p, algorithms.Options{"ahead": ahead})
			for _, one := range s.Instances {
				spans, state, offset := toolcalls.Classify(request, one.Text), e.Start(), 0
				for _, id := range must.Get(tok.EncodeContinuation(one.Text))(t) {
					for len(spans) > 1 && spans[0].End <= offset {
						spans = spans[1:]
					}
					before := realtext.Counter(e, "starts")
					legal := state.Mask().Has(int(id))
					if spans[0].Class == "marker" && offset > 0 {
						markers++
						if realtext.Counter(e, "starts") != before {
							built++
						}
					}
					for algorithms.Idle(state) {
					}
					if !legal {
						break
					}
					must.OK(t, state.Commit(int(id)))
					offset += len(tok.Vocabulary().Token(int(id)))
				}
				for algorithms.Idle(state) {
				}
				if ahead == "on" && e.Start().(*gen).Unbuilt() {
					t.Errorf("%s: what the first mask of another response needs was not built again", s.ID)
				}
			}
		}
		if share := 100 * built / max(1, markers); markers < 100 || share > most || most == 100 && share < 30 {
			t.Errorf("ahead=%s: a start was built for %d of %d masks at markers", ahead, built, markers)
		}
	}
}

// readText is the lexer state after a text.
func readText(p *algorithms.Problem, text string) (lexer.State, error) {
	s, ok := p.Read(p.Start(), []byte(text))
	if !ok {
		return 0, fmt.Errorf("%q is refused", text)
	}
	return s.Lexer, nil
}

// walkTogether holds the masks of a state to those of another one along some tokens.
func walkTogether(t *testing.T, id string, s, other algorithms.State, ids []int32) {
	for at, token := range ids {
		mask := s.Mask()
		if wrong := mask.FirstDifference(other.Mask()); wrong >= 0 {
			t.Errorf("%s, token %d: the masks differ in %d", id, at, wrong)
			return
		}
		if !mask.Has(int(token)) { // a wrong response
			return
		}
		if at%2 == 0 {
			for algorithms.Idle(s) {
			}
		}
		if err := errors.Join(s.Commit(int(token)), other.Commit(int(token))); err != nil {
			t.Error(err)
			return
		}
	}
}
