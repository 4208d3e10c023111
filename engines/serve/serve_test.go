package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/all"
	"gcdbench/engines/wire"
	"gcdbench/grammar/languages"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// answers asks a server and returns what it answers.
func answers(t testing.TB, lines ...string) []map[string]any {
	t.Helper()
	a := must.Get(algorithms.Lookup("trie"))(t)
	var out bytes.Buffer
	must.OK(t, Serve(a, strings.NewReader(strings.Join(lines, "\n")), &out))
	var list []map[string]any
	for d := json.NewDecoder(&out); ; {
		var answer map[string]any
		if err := d.Decode(&answer); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, answer)
	}
}

// file is a bulk file, mapped here too.
func file(t testing.TB) (*wire.Mapping, string) {
	t.Helper()
	m, path, forget, err := wire.CreateFile(1 << 16)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { m.Close(); forget() })
	return m, fmt.Sprintf(`{"do":"map","file":%q,"bytes":%d}`, path, m.Bytes())
}

// letters fills a file with the vocabulary of three letters and EOS, and returns the request that
// hands it over.
func letters(t testing.TB, m *wire.Mapping) string {
	t.Helper()
	ends := must.Get(m.Slice(&wire.Area{At: 0, N: 4}, 8))(t)
	text := must.Get(m.Slice(&wire.Area{At: 64, N: 3}, 1))(t)
	copy(text, `1"a`)
	wire.PutRow(ends, []uint64{1, 2, 3, 3})
	return `{"do":"vocabulary","name":"letters","size":4,"eos":[3],"ends":{"at":0,"n":4},"text":{"at":64,"n":3}}`
}

// TestByHand is a whole conversation.
func TestByHand(t *testing.T) {
	m, mapping := file(t)
	vocabulary := letters(t, m)
	tokens, err := m.Slice(&wire.Area{At: 128, N: 3}, 4)
	must.OK(t, err)
	wire.PutTokens(tokens, []int32{1, 2, 1})
	got := answers(t,
		`{"do":"hello","protocol":2}`, mapping, vocabulary,
		`{"do":"compile","kind":"json-schema","text":"{\"enum\": [\"a\", 11]}","options":{}}`,
		`{"do":"begin","tokens":{"at":128,"n":2},"row":{"at":256,"n":8}}`,
		`{"do":"next","token":0,"row":{"at":256,"n":8}}`,
		`{"do":"begin","tokens":{"at":128,"n":3},"row":{"at":256,"n":8}}`,
		`{"do":"stats"}`, `{"do":"bye"}`, `{"do":"hello"}`)
	if len(got) != 9 {
		t.Fatalf("%d answers; after bye there is none: %v", len(got), got)
	}
	for i, answer := range got {
		if answer["ok"] != true {
			t.Errorf("answer %d: %v", i, answer)
		}
	}
	if got[5]["refused"] != true {
		t.Errorf("a token that is not allowed: %v", got[5])
	}
	row, err := m.Slice(&wire.Area{At: 256, N: 8}, 1)
	if err != nil || row[0] != 1<<3 {
		t.Errorf("after \"a\" the mask is %b, %v", row, err)
	}
}

// TestMistakes: requests that cannot be are answered, each with an outcome, and the server goes on.
func TestMistakes(t *testing.T) {
	m, mapping := file(t)
	vocabulary := letters(t, m)
	const compile = `{"do":"compile","kind":"json-schema","text":"{\"enum\": [\"a\"]}"}`
	for _, c := range []struct {
		before   []string
		request  string
		outcome  string
		contains string
	}{
		{nil, `nonsense`, wire.Unsupported, "object of JSON"},
		{nil, `[]`, wire.Unsupported, "object of JSON"},
		{nil, `{"do":"dance"}`, wire.Unsupported, "dance"},
		{nil, `{"do":"map","file":"/no/such/file","bytes":100}`, wire.Crash, "no such file"},
		{nil, `{"do":"vocabulary","size":4}`, wire.Crash, "missing"},
		{nil, compile, wire.Crash, "before vocabulary"},
		{nil, `{"do":"walk"}`, wire.Crash, "no engine"},
		{nil, `{"do":"stats"}`, wire.Crash, "no engine"},
		{[]string{mapping}, `{"do":"vocabulary","size":5,"ends":{"at":0,"n":4},"text":{"at":64,"n":3}}`, wire.Crash, "5 tokens, and the ends of 4"},
		{[]string{mapping}, `{"do":"vocabulary","size":4,"ends":{"at":0,"n":4},"text":{"at":64,"n":2}}`, wire.Crash, "token 2 ends at byte 3"},
		{[]string{mapping}, `{"do":"vocabulary","size":4,"ends":{"at":65536,"n":4},"text":{"at":64,"n":2}}`, wire.Crash, "not in the file"},
		{[]string{mapping, vocabulary}, `{"do":"compile","kind":"kbnf","text":""}`, wire.Unsupported, "kbnf"},
		{[]string{mapping, vocabulary}, `{"do":"compile","kind":"lark","text":"start: ("}`, wire.CompileError, "grammar.lark:1"},
		{[]string{mapping, vocabulary}, `{"do":"compile","kind":"json-schema","text":"{","options":{}}`, wire.CompileError, ""},
		{[]string{mapping, vocabulary}, `{"do":"compile","kind":"json-schema","text":"{}","options":{"speed":"high"}}`, wire.CompileError, "speed"},
		{[]string{mapping, vocabulary, compile}, `{"do":"walk","tokens":{"at":0,"n":-1}}`, wire.Crash, "not in the file"},
		{[]string{mapping, vocabulary, compile}, `{"do":"walk","tokens":{"at":0,"n":8},"rows":{"at":0,"n":8},"stride":8}`, wire.Crash, "bytes for rows"},
		{[]string{mapping, vocabulary, compile}, `{"do":"next","token":1,"row":{"at":0,"n":8}}`, wire.Crash, "before begin"},
		{[]string{mapping, vocabulary, compile}, `{"do":"measure","what":"batch","tokens":{"at":128,"n":0},"times":{"at":128,"n":0}}`, wire.Unsupported, "batch"},
	} {
		lines := append(append([]string{}, c.before...), c.request, `{"do":"hello","protocol":2}`)
		got := answers(t, lines...)
		answer := got[len(c.before)]
		text, _ := answer["error"].(string)
		if answer["ok"] != false || answer["outcome"] != c.outcome || !strings.Contains(text, c.contains) {
			t.Errorf("%s: %v, want %s with %q", c.request, answer, c.outcome, c.contains)
		}
		if len(got) != len(lines) || got[len(got)-1]["ok"] != true {
			t.Errorf("%s: it did not go on", c.request)
		}
	}
}

// TestAnything: whatever is asked, there is one answer for each line.
func TestAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 2))
	m, mapping := file(t)
	lines := []string{mapping, letters(t, m)}
	for range 300 {
		area := func() string { return fmt.Sprintf(`{"at":%d,"n":%d}`, r.IntN(1<<17)-1000, r.IntN(2000)-10) }
		do := []string{"hello", "compile", "walk", "begin", "next", "measure", "stats", "walk", "begin"}[r.IntN(9)]
		kind := []string{"json-schema", "lark", "gcdbench", "regex"}[r.IntN(4)]
		text := []string{`{\"enum\":[\"a\"]}`, `start: \"a\"`, `{\"kind\":\"json-schema\",\"text\":\"{}\"}`, `{`, ``}[r.IntN(5)]
		lines = append(lines, fmt.Sprintf(`{"do":%q,"kind":%q,"text":"%s","token":%d,"tokens":%s,"masked":%s,"rows":%s,"row":%s,"stride":%d,"times":%s,"block":%d,"what":"draft","k":%d}`,
			do, kind, text, r.IntN(8)-2, area(), area(), area(), area(), r.IntN(40)-8, area(), r.IntN(4)-1, r.IntN(5)-2))
	}
	if got := answers(t, lines...); len(got) != len(lines) {
		t.Errorf("%d answers to %d requests", len(got), len(lines))
	}
}

// TestReading: the options that a grammar is read with come with its name.
func TestReading(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	write("shared/digits.lark", "NUMBER: /[0-9]+/\n")
	own, err := json.Marshal(wire.Own{
		Kind: algorithms.KindGrammar, Name: write("g.lark", "%import digits.NUMBER\nvalue: \"a\" | NUMBER\n"),
		Options: languages.Options{Start: "value", ImportPaths: []string{filepath.Join(folder, "shared")}}.Map(),
	})
	must.OK(t, err)
	m, mapping := file(t)
	compile := must.Get(json.Marshal(map[string]any{"do": "compile", "kind": wire.KindGcdbench, "text": string(own), "options": map[string]string{}}))(t)
	got := answers(t, `{"do":"hello","protocol":2}`, mapping, letters(t, m), string(compile),
		`{"do":"begin","tokens":{"at":128,"n":0},"row":{"at":256,"n":8}}`, `{"do":"bye"}`)
	for i, answer := range got {
		if answer["ok"] != true {
			t.Errorf("answer %d: %v", i, answer)
		}
	}
	row, err := m.Slice(&wire.Area{At: 256, N: 8}, 1)
	if err != nil || row[0] != 1<<2|1<<0 {
		t.Errorf("at the start the mask is %b, %v", row, err)
	}
}
