package engines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gcdbench/algorithms"
	"gcdbench/engines/process"
	"gcdbench/engines/wire"
	"gcdbench/harness/measure"
	"gcdbench/tokenizers"
)

// An Engine is a grammar that the process of an engine has compiled. The process has one grammar at
// a time. If it has died, or has compiled another grammar meanwhile, it compiles the grammar again
// when the Engine is used. The counter "compiled again" counts that.
type Engine struct {
	host    *host
	name    string
	size    int // |V|
	request wire.Compile
	notes   []string // of the translation
	schema  bool     // it is a schema, whatever the kind of the request
	// mostRows is the most bytes of rows of a proof; 0 for the usual.
	mostRows int64
	// prepare makes the request, when the hello of the process is known; nil after that.
	prepare func(ctx context.Context, takes []string) error

	// What follows is guarded by host.mu.
	compiled   bool // once, at least
	again      int
	bill       algorithms.Bill
	provenance algorithms.Provenance
	stats      algorithms.Stats
	base       int64  // how large the process was before the last compile; 0 if that is not known
	noClones   string // why it is not asked for clones any more
	noStats    string // why its last figures are not known
	looked     int    // watched walks since the last audit
	moved      int    // those of them that are walk.moved
	explored   *state // whose tokens the process has committed in its generation; nil for nobody's
}

var (
	_ algorithms.Billed = (*Engine)(nil)
	_ measure.Walking   = (*Engine)(nil)
)

// stepLimit bounds an operation without a context: one mask, or the engine's figures.
const stepLimit = time.Minute

// figuresLimit bounds an answer with figures, which an engine has at hand.
const figuresLimit = 5 * time.Second

// compile has the process compile the grammar. host.mu is held.
func (e *Engine) compile(ctx context.Context, p *process.Process) error {
	e.explored, e.host.live = nil, nil
	own, err := e.weighBase(ctx, p)
	if err != nil {
		return err
	}
	var a wire.CompileAnswer
	took, err := p.Compiled(ctx, e.request, &a)
	if err != nil {
		return err
	}
	if a.CompileNS == nil || a.FirstMaskNS == nil || *a.CompileNS < 0 || *a.FirstMaskNS < 0 || a.GrammarNS < 0 {
		return p.Nonsense("its answer to compile lacks a time, or has one below 0")
	}
	told := a.GrammarNS + *a.CompileNS + *a.FirstMaskNS
	if err := p.Believe("its compile", told); err != nil {
		return err
	}
	p.Told(took, told)
	h := &p.Hello
	bill := algorithms.Bill{GrammarNS: int64(a.GrammarNS), CompileNS: int64(*a.CompileNS), FirstMaskNS: int64(*a.FirstMaskNS)}
	switch {
	case own:
		bill.Bytes = e.grown(ctx, p)
	case e.base > 0:
		bill.Bytes, bill.PeakBytes = max(0, p.Resident()-e.base), max(0, p.Peak()-e.base)
	}
	e.stats = algorithms.Stats{Bytes: max(0, a.Bytes), Counters: countersOf(a.Counters)}
	if e.compiled {
		return nil // what it cost the first time is its bill
	}
	e.bill, e.compiled = bill, true
	e.provenance = algorithms.Provenance{
		Name: h.Name, Version: h.Version, Build: h.Build, Licence: h.Licence,
		Kind: e.request.Kind, Options: a.Options, Notes: append(append([]string(nil), e.notes...), a.Notes...),
		VocabularyNS: e.host.vocabularyNS,
		ClockPairNS:  h.ClockPairNS, ClockEmptyNS: h.ClockEmptyNS, CallEmptyNS: h.CallEmptyNS,
	}
	if e.provenance.Options == nil {
		e.provenance.Options = e.request.Options
	}
	return nil
}

// weighBase has the process drop the last grammar, and notes its size then. own is whether the
// process reports the size itself.
//
// Free memory of the process is not returned to the system first: the timed compile would have to
// ask for it again, page by page, as on no server. So a grammar that fits into the memory left free
// by the vocabulary and the warm-up seems smaller than it is.
//
// For a schema nothing is noted: its process has compiled many schemas, and has enough free memory
// for the next one.
func (e *Engine) weighBase(ctx context.Context, p *process.Process) (own bool, err error) {
	if e.base = 0; e.request.Kind == wire.KindSchema || e.schema {
		return false, nil
	}
	held, err := weigh(ctx, p, wire.Weigh{Do: "weigh", Drop: true})
	var failed *wire.Failure
	switch {
	case errors.As(err, &failed) && failed.Outcome == wire.Unsupported:
		return false, nil
	case err != nil:
		return false, err
	}
	if e.base = held; held == 0 {
		e.base = p.Resident()
	}
	p.ResetPeak()
	return held > 0, nil
}

// weigh asks the process to collect its garbage, and for its size.
func weigh(ctx context.Context, p *process.Process, q wire.Weigh) (held int64, err error) {
	var a wire.WeighAnswer
	if err := p.Call(ctx, q, &a); err != nil {
		return 0, err
	}
	if a.Held < 0 {
		return 0, p.Nonsense("it holds %d bytes", a.Held)
	}
	if resident := p.Resident(); resident > 0 { // it cannot hold more
		a.Held = min(a.Held, resident)
	}
	return a.Held, nil
}

// grown is the growth of the process since before the compile, after a garbage collection; 0 if it
// is unknown.
func (e *Engine) grown(ctx context.Context, p *process.Process) int64 {
	held, err := weigh(ctx, p, wire.Weigh{Do: "weigh"})
	if err != nil {
		return 0
	}
	if held == 0 {
		held = p.Resident()
	}
	return max(0, held-e.base)
}

// countersOf are counters as engines have them.
func countersOf(list []wire.Counter) []algorithms.Counter {
	out := make([]algorithms.Counter, len(list))
	for i, c := range list {
		out[i] = algorithms.Counter(c)
	}
	return out
}

// with runs f with the process, and turns errors into those of package algorithms.
func (e *Engine) with(ctx context.Context, f func(p *process.Process) error) error {
	return e.failure(e.host.with(ctx, e, f))
}

// alone is with for an operation that has no context.
func (e *Engine) alone(f func(ctx context.Context, p *process.Process) error) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), stepLimit, fmt.Errorf("a single step took more than %v", stepLimit))
	defer cancel()
	return e.with(ctx, func(p *process.Process) error { return f(ctx, p) })
}

// Ask sends a request of the protocol, for tests of the protocol. Errors are those of package
// algorithms.
func (e *Engine) Ask(ctx context.Context, request any, answer wire.Answered) error {
	return e.with(ctx, func(p *process.Process) error {
		e.explored = nil
		return p.Call(ctx, request, answer)
	})
}

// Reload gives the process another vocabulary, and has it compile the grammar again. It is for an
// engine whose process is its own.
func (e *Engine) Reload(ctx context.Context, v *tokenizers.Vocabulary) error {
	return e.with(ctx, func(p *process.Process) error {
		e.host.v, e.size = v, v.Len()
		if err := e.host.sendVocabulary(ctx, p); err != nil {
			return err
		}
		if err := e.compile(ctx, p); err != nil {
			return err
		}
		e.host.live = e
		return nil
	})
}

// Close ends the process, and with it all engines that share it.
func (e *Engine) Close() error { return e.host.Close() }

// failure is an error as the harness understands it.
func (e *Engine) failure(err error) error {
	var said *wire.Failure
	var died *process.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &said) && said.Outcome == wire.Unsupported:
		return &algorithms.UnsupportedError{Algorithm: e.name, Reason: said.Text}
	case errors.As(err, &said):
		return &algorithms.ProcessError{Engine: e.name, Outcome: said.Outcome, Detail: said.Text}
	case errors.As(err, &died):
		return &algorithms.ProcessError{Engine: e.name, Outcome: died.Outcome, Detail: died.Detail}
	}
	return err
}

// Bill is the bill of the first compile.
func (e *Engine) Bill() algorithms.Bill {
	e.host.mu.Lock()
	defer e.host.mu.Unlock()
	return e.bill
}

// Provenance is the engine's own description.
func (e *Engine) Provenance() algorithms.Provenance {
	e.host.mu.Lock()
	defer e.host.mu.Unlock()
	return e.provenance
}

// UsedBytes is the growth of the process since before the compile; 0 if it has another grammar now,
// or if the growth is unknown.
func (e *Engine) UsedBytes() int64 {
	e.host.mu.Lock()
	defer e.host.mu.Unlock()
	p := e.host.closing.get()
	if p == nil || e.host.live != e || e.base == 0 {
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), stepLimit)
	defer cancel()
	return e.grown(ctx, p)
}

// Can reports whether the engine has a capability of package wire by its hello, and has not failed
// at it.
func (e *Engine) Can(what string) bool {
	e.host.mu.Lock()
	defer e.host.mu.Unlock()
	p := e.host.closing.get()
	return p != nil && canDo(p, what) && (what != wire.CanClone || e.noClones == "")
}

func canDo(p *process.Process, what string) bool {
	for _, can := range p.Hello.Can {
		if can == what {
			return true
		}
	}
	return false
}

// Stats are the engine's own figures: current ones if its process has this grammar, else those of
// the compile.
func (e *Engine) Stats() algorithms.Stats {
	e.host.mu.Lock()
	defer e.host.mu.Unlock()
	if p := e.host.closing.get(); p != nil && e.host.live == e {
		e.askStats(p)
	}
	stats := e.stats
	add := func(name string, value int) {
		if value > 0 {
			stats.Counters = append(stats.Counters[:len(stats.Counters):len(stats.Counters)], algorithms.Counter{Name: name, Value: float64(value)})
		}
	}
	add("compiled again", e.again)
	if e.noClones != "" {
		add("not cloned: "+e.noClones, 1)
	}
	if e.noStats != "" {
		add("figures of the compile, since it told no later ones: "+e.noStats, 1)
	}
	return stats
}

// askStats asks for current figures. Without an answer the earlier ones stay, and a counter says
// so.
func (e *Engine) askStats(p *process.Process) {
	ctx, cancel := context.WithTimeout(context.Background(), figuresLimit)
	defer cancel()
	var a wire.StatsAnswer
	if err := p.Call(ctx, wire.Request{Do: "stats"}, &a); err != nil {
		e.noStats = err.Error()
		return
	}
	if a.Bytes > 0 {
		e.stats.Bytes = a.Bytes
	}
	if len(a.Counters) > 0 {
		e.stats.Counters = countersOf(a.Counters)
	}
}

// ownText is the text of a compile of wire.KindGcdbench.
func ownText(s *algorithms.Source) (string, error) {
	text, err := json.Marshal(wire.Own{Kind: s.Kind, Name: s.Name, Text: string(s.Text), Options: s.Options})
	return string(text), err
}
