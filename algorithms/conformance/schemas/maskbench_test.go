package schemas_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/all"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// root is the module's root, seen from here.
const root = "../../.."

func entry(t testing.TB, name string, o algorithms.Options) conformance.Entry {
	t.Helper()
	return conformance.Entry{Algorithm: realtext.Lookup(t, name), Options: o}
}

// everyone is each registered algorithm of the contract's semantics but naive, by name;
// SCHEMAS_ONLY (names with commas between) leaves out all others.
func everyone(t testing.TB) map[string]conformance.Entry {
	t.Helper()
	list := map[string]conformance.Entry{}
	for _, name := range algorithms.Names() {
		c := entry(t, name, nil)
		if c.Algorithm.Semantics() != algorithms.SemanticsContract {
			continue
		}
		if chosen := os.Getenv("SCHEMAS_ONLY"); chosen != "" && !slices.Contains(strings.Split(chosen, ","), name) {
			continue
		}
		if name != "naive" { // which is the reference
			list[name] = c
		}
		c.Open = true
		list[name+", open"] = c
	}
	return list
}

// llama3 is that tokenizer, cut to its first ids unless n is 0.
func llama3(t testing.TB, n int) *tokenizers.Tokenizer {
	t.Helper()
	tok, err := tokenizers.Load(t.Context(), "llama3", tokenizers.Options{Offline: !seed.Full()})
	if err != nil {
		t.Skip("the tokenizer is not here: ", err)
	}
	if n > 0 {
		tok = must.Get(tok.Cut(n))(t)
	}
	tok.Vocabulary().Trie()
	return tok
}

// development is every step-th of the development schemas, every SCHEMAS_STEP-th if that is set,
// and those that SCHEMAS_ID names, with commas between them.
func development(t testing.TB, step int) []schemas.Schema {
	t.Helper()
	if v := os.Getenv("SCHEMAS_STEP"); v != "" {
		n := must.Get(strconv.Atoi(v))(t)
		step = n
	}
	list, err := schemas.Development(t.Context(), root, step)
	if errors.Is(err, schemas.ErrUnavailable) {
		t.Skip(err)
	}
	must.OK(t, err)
	if id := os.Getenv("SCHEMAS_ID"); id != "" {
		list = slices.DeleteFunc(list, func(s schemas.Schema) bool { return !slices.Contains(strings.Split(id, ","), s.ID) })
	}
	return list
}

// totals sum the outcomes of many schemas.
type totals struct {
	sync.Mutex
	schemas, refused, positions, masks int
	missing                            map[string]map[string]int // entry, reason
}

// compareAll compares schemas on all processors and reports.
func compareAll(t *testing.T, c *schemas.Comparison, list []schemas.Schema) {
	t.Helper()
	sum := &totals{missing: map[string]map[string]int{}}
	var next atomic.Int64
	var wg sync.WaitGroup
	begun := time.Now()
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list) && !t.Failed(); i = int(next.Add(1)) - 1 {
				if line := sum.add(t, c, list[i]); seed.Full() {
					fmt.Fprintf(os.Stderr, "%v: %s: %s\n", time.Since(begun).Round(time.Second), list[i].ID, line)
				}
			}
		})
	}
	wg.Wait()
	t.Log(sum)
	for name, reasons := range sum.missing {
		for reason, n := range reasons {
			t.Logf("%s took no part in %d: %s", name, n, reason)
		}
	}
}

// add compares one more schema; the result is the sum with it.
func (sum *totals) add(t *testing.T, c *schemas.Comparison, s schemas.Schema) string {
	o, err := c.Compare(t.Context(), s)
	if err != nil {
		t.Error(err)
	}
	sum.Lock()
	defer sum.Unlock()
	if o.Refused != nil {
		t.Logf("%s does not compile: %v", s.ID, o.Refused)
		sum.refused++
		return sum.String()
	}
	sum.schemas++
	sum.positions += o.Positions
	sum.masks += o.Masks
	for name, err := range o.Missing {
		if sum.missing[name] == nil {
			sum.missing[name] = map[string]int{}
		}
		sum.missing[name][err.Error()]++
	}
	return sum.String()
}

// String counts what was compared.
func (sum *totals) String() string {
	return fmt.Sprintf("%d schemas compared (%d more do not compile), %d positions, %d masks", sum.schemas, sum.refused, sum.positions, sum.masks)
}

// compileLimit is what one compile may take before the entry counts as missing: the time that
// a user of MaskBench grants.
const compileLimit = 10 * time.Second

// TestNaive holds every algorithm to naive at every position: on the first ids of a vocabulary for
// a selection, and in long runs (a quarter of an hour on two cores) on all of it for more than 100
// schemas.
func TestNaive(t *testing.T) {
	step, ids := seed.Rounds(800, 240, 13), seed.Rounds(1000, 1500, 0)
	tok := llama3(t, ids)
	compareAll(t, &schemas.Comparison{
		Vocabulary: tok.Vocabulary(), Split: tok.EncodeContinuation,
		Reference: entry(t, "naive", nil), Entries: everyone(t),
		Limit: compileLimit, Branches: 2, Seed: 1,
	}, development(t, step))
}

// TestTrie holds every algorithm to trie, which TestNaive holds to naive, on more schemas: in long
// runs on half of them, and on the whole vocabulary for a part.
func TestTrie(t *testing.T) {
	seed.Usual(t)
	for ids, step := range map[int]int{ // the ids of the vocabulary, 0 for all, and each how manieth schema
		seed.Rounds(1500, 1500, 8000): seed.Rounds(600, 150, 2),
		seed.Rounds(6000, 12_000, 0):  seed.Rounds(1000, 400, 30),
	} {
		t.Run(fmt.Sprintf("%d ids", ids), func(t *testing.T) {
			tok := llama3(t, ids)
			list := everyone(t)
			reference := entry(t, "trie", nil)
			delete(list, "trie")
			compareAll(t, &schemas.Comparison{
				Vocabulary: tok.Vocabulary(), Split: tok.EncodeContinuation, Reference: reference, Entries: list,
				Limit: compileLimit, Branches: 2, Seed: 2,
			}, development(t, step))
		})
	}
}
