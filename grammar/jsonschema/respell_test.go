package jsonschema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"gcdbench/datasets"
	"gcdbench/datasets/labels"
	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestRespelled writes the instances of real schemas, and changes of them, in other ways: strings
// with escapes, numbers with zeros and exponents, white space, keys in another order, and strings
// and numbers at the bounds that the schema has. The validator says what is valid. A text that it
// refuses must be refused; one that it accepts must be accepted, but for the order of keys, or
// where the coverage says that something is narrower. GCDBENCH_FULL takes all schemas, and a
// minute.
func TestRespelled(t *testing.T) {
	seed.Usual(t)
	limit := time.Duration(seed.Rounds(400, 2000, 3_600_000)) * time.Millisecond
	seed := seed.New(t)
	path := filepath.Join("..", "..", "..", "shared", "data", "maskbench-dev.jsonl.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs the development data: %v", err)
	}
	src := must.Get(datasets.Open("maskbench", path, ""))(t)
	d := must.Get(datasets.Load(t.Context(), src, datasets.Query{Negatives: -1}))(t)
	bySchema, all := map[*datasets.Schema][]*tree{}, &pool{}
	for i := range d.Samples {
		x := treeOf(d.Samples[i].Content)
		bySchema[d.Samples[i].Schema] = append(bySchema[d.Samples[i].Schema], x)
		all.add(x)
	}
	random := rand.New(rand.NewPCG(seed, 10))
	kept := jsonschema.NewKept()
	total := respellings{reasons: map[string]int{}}
	for start, order := time.Now(), random.Perm(len(d.Schemas)); len(order) > 0 && time.Since(start) < limit; order = order[1:] {
		s := d.Schemas[order[0]]
		own := &pool{}
		for _, x := range bySchema[s] {
			own.add(x)
		}
		m := mutator{random, own, all}
		total.compare(t, s, bySchema[s], speller{m, boundsOf(s.Text)}, kept)
	}
	t.Logf("%+v", total)
	if total.valid*5 < total.texts || total.excused*10 > total.valid || total.unjudged*10 > total.texts {
		t.Error("too few valid texts, or too many refused")
	}
}

// respellings is how the comparison went.
type respellings struct {
	schemas, texts, valid, ordered int
	unjudged                       int
	excused                        int // valid and refused, where something is enforced narrowly
	reasons                        map[string]int
}

// compare is for one schema; one that is not supported is skipped.
func (n *respellings) compare(t *testing.T, s *datasets.Schema, seeds []*tree, w speller, kept *jsonschema.Kept) {
	judge, err := labels.New(s.Text)
	if err != nil || len(seeds) == 0 {
		return
	}
	for _, o := range []jsonschema.Options{{Kept: kept}, {Kept: kept, WhiteSpace: jsonschema.AnySpace, AnyOrder: true}} {
		accepts, _, err := acceptsWith(t, s.Text, o)
		if err != nil {
			return
		}
		result, err := jsonschema.Compile(t.Context(), s.Text, o)
		if err != nil && !errors.Is(err, jsonschema.ErrContradiction) {
			t.Fatal(err)
		}
		o.LooseOrder = true
		loose, _, err := acceptsWith(t, s.Text, o)
		if err != nil {
			return
		}
		n.schemas++
		for range 30 {
			x := seeds[w.IntN(len(seeds))]
			if w.IntN(2) == 0 {
				x = w.mutant(x)
			}
			text := []byte(w.text(w.bounded(x), o.WhiteSpace == jsonschema.AnySpace, o.AnyOrder))
			valid, err := judge.Valid(text)
			if err != nil { // a pattern takes too long, say: no verdict
				n.unjudged++
				continue
			}
			n.texts++
			n.valid += btoi(valid)
			switch got := accepts(text); {
			case got == valid:
			case got:
				t.Errorf("%s: an invalid text is accepted: %s\n%s", s.ID, text, s.Text)
			case loose(text):
				n.ordered++
			default:
				n.excuse(t, s, result, loose, text)
			}
		}
	}
}

// excuse looks for what is enforced narrowly that says why a valid text is refused.
func (n *respellings) excuse(t *testing.T, s *datasets.Schema, result *jsonschema.Result, loose func([]byte) bool, text []byte) {
	narrow := func(part string) bool {
		return slices.ContainsFunc(result.Coverage, func(c jsonschema.Coverage) bool {
			return c.Status == jsonschema.Narrower && strings.Contains(c.Reason, part)
		})
	}
	x := treeOf(text)
	x.unescape()
	n.excused++
	switch {
	case result == nil:
	case narrow("must be written as") && loose([]byte(x.String())):
		n.reasons["escapes"]++
		return
	case narrow("to be compared with so many digits") && longMantissa.Match(text):
		n.reasons["mantissas that are not normalized"]++
		return
	case narrow("more characters than are counted") && x.longest() > 64:
		n.reasons["characters that are not counted"]++
		return
	}
	if result != nil {
		for _, c := range result.Coverage {
			if c.Status == jsonschema.Narrower {
				t.Logf("%s: %s", c.Pointer, c.Reason)
			}
		}
	}
	t.Errorf("%s: a valid text is refused: %s\n%.2000s", s.ID, text, s.Text)
}

// longMantissa finds a number with an exponent whose mantissa has not one digit before the point,
// other than 0.
var longMantissa = regexp.MustCompile(`(?:\d\d|0\.)\d*[.\d]*[eE]`)

// unescape writes the strings of a tree with the escapes that JSON asks for.
func (x *tree) unescape() {
	plain := func(raw string) string {
		var b strings.Builder
		out := json.NewEncoder(&b)
		out.SetEscapeHTML(false)
		_ = out.Encode(decoded(raw))
		return strings.TrimSpace(b.String())
	}
	if x.kind == '"' {
		x.raw = plain(x.raw)
	}
	for i := range x.keys {
		x.keys[i] = plain(x.keys[i])
	}
	for _, item := range x.items {
		item.unescape()
	}
}

// longest is the most characters of a string in a tree.
func (x *tree) longest() (n int) {
	for _, part := range x.all(nil) {
		if part.kind == '"' {
			n = max(n, utf8.RuneCountInString(decoded(part.raw)))
		}
	}
	return n
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// boundsOf are the numbers that a schema has, as bounds or otherwise.
func boundsOf(schema []byte) (list []float64) {
	var visit func(any)
	visit = func(v any) {
		switch v := v.(type) {
		case float64:
			list = append(list, v)
		case []any:
			for _, x := range v {
				visit(x)
			}
		case map[string]any:
			for _, x := range v {
				visit(x)
			}
		}
	}
	var v any
	if json.Unmarshal(schema, &v) == nil {
		visit(v)
	}
	slices.Sort(list)
	return list
}

// A speller writes values in other ways.
type speller struct {
	mutator
	bounds []float64
}

// bounded is a tree, some of whose numbers and lengths are at the bounds of the schema.
func (w speller) bounded(x *tree) *tree {
	if len(w.bounds) == 0 || w.IntN(3) > 0 {
		return x
	}
	x = x.clone()
	parts := x.all(nil)
	part := parts[w.IntN(len(parts))]
	bound := w.bounds[w.IntN(len(w.bounds))]
	switch part.kind {
	case '{', '[', 't', 'f', 'n':
	case '"':
		part.raw = w.ofLength(part.raw, int(bound)+w.IntN(3)-1)
	default:
		if bound > -1e15 && bound < 1e15 {
			part.raw = strconv.FormatFloat(bound+[]float64{0, 0, 1, -1, 0.5, -0.001}[w.IntN(6)], 'f', -1, 64)
		}
	}
	return x
}

// ofLength is a string with n characters, if that is not too many.
func (w speller) ofLength(raw string, n int) string {
	text := []rune(decoded(raw))
	if n < 0 || n > 2000 || len(text) == 0 {
		return raw
	}
	for len(text) < n {
		text = append(text, text[w.IntN(len(text))])
	}
	written, _ := json.Marshal(string(text[:n]))
	return string(written)
}

func decoded(raw string) string {
	var s string
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		panic(err)
	}
	return s
}

// text writes a tree, with spaces anywhere or as the strict option has them.
func (w speller) text(x *tree, anywhere, shuffled bool) string {
	space := func() string {
		if !anywhere || w.IntN(3) > 0 {
			return ""
		}
		return w.pick(" ", "\n", "\t\r\n  ")
	}
	behind := func() string {
		if anywhere {
			return space()
		}
		return w.pick("", " ")
	}
	var b strings.Builder
	write := func(parts ...string) { b.WriteString(space() + strings.Join(parts, "")) }
	order := make([]int, len(x.items))
	for i := range order {
		order[i] = i
	}
	switch x.kind {
	case '{':
		if shuffled {
			w.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		write("{")
		for n, i := range order {
			if n > 0 {
				write(",", behind())
			}
			write(w.str(x.keys[i]))
			write(":", behind())
			b.WriteString(w.text(x.items[i], anywhere, shuffled))
		}
		write("}")
	case '[':
		write("[")
		for i, item := range x.items {
			if i > 0 {
				write(",", behind())
			}
			b.WriteString(w.text(item, anywhere, shuffled))
		}
		write("]")
	case '"':
		write(w.str(x.raw))
	case 't', 'f', 'n':
		write(x.raw)
	default:
		write(w.number(x.raw))
	}
	return b.String() + space()
}

func (w speller) pick(list ...string) string { return list[w.IntN(len(list))] }

// str writes a string with some escapes, of few characters or many.
func (w speller) str(raw string) string {
	s := decoded(raw)
	if strings.ContainsRune(s, utf8.RuneError) || w.IntN(2) == 0 {
		return raw
	}
	often := []int{2, 30}[w.IntN(2)]
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		short := strings.IndexRune("\"\\/\b\f\n\r\t", r)
		switch must := r < ' ' || r == '"' || r == '\\'; {
		case !must && w.IntN(often) > 0:
			b.WriteRune(r)
		case short >= 0 && w.IntN(2) == 0:
			b.WriteString("\\" + string(`"\/bfnrt`[short]))
		case r >= 0x10000:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04X`, high, low)
		default:
			fmt.Fprintf(&b, w.pick(`\u%04x`, `\u%04X`), r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// number writes a number in a way that is taken however it is constrained: without an exponent, or
// with one digit before the point and few behind it.
func (w speller) number(raw string) string {
	negative, digits := "", raw
	if raw[0] == '-' {
		negative, digits = "-", raw[1:]
	}
	if strings.ContainsAny(raw, "eE") || w.IntN(2) == 0 {
		return raw
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	switch w.IntN(3) {
	case 0:
		return negative + whole + "." + fraction + w.pick("0", "00", "000000000000")
	case 1:
		if strings.Trim(whole+fraction, "0") == "" {
			return w.pick("-", "") + "0" + w.pick("", ".0", "e5", "E-2", ".00e+1")
		}
	}
	all := strings.TrimLeft(whole+fraction, "0")
	exponent := len(whole) - 1
	if whole == "0" {
		exponent = -1 - (len(fraction) - len(strings.TrimLeft(fraction, "0")))
	}
	all = strings.TrimRight(all, "0")
	if all == "" || len(all) > 6 || whole != "0" && whole[0] == '0' {
		return raw
	}
	mantissa := all[:1]
	if len(all) > 1 {
		mantissa += "." + all[1:]
	}
	sign := "-"
	if exponent >= 0 {
		sign = w.pick("", "+")
	}
	return negative + mantissa + w.pick("e", "E") + sign + w.pick("", "0") + strconv.Itoa(max(exponent, -exponent))
}
