package jsonschema

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// A benchCase is one line of maskbench-dev.
type benchCase struct {
	ID     string
	Schema json.RawMessage
	Tests  []struct {
		Valid bool
		Data  json.RawMessage
	}
}

// benchTotals is what the test reports.
type benchTotals struct {
	kept *Kept

	schemas, right, compiled           int
	forked                             int // of compiled: the tables have conflicts
	valid, validRefused, schemaRefused int
	otherRefused                       int // of schemaRefused: not only for the order of keys
	invalid, invalidAccepted           int
	keyOrder                           int // of validRefused: accepted where keys are neither ordered nor counted
	orderRefused                       int // of keyOrder: refused with keys in any order, too
	reasons                            map[string]int
	compile, tables                    []time.Duration
}

// TestMaskBench compiles real schemas and replays their instances, byte for byte. An invalid
// instance that is accepted is an error; the rest is reported.
func TestMaskBench(t *testing.T) {
	file := filepath.Join("..", "..", "..", "shared", "data", "maskbench-dev.jsonl.gz")
	f, err := os.Open(file)
	if err != nil {
		t.Skip("the schemas are not there: ", err)
	}
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(t)
	step := seed.Rounds(400, 120, 1)
	only := os.Getenv("MASKBENCH_ID")
	in := bufio.NewScanner(z)
	in.Buffer(make([]byte, 1<<20), 1<<24)
	total := &benchTotals{reasons: map[string]int{}, kept: NewKept()}
	for i := 0; in.Scan(); i++ {
		if i%step != 0 && only == "" {
			continue
		}
		var b benchCase
		must.OK(t, json.Unmarshal(in.Bytes(), &b))
		if only == "" || b.ID == only {
			total.run(t, &b)
		}
	}
	must.OK(t, in.Err())
	total.report(t)
}

func (total *benchTotals) run(t *testing.T, b *benchCase) {
	total.schemas++
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	t0 := time.Now()
	result, err := Compile(ctx, b.Schema, Options{Name: b.ID, Kept: total.kept})
	t1 := time.Now()
	if err != nil {
		var u *UnsupportedError
		reason := fmt.Sprintf("error: %v", err)
		if errors.As(err, &u) {
			reason = "unsupported: " + u.Keyword + ": " + u.Reason
		}
		total.reasons[reason]++
		t.Logf("%s: %v", b.ID, err)
		return
	}
	r, err := recognizer.New(ctx, result.Grammar, recognizer.Options{OnDemand: true})
	t2 := time.Now()
	if err != nil {
		total.reasons["tables: "+err.Error()]++
		t.Errorf("%s: %v", b.ID, err)
		return
	}
	total.compiled++
	if !r.Tables.Deterministic() {
		total.forked++
	}
	total.compile = append(total.compile, t1.Sub(t0))
	total.tables = append(total.tables, t2.Sub(t1))
	if t2.Sub(t0) > 500*time.Millisecond {
		t.Logf("%s: slow: compile %v, tables and lexer %v; %d terminals, %d rules", b.ID, t1.Sub(t0), t2.Sub(t1), len(result.Grammar.Terminals), len(result.Grammar.Rules))
	}
	right, refused, otherwise := true, false, false
	loose := sync.OnceValue(func() *recognizer.Recognizer { return total.with(ctx, b, Options{LooseOrder: true}) })
	anyOrder := total.with(ctx, b, Options{AnyOrder: true})
	if anyOrder == nil {
		t.Errorf("%s has no grammar with keys in any order", b.ID)
		return
	}
	for i, test := range b.Tests {
		err := r.Check(test.Data)
		switch {
		case test.Valid:
			total.valid++
			if err != nil {
				total.validRefused++
				right, refused = false, true
				if r := loose(); r != nil && r.Check(test.Data) == nil {
					total.keyOrder++
					if anyOrder.Check(test.Data) != nil {
						total.orderRefused++
						t.Logf("%s: valid instance %d refused for the order of its keys: %.300s", b.ID, i, test.Data)
					}
					continue
				}
				otherwise = true
				t.Logf("%s: valid instance %d refused: %v: %.300s", b.ID, i, err, test.Data)
			}
		default:
			total.invalid++
			if err == nil || anyOrder.Check(test.Data) == nil {
				total.invalidAccepted++
				right = false
				t.Errorf("%s: invalid instance %d accepted (in any order, if not by default): %.300s", b.ID, i, test.Data)
			}
		}
	}
	if right {
		total.right++
	}
	if refused {
		total.schemaRefused++
	}
	if otherwise {
		total.otherRefused++
	}
}

// with compiles a schema with other options; nil if it cannot.
func (total *benchTotals) with(ctx context.Context, b *benchCase, o Options) *recognizer.Recognizer {
	o.Kept = total.kept
	result, err := Open(ctx, b.Schema, o)
	if err != nil {
		return nil
	}
	r, err := recognizer.New(ctx, result.Grammar, recognizer.Options{OnDemand: true})
	if err != nil {
		return nil
	}
	return r
}

func (total *benchTotals) report(t *testing.T) {
	t.Logf("%d schemas: %d compiled (%d with conflicts), %d right (%.1f %%)", total.schemas, total.compiled, total.forked, total.right, 100*float64(total.right)/float64(max(1, total.schemas)))
	t.Logf("invalid instances accepted: %d of %d; valid refused: %d of %d, in %d schemas; %d of them only for the order of keys, of which %d are refused in any order, too; %d schemas refuse for other reasons", total.invalidAccepted, total.invalid, total.validRefused, total.valid, total.schemaRefused, total.keyOrder, total.orderRefused, total.otherRefused)
	if total.orderRefused*10 > total.keyOrder {
		t.Errorf("%d of %d instances are refused in any order", total.orderRefused, total.keyOrder)
	}
	for _, reason := range slices.SortedFunc(maps.Keys(total.reasons), func(a, b string) int { return total.reasons[b] - total.reasons[a] }) {
		t.Logf("%4d %s", total.reasons[reason], strings.ReplaceAll(reason, "\n", " "))
	}
	for name, times := range map[string][]time.Duration{"compile": total.compile, "tables and lexer": total.tables} {
		slices.Sort(times)
		if n := len(times); n > 0 {
			t.Logf("%s: p50 %v p99 %v max %v", name, times[n/2], times[n*99/100], times[n-1])
		}
	}
}
