package recognizer_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// A schemaCase is a real schema with the instances it must accept.
type schemaCase struct {
	id      string
	grammar *grammar.Grammar
	valid   [][]byte
	compile float64            // microseconds from the schema's text to the grammar
	stages  map[string]float64 // microseconds of each stage
	states  int
}

// schemaCases compiles every step-th schema of the development corpus, or the one that MASKBENCH_ID
// names; those that do not compile are left out.
func schemaCases(tb testing.TB, step int) []*schemaCase {
	only := os.Getenv("MASKBENCH_ID")
	if only != "" {
		step = 1
	}
	list, err := schemas.Development(tb.Context(), "../..", step)
	if errors.Is(err, schemas.ErrUnavailable) {
		tb.Skip(err)
	}
	must.OK(tb, err)
	var all []*schemaCase
	for _, s := range list {
		if only != "" && s.ID != only {
			continue
		}
		t0 := processorTime(tb)
		result, err := jsonschema.Compile(tb.Context(), s.Text, jsonschema.Options{Name: s.ID})
		if err != nil {
			continue
		}
		c := &schemaCase{id: s.ID, grammar: result.Grammar, compile: float64(processorTime(tb)-t0) / 1e3}
		for _, in := range s.Instances {
			if in.Valid {
				c.valid = append(c.valid, in.Text)
			}
		}
		all = append(all, c)
	}
	return all
}

// build builds the recognizer of c and reads its instances, and keeps the times.
func (c *schemaCase) build(tb testing.TB) {
	t0 := processorTime(tb)
	lex, err := lexer.NewOnDemand(context.Background(), c.grammar, lexer.Limits{})
	if err != nil {
		tb.Fatal(c.id, err)
	}
	t1 := processorTime(tb)
	tables, err := lr.Build(context.Background(), c.grammar, lr.Options{OnDemand: true})
	if err != nil {
		tb.Fatal(c.id, err)
	}
	t2 := processorTime(tb)
	r := &recognizer.Recognizer{Grammar: c.grammar, Lexer: lex, Tables: tables}
	for _, text := range c.valid {
		s := r.Start()
		for _, x := range text {
			ok := false
			if s, ok = r.Step(s, x); !ok || !r.Legal(s) {
				break
			}
		}
	}
	t3 := processorTime(tb)
	us := func(from, to time.Duration) float64 { return float64(to-from) / 1e3 }
	c.states = tables.NumStates()
	c.stages = map[string]float64{"grammar": c.compile, "lexer": us(t0, t1), "tables": us(t1, t2), "both": us(t0, t2), "read": us(t2, t3)}
}

// processorTime is what this thread has used; it does not count what other processes take.
func processorTime(tb testing.TB) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		tb.Skip("no clock of processor time: ", err)
	}
	return time.Duration(t.Nano())
}
