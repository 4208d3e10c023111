package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"gcdbench/internal/must"
)

var update = flag.Bool("update", false, "rewrite configs/schema.json")

// known is a world with a few names.
var known = Names{
	Algorithms: map[string][]Option{
		"naive": nil,
		"trie":  nil,
		"psc":   {{Name: "compile", Values: []string{"eager", "lazy"}}, {Name: "limit", Check: isNumber}},
	},
	Tokenizers: []string{"o200k_base", "cl100k_base", "llama3"},
	Grammars:   []string{"json", "java"},
	Datasets:   []string{"json-samples", "java-samples", "schema-samples", "tools-samples"},

	SchemaDatasets: []string{"schema-samples"}, ToolsDatasets: []string{"tools-samples"},
	ToolsFormats: []string{"hermes", "mistral"}, ToolsChoices: []string{"auto", "required"}, ToolsTexts: []string{"around", "none"}, Keywords: []string{"oneOf", "not"},
}

func isNumber(v string) error {
	_, err := strconv.Atoi(v)
	return err
}

const full = `name: full
seed: 7
algorithms: [naive, trie, trie, {name: psc, options: {compile: lazy, limit: 3}}, {name: psc, label: mine}]
tokenizers:
  - o200k_base
  - "llama3[:32000]"
  - {file: tok.json, label: own}
  - {name: cl100k_base, cut: [1000, 2000, all]}
workloads:
  - {grammar: json, dataset: json-samples, published: psc-java}
  - {grammar: sub/my.lark, dataset: {format: jsonl, path: data.jsonl, limit: 10, sample: random, filter: parses, negatives: none}}
  - name: third
    grammar: java
    dataset: {format: files, path: "*.java", min_bytes: 10, max_bytes: 1MiB, negatives: 5}
measure: {warmup: 2, repeat: 5, compiles: 3, timeout: 1m30s, memory: 2GiB, positions: 400, between: nothing}
`

// folder makes a directory with the files that full names.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"tok.json", "sub/my.lark", "data.jsonl", "A.java"} {
		path := filepath.Join(dir, name)
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.OK(t, os.WriteFile(path, []byte("x"), 0o644))
	}
	return dir
}

func TestParse(t *testing.T) {
	dir := folder(t)
	got := must.Get(Parse(filepath.Join(dir, "c.yaml"), []byte(full), known))(t)
	if got.Name != "full" || got.Seed != 7 || string(got.Text) != full {
		t.Errorf("name %q seed %d", got.Name, got.Seed)
	}
	var labels []string
	for _, a := range got.Algorithms {
		labels = append(labels, a.Label)
	}
	if want := []string{"naive", "trie", "trie #2", "psc (compile=lazy, limit=3)", "mine"}; !reflect.DeepEqual(labels, want) {
		t.Errorf("labels %q, want %q", labels, want)
	}
	if got.Algorithms[2].Copy != 1 || got.Algorithms[1].Copy != 0 {
		t.Errorf("copies of trie: %d, %d; want 0, 1", got.Algorithms[1].Copy, got.Algorithms[2].Copy)
	}
	wantTokenizers := []Tokenizer{
		{Spec: "o200k_base", Label: "o200k_base"},
		{Spec: "llama3", Cut: 32000, Label: "llama3[:32000]"},
		{Spec: filepath.Join(dir, "tok.json"), File: true, Label: "own"},
		{Spec: "cl100k_base", Cut: 1000, Label: "cl100k_base[:1000]"},
		{Spec: "cl100k_base", Cut: 2000, Label: "cl100k_base[:2000]"},
		{Spec: "cl100k_base", Label: "cl100k_base"},
	}
	for i := range got.Tokenizers {
		got.Tokenizers[i].Pos = Position{}
	}
	if !reflect.DeepEqual(got.Tokenizers, wantTokenizers) {
		t.Errorf("tokenizers\n%+v, want\n%+v", got.Tokenizers, wantTokenizers)
	}
	wantWorkloads := []Workload{
		{Name: "json", Grammar: "json", Published: "psc-java", Dataset: Dataset{Name: "json-samples", Negatives: -1}},
		{Name: "my/data.jsonl", Grammar: filepath.Join(dir, "sub/my.lark"), GrammarFile: true,
			Dataset: Dataset{Format: "jsonl", Path: filepath.Join(dir, "data.jsonl"), Limit: 10, Sample: true, Filter: FilterParses}},
		{Name: "third", Grammar: "java",
			Dataset: Dataset{Format: "files", Path: filepath.Join(dir, "*.java"), MinBytes: 10, MaxBytes: 1 << 20, Negatives: 5}},
	}
	for i := range got.Workloads {
		got.Workloads[i].Pos, got.Workloads[i].Dataset.Pos = Position{}, Position{}
	}
	if !reflect.DeepEqual(got.Workloads, wantWorkloads) {
		t.Errorf("workloads\n%+v, want\n%+v", got.Workloads, wantWorkloads)
	}
	wantMeasure := Measure{Warmup: 2, Repeat: 5, Compiles: 3, Timeout: 90 * time.Second, Memory: 2 << 30, Positions: 400, Between: BetweenNothing}
	if got.Measure != wantMeasure {
		t.Errorf("measure %+v, want %+v", got.Measure, wantMeasure)
	}
}

// TestSchemaWorkloads: the keys of schemas, and what they are by default.
func TestSchemaWorkloads(t *testing.T) {
	dir := folder(t)
	const head = "name: a\nalgorithms: [trie]\ntokenizers: [llama3]\nworkloads: ["
	cases := []struct {
		workload, name string
		want           SchemaOptions
	}{
		{"{grammar: schema, dataset: schema-samples}", "schema", SchemaOptions{}},
		{"{grammar: schema, dataset: {format: maskbench, path: data.jsonl, limit: 20, negatives: 2}}", "schema/data.jsonl", SchemaOptions{}},
		{"{grammar: schema, dataset: {format: jsonschemabench, path: sub}, whitespace: strict, order: declared, lenient: false}", "schema/sub", SchemaOptions{DeclaredOrder: true}},
		{"{grammar: schema, dataset: {format: json-schema-test-suite, path: sub}, whitespace: any}", "schema/sub", SchemaOptions{AnyWhiteSpace: true}},
		{"{grammar: schema, dataset: {format: schemas, path: sub}, order: any, lenient: True}", "schema/sub", SchemaOptions{Lenient: true}},
		{"{grammar: schema, dataset: schema-samples, published: maskbench}", "schema", SchemaOptions{}},
		{"{name: own, grammar: schema, dataset: {name: schema-samples, sample: random, limit: 3}}", "own", SchemaOptions{}},
	}
	for _, c := range cases {
		got, err := Parse(filepath.Join(dir, "c.yaml"), []byte(head+c.workload+"]\n"), known)
		if err != nil {
			t.Errorf("%s: %v", c.workload, err)
			continue
		}
		w := got.Workloads[0]
		if w.Name != c.name || w.Grammar != GrammarSchema || w.Schema == nil || *w.Schema != c.want || w.GrammarFile {
			t.Errorf("%s: %+v with %+v", c.workload, w, w.Schema)
		}
	}
	got, err := Parse("c.yaml", []byte(head+"{grammar: json, dataset: json-samples}]\n"), known)
	if err != nil || got.Workloads[0].Schema != nil {
		t.Errorf("a workload of one grammar: %+v, %v", got, err)
	}
	// Without the names, a named corpus of schemas is recognised when it is loaded.
	for _, text := range []string{"{grammar: schema, dataset: mine}", "{grammar: json, dataset: mine}"} {
		if _, err := Parse("c.yaml", []byte(head+text+"]\n"), Names{}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestReading: the keys that say how a grammar is read.
func TestReading(t *testing.T) {
	dir := folder(t)
	const head = "name: a\nalgorithms: [trie]\ntokenizers: [llama3]\nworkloads: ["
	got := must.Get(Parse(filepath.Join(dir, "c.yaml"), []byte(head+"{grammar: sub/my.lark, start: value, import_paths: [sub, .], dataset: json-samples}, "+
		"{grammar: json, start: array, lexer: contextual, dataset: json-samples}]\n"), known))(t)
	file, embedded := got.Workloads[0], got.Workloads[1]
	if file.Start != "value" || !slices.Equal(file.ImportPaths, []string{filepath.Join(dir, "sub"), dir}) {
		t.Errorf("start %q, import paths %q", file.Start, file.ImportPaths)
	}
	if embedded.Start != "array" || embedded.ImportPaths != nil || embedded.Lexer != "contextual" || file.Lexer != "" {
		t.Errorf("start %q, import paths %q, lexers %q and %q", embedded.Start, embedded.ImportPaths, embedded.Lexer, file.Lexer)
	}
}

// TestReplaced: a path whose documents are replaced is resolved and not looked for; all else is
// checked as ever.
func TestReplaced(t *testing.T) {
	dir := folder(t)
	const head = "name: a\nalgorithms: [trie]\ntokenizers: [llama3]\nworkloads: ["
	for _, c := range []struct {
		workload string
		replaced []string
		path     string // in dir
		want     string // of the error
	}{
		{"{grammar: schema, dataset: {format: maskbench, path: gone.jsonl.gz}}", []string{"schema"}, "gone.jsonl.gz", ""},
		{"{grammar: json, dataset: {format: zip, path: gone.zip, glob: '*.x'}}", []string{"java", "json"}, "gone.zip", ""},
		{"{grammar: json, dataset: {format: files, path: 'gone/**'}}", []string{"json"}, "gone/**", ""},
		{"{grammar: sub/my.lark, dataset: {format: jsonl, path: gone}}", []string{filepath.Join(dir, "sub/my.lark")}, "gone", ""},
		{"{grammar: json, dataset: {format: zip, path: gone.zip}}", []string{"java", "schema"}, "", `the dataset file "gone.zip" does not exist`},
		{"{grammar: json, dataset: {format: files, path: 'gone/**'}}", []string{"java"}, "", `no file matches "gone/**"`},
		{"{grammar: json, dataset: {format: files, path: '[a'}}", []string{"json"}, "", `bad glob "[a"`},
		{"{grammar: json, dataset: {format: zip, path: gone, glob: '[a'}}", []string{"json"}, "", `bad glob "[a"`},
		{"{grammar: json, dataset: {format: zip}}", []string{"json"}, "", `lacks the key "path"`},
		{"{grammar: json, dataset: jsn-samples}", []string{"json"}, "", `unknown dataset "jsn-samples"`},
		{"{grammar: json, dataset: {format: maskbench, path: gone}}", []string{"json"}, "", "it needs grammar: schema"},
		{"{grammar: gone.lark, dataset: {format: dir, path: gone}}", []string{filepath.Join(dir, "gone.lark")}, "", `the grammar file "gone.lark" does not exist`},
	} {
		names := known
		names.Replaced = c.replaced
		got, err := Parse(filepath.Join(dir, "c.yaml"), []byte(head+c.workload+"]\n"), names)
		switch {
		case c.want != "":
			var list Errors
			if !errors.As(err, &list) || len(list) != 1 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want one error with %q", c.workload, err, c.want)
			}
		case err != nil:
			t.Errorf("%s: %v", c.workload, err)
		case got.Workloads[0].Dataset.Path != filepath.Join(dir, c.path):
			t.Errorf("%s: the path is %q", c.workload, got.Workloads[0].Dataset.Path)
		}
	}
}

func TestDefaults(t *testing.T) {
	got := must.Get(Parse("c.yaml", []byte("name: a\nalgorithms: [trie]\ntokenizers: [llama3]\nworkloads: [{grammar: json, dataset: json-samples}]\n"), known))(t)
	want := Measure{Warmup: 1, Repeat: 3, Timeout: 10 * time.Minute, Between: BetweenLogits}
	if got.Measure != want || got.Seed != 1 {
		t.Errorf("measure %+v seed %d, want %+v seed 1", got.Measure, got.Seed, want)
	}
}

// TestMistakes changes one thing of a right configuration and compares the message.
func TestMistakes(t *testing.T) {
	const base = `name: a
algorithms: [trie]
tokenizers: [llama3]
workloads:
  - {grammar: json, dataset: json-samples}
measure: {repeat: 1}
`
	cases := []struct {
		what, old, new string
		want           string // the whole message, or a part of it after "..."
	}{
		{"unknown key", "measure:", "mesure:", `c.yaml:6:1: unknown key "mesure" in a configuration; did you mean "measure"?; known are name, seed, algorithms, tokenizers, workloads, measure, throughput, load`},
		{"unknown key inside", "repeat: 1", "repeats: 1", `...c.yaml:6:11: unknown key "repeats" in measure; did you mean "repeat"?`},
		{"unknown key, nothing near", "repeat: 1", "xyzzy: 1", `c.yaml:6:11: unknown key "xyzzy" in measure; known are warmup, repeat, compiles, timeout, memory, positions, between`},
		{"another word", "repeat: 1", "between: tokens", `c.yaml:6:20: unknown value "tokens": expected one of logits, nothing`},
		{"wrong type", "repeat: 1", "repeat: often", `c.yaml:6:19: expected a whole number from 1 to 1000, found the text "often"`},
		{"float for int", "repeat: 1", "repeat: 1.5", `c.yaml:6:19: expected a whole number from 1 to 1000, found the number 1.5`},
		{"octal to some", "repeat: 1", "repeat: 010", `c.yaml:6:19: 010 begins with a zero, which YAML 1.1 reads as octal and 1.2 does not: expected a whole number from 1 to 1000`},
		{"out of range", "repeat: 1", "repeat: 0", `c.yaml:6:19: 0 is out of range: expected a whole number from 1 to 1000`},
		{"beyond int64", "repeat: 1", "repeat: 99999999999999999999", `...expected a whole number from 1 to 1000`},
		{"null", "repeat: 1", "repeat: ~", `c.yaml:6:19: expected a whole number from 1 to 1000, found nothing`},
		{"bad duration", "repeat: 1", "timeout: 10 minutes", `c.yaml:6:20: bad duration "10 minutes": expected a duration such as 500ms, 10m or 1h30m`},
		{"duration without unit", "repeat: 1", "timeout: 10", `c.yaml:6:20: bad duration "10": expected a duration such as 500ms, 10m or 1h30m`},
		{"zero duration", "repeat: 1", "timeout: 0s", `c.yaml:6:20: the duration "0s" is not above zero: expected a duration such as 500ms, 10m or 1h30m`},
		{"bad size", "repeat: 1", "memory: 8GIB", `c.yaml:6:19: bad size "8GIB": expected a size such as 512MiB, 8GiB or 100kB`},
		{"size without unit", "repeat: 1", "memory: 8", `c.yaml:6:19: bad size "8": expected a size such as 512MiB, 8GiB or 100kB`},
		{"unknown algorithm", "[trie]", "[tire]", `c.yaml:2:14: unknown algorithm "tire"; did you mean "trie"?; known are naive, psc, trie`},
		{"no algorithms", "[trie]", "[]", `...c.yaml:2:13: the list is empty: expected at least 1 entry`},
		{"not a list", "[trie]", "trie", `...c.yaml:2:13: expected a list, each entry an algorithm's name, or an algorithm (a mapping with name, options, label); found the text "trie"`},
		{"option of none", "[trie]", "[{name: trie, options: {a: 1}}]", `c.yaml:2:37: trie takes no options, found "a"`},
		{"unknown option", "[trie]", "[{name: psc, options: {compil: lazy}}]", `c.yaml:2:36: psc has no option "compil"; did you mean "compile"?; it has compile, limit`},
		{"option's value", "[trie]", "[{name: psc, options: {compile: lasy}}]", `c.yaml:2:45: psc's option compile cannot be "lasy"; did you mean "lazy"?; expected one of eager, lazy`},
		{"option's form", "[trie]", "[{name: psc, options: {limit: many}}]", `c.yaml:2:43: psc's option limit cannot be "many": strconv.Atoi: parsing "many": invalid syntax`},
		{"option not scalar", "[trie]", "[{name: psc, options: {compile: [1]}}]", `c.yaml:2:45: expected a single value, found a list`},
		{"same label", "[trie]", "[trie, {name: psc, label: trie}]", `c.yaml:2:20: the algorithm "trie" stands already at line 2 column 14; give one of them another label`},
		{"unknown tokenizer", "[llama3]", "[lama3]", `c.yaml:3:14: unknown tokenizer "lama3"; did you mean "llama3"?; known are cl100k_base, llama3, o200k_base; any other is given by its file, {file: path/tokenizer.json}`},
		{"cut without brackets", "[llama3]", `["llama3:500"]`, `...unknown tokenizer "llama3:500"; did you mean "llama3[:500]"?`},
		{"unknown cut tokenizer", "[llama3]", `["lama3[:500]"]`, `...unknown tokenizer "lama3"`},
		{"empty cut", "[llama3]", `["llama3[:0]"]`, `c.yaml:3:14: the cut of "llama3[:0]" is out of range: expected at least 1 id`},
		{"cut twice", "[llama3]", `[{name: "llama3[:500]", cut: 400}]`, `c.yaml:3:42: the name "llama3[:500]" is cut already`},
		{"same cut", "[llama3]", `[{name: llama3, cut: [400, 400]}]`, `...the tokenizer "llama3[:400]" stands already at line 3 column 35`},
		{"name and file", "[llama3]", "[{name: llama3, file: a}]", `c.yaml:3:14: a tokenizer needs either name or file`},
		{"missing tokenizer file", "[llama3]", "[{file: no.json}]", `...c.yaml:3:21: the tokenizer file "no.json" does not exist; relative paths start at`},
		{"unknown grammar", "grammar: json", "grammar: jsno", `c.yaml:5:15: unknown grammar "jsno"; did you mean "json"?; known are java, json, schema`},
		{"missing grammar file", "grammar: json", "grammar: no.lark", `...c.yaml:5:15: the grammar file "no.lark" does not exist`},
		{"no grammar", "grammar: json, ", "", `c.yaml:5:5: a workload lacks the key "grammar"; requests with tools have the key "tools" in its place`},
		{"grammar and tools", "grammar: json", "grammar: json, tools: {format: hermes}", `...c.yaml:5:15: a workload has either grammar or tools`},
		{"tools of programs", "grammar: json", "tools: {format: hermes}", `...it has no tools: expected tools-samples, or a mapping of format tools and a path`},
		{"programs of tools", "json-samples", "tools-samples", `...a corpus of tools needs the key "tools" in the place of grammar`},
		{"unknown way of calls", "grammar: json, dataset: json-samples", "tools: {format: herms}, dataset: tools-samples", `...format cannot be "herms"; did you mean "hermes"?; expected one of hermes, mistral`},
		{"unknown choice", "grammar: json, dataset: json-samples", "tools: {format: hermes, choice: any}, dataset: tools-samples", `...choice cannot be "any"; expected one of auto, required`},
		{"no keyword", "grammar: json, dataset: json-samples", "tools: {format: hermes, without: [not, oneof]}, dataset: tools-samples", `c.yaml:5:45: "oneof" is no keyword of JSON Schema; did you mean "oneOf"?`},
		{"no tools", "grammar: json, dataset: json-samples", "tools: {format: hermes, count: 0}, dataset: tools-samples", `...0 is out of range: expected a whole number from 1`},
		{"white space of calls", "grammar: json, dataset: json-samples", "tools: {format: hermes}, whitespace: any, dataset: tools-samples", `...whitespace goes with grammar: schema only`},
		{"filtered tools", "grammar: json, dataset: json-samples", "tools: {format: hermes}, dataset: {name: tools-samples, filter: right}", `...a corpus of tools has no filter`},
		{"unknown corpus", "json-samples", "json-sample", `c.yaml:5:30: unknown dataset "json-sample"; did you mean "json-samples"?; known are java-samples, json-samples, schema-samples, tools-samples`},
		{"unknown format", "json-samples", "{format: tar, path: a}", `c.yaml:5:39: unknown value "tar": expected one of files, dir, zip, jsonl, parquet, maskbench, schemas, jsonschemabench, json-schema-test-suite, tools`},
		{"format without path", "json-samples", "{format: zip}", `c.yaml:5:30: a dataset of format zip lacks the key "path"`},
		{"name and format", "json-samples", "{format: zip, name: json-samples}", `c.yaml:5:30: a dataset needs either name or format`},
		{"name and path", "json-samples", "{name: json-samples, path: a}", `c.yaml:5:57: path goes with format, not with name`},
		{"no file of a glob", "json-samples", "{format: files, path: '*.none'}", `...no file matches "*.none"; relative paths start at`},
		{"bad glob", "json-samples", "{format: files, path: '[a'}", `c.yaml:5:52: bad glob "[a": check its brackets and braces`},
		{"glob of a file", "json-samples", "{format: jsonl, path: ., glob: a}", `c.yaml:5:61: glob goes with folders and archives: formats dir, zip, parquet, maskbench, schemas, jsonschemabench, json-schema-test-suite`},
		{"column of lines", "json-samples", "{format: jsonl, path: ., column: a}", `c.yaml:5:63: column goes with format parquet`},
		{"column of a name", "json-samples", "{name: json-samples, column: a}", `c.yaml:5:59: column goes with format parquet`},
		{"negatives of rows", "json-samples", "{format: parquet, path: ., invalid: a}", `c.yaml:5:66: invalid goes with formats dir and zip; all rows of format parquet are meant to be right`},
		{"a schema for a grammar", "grammar: json", "grammar: person.json", `c.yaml:5:15: "person.json" is a JSON schema by its name, and schemas come with their instances: write grammar: schema with a dataset of format maskbench, schemas, jsonschemabench, json-schema-test-suite; schemas is a folder of NAME.json with NAME.valid*.json and NAME.invalid*.json`},
		{"a schema's other ending", "grammar: json", "grammar: x.schema.JSON", `...c.yaml:5:15: "x.schema.JSON" is a JSON schema by its name`},
		{"bad glob of negatives", "json-samples", "{format: dir, path: ., invalid: '[a'}", `c.yaml:5:62: bad glob "[a": check its brackets and braces`},
		{"negatives of lines", "json-samples", "{format: jsonl, path: ., invalid: a}", `c.yaml:5:64: invalid goes with formats dir and zip; a line of format jsonl says "valid": false`},
		{"negatives of a glob", "json-samples", "{format: files, path: '*', invalid: a}", `...c.yaml:5:66: invalid goes with formats dir and zip; for format files name their folder, in format dir`},
		{"negatives of schemas", "grammar: json, dataset: json-samples", "grammar: schema, dataset: {format: maskbench, path: ., invalid: a}", `c.yaml:5:70: invalid goes with formats dir and zip; a corpus of format maskbench labels its instances`},
		{"negatives of a name", "json-samples", "{name: json-samples, invalid: a}", `c.yaml:5:60: invalid goes with formats dir and zip; a corpus with a name knows which of its documents have a mistake`},
		{"sample without limit", "json-samples", "{name: json-samples, sample: random}", `c.yaml:5:59: sample: random needs a limit`},
		{"bounds crossed", "json-samples", "{name: json-samples, min_bytes: 2kB, max_bytes: 1kB}", `c.yaml:5:62: min_bytes is above max_bytes: no document would be left`},
		{"negatives", "json-samples", "{name: json-samples, negatives: some}", `c.yaml:5:62: unknown value "some": expected one of all, none`},
		{"schemas without their grammar", "json-samples", "schema-samples", `c.yaml:5:15: the dataset schema-samples brings a JSON schema with its documents: it needs grammar: schema`},
		{"format of schemas without their grammar", "json-samples", "{format: maskbench, path: .}", `c.yaml:5:15: a dataset of format maskbench brings a JSON schema with its documents: it needs grammar: schema`},
		{"schema files for programs", "grammar: json, dataset: json-samples", "grammar: json, schemas: ., dataset: json-samples", `c.yaml:5:30: schemas and schema_files go with grammar: schema only`},
		{"a folder that is not there", "grammar: json, dataset: json-samples", "grammar: schema, schemas: none, dataset: schema-samples", `...c.yaml:5:32: schemas: lstat`},
		{"a schema file that is not there", "grammar: json, dataset: json-samples", "grammar: schema, schema_files: {\"https://x.y/z\": none.json}, dataset: schema-samples", `...the schema file "none.json" does not exist; relative paths start at`},
		{"the grammar schema without schemas", "grammar: json", "grammar: schema", `c.yaml:5:32: the dataset json-samples has no schemas: grammar: schema needs a corpus of schemas, of format maskbench, schemas, jsonschemabench, json-schema-test-suite`},
		{"the grammar schema with plain documents", "grammar: json, dataset: json-samples", "grammar: schema, dataset: {format: dir, path: .}", `c.yaml:5:32: a dataset of format dir has no schemas: grammar: schema needs a corpus of schemas, of format maskbench, schemas, jsonschemabench, json-schema-test-suite`},
		{"start rule of schemas", "grammar: json, dataset: json-samples", "grammar: schema, start: x, dataset: schema-samples", `c.yaml:5:30: start goes with a grammar in Lark's language, not with grammar: schema`},
		{"lexer of schemas", "grammar: json, dataset: json-samples", "grammar: schema, lexer: basic, dataset: schema-samples", `c.yaml:5:30: lexer goes with a grammar in Lark's language, not with grammar: schema`},
		{"unknown lexer", "grammar: json,", "grammar: json, lexer: context,", `c.yaml:5:28: unknown value "context": expected one of basic, contextual, dynamic`},
		{"empty start rule", "grammar: json,", "grammar: json, start: '',", `c.yaml:5:28: empty text: expected a rule's name`},
		{"import paths of an embedded grammar", "grammar: json,", "grammar: json, import_paths: [.],", `c.yaml:5:35: import_paths goes with a .lark file; grammars with a name and JSON schemas import nothing`},
		{"missing import path", "grammar: json,", "grammar: g.lark, import_paths: [., no],", `...c.yaml:5:41: the import path "no" is no folder; relative paths start at`},
		{"white space of another grammar", "grammar: json,", "grammar: json, whitespace: any,", `c.yaml:5:33: whitespace goes with grammar: schema only`},
		{"several keys of schemas", "grammar: json,", "grammar: json, order: any, lenient: true,", "c.yaml:5:28: order goes with grammar: schema only\nc.yaml:5:42: lenient goes with grammar: schema only"},
		{"bad order", "grammar: json, dataset: json-samples", "grammar: schema, dataset: schema-samples, order: declare", `c.yaml:5:55: unknown value "declare"; did you mean "declared"?: expected one of declared, any`},
		{"lenient is no truth", "grammar: json, dataset: json-samples", "grammar: schema, dataset: schema-samples, lenient: very", `c.yaml:5:57: expected true or false, found the text "very"`},
		{"unknown published figures", "dataset: json-samples", "dataset: json-samples, published: psc-jav", `c.yaml:5:55: unknown value "psc-jav"; did you mean "psc-java"?: expected one of greatgramma-go, greatgramma-java, greatgramma-python, psc-java, psc-go, psc-sql, psc-json-schema, maskbench`},
		{"published figures of schemas", "dataset: json-samples", "dataset: json-samples, published: maskbench", `c.yaml:5:55: published: maskbench goes with grammar: schema only`},
		{"published figures of programs", "grammar: json, dataset: json-samples", "grammar: schema, dataset: schema-samples, published: psc-go", `c.yaml:5:59: published: psc-go is about programs; grammar: schema has psc-json-schema, maskbench`},
		{"filtered schemas", "grammar: json, dataset: json-samples", "grammar: schema, dataset: {name: schema-samples, filter: parses}", `c.yaml:5:63: filter: parses goes with one grammar for all documents; instances of schemas are labelled valid or not, and filter: right chooses schemas by them`},
		{"rightly judged programs", "grammar: json, dataset: json-samples", "grammar: json, dataset: {name: json-samples, filter: right}", `c.yaml:5:59: filter: right goes with a corpus of schemas, whose instances are labelled valid or not; for programs there is filter: parses`},
		{"bad name", "name: a", "name: a/b", `c.yaml:1:7: bad value "a/b": expected a name of at most 100 letters, digits, '.', '_' and '-'`},
		{"name is a number", "name: a", "name: 1.10", `c.yaml:1:7: expected a name of at most 100 letters, digits, '.', '_' and '-', found the number 1.10`},
		{"twice", "name: a", "name: a\nname: b", `c.yaml:2:1: the key "name" stood already at line 1`},
		{"alias", "[trie]", "[&x trie, *x]", `...found an alias`},
		{"alias loop", "[trie]", "&x [*x]", `...found an alias`},
		{"merge", "name: a", "<<: {name: a}", `...expected a plain key`},
		{"not yaml", "[trie]", "[trie", `...c.yaml:2:1: not YAML: did not find expected`},
		{"not yaml, further down", "repeat: 1", "repeat: [1", `...c.yaml:6:1: not YAML: did not find expected`},
		{"alias", "repeat: 1", "repeat: *a", `c.yaml:6:19: not YAML: unknown anchor 'a' referenced`},
		{"tab", "  - {", "\t- {", `...not YAML: found character that cannot start any token`},
		{"two documents", "measure: {repeat: 1}\n", "---\nname: b\n", `...a second document starts here`},
		{"several at once", "name: a\nalgorithms: [trie]", "nam: a\nalgorithms: [{}]", "c.yaml:1:1: unknown key \"nam\" in a configuration; did you mean \"name\"?; known are name, seed, algorithms, tokenizers, workloads, measure, throughput, load\n" +
			"c.yaml:1:1: a configuration lacks the key \"name\": a name of at most 100 letters, digits, '.', '_' and '-'\n" +
			"c.yaml:2:14: an algorithm lacks the key \"name\": an algorithm's name"},
		{"a name beside a wrong shape", "[trie]", "[tire, {label: x}]", "c.yaml:2:14: unknown algorithm \"tire\"; did you mean \"trie\"?; known are naive, psc, trie\n" +
			"c.yaml:2:20: an algorithm lacks the key \"name\": an algorithm's name"},
	}
	for _, c := range cases {
		text := strings.Replace(base, c.old, c.new, 1)
		if text == base {
			t.Fatalf("%s: %q is not in the base", c.what, c.old)
		}
		_, err := Parse("c.yaml", []byte(text), known)
		var list Errors
		if !errors.As(err, &list) {
			t.Errorf("%s: got error %v, want Errors", c.what, err)
			continue
		}
		if part, ok := strings.CutPrefix(c.want, "..."); ok {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: got\n%v\nwant in it\n%s", c.what, err, part)
			}
		} else if err.Error() != c.want {
			t.Errorf("%s: got\n%v\nwant\n%s", c.what, err, c.want)
		}
	}
}

func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	big := filepath.Join(dir, "big.yaml")
	must.OK(t, os.WriteFile(big, bytes.Repeat([]byte("#"), MaxFileBytes+1), 0o644))
	for path, want := range map[string]string{
		filepath.Join(dir, "no.yaml"): "cannot read the configuration: no such file or directory",
		dir:                           "cannot read the configuration",
		big:                           "larger than the limit",
	} {
		if _, err := Load(path, known); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", path, err, want)
		}
	}
	for _, text := range []string{"", "# nothing\n", "[]", "a", "null", "\x00", "{", "- - -", "&a [*a]", "? {a: b}\n: c"} {
		if _, err := Parse("c.yaml", []byte(text), known); err == nil {
			t.Errorf("%q was taken for a configuration", text)
		}
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]int64{"1B": 1, "100kB": 100_000, "1.5KiB": 1536, "8GiB": 8 << 30, "2 MB": 2_000_000} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1", "-1B", "0B", "1e3B", "99999999999999GiB", "1 TB", "GiB"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %d, want an error", text, got)
		}
	}
	for _, text := range []string{"", "5", "-5s", "0s", "1d", "5S", "999999999999h"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", text, got)
		}
	}
}

// moduleFile finds a file of this module from the package's folder.
func moduleFile(name string) string { return filepath.Join("..", "..", name) }

func TestPublishedSchema(t *testing.T) {
	path := moduleFile("configs/schema.json")
	if *update {
		must.OK(t, os.WriteFile(path, Schema(), 0o644))
	}
	got := must.Get(os.ReadFile(path))(t)
	if !bytes.Equal(got, Schema()) {
		t.Errorf("%s is not what the parser checks; run: go test ./harness/config -run PublishedSchema -update", path)
	}
}

// TestPublishedConfigs checks each configuration we ship against both sides of
// the definition: the parser, and the JSON Schema read by a checker of its own.
func TestPublishedConfigs(t *testing.T) {
	files, err := filepath.Glob(moduleFile("configs/*.yaml"))
	papers, err2 := filepath.Glob(moduleFile("configs/papers/*.yaml"))
	if err != nil || err2 != nil || len(files) == 0 || len(papers) == 0 {
		t.Fatalf("no configurations found: %v, %v", err, err2)
	}
	files = append(files, papers...)
	var schema map[string]any
	must.OK(t, json.Unmarshal(Schema(), &schema))
	for _, f := range files {
		text := must.Get(os.ReadFile(f))(t)
		if _, err := Load(withGrammars(t, f, text), Names{}); err != nil {
			t.Errorf("%v", err)
		}
		if wrong := bySchema(t, schema, text); wrong != "" {
			t.Errorf("%s: against the schema: %s", f, wrong)
		}
	}
}

// withGrammars is a configuration where the grammars are that its users put beside it; f itself
// if there are none.
func withGrammars(t *testing.T, f string, text []byte) string {
	folder := t.TempDir()
	for _, m := range regexp.MustCompile(`grammar: (\S+\.lark)`).FindAllSubmatch(text, -1) {
		grammar := filepath.Join(folder, string(m[1]))
		must.OK(t, errors.Join(os.MkdirAll(filepath.Dir(grammar), 0o755), os.WriteFile(grammar, []byte(`start: "a"`), 0o644)))
		f = filepath.Join(folder, "config.yaml")
	}
	if filepath.Dir(f) == folder {
		must.OK(t, os.WriteFile(f, text, 0o644))
	}
	return f
}

// TestSchemaAgrees feeds right and wrong configurations to the parser's shapes
// and to the schema, and wants the same answer.
func TestSchemaAgrees(t *testing.T) {
	var schema map[string]any
	must.OK(t, json.Unmarshal(Schema(), &schema))
	for _, c := range []struct{ old, new string }{
		{"", ""},
		{"seed: 7", "seed: -1"}, {"seed: 7", "sed: 7"}, {"seed: 7", "seed: a"},
		{"name: full", "name: a b"}, {"name: full", "title: x"}, {"name: full", "name: [a]"},
		{"[naive, trie", "[{name: naive}, trie"}, {"[naive, trie", "[{nam: naive}, trie"}, {"[naive, trie", "[[], trie"},
		{"[1000, 2000, all]", "300"}, {"[1000, 2000, all]", "0"}, {"[1000, 2000, all]", "[every]"}, {"[1000, 2000, all]", "[]"},
		{"published: psc-java", "published: psc"}, {"format: jsonl", "format: csv"}, {"limit: 10", "limit: 0"}, {"sample: random", "sample: some"},
		{"negatives: none", "negatives: all"}, {"negatives: none", "negatives: -1"}, {"max_bytes: 1MiB", "max_bytes: 1XB"},
		{"timeout: 1m30s", "timeout: 5"}, {"timeout: 1m30s", "timeout: soon"}, {"memory: 2GiB", "memory: 2"},
		{"lazy, limit: 3", "[lazy], limit: 3"}, {"repeat: 5", "repeat: 5000"}, {"repeat: 5", "repeat: '5'"},
	} {
		text := []byte(strings.Replace(full, c.old, c.new, 1))
		root := must.Get(parseYAML("c.yaml", text))(t)
		check := &checker{file: "c.yaml"}
		rootShape.check(check, root)
		if wrong := bySchema(t, schema, text); (wrong == "") != (len(check.errs) == 0) {
			t.Errorf("%q for %q: the parser says %v, the schema %q", c.new, c.old, check.errs, wrong)
		}
	}
}

// bySchema validates YAML text; it returns what is wrong, or "".
func bySchema(t *testing.T, schema map[string]any, text []byte) string {
	t.Helper()
	var v any
	must.OK(t, yaml.Unmarshal(text, &v))
	js := must.Get(json.Marshal(v))(t)
	var value any
	must.OK(t, json.Unmarshal(js, &value))
	return validate(schema, value, "$")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte("a: &a {b: *a}"))
	f.Add([]byte("name: [\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := Parse("c.yaml", text, known); err != nil && err.Error() == "" {
			t.Error("an error without a message")
		}
	})
}

// TestTools: what a workload of requests with tools says, and its name.
func TestTools(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       ToolsOptions
	}{
		{"{tools: {format: hermes}, dataset: tools-samples}", "tools hermes/tools-samples", ToolsOptions{Format: "hermes", Choice: "auto", Text: "around", Parallel: true}},
		{"{tools: {format: mistral, choice: required, parallel: false, text: none, reasoning: true, count: 64, requests: 5, without: [oneOf, not]}, dataset: {name: tools-samples, limit: 3}}",
			"tools mistral 64/tools-samples",
			ToolsOptions{Format: "mistral", Choice: "required", Text: "none", Reasoning: true, Count: 64, Requests: 5, Without: []string{"oneOf", "not"}}},
	} {
		text := "name: a\nalgorithms: [trie]\ntokenizers: [llama3]\nworkloads:\n  - " + c.text + "\n"
		cfg := must.Get(Parse("c.yaml", []byte(text), known))(t)
		w := cfg.Workloads[0]
		if w.Name != c.name || w.Grammar != GrammarTools || w.Schema == nil || !reflect.DeepEqual(*w.Tools, c.want) {
			t.Errorf("%s: %+v, tools %+v, want %s %+v", c.text, w, w.Tools, c.name, c.want)
		}
	}
}
