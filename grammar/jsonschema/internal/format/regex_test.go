package format

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/datasets/labels"
	"gcdbench/grammar/jsonschema/internal/pattern"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestRegexFormat says which regular expressions the format has.
func TestRegexFormat(t *testing.T) {
	d := All["regex"].Automaton()
	for _, text := range []string{``, `^[a-zA-Z0-9_]{3,16}$`, `(a|b){2,11}?c*`, `^(?=.*[A-Z])(?!x).{8,}$`, `[\u4e00-\u9fa5]+`, `[ -~]`, `[\w.-]+@[^@\s]+\.[a-z]{2,}`,
		`((a(?:b)c)+d)?`, `\p{Lu}\d{1,3}`, `[-a^$]`, `x{10,19}`, `x{9,10}`, `[\x00-\x1f\-\]]`, `\bword\b`, `a{0,255}`, `é+`, `[à-]`, `[0-9-_.]`, `[^-]`} {
		if !d.MatchString(text) {
			t.Errorf("%s is refused", text)
		}
	}
	for _, text := range []string{`(`, `)`, `[`, `a{3,2}`, `a{20,19}`, `[z-a]`, `*`, `a**`, `(?=a)*`, `\`, `[\w-a]`, `[9-0]`, `\q`, `^*`, `a|*`, `[\u9000-\u4000]`, `{`, `}`, `]`, `\p{Foo}`, `(?a)`} {
		if d.MatchString(text) {
			t.Errorf("%s is accepted", text)
		}
	}
}

// TestRegexFormatIsSound puts strings together from what regular expressions are made of: those
// that the format has are regular expressions to the other validator, and to the parser of patterns
// here.
func TestRegexFormatIsSound(t *testing.T) {
	d := rand.New(rand.NewPCG(seed.New(t), 5))
	automaton := All["regex"].Automaton()
	judge := must.Get(labels.New([]byte(`{"format": "regex"}`)))(t)
	pieces := strings.Split(`a b 0 9 - ^ $ . , ( ) (?: (?= (?<! [ ] [^ { } | * + ? \\ \d \w \b \- \x2f \x8A \u0041 \u9fa5 \cA \p{L} a-z A-f 0-9 [a-z- {1} {2,} {2,3} {10,12} {13,12} é & / _ : \/`, " ")
	found := 0
	for range 50_000 {
		var b strings.Builder
		for range 1 + d.IntN(6) {
			b.WriteString(pieces[d.IntN(len(pieces))])
		}
		text := b.String()
		if !automaton.MatchString(text) {
			continue
		}
		found++
		instance, _ := json.Marshal(text)
		if valid, err := judge.Valid(instance); err != nil || !valid {
			t.Errorf("the other validator refuses %s", text)
		}
		var unsupported *pattern.Unsupported // an empty class: an expression that is none of a schema
		if _, err := pattern.Parse(text); err != nil && !errors.As(err, &unsupported) {
			t.Errorf("%v", err)
		}
	}
	if t.Logf("%d regular expressions", found); found < 1000 {
		t.Errorf("only %d regular expressions", found)
	}
}

// TestRegexFormatIsUsual asks how many patterns of real schemas the format has.
func TestRegexFormatIsUsual(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "..", "..", "..", "shared", "data", "maskbench-dev.jsonl.gz"))
	if err != nil {
		t.Skip("the schemas are not there: ", err)
	}
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(t)
	automaton := All["regex"].Automaton()
	seen, has := map[string]bool{}, 0
	in := bufio.NewScanner(z)
	in.Buffer(make([]byte, 1<<20), 1<<24)
	for in.Scan() {
		var b struct{ Schema any }
		must.OK(t, json.Unmarshal(in.Bytes(), &b))
		eachPattern(b.Schema, func(p string) {
			if _, err := pattern.Parse(p); err != nil || seen[p] {
				return
			}
			if seen[p] = true; automaton.MatchString(p) {
				has++
			} else {
				t.Logf("refused: %.200s", p)
			}
		})
	}
	t.Logf("%d of %d patterns", has, len(seen))
	if has*10 < len(seen)*8 {
		t.Errorf("the format has only %d of %d patterns", has, len(seen))
	}
}

// eachPattern calls f for each value of pattern in a schema.
func eachPattern(v any, f func(string)) {
	switch v := v.(type) {
	case map[string]any:
		if p, ok := v["pattern"].(string); ok {
			f(p)
		}
		for _, x := range v {
			eachPattern(x, f)
		}
	case []any:
		for _, x := range v {
			eachPattern(x, f)
		}
	}
}
