package jsonschema

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/constants"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// twoOfAKind are schemas with a key, a format, a pattern, a length and a bound in common.
var twoOfAKind = []string{
	`{"properties": {"name": {"type": "string", "maxLength": 20}, "day": {"format": "date"}, "n": {"type": "integer", "minimum": 17}}, "additionalProperties": {"pattern": "^[a-f]+$"}}`,
	`{"properties": {"name": {"type": "string", "maxLength": 20}, "other": {"format": "date"}}, "required": ["n"], "additionalProperties": {"anyOf": [{"pattern": "^[a-f]+$"}, {"type": "integer", "minimum": 17}]}}`,
}

// expressions are those of the terminals of a schema.
func expressions(t *testing.T, schema string, k *Kept) (list []*automata.Expr) {
	t.Helper()
	for _, x := range grammarOf(t, schema, k).Terminals {
		list = append(list, x.Expr)
	}
	return list
}

func grammarOf(t *testing.T, schema string, k *Kept) *grammar.Grammar {
	t.Helper()
	result, err := Compile(context.Background(), []byte(schema), Options{Kept: k})
	if err != nil {
		t.Fatal(schema, err)
	}
	return result.Grammar
}

// common counts the members of a that are in b, and are not the same for all schemas.
func common(a, b []*automata.Expr) (n int) {
	for _, e := range texts() {
		a = slices.DeleteFunc(slices.Clone(a), func(x *automata.Expr) bool { return x == e })
	}
	for _, e := range a {
		n += btoi(slices.Contains(b, e))
	}
	return n
}

// TestKept: what one compile made is found by another with the same Kept, and by nobody else.
func TestKept(t *testing.T) {
	mine, yours := NewKept(), NewKept()
	first := expressions(t, twoOfAKind[0], mine)
	if n := common(expressions(t, twoOfAKind[1], mine), first); n < 4 {
		t.Errorf("%d expressions of the first schema are found again, want those of a key, strings of a length, dates and numbers", n)
	}
	for name, k := range map[string]*Kept{"another Kept": yours, "none": nil} {
		if n := common(expressions(t, twoOfAKind[0], k), first); n > 0 {
			t.Errorf("%s: %d expressions that somebody else made", name, n)
		}
	}
}

// TestKeptChangesNothing compiles schemas alone and after each other, in both orders: their
// grammars are the same.
func TestKeptChangesNothing(t *testing.T) {
	schemas := slices.Clone(twoOfAKind)
	for _, c := range cases {
		schemas = append(schemas, c.schema)
	}
	alone := make([]string, len(schemas))
	for i, s := range schemas {
		alone[i] = printed(t, grammarOf(t, s, nil))
	}
	for range 2 {
		k := NewKept()
		for i, s := range schemas {
			if got := printed(t, grammarOf(t, s, k)); got != alone[i] {
				t.Errorf("%s: after others\n%s\nalone\n%s", s, got, alone[i])
			}
		}
		slices.Reverse(schemas)
		slices.Reverse(alone)
	}
}

// printed is all that a grammar says.
func printed(t *testing.T, g *grammar.Grammar) string {
	t.Helper()
	var b strings.Builder
	for _, x := range g.Terminals {
		d := must.Get(automata.Compile(x.Expr, automata.DefaultLimits))(t)
		x.Expr = nil
		fmt.Fprintf(&b, "%+v %s\n", x, d)
	}
	fmt.Fprintf(&b, "%v %+v %v", g.Nonterminals, g.Rules, g.Start)
	return b.String()
}

// TestPrepare starts new processes: after Prepare no constant is made by whatever schema; without,
// the first one makes some.
func TestPrepare(t *testing.T) {
	seed.Usual(t)
	const variable = "GCDBENCH_TEST_PREPARE"
	if way := os.Getenv(variable); way != "" {
		if way == "prepared" {
			Prepare()
			PrepareFor([]byte(`{"format": "idn-email"}`))
		}
		before := constants.Built()
		compileAll(t)
		fmt.Println("constants made by schemas:", constants.Built()-before)
		return
	}
	for _, c := range []struct {
		way  string
		none bool
	}{{"prepared", true}, {"unprepared", false}} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestPrepare$")
		cmd.Env = append(os.Environ(), variable+"="+c.way)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var made int
		if _, err := fmt.Sscanf(string(out), "constants made by schemas: %d", &made); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if none := made == 0; none != c.none {
			t.Errorf("%s: schemas made %d constants", c.way, made)
		}
	}
}

// compileAll compiles all cases in several ways, with their lexers and tables.
func compileAll(t *testing.T) {
	for _, o := range []Options{{}, {WhiteSpace: AnySpace}, {AnyOrder: true, Lenient: true}, {LooseOrder: true}} {
		for _, c := range cases {
			result, err := Compile(context.Background(), []byte(c.schema), o)
			if err != nil {
				continue
			}
			must.Get(recognizer.New(context.Background(), result.Grammar, recognizer.Options{OnDemand: true}))(t)
		}
	}
}

// TestKeptRefusals: a refusal is kept, unless it has a place in the schema that it was found in.
func TestKeptRefusals(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{{refusal("too large", ""), 1}, {refusal("too large", "").at(nil, "pattern"), 2}} {
		var s shared[string, cutKeys]
		built := 0
		for range 2 {
			if _, err := s.get("key", func() (cutKeys, error) { built++; return cutKeys{}, c.err }); err != c.err {
				t.Errorf("%v, want %v", err, c.err)
			}
		}
		if built != c.want {
			t.Errorf("%v was built %d times, want %d", c.err, built, c.want)
		}
	}
}
