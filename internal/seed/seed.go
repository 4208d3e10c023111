// Package seed gives random tests their seeds, all by one rule.
//
// A test takes the same seed in every run: it comes from the test's package and name. So two runs
// can be compared: a test turns red because of a change, not by chance, and a mistake that was
// found once stays found. New seeds are drawn on purpose:
//
//	GCDBENCH_SEED=random go test ./...     a new seed for each test
//	GCDBENCH_FULL=1 go test ./...          the long versions of tests; they draw new seeds too
//	GCDBENCH_SEED=12345 go test ./...      that seed for every test
//
// What takes long is left to the usual form by Usual: -short is for the minute between two edits.
//
// Every random test logs its seed as the command that repeats it, which shows when it fails (or
// with -v).
//
// A test with a seed per round counts on from it (Each): the seed of a later round, which a failure
// should name, repeats that round as the first one of another run.
//
// Where a claim holds with a probability only (95 of 100 intervals hold the true mean), a seed is
// no way to look for mistakes; such tests keep a number of their own, and so do benchmarks and data
// that has to look in some way.
package seed

import (
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Variable is the environment's variable that says which seed is taken: a number, or Random.
const Variable = "GCDBENCH_SEED"

// Random is the value of Variable for which every test draws a seed.
const Random = "random"

// full is the variable that asks for the long versions of tests.
const full = "GCDBENCH_FULL"

// given are the seeds of the tests that run, by name.
var given sync.Map

// Full tells whether the long forms of tests are wanted: GCDBENCH_FULL is set.
func Full() bool { return os.Getenv(full) != "" }

// Usual skips a test with -short: it takes long, or waits, for what quicker tests look at too, and
// its own corner can wait for the usual form.
func Usual(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("not with -short")
	}
}

// Rounds is how often a test does what it does at random, or how much it takes of something: so
// much with -short, usually, and in the long form.
func Rounds(short, usual, long int) int {
	switch {
	case Full():
		return long
	case testing.Short():
		return short
	}
	return usual
}

// Some are some of a list: one of so many with -short, usually, and in the long form, where 1 is
// all. The seed of the test says which, so that a list is not cut off at its end.
func Some[T any](t testing.TB, list []T, short, usual, long int) (some []T) {
	t.Helper()
	every := Rounds(short, usual, long)
	if every == 1 {
		return list
	}
	for i := int(New(t) % uint64(every)); i < len(list); i += every {
		some = append(some, list[i])
	}
	return some
}

// New is the seed of a test, which it logs. One test gets the same seed however often it asks:
// where it has several random things, they should differ in the second half of their rand.NewPCG. A
// Variable with neither a number nor Random in it ends the test.
func New(t testing.TB) uint64 {
	t.Helper()
	if n, ok := given.Load(t.Name()); ok {
		return n.(uint64)
	}
	n, err := choose(folder()+" "+t.Name(), os.Getenv(Variable), Full())
	if err != nil {
		t.Fatal(err)
	}
	given.Store(t.Name(), n)
	t.Cleanup(func() { given.Delete(t.Name()) }) // it may run again
	t.Logf("seed %d; again: %s", n, again(t.Name(), n))
	return n
}

// Each is n seeds for as many rounds of a test: New, and those after it.
func Each(t testing.TB, n int) iter.Seq[uint64] {
	t.Helper()
	first := New(t)
	return func(yield func(uint64) bool) {
		for i := range uint64(n) {
			if !yield(first + i) {
				return
			}
		}
	}
}

// choose is the rule of the package. What is not given has 32 bits, enough to count on from.
func choose(test, wanted string, full bool) (uint64, error) {
	switch {
	case wanted == Random || wanted == "" && full:
		return uint64(rand.Uint32()), nil
	case wanted == "":
		h := fnv.New32a()
		h.Write([]byte(test))
		return uint64(h.Sum32()), nil
	}
	n, err := strconv.ParseUint(wanted, 10, 63)
	if err != nil {
		return 0, fmt.Errorf("%s=%s: want a number below 2^63, or %s", Variable, wanted, Random)
	}
	return n, nil
}

// again is the command that runs a test with a seed.
func again(test string, n uint64) string {
	var b strings.Builder
	if value := os.Getenv(full); value != "" {
		fmt.Fprintf(&b, "%s=%s ", full, value)
	}
	fmt.Fprintf(&b, "%s=%d go test -run '%s' %s", Variable, n, pattern(test), folder())
	return b.String()
}

// pattern is a test's name as -run has it: a regular expression for each level.
func pattern(test string) string {
	levels := strings.Split(test, "/")
	for i, name := range levels {
		levels[i] = "^" + regexp.QuoteMeta(name) + "$"
	}
	return strings.Join(levels, "/")
}

// folder is the package that is tested, as go test has it.
func folder() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "."
	}
	return strings.TrimSuffix(info.Path, ".test")
}
