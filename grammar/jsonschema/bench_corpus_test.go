//go:build unix

package jsonschema

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// BenchmarkMaskBench compiles each of a fixed selection of real schemas once, in order, with one
// Kept: what schemas have in common is paid for by the first that needs it. It reports the
// processor time of single schemas, with that of collecting their garbage; GCDBENCH_FULL=1 takes
// all of them, GCDBENCH_SLOWEST=1 names the slowest.
func BenchmarkMaskBench(b *testing.B) {
	list := corpusOf(b)
	type timed struct {
		id string
		d  time.Duration
	}
	Prepare()
	for b.Loop() {
		var times []timed
		kept := NewKept()
		for _, s := range list {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			t0 := processTime()
			_, err := Compile(ctx, s.Schema, Options{Kept: kept})
			d := processTime() - t0
			cancel()
			if err == nil || os.Getenv("GCDBENCH_SLOWEST") != "" {
				times = append(times, timed{s.ID, d})
			}
		}
		slices.SortFunc(times, func(x, y timed) int { return int(x.d - y.d) })
		at := func(q float64) float64 { return times[int(q*float64(len(times)-1))].d.Seconds() * 1e6 }
		for _, q := range []struct {
			name string
			q    float64
		}{{"p50-us", 0.5}, {"p90-us", 0.9}, {"p99-us", 0.99}, {"max-us", 1}} {
			b.ReportMetric(at(q.q), q.name)
		}
		if os.Getenv("GCDBENCH_SLOWEST") != "" {
			for _, x := range times[max(0, len(times)-60):] {
				fmt.Fprintf(os.Stderr, "%-60s %v\n", x.id, x.d)
			}
		}
	}
}

// corpusOf are the schemas that benchmarks compile.
func corpusOf(b testing.TB) []benchCase {
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "maskbench-dev.jsonl.gz"))
	if err != nil {
		b.Skip("the schemas are not there: ", err)
	}
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(b)
	step := seed.Rounds(10, 10, 1)
	in := bufio.NewScanner(z)
	in.Buffer(make([]byte, 1<<20), 1<<24)
	var list []benchCase
	for i := 0; in.Scan(); i++ {
		var c benchCase
		if i%step != 0 {
			continue
		}
		must.OK(b, json.Unmarshal(in.Bytes(), &c))
		list = append(list, c)
	}
	return list
}

// processTime is the processor time that this process has used.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkOpen is BenchmarkMaskBench for rules that are written on demand.
func BenchmarkOpen(b *testing.B) {
	list := corpusOf(b)
	Prepare()
	var times []time.Duration
	for b.Loop() {
		times = times[:0]
		kept := NewKept()
		for _, s := range list {
			t0 := processTime()
			if _, err := Open(context.Background(), s.Schema, Options{Kept: kept}); err == nil {
				times = append(times, processTime()-t0)
			}
		}
	}
	slices.Sort(times)
	for _, q := range []int{500, 900, 990, 1000} {
		b.ReportMetric(times[min(len(times)-1, len(times)*q/1000)].Seconds()*1e6, fmt.Sprintf("p%g-us", float64(q)/10))
	}
}
