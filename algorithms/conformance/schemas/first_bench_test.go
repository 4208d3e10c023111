package schemas_test

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/algorithms/lexical/jsontokens"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/tokenizers"
)

// The parts of a time to the first mask.
var firstParts = [...]string{"schema", "recognizer", "engine", "mask", "all"}

// A firstMask is what the first mask of a schema took, by part, in us, and how large it is.
type firstMask struct {
	id    string
	us    [len(firstParts)]float64
	shape string
}

// BenchmarkFirstMask compiles every development schema and takes its first mask with psc, and
// reports quantiles of processor time, in us, of the whole and of its parts. Nothing is collected
// meanwhile. With kept=on schemas share automata, as in a workload; with kept=off each is compiled
// as by a new process. Of several rounds each schema's fastest counts. SCHEMAS_STEP takes every
// n-th schema, SCHEMAS_ID some, SCHEMAS_SLOWEST lists that many of the slowest, and SCHEMAS_WHOLE
// has all rules written first.
//
//	go test ./algorithms/conformance/schemas -run - -bench FirstMask -benchtime 3x
func BenchmarkFirstMask(b *testing.B) {
	tok := llama3(b, 0)
	list := development(b, 1)
	jsonschema.Prepare()
	for _, sharing := range []string{"on", "off"} {
		b.Run("kept="+sharing, func(b *testing.B) {
			runtime.LockOSThread() // the clock is that of a thread
			defer runtime.UnlockOSThread()
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			best := make([]firstMask, len(list))
			for range b.N {
				common, kept := jsonschema.NewKept(), algorithms.NewKept()
				b.StopTimer()
				jsontokens.Of(kept, tok.Vocabulary(), 0).Cut()
				b.StartTimer()
				for i, s := range list {
					if sharing == "off" {
						common = jsonschema.NewKept()
					}
					one, ok := timeFirstMask(b, s, jsonschema.Options{Kept: common}, kept, tok.Vocabulary())
					if at := len(firstParts) - 1; ok && (best[i].id == "" || one.us[at] < best[i].us[at]) {
						best[i] = one
					}
					if i%32 == 0 {
						runtime.GC()
					}
				}
			}
			reportFirstMasks(b, slices.DeleteFunc(best, func(m firstMask) bool { return m.id == "" }))
		})
	}
}

// timeFirstMask is not ok for a schema that does not compile.
func timeFirstMask(b *testing.B, s schemas.Schema, o jsonschema.Options, kept *algorithms.Kept, v *tokenizers.Vocabulary) (m firstMask, ok bool) {
	alg, err := algorithms.Lookup("psc")
	if err != nil {
		b.Fatal(err)
	}
	var at [len(firstParts)]time.Duration
	row := make([]uint64, algorithms.MaskWords(v.Len()))
	at[0] = threadTime(b)
	compile := jsonschema.Open
	if os.Getenv("SCHEMAS_WHOLE") != "" {
		compile = jsonschema.Compile
	}
	compiled, err := compile(b.Context(), s.Text, o)
	if err != nil {
		return m, false
	}
	at[1] = threadTime(b)
	r, err := recognizer.New(b.Context(), compiled.Grammar, recognizer.Options{OnDemand: true})
	if err != nil {
		b.Fatal(s.ID, err)
	}
	at[2] = threadTime(b)
	e, err := alg.Compile(b.Context(), &algorithms.Problem{Recognizer: r, Vocabulary: v, Kept: kept}, nil)
	if err != nil {
		b.Fatal(s.ID, err)
	}
	at[3] = threadTime(b)
	algorithms.Deliver(e.Start(), row)
	at[4] = threadTime(b)
	m.id = s.ID
	for i := range at[1:] {
		m.us[i] = float64(at[i+1]-at[i]) / 1e3
	}
	m.us[len(at)-1] = float64(at[len(at)-1]-at[0]) / 1e3
	m.shape = shapeOf(r)
	return m, true
}

// shapeOf counts what a grammar is made of.
func shapeOf(r *recognizer.Recognizer) string {
	return fmt.Sprintf("%d rules, %d LR states, %d terminals", len(r.Grammar.Rules), r.Tables.NumStates(), len(r.Grammar.Terminals))
}

func reportFirstMasks(b *testing.B, all []firstMask) {
	b.ReportMetric(0, "ns/op")
	for part, name := range firstParts {
		slices.SortFunc(all, func(x, y firstMask) int { return cmp.Compare(x.us[part], y.us[part]) })
		for _, q := range []struct {
			name string
			of   int
		}{{"p50", 500}, {"p90", 900}, {"p99", 990}, {"max", 1000}} {
			b.ReportMetric(all[min(len(all)-1, len(all)*q.of/1000)].us[part], name+"-"+q.name)
		}
	}
	n, _ := strconv.Atoi(os.Getenv("SCHEMAS_SLOWEST"))
	for _, m := range all[max(0, len(all)-n):] { // sorted by the last part, which is all
		fmt.Fprintf(os.Stderr, "%7.0f us (schema %.0f, recognizer %.0f, engine %.0f, mask %.0f), %s: %s\n",
			m.us[4], m.us[0], m.us[1], m.us[2], m.us[3], m.shape, m.id)
	}
}

// threadTime is what this thread has used; it does not count what other processes take.
func threadTime(b *testing.B) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Skip("no clock of processor time: ", err)
	}
	return time.Duration(t.Nano())
}
