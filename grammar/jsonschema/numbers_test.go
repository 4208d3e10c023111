package jsonschema

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/grammar/jsonschema/internal/number/numbertest"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestNumberSizes bounds the automata of usual keywords, which many schemas have.
func TestNumberSizes(t *testing.T) {
	for _, c := range []struct {
		keywords string
		most     int // states
	}{
		{`"type": "number"`, 10},
		{`"type": "number", "minimum": 0`, 25},
		{`"type": "number", "minimum": 0, "maximum": 1`, 80},
		{`"type": "number", "minimum": -90, "maximum": 90`, 80},
		{`"type": "number", "multipleOf": 0.01`, 160},
		{`"type": "number", "multipleOf": 7`, 130},
		{`"type": "number", "maximum": 1e308`, 700},
		{`"type": "integer"`, 150},
		{`"type": "integer", "minimum": 0`, 160},
		{`"type": "integer", "minimum": 1, "maximum": 100`, 130},
		{`"type": "integer", "minimum": 1, "maximum": 65535`, 290},
		{`"type": "integer", "minimum": 0, "maximum": 4294967295`, 290},
		{`"type": "integer", "maximum": 9223372036854775807`, 400},
	} {
		result, err := Compile(context.Background(), []byte("{"+c.keywords+"}"), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.keywords, err)
			continue
		}
		d := must.Get(automata.Compile(result.Grammar.Terminals[0].Expr, dfa.Limits))(t)
		if n := d.Whole().NumStates(); n > c.most {
			t.Errorf("%s: %d states, more than %d", c.keywords, n, c.most)
		}
	}
}

// TestNumberSchemas compares schemas about numbers with exact arithmetic: conjunctions, negations
// and alternatives.
func TestNumberSchemas(t *testing.T) {
	d := rand.New(rand.NewPCG(seed.New(t), 4))
	rounds := seed.Rounds(20, 50, 150)
	accepted, refused := 0, 0
	for range rounds {
		schema, holds := numberSchema(d, 2)
		result, err := Compile(context.Background(), []byte(schema), Options{})
		if err != nil {
			continue // contradictory
		}
		r := must.Get(recognizer.New(context.Background(), result.Grammar, recognizer.Options{OnDemand: true}))(t)
		for range 150 {
			text := numbertest.Text(d)
			exponent := strings.ContainsAny(text, "eE")
			switch want, got := holds(numbertest.Rat(text)), r.Check([]byte(text)) == nil; {
			case got && !want || want && !got && !exponent:
				t.Errorf("%s: %s is right: %v; accepted %v", schema, text, want, got)
			case want && got:
				accepted++
			case want:
				refused++
			}
		}
	}
	t.Logf("%d right numbers accepted, %d refused for how they are written", accepted, refused)
	if accepted < 4*refused {
		t.Errorf("of right numbers %d are accepted, and %d refused", accepted, refused)
	}
}

// numberSchema is a random schema about numbers, and what it means.
func numberSchema(d *rand.Rand, depth int) (string, func(*big.Rat) bool) {
	num := []string{"0", "1", "-1", "2", "10", "12.5", "-2.5", "0.05", "100", "120", "1e3", "125"}[d.IntN(12)]
	r := numbertest.Rat(num)
	n := d.IntN(9)
	if depth == 0 {
		n = d.IntN(6)
	}
	switch n {
	case 0:
		return fmt.Sprintf(`{"type": "number", "minimum": %s}`, num), func(x *big.Rat) bool { return x.Cmp(r) >= 0 }
	case 1:
		return fmt.Sprintf(`{"type": "number", "exclusiveMaximum": %s}`, num), func(x *big.Rat) bool { return x.Cmp(r) < 0 }
	case 2:
		return `{"type": "integer"}`, func(x *big.Rat) bool { return x.IsInt() }
	case 3:
		if r.Sign() <= 0 {
			r, num = numbertest.Rat("0.01"), "0.01"
		}
		return fmt.Sprintf(`{"type": "number", "multipleOf": %s}`, num), func(x *big.Rat) bool { return new(big.Rat).Quo(x, r).IsInt() }
	case 4:
		return fmt.Sprintf(`{"enum": [%s, 5, 0.5]}`, num), func(x *big.Rat) bool {
			return x.Cmp(r) == 0 || x.Cmp(numbertest.Rat("5")) == 0 || x.Cmp(numbertest.Rat("0.5")) == 0
		}
	case 5:
		return `{"type": "number"}`, func(*big.Rat) bool { return true }
	case 6:
		a, f := numberSchema(d, depth-1)
		return `{"type": "number", "not": ` + a + `}`, func(x *big.Rat) bool { return !f(x) }
	}
	a, f := numberSchema(d, depth-1)
	b, g := numberSchema(d, depth-1)
	if n == 7 {
		return `{"allOf": [` + a + ", " + b + `]}`, func(x *big.Rat) bool { return f(x) && g(x) }
	}
	return `{"oneOf": [` + a + ", " + b + `]}`, func(x *big.Rat) bool { return f(x) != g(x) }
}
