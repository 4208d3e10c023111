package jsonschema

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"gcdbench/internal/jsontext"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// FuzzCompile says that no document makes the compiler panic.
func FuzzCompile(f *testing.F) {
	for _, c := range cases {
		f.Add(c.schema)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		_, _ = Compile(ctx, []byte(schema), Options{Lenient: len(schema)%2 == 0, AnyOrder: len(schema)%3 == 0})
	})
}

// TestMutations compiles the schemas of the cases with parts exchanged, which keeps them JSON and
// makes most of them wrong in some way. Whatever comes out, it is an error or a grammar that is
// well formed.
func TestMutations(t *testing.T) {
	d := rand.New(rand.NewPCG(seed.New(t), 7))
	var parts []*jsontext.Value
	var collect func(v *jsontext.Value)
	collect = func(v *jsontext.Value) {
		parts = append(parts, v)
		for _, x := range v.Items {
			collect(x)
		}
	}
	for _, c := range cases {
		v := must.Get(jsontext.Parse("case", []byte(c.schema)))(t)
		collect(v)
	}
	var write func(b *strings.Builder, v *jsontext.Value, depth int)
	write = func(b *strings.Builder, v *jsontext.Value, depth int) {
		if depth > 0 && d.IntN(12) == 0 {
			v = parts[d.IntN(len(parts))]
		}
		if depth > 12 || v.Kind < jsontext.Array {
			v = &jsontext.Value{Kind: v.Kind % jsontext.Array, Text: v.Text, Truth: v.Truth}
			if v.Kind == jsontext.Number && v.Text == "" {
				v.Text = "0"
			}
			b.WriteString(encode(v))
			return
		}
		open, end := "[", "]"
		if v.Kind == jsontext.Object {
			open, end = "{", "}"
		}
		b.WriteString(open)
		for i, x := range v.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			if v.Kind == jsontext.Object {
				b.WriteString(encode(&jsontext.Value{Kind: jsontext.String, Text: v.Keys[i]}) + ":")
			}
			write(b, x, depth+1)
		}
		b.WriteString(end)
	}
	outcomes := map[string]int{}
	for range 600 {
		root, err := jsontext.Parse("case", []byte(cases[d.IntN(len(cases))].schema))
		must.OK(t, err)
		var b strings.Builder
		write(&b, root, 0)
		result, err := Compile(context.Background(), []byte(b.String()), Options{})
		switch err.(type) {
		case nil:
			outcomes["compiled"]++
			if err := result.Grammar.Validate(); err != nil {
				t.Errorf("%s: %v", b.String(), err)
			}
		case *SchemaError, *UnsupportedError, *RefError:
			outcomes["refused"]++
		case *SyntaxError:
			t.Errorf("%s: %v", b.String(), err)
		default:
			if !errors.Is(err, ErrContradiction) {
				t.Errorf("%s: %v", b.String(), err)
			}
			outcomes["contradictory"]++
		}
	}
	t.Log(outcomes)
}

// encode writes a scalar.
func encode(v *jsontext.Value) string {
	if v.Kind == jsontext.String {
		text, _ := json.Marshal(v.Text)
		return string(text)
	}
	switch v.Kind {
	case jsontext.Number:
		return v.Text
	case jsontext.Bool:
		return strconv.FormatBool(v.Truth)
	}
	return "null"
}
