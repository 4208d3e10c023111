package schemas

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"gcdbench/tokenizers"
)

// A Small is a small random schema with a vocabulary of some tens of tokens.
type Small struct {
	Schema Schema
	// Tokens are the vocabulary by id; EOS comes after them.
	Tokens []string
	Seed   uint64
}

// Random makes a small schema from a seed, some random instances of a small universe, so that many
// of them meet the schema, and a vocabulary that can write them all. The keywords are those whose
// terminals overlap, count or fork: enums beside patterns, lengths, alternatives, keys that other
// keys exclude.
func Random(seed uint64) Small {
	d := dice{rand.New(rand.NewPCG(seed, 3))}
	s := Small{Seed: seed, Schema: Schema{ID: fmt.Sprintf("random-%d", seed), Text: []byte(d.schema(1 + d.IntN(2)))}}
	for range 6 {
		s.Schema.Instances = append(s.Schema.Instances, Instance{Text: []byte(d.value(2))})
	}
	s.Tokens = d.tokens(s.Schema.Instances)
	return s
}

// Finite makes a small schema of which, in the tokens it comes with, only finitely many texts are
// instances: no token writes a fraction, an exponent or an escape, and all lengths are bounded. Its
// objects declare their keys in alphabetical order. Its instances are a universe, the same for all
// seeds, in which most of those of the schema are.
func Finite(seed uint64) Small {
	d := dice{rand.New(rand.NewPCG(seed, 4))}
	s := Small{Seed: seed, Schema: Schema{ID: fmt.Sprintf("finite-%d", seed), Text: []byte(d.finite(1))}}
	for _, text := range universe() {
		s.Schema.Instances = append(s.Schema.Instances, Instance{Text: []byte(text)})
	}
	s.Tokens = []string{"{", "}", "[", "]", `"`, ",", ":", " ", "a", "b", "t", "rue", "fa", "lse", "n", "ull", "-", "0", "1", "2"}
	return s
}

// finiteScalars are the scalars of the universe.
var finiteScalars = []string{"null", "true", "false", "0", "1", "2", "12", "-1", `""`, `"a"`, `"b"`, `"ab"`, `"ba"`, `"aa"`, `"aab"`, `"bbb"`}

// universe is the scalars, all arrays of up to two of them, all objects of them under a and b, and
// a few of each one level deeper.
func universe() []string {
	list := append([]string{"[]", "{}", "[[]]", "[{}]", `[["a"],"b"]`, `[[1,2]]`, `{"a":["a","b"]}`, `{"a":{"b":1}}`, `[{"a":1}]`, `[0,0,0]`}, finiteScalars...)
	for _, x := range finiteScalars {
		list = append(list, "["+x+"]", `{"a":`+x+"}", `{"b":`+x+"}")
		for _, y := range finiteScalars {
			list = append(list, "["+x+","+y+"]", `{"a":`+x+`,"b":`+y+"}")
		}
	}
	return list
}

// finite is a random schema with finitely many instances, but for the spelling of numbers.
func (d dice) finite(depth int) string {
	scalar := func() string { return finiteScalars[d.IntN(len(finiteScalars))] }
	sub := func() string { return d.finite(depth - 1) }
	n := d.IntN(11)
	if depth == 0 && n >= 6 {
		n = d.IntN(6)
	}
	switch n {
	case 0, 1:
		return fmt.Sprintf(`{"enum":[%s]}`, strings.Join(d.some(1, 4, scalar), ","))
	case 2, 3:
		return fmt.Sprintf(`{"type":"string","pattern":%s,"minLength":%d,"maxLength":%d}`,
			d.pick(`"^[ab]*$"`, `"^a"`, `"b$"`, `"^(a|ab)b?$"`, `"a"`), d.IntN(2), 1+d.IntN(3))
	case 4:
		lo := d.IntN(3) - 1
		return fmt.Sprintf(`{"type":"integer","minimum":%d,"maximum":%d}`, lo, lo+d.IntN(4))
	case 5:
		return d.pick(`{"type":["boolean","null"]}`, `{"type":"null"}`, `{"const":["a"]}`, `{"const":{"a":1}}`)
	case 6:
		return fmt.Sprintf(`{%q:[%s]}`, d.pick("anyOf", "oneOf", "allOf"), strings.Join(d.some(1, 2, sub), ","))
	case 7, 8:
		lo := d.IntN(2)
		items, unique := sub(), ""
		if d.IntN(3) == 0 { // of few values: of others an array may come to where only a value is left that it has
			items, unique = fmt.Sprintf(`{"enum":[%s]}`, strings.Join(d.some(1, 4, scalar), ",")), `,"uniqueItems":true`
		}
		return fmt.Sprintf(`{"type":"array","items":%s,"minItems":%d,"maxItems":%d%s}`, items, lo, lo+d.IntN(3-lo), unique)
	}
	s := `{"type":"object","additionalProperties":false,"properties":{"a":` + sub() + `,"b":` + sub() + `}`
	return s + d.pick("", `,"required":["a"]`, `,"required":["b"]`, `,"minProperties":1`, `,"maxProperties":1`) + "}"
}

// Vocabulary is the vocabulary of the tokens.
func (s *Small) Vocabulary() (*tokenizers.Vocabulary, error) {
	var list [][]byte
	for _, t := range s.Tokens {
		list = append(list, []byte(t))
	}
	return tokenizers.NewVocabulary("small", append(list, []byte("<eos>")), []int{len(list)}, nil)
}

// Split makes tokens of a text, each chosen at random among those that fit. It fails where none
// does.
func (s *Small) Split(text []byte) ([]int32, error) {
	rng := rand.New(rand.NewPCG(s.Seed, uint64(len(text))))
	var ids []int32
	for at := 0; at < len(text); {
		var fit []int32
		for id, t := range s.Tokens {
			if t != "" && strings.HasPrefix(string(text[at:]), t) {
				fit = append(fit, int32(id))
			}
		}
		if len(fit) == 0 {
			return nil, fmt.Errorf("no token begins %q", text[at:])
		}
		id := fit[rng.IntN(len(fit))]
		ids, at = append(ids, id), at+len(s.Tokens[id])
	}
	return ids, nil
}

// dice makes random schemas and values.
type dice struct{ *rand.Rand }

func (d dice) pick(list ...string) string { return list[d.IntN(len(list))] }

// some is between lo and hi different strings of those that make gives.
func (d dice) some(lo, hi int, make func() string) []string {
	var list []string
	for range lo + d.IntN(hi-lo+1) {
		if s := make(); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

func (d dice) key() string { return d.pick(`"a"`, `"ab"`, `"b"`, `"k"`, `"a\n"`) }

func (d dice) scalar() string {
	return d.pick(`"a"`, `"ab"`, `"b"`, `"aa"`, `""`, `"é"`, `"\""`, "0", "1", "12", "-1", "1.5", "true", "null")
}

// value is a random JSON text.
func (d dice) value(depth int) string {
	comma, colon := d.pick(",", ", "), d.pick(":", ": ")
	switch n := d.IntN(10); {
	case depth == 0 || n < 3:
		return d.scalar()
	case n < 6:
		return "[" + strings.Join(d.some(0, 3, func() string { return d.value(depth - 1) }), comma) + "]"
	}
	var members []string
	for _, k := range []string{`"a"`, `"ab"`, `"b"`, `"k"`} {
		if d.IntN(2) == 0 {
			members = append(members, k+colon+d.value(depth-1))
		}
	}
	return "{" + strings.Join(members, comma) + "}"
}

// schema is a random schema whose parts are nested so deep.
func (d dice) schema(depth int) string {
	n := d.IntN(12)
	if depth == 0 && n >= 7 {
		n = d.IntN(7)
	}
	sub := func() string { return d.schema(depth - 1) }
	switch n {
	case 0, 1:
		return fmt.Sprintf(`{"enum":[%s]}`, strings.Join(d.some(1, 4, d.scalar), ","))
	case 2, 3, 4:
		return d.stringSchema()
	case 5:
		lo := d.IntN(4) - 1
		return fmt.Sprintf(`{"type":%s,"minimum":%d,"maximum":%d}`, d.pick(`"integer"`, `"number"`), lo, lo+d.IntN(12))
	case 6:
		return d.pick(`true`, `{"type":"null"}`, `{"type":"boolean"}`, `{"type":["string","integer"]}`, `{"const":{"a":["b"]}}`)
	case 7:
		return fmt.Sprintf(`{%q:[%s]}`, d.pick("anyOf", "oneOf", "anyOf"), strings.Join(d.some(1, 3, sub), ","))
	case 8:
		return d.arraySchema(sub)
	}
	return d.objectSchema(sub)
}

func (d dice) stringSchema() string {
	keywords := []string{`"type":"string"`}
	for range 1 + d.IntN(2) {
		switch d.IntN(4) {
		case 0:
			keywords = append(keywords, fmt.Sprintf(`"minLength":%d,"maxLength":%d`, d.IntN(3), 2+d.IntN(4)))
		case 1:
			keywords = append(keywords, `"maxLength":`+d.pick("1", "3", "17", "60"))
		case 2:
			keywords = append(keywords, `"pattern":`+d.pick(`"^a"`, `"b$"`, `"^[ab]*$"`, `"^(a|ab)(b|é)?$"`, `"^a{1,3}$"`, `"b"`, `"^\\S+$"`))
		default:
			keywords = append(keywords, `"not":{"enum":["a","b"]}`)
		}
	}
	slices.Sort(keywords)
	return "{" + strings.Join(withoutRepeats(keywords), ",") + "}"
}

// withoutRepeats drops members whose key was there before.
func withoutRepeats(members []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(members, func(m string) bool {
		for _, k := range []string{"minLength", "maxLength", "pattern", "not", "type"} {
			if strings.Contains(m, `"`+k+`":`) {
				if seen[k] {
					return true
				}
				seen[k] = true
			}
		}
		return false
	})
}

func (d dice) arraySchema(sub func() string) string {
	s := `{"type":"array"`
	if d.IntN(3) == 0 {
		s += `,"prefixItems":[` + strings.Join(d.some(1, 2, sub), ",") + `]`
	}
	s += `,"items":` + sub()
	if d.IntN(2) == 0 {
		lo := d.IntN(2)
		s += fmt.Sprintf(`,"minItems":%d,"maxItems":%d`, lo, lo+1+d.IntN(3))
	}
	return s + d.pick("", "", `,"uniqueItems":true`, `,"uniqueItems":true`, `,"not":{"uniqueItems":true}`) + "}"
}

func (d dice) objectSchema(sub func() string) string {
	var properties []string
	keys := d.some(0, 3, d.key)
	for _, k := range keys {
		properties = append(properties, k+":"+sub())
	}
	s := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if len(keys) > 0 && d.IntN(2) == 0 {
		s += `,"required":[` + keys[d.IntN(len(keys))] + `]`
	}
	if d.IntN(3) == 0 {
		s += `,"patternProperties":{` + d.pick(`"^a"`, `"b"`, `"^[ab]{2}$"`) + `:` + sub() + `}`
	}
	if d.IntN(3) > 0 {
		s += `,"additionalProperties":` + d.pick("false", "false", sub())
	}
	return s + "}"
}

// tokens are the bytes of the instances and of what texts under any schema are likely to need, and
// pieces of instances and random joins of both, now and then twice.
func (d dice) tokens(instances []Instance) []string {
	letters := `{}[]",: abkn\é01259-.etrufls`
	var list []string
	for i := range len(letters) {
		list = append(list, letters[i:i+1])
	}
	for range 8 + d.IntN(16) {
		t := string(instances[d.IntN(len(instances))].Text)
		from := d.IntN(len(t))
		list = append(list, t[from:min(len(t), from+2+d.IntN(6))])
		if d.IntN(3) == 0 {
			list = append(list, d.pick(`"a`, `ab"`, `","`, `":"`, `"}`, `"]`, `{"`, `": "`, `aa`, `aaaa`, `bé`, "\xa9", "", `"a"`, `11`, `\n`))
		}
	}
	d.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
