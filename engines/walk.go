package engines

import (
	"context"
	"fmt"
	"math"
	"time"

	"gcdbench/algorithms"
	"gcdbench/engines/process"
	"gcdbench/engines/wire"
	"gcdbench/harness/measure"
)

// The child walks documents itself; here its answers are received and checked. A child with an
// impossible answer is killed, and the message quotes the answer: figures of an engine that
// confuses its own answers are worthless.

const (
	// mostRows is the largest area of mask rows that a proof asks for at once, in bytes: memory shared
	// with a process stays in use as long as the process runs.
	mostRows = 48 << 20
	// unwritten is the value of all times before a walk. It would be 4.278 s; a child writes a larger
	// value for every time that is too long.
	unwritten = 0xfefefefe
	// timesEach is how many times a masked position has: mask, commit, step.
	timesEach = 3
)

// A walk is one request to walk a document, as it was laid out.
type walk struct {
	request wire.Walk
	doc     *measure.Document
	layout  wire.Layout
	masked  int             // positions
	copies  int             // of masks, that a timed walk leaves
	used    process.Use     // by the process in a timed walk
	took    time.Duration   // by the clock of this process
	late    []time.Duration // arrivals.stop's
	size    int             // |V|
}

// newWalk lays out the areas that all walks have.
func (e *Engine) newWalk(d *measure.Document) *walk {
	w := &walk{doc: d, masked: len(d.Tokens), size: e.size}
	w.request = wire.Walk{Do: "walk", Tokens: w.layout.Area(int64(len(d.Tokens)), 4), Stride: stride(e.size)}
	if d.Positions != nil {
		w.masked = len(d.Positions)
		w.request.Masked = w.layout.Area(int64(w.masked), 4)
	}
	return w
}

// stride is the number of bytes of a row.
func stride(size int) int64 { return 8 * int64(algorithms.MaskWords(size)) }

// rows makes room for a number of rows, times for a number of times.
func (w *walk) rows(n int)  { w.request.Rows = w.layout.Area(int64(n)*w.request.Stride, 1) }
func (w *walk) times(n int) { w.request.Times = w.layout.Area(int64(n), 4) }

// run has the child walk, and checks its answer.
func (w *walk) run(ctx context.Context, p *process.Process) (*wire.Mapping, *wire.WalkAnswer, error) {
	m, err := p.Room(ctx, w.layout.Bytes())
	if err != nil {
		return nil, nil, err
	}
	wire.PutTokens(areaOf(m, w.request.Tokens, 4), w.doc.Tokens)
	if w.request.Masked != nil {
		wire.PutUint32s(areaOf(m, w.request.Masked, 4), w.doc.Positions)
	}
	rows := areaOf(m, w.request.Rows, 1)
	var a wire.WalkAnswer
	if w.request.Times == nil {
		clear(rows)
		err = p.Call(ctx, w.request, &a)
	} else {
		unwrite(areaOf(m, w.request.Times, 4))
		clear(rows[:w.request.Stride])
		w.spoil(rows)
		if w.doc.Drawn || w.request.Block > 0 { // the child does not know
			look := watchArrivals(rows[w.request.Stride:], w.request.Stride)
			w.used, err = p.Watched(ctx, w.request, &a)
			w.late, w.took = look.stop(), p.Took()
		} else {
			err = p.Call(ctx, w.request, &a)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return m, &a, w.check(p, &a)
}

// spoil makes other masks of those that an earlier walk left as copies.
func (w *walk) spoil(rows []byte) {
	for i := range int64(w.copies) {
		word := rows[(1+i)*w.request.Stride:]
		wire.PutUint64(word, ^wire.Uint64(word))
	}
}

// unwrite fills an area of times.
func unwrite(times []byte) {
	for i := range times {
		times[i] = unwritten & 0xff
	}
}

// check looks at an answer.
func (w *walk) check(p *process.Process, a *wire.WalkAnswer) error {
	want := w.masked
	if a.Refused != nil {
		pos := *a.Refused
		if pos < 0 || pos >= int64(len(w.doc.Tokens)) {
			return p.Nonsense("it refuses the token at position %d of a document of %d", pos, len(w.doc.Tokens))
		}
		if a.RefusedBy != wire.ByMask && a.RefusedBy != wire.ByCommit {
			return p.Nonsense(`"refused_by" of its answer is %q, neither %q nor %q`, a.RefusedBy, wire.ByMask, wire.ByCommit)
		}
		var here bool
		if want, here = w.doc.MaskedUpTo(int(pos)); a.RefusedBy == wire.ByMask && !here {
			return p.Nonsense("its mask refuses the token at position %d, where it was not asked for one", pos)
		}
	}
	switch {
	case a.Masked == nil:
		return p.Nonsense(`its answer to walk has no "masked"`)
	case *a.Masked != int64(want) && (a.Refused == nil || w.request.Block == 0):
		return p.Nonsense("it made %d masks on its way, where %d belong", *a.Masked, want)
	case a.Disturbed < 0 || a.Disturbed > int64(len(w.doc.Tokens))+1:
		return p.Nonsense("it was disturbed at %d steps of %d", a.Disturbed, len(w.doc.Tokens))
	}
	if err := p.Believe("what disturbed it", float64(a.StolenNS)); err != nil {
		return err
	}
	return p.Believe("building between steps", float64(a.IdleNS))
}

// position is where the i-th mask is.
func (w *walk) position(i int) int {
	if w.doc.Positions == nil {
		return i
	}
	return int(w.doc.Positions[i])
}

// mostCopies is how many masks a timed walk with apply leaves at most.
func (e *Engine) mostCopies() int { return max(0, int(e.rowsAtOnce()/stride(e.size))-1) }

// Leaves is measure.Walking's.
func (e *Engine) Leaves(masks int) bool { return masks <= e.mostCopies() }

// WalkTimed is measure.Walker.Time, by the child's clock.
func (e *Engine) WalkTimed(ctx context.Context, d *measure.Document, apply bool, t *measure.Times) error {
	w := e.newWalk(d)
	if apply { // without, the caches are to be as the engine leaves them
		w.copies = min(w.masked, e.mostCopies())
	}
	w.rows(1 + w.copies)
	w.times(timesEach * w.masked)
	w.request.Logits = apply
	return e.walkTimed(ctx, w, func(p *process.Process, raw []uint32, a *wire.WalkAnswer) error {
		got, err := timesOf(p, raw, float64(a.IdleNS))
		if err != nil {
			return err
		}
		if len(w.late) > 0 {
			if e.looked++; w.moved(raw, a.IdleNS) {
				e.moved++
			}
		}
		got.Disturbed, got.StolenNS, got.IdleNS = int(a.Disturbed), a.StolenNS, a.IdleNS
		*t = got
		return nil
	})
}

// walkTimed has the child walk and hands its raw times to read. The error is read's, that of the
// process, or a *measure.RefusedError.
func (e *Engine) walkTimed(ctx context.Context, w *walk, read func(p *process.Process, raw []uint32, a *wire.WalkAnswer) error) error {
	var refused error
	err := e.with(ctx, func(p *process.Process) error {
		e.explored = nil
		m, a, err := w.run(ctx, p)
		if err != nil {
			return err
		}
		if a.Refused != nil {
			refused = &measure.RefusedError{Position: int(*a.Refused), Token: int(w.doc.Tokens[*a.Refused])}
			return nil
		}
		if err := w.held(p, areaOf(m, w.request.Rows, 1)); err != nil {
			return err
		}
		return read(p, wire.Uint32s(areaOf(m, w.request.Times, 4)), a)
	})
	if err == nil {
		err = refused
	}
	return err
}

// held checks that a timed walk made the masks that were proved: that in its first row, where the
// last one was made, and those that were copied where all are compared.
func (w *walk) held(p *process.Process, rows []byte) error {
	proved, row := w.doc.Proved, make([]uint64, algorithms.MaskWords(w.size))
	if len(proved) != w.masked || w.masked == 0 {
		return nil
	}
	check := func(i int, at int64) error {
		wire.GetRow(row, rows[at*w.request.Stride:])
		if rest := w.size % 64; rest > 0 {
			row[len(row)-1] &= 1<<rest - 1 // what is beyond is looked at in proofs
		}
		if algorithms.MaskOf(row, w.size).Hash() == proved[i] {
			return nil
		}
		return p.Nonsense("the mask of position %d that its timed walk made is not the one of its proof: what was timed is not what was proved", w.position(i))
	}
	if err := check(w.masked-1, 0); err != nil || !w.doc.Whole {
		return err
	}
	for i := max(0, w.masked-w.copies); i < w.masked && w.copies > 0; i++ {
		if err := check(i, int64(1+i%w.copies)); err != nil {
			return err
		}
	}
	return nil
}

// fewTimes is how many times may be less than the clock shows around nothing, or 0.
const fewTimes = 16

// timesOf takes the cost of the child's clock off raw times. A mask and a commit have one pair of
// reads around them; a step contains another one. idle is what the child built between the steps,
// in ns.
func timesOf(p *process.Process, raw []uint32, idle float64) (t measure.Times, err error) {
	n, empty := len(raw)/timesEach, p.Hello.ClockEmptyNS
	sum, short := idle, 0
	t.Mask, t.Commit, t.Step = make([]uint32, n), make([]uint32, n), make([]uint32, n)
	for i := range n {
		mask, commit, step := raw[timesEach*i], raw[timesEach*i+1], raw[timesEach*i+2]
		switch {
		case mask == unwritten && commit == unwritten && step == unwritten:
			return t, p.Nonsense("it wrote no times for mask %d of %d", i, n)
		case step < mask:
			return t, p.Nonsense("step %d took it %d ns and the mask, which is a part of that, %d ns", i, step, mask)
		case step == 0 || float64(step) < empty/2:
			short++
		}
		sum += float64(step)
		t.Mask[i] = lessClock(mask, empty)
		t.Commit[i] = lessClock(commit, empty)
		t.Step[i] = lessClock(step, 2*empty)
	}
	if short > fewTimes && short > n/2 {
		return t, p.Nonsense("%d of %d steps took it less than its clock shows around nothing, which is %v ns", short, n, empty)
	}
	return t, p.Believe("its steps and what it built between them", sum)
}

// lessClock takes the cost of the clock off a time. A time that is too long for the format stays
// so.
func lessClock(raw uint32, cost float64) uint32 {
	if raw == measure.MaxNS {
		return raw
	}
	return measure.Clamp(float64(raw) - cost)
}

// WalkBlocks times all steps of a document in blocks of k, whatever its positions, by the child's
// clock, whose cost is taken off.
func (e *Engine) WalkBlocks(ctx context.Context, d *measure.Document, k int) ([]float64, error) {
	if k < 1 {
		return nil, fmt.Errorf("blocks of %d steps", k)
	}
	out, _, err := e.walkBlocks(ctx, &measure.Document{Tokens: d.Tokens}, k)
	return out, err
}

// walkBlocks is WalkBlocks, and the processor time of the process.
func (e *Engine) walkBlocks(ctx context.Context, d *measure.Document, k int) (out []float64, used process.Use, err error) {
	w := e.newWalk(d)
	w.rows(1)
	w.times((len(d.Tokens) + k - 1) / k)
	w.request.Block = k
	err = e.walkTimed(ctx, w, func(p *process.Process, times []uint32, _ *wire.WalkAnswer) error {
		sum := 0.0
		for i, raw := range times {
			if raw == unwritten {
				return p.Nonsense("it wrote no time for block %d", i)
			}
			sum += float64(raw)
			out = append(out, max(0, float64(raw)-p.Hello.ClockEmptyNS))
		}
		return p.Believe("its blocks", sum)
	})
	return out, w.used, err
}

const (
	// baseWalks is how many walks of a single token tell what a walk takes beside its steps.
	baseWalks = 3
	// auditWalks is how often a document is walked at most until something else had the core for less
	// than auditWaited of a walk. Since a shorter walk fits more easily between two turns of others,
	// half as much is walked each time, down to auditLeast.
	auditWalks  = 8
	auditWaited = 0.02
	auditLeast  = 4 * time.Millisecond
)

// WalkAudit is measure.Walking's.
func (e *Engine) WalkAudit(ctx context.Context, d *measure.Document) (a measure.Audit, err error) {
	beside, err := e.besideSteps(ctx, d.Tokens[:1])
	if err != nil {
		return a, err
	}
	n, best := len(d.Tokens), math.Inf(1)
	for range auditWalks {
		times, used, err := e.walkBlocks(ctx, &measure.Document{Tokens: d.Tokens[:n], Proved: d.Proved[:min(n, len(d.Proved))]}, n)
		if err != nil {
			return a, err
		}
		one := measure.Audit{Walks: 1, Steps: n, BlockNS: times[0], BusyNS: max(0, float64(used.Ran-beside.Ran)), WaitedNS: max(0, float64(used.Waited-beside.Waited))}
		share := one.WaitedNS / max(1, one.BusyNS+one.WaitedNS)
		if share < best {
			a, best = one, share
		}
		if told := one.BusyNS+one.WaitedNS <= (1+auditWaited)*one.BlockNS; told || best < auditWaited {
			break // what it waited for is in its times, or is nothing
		}
		if times[0] > 2*float64(auditLeast) && n > 1 {
			n /= 2
		}
	}
	err = e.with(ctx, func(p *process.Process) error {
		w := p.Worked()
		a.Requests, a.AskedNS, a.UnaskedNS = w.Requests, float64(w.Asked), float64(w.Unasked)
		a.Strays = p.Strays()
		c := p.Compiles()
		a.Compiles, a.CompileNS, a.BesideNS = c.N, float64(c.Told), float64(c.Beside)
		a.Looked, a.Moved, e.looked, e.moved = e.looked, e.moved, 0, 0
		return nil
	})
	return a, err
}

// besideSteps is what the process has of the processor in a walk beside its steps, the least of
// some walks of a token.
func (e *Engine) besideSteps(ctx context.Context, token []int32) (least process.Use, err error) {
	for i := range baseWalks {
		times, used, err := e.walkBlocks(ctx, &measure.Document{Tokens: token}, 1)
		if err != nil {
			return least, err
		}
		used.Ran = max(0, used.Ran-time.Duration(times[0]))
		if i == 0 {
			least = used
		}
		least = process.Use{Ran: min(least.Ran, used.Ran), Waited: min(least.Waited, used.Waited)}
	}
	return least, nil
}

// Measure times an optional capability of package wire at the positions of a document, in ns with
// the cost of the child's clock taken off. k is the number of tokens of a draft, or those taken
// back, or the generations of a batch. accepted counts the tokens of all drafts that the engine
// took. It fails with an *algorithms.UnsupportedError if the engine does not have it.
func (e *Engine) Measure(ctx context.Context, what string, tokens []int32, k int) (ns []uint32, accepted int64, err error) {
	var l wire.Layout
	request := wire.Measure{Do: "measure", What: what, K: k, Tokens: l.Area(int64(len(tokens)), 4), Times: l.Area(int64(len(tokens)), 4)}
	err = e.with(ctx, func(p *process.Process) error {
		if !canDo(p, what) {
			return &wire.Failure{Outcome: wire.Unsupported, Text: "it has no " + what}
		}
		e.explored = nil
		m, err := p.Room(ctx, l.Bytes())
		if err != nil {
			return err
		}
		wire.PutTokens(areaOf(m, request.Tokens, 4), tokens)
		unwrite(areaOf(m, request.Times, 4))
		var a wire.MeasureAnswer
		if err := p.Call(ctx, request, &a); err != nil {
			return err
		}
		if a.N == nil || *a.N < 0 || *a.N > int64(len(tokens)) {
			return p.Nonsense("the number of times of %s is missing, or not among 0 to %d", what, len(tokens))
		}
		sum := 0.0
		for i, raw := range wire.Uint32s(areaOf(m, request.Times, 4))[:*a.N] {
			if raw == unwritten {
				return p.Nonsense("it wrote %d times of %s, and says that they are %d", i, what, *a.N)
			}
			sum += float64(raw)
			ns = append(ns, lessClock(raw, p.Hello.ClockEmptyNS))
		}
		accepted = a.Accepted
		return p.Believe(what, sum)
	})
	return ns, accepted, err
}
