package psc

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/lexical/spanner"
	"gcdbench/conformance/realtext"
)

func TestScratchEager(t *testing.T) {
	langs := os.Getenv("LANGS")
	if langs == "" {
		t.Skip()
	}
	for _, lang := range strings.Split(langs, ",") {
		c := realtext.Need(t, lang, "llama3", 1)
		t.Logf("%s: lexer states %d, LR states %d, det %v, terminals %d, layout %v", lang, c.Problem.Lexer.NumStates(), c.Problem.Tables.NumStates(), c.Problem.Tables.Deterministic(), c.Problem.Tables.NumTerminals(), c.Problem.Layout != nil)
		t0 := time.Now()
		e, err := algorithm{}.Compile(t.Context(), c.Problem, algorithms.Options{"compile": "eager", "cache": os.Getenv("CACHE")})
		t.Logf("%s: %v err %v", lang, time.Since(t0), err)
		if err == nil {
			st := e.Stats()
			t.Logf("%s: %v", lang, st)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		t.Logf("heap %d MB, total alloc %d MB", m.HeapAlloc>>20, m.TotalAlloc>>20)
		runtime.KeepAlive(e)
	}
}

func TestScratchBig(t *testing.T) {
	lang := os.Getenv("BIG")
	if lang == "" {
		t.Skip()
	}
	c := realtext.Need(t, lang, "llama3", 1)
	e := &engine{problem: c.Problem.Keeping(), cached: true, limit: 2<<30, spans: spanner.Options{Prune: true}}
	e.core.Store(newCore(e))
	t0 := time.Now()
	co := e.core.Load()
	err := co.buildAll(t.Context())
	t.Logf("%s: %v err %v", lang, time.Since(t0), err)
	t.Logf("%v", e.Stats())
}
