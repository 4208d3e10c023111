package harness

import (
	"gcdbench/harness/stats"

	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
	"gcdbench/internal/must"
)

// TestClass: what is particular to a schema is not in a reason.
func TestClass(t *testing.T) {
	long := strings.Repeat("x", 300)
	for message, want := range map[string]string{
		`no more than 5 items`:                        `no more than 5 items`,
		`the pattern "a\"b" is no regular expression`: `the pattern "..." is no regular expression`,
		"panic: no idea\ngoroutine 7":                 "panic: no idea",
		"terminal `x` and \"y\" are equal":            `terminal "..." and "..." are equal`,
		long:                                          long[:100] + "...",
		"":                                            "",
		`an open "quote`:                              `an open "quote`,
	} {
		if got := class(message); got != want {
			t.Errorf("%q is of the class %q, want %q", message, got, want)
		}
	}
}

// TestCellOutcomes: what counts for a cell, of one grammar and of schemas.
func TestCellOutcomes(t *testing.T) {
	fine := cell.Problem{Outcome: cell.OK}
	approximated := cell.Problem{Outcome: cell.OK, Approximated: 1}
	strict, lenient := &cell.SchemaOptions{}, &cell.SchemaOptions{Lenient: true}
	bad := func(o cell.Outcome, stage string) cell.Problem { return cell.Problem{Outcome: o, Stage: stage} }
	cases := []struct {
		what    string
		schemas *cell.SchemaOptions
		problem cell.Problem
		sample  cell.Sample
		want    cell.Outcome
	}{
		{"fine", strict, fine, cell.Sample{Outcome: cell.OK}, cell.OK},
		{"valid refused", strict, fine, cell.Sample{Outcome: cell.WrongVerdict}, cell.OK},
		{"valid refused, one grammar", nil, fine, cell.Sample{Outcome: cell.WrongVerdict}, cell.WrongVerdict},
		{"invalid accepted", strict, approximated, cell.Sample{Outcome: cell.WrongVerdict, Negative: true}, cell.WrongVerdict},
		{"invalid accepted, lenient", lenient, approximated, cell.Sample{Outcome: cell.WrongVerdict, Negative: true}, cell.OK},
		{"invalid accepted, lenient for nothing", lenient, fine, cell.Sample{Outcome: cell.WrongVerdict, Negative: true}, cell.WrongVerdict},
		{"wrong mask", lenient, approximated, cell.Sample{Outcome: cell.WrongMask}, cell.WrongMask},
		{"crash on a sample", strict, fine, cell.Sample{Outcome: cell.Crash}, cell.Crash},
		{"grammar unsupported", strict, bad(cell.Unsupported, cell.StageGrammar), cell.Sample{Outcome: cell.Unsupported}, cell.OK},
		{"grammar wrong", strict, bad(cell.CompileError, cell.StageGrammar), cell.Sample{Outcome: cell.CompileError}, cell.OK},
		{"grammar wrong, one grammar", nil, bad(cell.CompileError, ""), cell.Sample{Outcome: cell.CompileError}, cell.CompileError},
		{"grammar too slow", strict, bad(cell.Timeout, cell.StageGrammar), cell.Sample{Outcome: cell.Timeout}, cell.Timeout},
		{"grammar crashes", strict, bad(cell.Crash, cell.StageGrammar), cell.Sample{Outcome: cell.Crash}, cell.Crash},
		{"algorithm unsupported", strict, bad(cell.Unsupported, cell.StageAlgorithm), cell.Sample{Outcome: cell.Unsupported}, cell.Unsupported},
		{"algorithm wrong", strict, bad(cell.CompileError, cell.StageAlgorithm), cell.Sample{Outcome: cell.CompileError}, cell.CompileError},
	}
	for _, c := range cases {
		o := outcomes{schemas: c.schemas}
		o.problem(&c.problem)
		o.sample(&c.sample, &c.problem)
		if o.result() != c.want {
			t.Errorf("%s: %s, want %s", c.what, o.result(), c.want)
		}
	}
}

// TestWeighs: of few schemas every engine is weighed, of many about as many.
func TestWeighs(t *testing.T) {
	for n, want := range map[int]int{1: 1, 5: 5, weighed: weighed, weighed + 1: 17, 1500: 32, 10000: 32} {
		g := &prepared{allUnits: n}
		got := 0
		for i := range n {
			got += stats.Truth(g.weighs(&unit{number: i}))
		}
		if got != want {
			t.Errorf("of %d units %d are weighed, want %d", n, got, want)
		}
	}
}

// keeper allocates and keeps memory in every engine, and counts the engines alive.
type keeper struct {
	*wrong
	bytes       int
	alive, most atomic.Int64
}

type keptEngine struct {
	algorithms.Engine
	memory []byte
}

func (k *keeper) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	e, err := k.wrong.Compile(ctx, p, o)
	kept := &keptEngine{e, make([]byte, k.bytes)}
	for i := 0; i < k.bytes; i += 4096 {
		kept.memory[i] = 1
	}
	k.most.Store(max(k.most.Load(), k.alive.Add(1)))
	runtime.AddCleanup(kept, func(k *keeper) { k.alive.Add(-1) }, k)
	return kept, err
}

// TestSchemaMemory: engines of 4 MiB for 100 schemas, three at a time, stay below a
// limit that a fourth of them would exceed.
func TestSchemaMemory(t *testing.T) {
	var many []tinySchema
	for i := range 100 {
		many = append(many, tinySchema{fmt.Sprintf("n-%03d", i), fmt.Sprintf(`{"enum": [%d, "x%d"]}`, i, i), []instance{{fmt.Sprint(i), true}, {`"y"`, false}}})
	}
	w := newSchemaWorld(t, many)
	k := &keeper{wrong: &wrong{name: "keeps"}, bytes: 4 << 20}
	opt := w.options()
	opt.Algorithm = func(name string) (algorithms.Algorithm, error) {
		if name == "keeps" {
			return k, nil
		}
		return lookupZoo(name)
	}
	runtime.GC() // what other tests left is not counted
	cfg := w.schemaConfig(t, "naive, keeps, keeps", fmt.Sprintf("warmup: 0, repeat: 1, memory: %dMiB", 192+measure.Heap()>>20), "")
	sum := must.Get(Run(t.Context(), cfg, opt))(t)
	for label, r := range w.records(t) {
		for _, p := range r.Problems {
			if p.Outcome != cell.OK {
				t.Errorf("%s, %s: %s, %s", label, p.ID, p.Outcome, p.Detail)
			}
		}
		for _, s := range r.Samples {
			if s.Outcome != cell.OK {
				t.Errorf("%s, %s: %s, %s", label, s.ID, s.Outcome, s.Detail)
			}
		}
	}
	if sum.Outcomes[cell.OK] != 3 {
		t.Errorf("%+v", sum)
	}
	weighed := 0
	const least = 4<<20 - 64<<10 // what the heap loses meanwhile of other things is not the engine's
	for _, p := range w.records(t)["keeps"].Problems {
		if p.Unweighed != (p.EngineBytes == 0) || !p.Unweighed && (p.EngineBytes < least || p.EngineBytes > 6<<20) || p.CompilePeakBytes < least {
			t.Errorf("%s: engine of %d bytes, peak %d, unweighed %v", p.ID, p.EngineBytes, p.CompilePeakBytes, p.Unweighed)
		}
		weighed += stats.Truth(!p.Unweighed)
	}
	if weighed < 25 || weighed > 40 {
		t.Errorf("%d of %d engines were weighed", weighed, len(many))
	}
	if v, err := Verify(t.Context(), cfg, opt); err != nil || v.Failed() != 0 || v.Cells[1].Outcome != cell.OK {
		t.Errorf("verify: %+v, %v", v, err)
	}
	if most := k.most.Load(); most > int64(len(many)) { // of four times as many
		t.Errorf("%d engines were in memory at once", most)
	}
}
