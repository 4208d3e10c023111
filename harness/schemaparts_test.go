package harness

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
	"gcdbench/harness/stats"
	"gcdbench/harness/verify"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

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

// TestSchemaMemory: engines of 4 MiB for 64 schemas, three at a time, stay below a
// limit that a fourth of them would exceed.
func TestSchemaMemory(t *testing.T) {
	seed.Usual(t)
	var many []tinySchema
	for i := range 64 {
		many = append(many, tinySchema{fmt.Sprintf("n-%03d", i), fmt.Sprintf(`{"enum": [%d, "x%d"]}`, i, i), []instance{{fmt.Sprint(i), true}, {`"y"`, false}}})
	}
	w := newSchemaWorld(t, many)
	w.weighs = true
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
	if v, err := verify.Verify(t.Context(), cfg, opt); err != nil || v.Failed() != 0 || v.Cells[1].Outcome != cell.OK {
		t.Errorf("verify: %+v, %v", v, err)
	}
	if most := k.most.Load(); most > int64(len(many)) { // of four times as many
		t.Errorf("%d engines were in memory at once", most)
	}
}
