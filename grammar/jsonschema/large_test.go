package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"gcdbench/internal/seed"
)

// listed writes format for 0..n-1, with commas between.
func listed(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(parts, ", ")
}

// chained is a chain of n definitions, each of which holds a reference to the next.
func chained(n int, definition, last string) string {
	var b strings.Builder
	b.WriteString(`{"$ref": "#/$defs/d0", "$defs": {`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d": `+definition+`, `, i, i+1)
	}
	fmt.Fprintf(&b, `"d%d": %s}}`, n, last)
	return b.String()
}

// sized is the usual size of a schema, or that of the long form: its compile takes seconds.
func sized(usual, long int) int {
	if seed.Full() {
		return long
	}
	return usual
}

// large are schemas that are long, wide or deep: what becomes of each, and how much memory it may
// take in all, in MiB, which bounds the work better than a clock does. Measured sums are about
// half of that.
var large = []struct {
	name, schema string
	want         string // in the error; "" if it compiles
	alloc        uint64
}{
	{"2 MB of description", `{"description": "` + strings.Repeat("x", 2<<20) + `"}`, "", 50},
	{"2 MB of keys", `{"properties": {` + listed(30_000, `"property_%d": {"type": "string", "description": "some text to make it long"}`) + `}}`, "too many keys", 150},
	{"2,000 keys and others", `{"properties": {` + listed(2000, `"property_%d": {"type": "string"}`) + `}}`, "", 200},
	{"2 MB of one key", `{"properties": {"` + strings.Repeat("abcdefghi", 200_000) + `": {}}}`, "keys are too long", 60},
	{"100,000 strings", `{"enum": [` + listed(100_000, `"value number %d"`) + `]}`, "", 200},
	{"10,000 strings in two enums", `{"enum": [` + listed(10_000, `"v%d"`) + `], "allOf": [{"enum": [` + listed(10_000, `"v%d"`) + `]}]}`, "", 60},
	{"10,000 numbers", `{"enum": [` + listed(10_000, `%d.5`) + `]}`, "", 300},
	{"60,000 objects", `{"enum": [` + listed(60_000, `{"a": %d}`) + `]}`, "too many alternatives", 500},
	{"a list of 100,000", `{"const": [` + listed(100_000, `%d`) + `]}`, "a minimum this large is not counted", 150},
	{"an object of many", `{"const": {` + listed(sized(20_000, 100_000), `"k%d": 1`) + `}}`, "too many keys", 400},
	{"20,000 branches of anyOf", `{"anyOf": [` + listed(20_000, `{"properties": {"kind": {"const": "k%d"}}, "required": ["kind"]}`) + `]}`, "too many alternatives", 400},
	{"900 branches of oneOf", `{"oneOf": [` + listed(900, `{"properties": {"kind": {"const": "k%d"}}, "required": ["kind"]}`) + `]}`, "", 60},
	{"many constants in oneOf", `{"oneOf": [` + listed(sized(5000, 20_000), `{"type": "string", "const": "k%d", "description": "a constant"}`) + `]}`, "", 400},
	{"400 conditions on a key", `{"type": "object", "required": ["t"], "allOf": [` + listed(400, `{"if": {"properties": {"t": {"const": "t%[1]d"}}}, "then": {"properties": {"v": {"const": %[1]d}}, "required": ["v"]}}`) + `]}`, "", 400},
	{"60 open objects in oneOf", `{"oneOf": [` + listed(60, `{"type": "object", "properties": {"k%[1]d": {"type": "string"}}, "required": ["k%[1]d"]}`) + `]}`, "", 600},
	{"5,000 branches of allOf", `{"allOf": [` + listed(5000, `{"properties": {"k%d": {"type": "string"}}}`) + `]}`, "too many combinations", 600},
	{"20,000 required keys", `{"required": [` + listed(20_000, `"key%d"`) + `]}`, "too many keys", 60},
	{"20,000 definitions", `{"$defs": {` + listed(20_000, `"d%d": {"type": "string", "pattern": "^a"}`) + `}}`, "", 100},
	{"a chain of many references", chained(sized(2500, 10_000), `{"$ref": "#/$defs/d%d"}`, `{"type": "null"}`), "", 200},
	{"a cycle of 10,000 references", chained(10_000, `{"$ref": "#/$defs/d%d"}`, `{"$ref": "#/$defs/d0"}`), "refers to itself", 200},
	{"a chain of 10,000 properties", chained(10_000, `{"properties": {"a": {"$ref": "#/$defs/d%d"}}, "additionalProperties": false}`, `{"type": "null"}`), "the grammar is too large", 250},
	{"10,000 arrays", strings.Repeat("[", 10_001), "nested more than 10000 deep", 20},
	{"10,000 objects", strings.Repeat(`{"a": `, 10_001), "nested more than 10000 deep", 30},
	{"a constant nested deep", `{"const": ` + strings.Repeat("[", sized(3000, 9000)) + strings.Repeat("]", sized(3000, 9000)) + `}`, "", 300},
	{"4,900 allOf in each other", strings.Repeat(`{"allOf": [`, 4900) + `{}` + strings.Repeat(`]}`, 4900), "nested too deep", 100},
	{"9,000 items in each other", strings.Repeat(`{"items": `, 9000) + `{}` + strings.Repeat(`}`, 9000), "nested too deep", 100},
	{"a pattern of 2 MB", `{"pattern": "^` + strings.Repeat("abcdefghi", 200_000) + `$"}`, "/pattern: unsupported: the pattern is too long", 100},
	{"a pattern of 10,000 groups", `{"pattern": "` + strings.Repeat("(", 10_000) + strings.Repeat(")", 10_000) + `"}`, "/pattern", 50},
	{"a number of 2 MB", `{"const": 0.` + strings.Repeat("123456789", 200_000) + `}`, "a number has more than 10000 characters", 20},
	{"a bound of 9,000 digits", `{"minimum": 0.` + strings.Repeat("123456789", 1000) + `}`, "/minimum: has more than", 20},
	{"a constant of 9,000 digits", `{"const": 0.` + strings.Repeat("123456789", 1000) + `}`, "", 200},
	{"items that are counted", `{"items": {"type": "null"}, "minItems": 9999, "maxItems": 10000}`, "", 100},
	{"properties that are counted", `{"minProperties": 1000000000}`, "a minimum this large is not counted", 150},
}

// TestLarge says what becomes of large schemas, and that the work is bounded.
func TestLarge(t *testing.T) {
	seed.Usual(t) // some seconds
	for _, c := range large {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Compile(context.Background(), []byte(c.schema), Options{})
			runtime.ReadMemStats(&after)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("%.300v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("the error is %.300v, want one with %q", err, c.want)
			}
			if err != nil && len(err.Error()) > 2000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			if sum := (after.TotalAlloc - before.TotalAlloc) >> 20; sum > c.alloc {
				t.Errorf("%d MiB were allocated, more than %d", sum, c.alloc)
			}
		})
	}
}

// countdown is a context that ends when it has been asked so often whether it has: at the same
// moment of the work on every machine.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// TestCancelEverywhere cancels compiles that would take long, at some moments of them. How soon
// they stop is logged, in questions.
func TestCancelEverywhere(t *testing.T) {
	seed.Usual(t) // some seconds
	long := []string{
		`{"dependentRequired": {` + listed(1000, `"key%d": ["x"]`) + `}}`,
		`{"oneOf": [` + listed(60, `{"properties": {"a%[1]d": {"type": "string"}, "b%[1]d": {"type": "null"}, "c%[1]d": {}, "d%[1]d": {"minimum": 1}}}`) + `]}`,
		`{"patternProperties": {` + listed(100, `"a%d": {"type": "string"}`) + `}}`,
		`{"allOf": [` + listed(900, `{"patternProperties": {"^%d": {}}}`) + `]}`,
		`{"properties": {` + listed(2000, `"%d": {"pattern": "^(a|b){%[1]d}$"}`) + `}}`,
	}
	for i, schema := range long {
		for _, after := range []int64{0, 1, 10, 100, 1000} {
			ctx := &countdown{Context: context.Background()}
			ctx.left.Store(after)
			_, err := Compile(ctx, []byte(schema), Options{})
			told := ctx.left.Load() < 0
			var unsupported *UnsupportedError
			if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &unsupported) {
				t.Errorf("schema %d: %v", i, err)
			}
			t.Logf("schema %d, after %d questions: told %v, asked %d times more: %.80v", i, after, told, -ctx.left.Load(), err)
			if told && err == nil || after == 0 && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("schema %d was told to stop after %d questions, and went on to the end: %v", i, after, err)
			}
		}
	}
}
