package lr

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/internal/must"
)

// language is a made-up programming language of about the given number of rules: statements with a
// keyword each, and 12 levels of binary operators over calls, indexes, literals and parentheses.
func language(rules int) *grammar.Grammar {
	var b strings.Builder
	b.WriteString("program -> | program statement\n")
	b.WriteString("block -> { program }\n")
	b.WriteString("name -> id | name . id\n")
	b.WriteString("arguments -> | list\n")
	b.WriteString("list -> expr | list , expr\n")
	b.WriteString("expr -> expr0 | name = expr\n")
	const levels = 12
	for i := range levels {
		fmt.Fprintf(&b, "expr%d -> expr%d | expr%d op%da expr%d | expr%d op%db expr%d\n", i, i+1, i, i, i+1, i, i, i+1)
	}
	fmt.Fprintf(&b, "expr%d -> name | number | string | ( expr ) | - expr%d | expr%d [ expr ] | name ( arguments )\n", levels, levels, levels)
	var kinds []string
	for i := 0; 50+i*6 < rules; i++ {
		kinds = append(kinds, fmt.Sprintf("statement%d", i))
		fmt.Fprintf(&b, "statement%d -> kw%d expr clause%d block | kw%d name opt%d ;; \n", i, i, i, i, i)
		fmt.Fprintf(&b, "clause%d -> | clause%d on%d expr\n", i, i, i%40)
		fmt.Fprintf(&b, "opt%d -> | := expr\n", i)
	}
	fmt.Fprintf(&b, "statement -> expr ;; | block | %s\n", strings.Join(kinds, " | "))
	text := strings.ReplaceAll(b.String(), ";;", "semicolon")
	return compact(strings.ReplaceAll(strings.ReplaceAll(text, "{", "lbrace"), "}", "rbrace"))
}

// program is a random sentence of language(rules), in terminals.
func program(g *grammar.Grammar, length int) []grammar.Terminal {
	t, err := Build(context.Background(), g, Options{})
	if err != nil {
		panic(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	s := t.Start()
	var terms []grammar.Terminal
	for len(terms) < length {
		all := t.Acceptable(s, nil)
		x := all[rng.IntN(len(all))]
		if next, ok := t.Shift(s, x); ok {
			s, terms = next, append(terms, x)
		}
	}
	return terms
}

func BenchmarkBuild(b *testing.B) {
	for _, rules := range []int{100, 400, 1000} {
		g := language(rules)
		b.Run(fmt.Sprintf("rules=%d", len(g.Rules)), func(b *testing.B) {
			b.ReportAllocs()
			var t *Tables
			for b.Loop() {
				var err error
				if t, err = Build(context.Background(), g, Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(t.NumStates()), "states")
			b.ReportMetric(float64(t.Bytes())/1024, "KiB")
			b.ReportMetric(float64(t.NumTerminals()), "terminals")
		})
	}
}

// A benchmark of the run state reads a program of 2,000 terminals; times are per terminal.
func benchmarkRun(b *testing.B, tables *Tables, terms []grammar.Terminal) {
	states := make([]Stacks, len(terms)+1)
	states[0] = tables.Start()
	for i, x := range terms {
		states[i+1], _ = tables.Shift(states[i], x)
	}
	per := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(terms)), "ns/terminal")
	}
	b.Run("Shift", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s := tables.Start()
			for _, x := range terms {
				s, _ = tables.Shift(s, x)
			}
		}
		per(b)
	})
	b.Run("Accepts", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for i, x := range terms {
				if !tables.Accepts(states[i], x) {
					b.Fatal("refused")
				}
			}
		}
		per(b)
	})
	b.Run("AcceptsAny", func(b *testing.B) {
		set := tables.NewSet(terms[:8]...)
		b.ReportAllocs()
		for b.Loop() {
			for i := range terms {
				tables.AcceptsAny(states[i], set)
			}
		}
		per(b)
	})
}

func BenchmarkPlain(b *testing.B) {
	g := language(400)
	tables := must.Get(Build(context.Background(), g, Options{}))(b)
	benchmarkRun(b, tables, program(g, 2000))
}

// The same with conflicts: an ambiguous expression grammar, a conflict at every operator.
func BenchmarkForest(b *testing.B) {
	tables := tablesOf(b, "P -> | P S; S -> E end; E -> E + E | E * E | ( E ) | id | E [ E ]", grammar.KeepConflicts)
	statement := words(b, tables.Grammar(), "id + id * ( id + id * id ) * id [ id ] + id end")
	var terms []grammar.Terminal
	for len(terms) < 2000 {
		terms = append(terms, statement...)
	}
	benchmarkRun(b, tables, terms)
}

// Ambiguity that grows with the text: every sequence of a has all binary trees.
func BenchmarkAmbiguous(b *testing.B) {
	tables := tablesOf(b, "S -> S S | a", grammar.KeepConflicts)
	for _, n := range []int{10, 100, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				s := tables.Start()
				for range n {
					s, _ = tables.Shift(s, 0)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/terminal")
		})
	}
}
