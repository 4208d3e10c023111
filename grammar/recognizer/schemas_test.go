package recognizer_test

import (
	"context"
	"testing"

	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
)

// TestBuiltForOneUse compares, on real schemas, the recognizer that is built for one use with the
// one that has whole tables: after every prefix of an instance, the same bytes may follow, and the
// text may end in the same places.
func TestBuiltForOneUse(t *testing.T) {
	const maxText = 400 // bytes of an instance; what comes later is more of the same
	for _, c := range schemaCases(t, 60) {
		quick, err := recognizer.New(context.Background(), c.grammar, recognizer.Options{OnDemand: true})
		if err != nil {
			t.Fatal(c.id, err)
		}
		tables, err := lr.Build(context.Background(), c.grammar, lr.Options{})
		if err != nil {
			t.Fatal(c.id, err)
		}
		lex, err := lexer.NewOnDemand(context.Background(), c.grammar, lexer.Limits{})
		if err != nil {
			t.Fatal(c.id, err)
		}
		whole := &recognizer.Recognizer{Grammar: c.grammar, Lexer: lex, Tables: tables}
		for _, text := range c.valid[:min(len(c.valid), 2)] {
			walkBoth(t, c.id, quick, whole, text[:min(len(text), maxText)])
		}
	}
}

func walkBoth(t *testing.T, id string, a, b *recognizer.Recognizer, text []byte) {
	p, q := a.Start(), b.Start()
	for i, next := range text {
		if a.End(p) != b.End(q) {
			t.Fatalf("%s: after %q the text may end: %t and %t", id, text[:i], a.End(p), b.End(q))
		}
		for x := range 256 {
			_, okA := a.Read(p, []byte{byte(x)})
			_, okB := b.Read(q, []byte{byte(x)})
			if okA != okB {
				t.Fatalf("%s: after %q byte %q is legal: %t and %t", id, text[:i], byte(x), okA, okB)
			}
		}
		var okA, okB bool
		p, okA = a.Step(p, next)
		q, okB = b.Step(q, next)
		if !okA || !okB {
			return // keys in another order than the schema's
		}
	}
}
