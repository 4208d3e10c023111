package jsonschema

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/datasets/labels"
	"gcdbench/grammar/jsonschema/internal/format"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// formatSeeds has texts of each format, which TestFormats changes, and the characters that it puts
// in.
var formatSeeds = map[string]struct{ texts, alphabet string }{
	"date-time":             {`2024-02-29T23:59:60Z 2023-02-28t00:00:00.5z 2000-12-31T01:29:60+01:30 1900-01-01T12:34:56-23:59`, `0123456789-+:.TtZz `},
	"date":                  {`2024-02-29 1900-02-28 2000-02-29 0000-01-31 9999-12-31 2023-11-30`, `0123456789-`},
	"time":                  {`23:59:60Z 00:00:00z 12:34:56.789+05:30 01:00:60+01:01 22:58:60-01:01`, `0123456789:.+-Zz`},
	"duration":              {`P1Y2M3D P1YT1H PT1H2M3S PT0S P2W P10D PT1M3S P1M2DT4M`, `0123456789PYMDTHSW.`},
	"email":                 {`a@b a.b+c@x.y "a b"@c "a\"b"@d joe@[127.0.0.1] joe@[IPv6:::1] a!#$%&'*/=?^_{|}~@b-c.d`, `ab.@"\- [:]é!`},
	"hostname":              {`a a.b xn--a www.example.com a-b.c 1.2.3.4 A0`, `aZ0-._`},
	"ipv4":                  {`1.2.3.4 255.255.255.255 0.0.0.0 192.168.10.199`, `0123456789.`},
	"ipv6":                  {`::1 1:2:3:4:5:6:7:8 ::ffff:1.2.3.4 fe80::1:2 1::8 ::1:2:3:4:5:6:7 1:2:3:4:5:6:7:: 1:2:3:4:5:6:1.2.3.4 1::2:1.2.3.4`, `0123489aFg:.`},
	"uri":                   {`http://a.b/c?d#e urn:x:y mailto:a@b http://u:p@h:80/%41;a=b?x=y&z http://[::1]:8/ file:///a/b a:`, `aZ0:/?#[]@!%41 é\^-.`},
	"uri-reference":         {`http://a/b ../a ?q #f //h/p a/b:c ./a:b %41 //u@h:1 a`, `aZ0:/?#[]@!%41 é\^-.`},
	"iri":                   {`http://é.fr/ü?ö=#ß a:é http://[::1]/é x:😀 http://é@é:80/é`, "aé:/?#[]@%41 \ue000\u0080\uffff\ufdd0😀"},
	"iri-reference":         {`é #é ?é //é:80/é ../é é/b:c`, "aé:/?#[]@%41 \ue000\u0080\uffff\ufdd0😀"},
	"uri-template":          {`http://a/{b} {+x}{?a,b*} {&a:3} a%41b {a.b}{/c}{#d} x é`, `ab{},+#?&*:130%./ é"<`},
	"uuid":                  {`2eb8aa08-aa98-11ea-b4aa-73b441d16380 2EB8AA08-AA98-11EA-B4AA-73B441D16380`, `0aF-g`},
	"json-pointer":          {`/a/b /a~0b/~1 / // /é/0`, `/~01aé`},
	"relative-json-pointer": {`0 1/a 2# 10/~0 0/`, `/~01#a`},
	"regex":                 {`^a+[b-z]*(c|d)?$ [^a-c]{2,3} a{10} (?=x)y \d\w\b`, `ab()[]{}*+?|\^$-,:=!0123`},
}

// TestFormats changes texts of each format a little, and asks the other validator: what it refuses
// must be refused, and what it accepts accepted, unless the format is narrower, and says so.
func TestFormats(t *testing.T) {
	d := rand.New(rand.NewPCG(seed.New(t), 6))
	rounds := seed.Rounds(300, 800, 200000)
	for name, f := range format.All {
		if strings.HasPrefix(name, "idn-") { // the other validator does not know them; idn_test.go
			continue
		}
		t.Run(name, func(t *testing.T) { compareFormat(t, d, name, f, rounds) })
	}
}

func compareFormat(t *testing.T, d *rand.Rand, name string, f format.Format, rounds int) {
	schema := `{"format": "` + name + `"}`
	valid, err := judge(schema)
	must.OK(t, err)
	accepts, _, err := acceptance(schema, Options{})
	must.OK(t, err)
	seeds := formatSeeds[name]
	texts, alphabet := strings.Split(seeds.texts, " "), []rune(seeds.alphabet)
	if name == "email" {
		texts = append(texts, `"a b"@c`)
	}
	found, refused := 0, 0
	for range rounds {
		text := []rune(texts[d.IntN(len(texts))])
		for range d.IntN(4) {
			text = changed(d, text, alphabet)
		}
		written := must.Get(json.Marshal(string(text)))(t)
		want, got := valid(string(written)), accepts(string(written))
		switch {
		case got && !want:
			t.Errorf("%s is accepted, and refused by the other validator", written)
		case want && !got && f.Narrower == "":
			t.Errorf("%s is refused, and accepted by the other validator", written)
		case want && !got:
			refused++
		}
		found += btoi(want)
	}
	if t.Logf("%d texts, %d of them valid, %d of those refused", rounds, found, refused); found*20 < rounds {
		t.Errorf("only %d of %d texts are valid", found, rounds)
	}
}

// changed removes, replaces, inserts or doubles a character.
func changed(d *rand.Rand, text, alphabet []rune) []rune {
	i, c := d.IntN(len(text)+1), alphabet[d.IntN(len(alphabet))]
	switch n := d.IntN(4); {
	case n == 0 || i == len(text):
		return append(append(append([]rune{}, text[:i]...), c), text[i:]...)
	case n == 1:
		return append(append([]rune{}, text[:i]...), text[i+1:]...)
	case n == 2:
		return append(append(append([]rune{}, text[:i]...), text[i]), text[i:]...)
	}
	text = append([]rune{}, text...)
	text[i] = c
	return text
}

// TestLeapSecondsBesideOthers: where other keywords are about the string, and with escapes, some
// leap seconds are left out, and nothing else changes.
func TestLeapSecondsBesideOthers(t *testing.T) {
	const odd, even = `01:00:60+01:01`, `01:29:60+01:30`
	for _, c := range []struct {
		schema, text string
		want         bool
	}{
		{`{"format": "time"}`, `"` + odd + `"`, true},
		{`{"format": "time"}`, `"\u0030` + odd[1:] + `"`, false},
		{`{"format": "time"}`, `"\u0030` + even[1:] + `"`, true},
		{`{"format": "time"}`, `"01:00:60+01:0\u0031"`, false},
		{`{"format": "time", "maxLength": 50}`, `"` + odd + `"`, false},
		{`{"format": "time", "maxLength": 50}`, `"` + even + `"`, true},
		{`{"not": {"format": "time"}}`, `"` + odd + `"`, false},
		{`{"type": ["string", "null"], "format": "date-time"}`, `"2016-12-31T` + odd + `"`, true},
		{`{"format": "date-time"}`, `"2016-12-32T` + odd + `"`, false},
		{`{"format": "date-time"}`, `"2015-02-29T` + odd + `"`, false},
		{`{"format": "time"}`, `"25:00:60+01:01"`, false},
		{`{"format": "time"}`, `"01:0a:60+01:01"`, false},
	} {
		accepts, _, err := acceptance(c.schema, Options{})
		must.OK(t, err)
		if accepts(c.text) != c.want {
			t.Errorf("%s: %s is accepted: %v", c.schema, c.text, !c.want)
		}
	}
}

// TestInternationalNames says what of host names and mailboxes is accepted.
func TestInternationalNames(t *testing.T) {
	for _, c := range []struct {
		format      string
		right, left []string // right ones, and what is wrong or left out
	}{
		{"idn-hostname", []string{"a", "Example.COM", "münchen.de", "실례.테스트", "例え.jp", "straße", "a-1.é-2.fr", "пример", "l·l", "שלום", "α͵β", "א׳ב", "・ぁ", "ب٠ب.a1", "۰0", "क्\u200dष", "a。b"},
			[]string{"", ".", "a.", "-a", "a-", "é-", "a_b", "É.fr", "München", "a--b", "xn--x", "〮실", "실〮례", "a·l", "·", "α͵b", "a׳ב", "・a", "אa", "א.1", "٠ב", "ב٠۰", "ב1٠ב", "ا\u200dب", "क\u200dष", "\u0300a", "e\u0301", "ΑΒ", "ᾳ", "a.b.c.d", "ﬁ", "ａ", "〳", "ᄀ", "ööööööööööö", "a b", "☃"}},
		{"idn-email", []string{"a@b", "실례@실례.테스트", "é.ü+x@münchen.de", `\"a b\"@c`, "a@[1.2.3.4]", "ÉÉ@a", `\"é\"@b`},
			[]string{"", "@", "é", "é@", "@é", "é..ü@a", ".é@a", "a@É", "é b@c", "a@b.", "aaaaaaaaaaaaaaaaé@b"}},
	} {
		accepts, result, err := acceptance(`{"type": "string", "format": "`+c.format+`"}`, Options{})
		must.OK(t, err)
		for _, text := range c.right {
			if !accepts(`"` + text + `"`) {
				t.Errorf("%s: %s is refused", c.format, text)
			}
		}
		for _, text := range c.left {
			if accepts(`"` + text + `"`) {
				t.Errorf("%s: %s is accepted", c.format, text)
			}
		}
		if found := result.Coverage[1]; found.Status != Narrower {
			t.Errorf("%s: %v", c.format, found)
		}
		if accepts, _, err = acceptance(`{"type": "string", "not": {"format": "`+c.format+`"}}`, Options{}); err != nil {
			t.Fatal(err)
		}
		for _, text := range c.right {
			if accepts(`"` + text + `"`) {
				t.Errorf("not %s: %s is accepted", c.format, text)
			}
		}
	}
}

// TestInternationalChanges mixes what names are made of: what is accepted is right to the other
// validator.
func TestInternationalChanges(t *testing.T) {
	d := rand.New(rand.NewPCG(seed.New(t), 8))
	parts := []rune("al1-.。éÉß·α͵אב׳״٠۰بकष\u094d\u200d\u200c・ぁ丈\u0301@")
	rounds := seed.Rounds(4000, 20_000, 2_000_000)
	for _, name := range []string{"idn-hostname", "idn-email"} {
		schema := `{"type": "string", "format": "` + name + `"}`
		valid := must.Get(labels.New([]byte(schema)))(t)
		accepts, _, err := acceptance(schema, Options{})
		must.OK(t, err)
		accepted := 0
		for range rounds {
			var text []rune
			for range 1 + d.IntN(7) {
				text = append(text, parts[d.IntN(len(parts))])
			}
			instance := must.Get(json.Marshal(string(text)))(t)
			if !accepts(string(instance)) {
				continue
			}
			accepted++
			if right, err := valid.Valid(instance); err != nil || !right {
				t.Fatalf("%s: %q is accepted: %v", name, string(text), err)
			}
		}
		if accepted < rounds/400 {
			t.Errorf("%s: only %d of %d texts were accepted", name, accepted, rounds)
		}
	}
}
