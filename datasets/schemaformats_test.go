package datasets_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/datasets"
	"gcdbench/internal/must"
)

// listing is a corpus as text: a line for each schema, with its group and text, and one for each of
// its instances, with a sign and what the corpus says of it.
func listing(d *datasets.Dataset) string {
	var b strings.Builder
	for s, of := range d.BySchema() {
		fmt.Fprintf(&b, "%s (%s) %s\n", s.ID, s.Group, s.Text)
		for i := range of {
			sign := "+"
			if of[i].Negative {
				sign = "-"
			}
			fmt.Fprintf(&b, "  %s%s %s %s\n", sign, strings.TrimPrefix(of[i].ID, s.ID), of[i].Content, of[i].Description)
		}
	}
	return b.String()
}

// everything is a corpus with all its negatives.
func everything(t *testing.T, format, path, glob string) string {
	t.Helper()
	return listing(load(t, open(t, format, path, glob), datasets.Query{Negatives: -1}))
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimPrefix(want, "\n"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestMaskBenchLines has what a line may have and may lack. Bytes are kept as they are.
func TestMaskBenchLines(t *testing.T) {
	text := "\ufeff" + `{"id": "G_a---x", "group": "G", "schema": {"type":"array"}, "tests": [{"valid": true, "data": [1,  2], "description": "two"}, {"data": {"k": 1e-7}, "valid": false}]}` + "\n\n" +
		`{"tests": [], "schema": true, "other": {"schema": [1]}, "id": 12}` + "\r\n" +
		`{"schema": {"const": "\u00e9<\/>"}, "tests": [{"description": "é \u00e9", "valid": true, "data": "\u00e9<\/>"}]}` + "\n" +
		`{"id": "Part---b", "group": null, "schema": {}, "tests": null}` + "\n" +
		`{"id": "BFCL_java_1", "description": "said", "schema": false}`
	wanted := `
12 () true
BFCL_java_1 (BFCL) false
G_a---x (G) {"type":"array"}
  +#0 [1,  2] two
  -#1 {"k": 1e-7} 
Part---b (Part) {}
line 4 () {"const": "\u00e9<\/>"}
  +#0 "\u00e9<\/>" é é
`
	want(t, everything(t, "maskbench", lines(t, text), ""), wanted)
	want(t, everything(t, "maskbench", lines(t, compressed(t, text)), ""), wanted)
}

func TestMaskBenchPlaces(t *testing.T) {
	path := lines(t, "\n"+`{"id": "é", "schema": {}, "tests": [{"valid": true, "data": 1}]}`)
	d := load(t, open(t, "maskbench", path, ""), datasets.Query{})
	if got := d.Schemas[0].Place; got != path+":2:23" {
		t.Errorf("the schema is at %s", got)
	}
	docs, err := open(t, "maskbench", path, "").Documents(t.Context())
	if err != nil || docs[0].Place != path+":2:61" {
		t.Errorf("the instance is at %s (%v)", docs[0].Place, err)
	}
}

// maskBenchTree is MaskBench as it is published, files in a folder, with what else is in that
// repository.
var maskBenchTree = map[string]string{
	"README.md":                     "about",
	"data/Github_easy/o1.json":      `{"type": "string"}`,
	"maskbench/plots/x.json":        `[]`,
	"maskbench/data/BFCL_java.json": "{\n    \"description\": \"from BFCL\",\n    \"schema\": {\n        \"type\": \"object\"\n    },\n    \"tests\": [\n        {\n            \"description\": \"ok\",\n            \"valid\": true,\n            \"data\": {\n                \"a\": [],\n                \"b\": 1.50\n            }\n        }\n    ]\n}\n",
	"maskbench/data/E---o2.json":    `{"meta": {"x": 1}, "schema": {}, "tests": [{"valid": false, "data": null}]}`,
	"maskbench/data/sub/E3.json":    "\ufeff" + `{"schema": true}`,
}

const maskBenchListing = `
BFCL_java (BFCL) {"type": "object"}
  +#0 {"a": [], "b": 1.50} ok
E---o2 (E) {}
  -#0 null 
sub/E3 (sub) true
`

func TestMaskBenchFiles(t *testing.T) {
	root := tree(t, maskBenchTree)
	inFolder := map[string]string{} // as an archive of the repository has it
	for name, content := range maskBenchTree {
		inFolder["jsonschemabench-main/"+name] = content
	}
	for name, path := range map[string]string{
		"the folder of data":   filepath.Join(root, "maskbench", "data"),
		"the repository":       root,
		"its archive":          archive(t, maskBenchTree),
		"its archive at large": archive(t, inFolder),
	} {
		t.Run(name, func(t *testing.T) { want(t, everything(t, "maskbench", path, ""), maskBenchListing) })
	}
	t.Run("a glob", func(t *testing.T) {
		want(t, everything(t, "maskbench", root, "maskbench/data/E*.json"), `
E---o2 (E) {}
  -#0 null 
`)
	})
}

func TestPlainSchemas(t *testing.T) {
	files := map[string]string{
		"alone.json":                    "{\n  \"type\": \"string\"\n}\n",
		"user.schema.json":              `{"type": "object"}`,
		"user.valid.json":               "{\n  \"a\": 1\n}\n",
		"user.valid-2.json":             `{}`,
		"user.invalid.no-object.json":   ` [1,2] `,
		"user.validation.json":          `{"title": "a schema of its own"}`,
		"order/schema.json":             `{"minItems": 1}`,
		"order/valid.json":              `[1]`,
		"order/invalid_1.json":          `[]`,
		"deep/tree/node.json":           `true`,
		"deep/tree/node/valid/a.json":   `1`,
		"deep/tree/node/invalid/b.json": `2`,
		"deep/tree/leaf.json":           "not JSON \xff",
		"notes.txt":                     "",
	}
	wanted := "alone () {\n  \"type\": \"string\"\n}\n\n" + `deep/tree/leaf (deep/tree) not JSON ` + "\xff" + `
deep/tree/node (deep/tree) true
  -#0 2 invalid/b
  +#1 1 valid/a
order () {"minItems": 1}
  -#0 [] invalid_1
  +#1 [1] valid
user () {"type": "object"}
  -#0 [1, 2] invalid.no-object
  +#1 {} valid-2
  +#2 {"a": 1} valid
user.validation () {"title": "a schema of its own"}
`
	want(t, everything(t, "schemas", tree(t, files), ""), wanted)
	want(t, everything(t, "schemas", archive(t, files), ""), wanted)
	want(t, everything(t, "schemas", tree(t, files), "user.{schema,valid*}.json"), `
user () {"type": "object"}
  +#0 {} valid-2
  +#1 {"a": 1} valid
user.validation () {"title": "a schema of its own"}
`)
	t.Run("one schema", func(t *testing.T) {
		want(t, everything(t, "schemas", tree(t, map[string]string{"schema.json": `{}`, "valid.json": `1`, "invalid/x.json": `2`}), ""), `
schema () {}
  -#0 2 invalid/x
  +#1 1 valid
`)
	})
}

func TestJSONSchemaBench(t *testing.T) {
	t.Run("lines", func(t *testing.T) {
		text := `{"json_schema": "{\n  \"type\": \"string\"\n}", "unique_id": "Github_easy---o1"}` + "\n" +
			`{"json_schema": {"type":"object"}, "unique_id": "o2", "group": "Kubernetes"}` + "\n" +
			`{"schema": true, "id": 3}` + "\n" +
			`{"json_schema": "not JSON"}`
		want(t, everything(t, "jsonschemabench", lines(t, compressed(t, text)), ""), "3 () true\nGithub_easy---o1 (Github_easy) {\n  \"type\": \"string\"\n}\nline 4 () not JSON\no2 (Kubernetes) {\"type\":\"object\"}\n")
	})
	files := map[string]string{"data/Github_easy/o1.json": "{\n}", "data/Snowplow/sp_1.json": `true`, "README.md": "", "maskbench/data/x.json": `{"schema": {}, "tests": []}`}
	wanted := "Github_easy/o1 (Github_easy) {\n}\nSnowplow/sp_1 (Snowplow) true\n"
	for name, path := range map[string]string{
		"the repository":     tree(t, files),
		"the folder of data": filepath.Join(tree(t, files), "data"),
		"an archive":         archive(t, files),
	} {
		t.Run(name, func(t *testing.T) { want(t, everything(t, "jsonschemabench", path, ""), wanted) })
	}
}

// suite is a small JSON Schema Test Suite.
var suite = map[string]string{
	"tests/draft7/const.json": `[
    {
        "description": "const",
        "schema": {"const": 2},
        "tests": [
            {"description": "same", "data": 2, "valid": true},
            {"description": "other", "data": {"a": [ ]}, "valid": false}
        ]
    },
    {"description": "boolean", "schema": true, "tests": [{"description": "any", "data": 1.0, "valid": true}]},
    {"description": "empty", "schema": { }, "tests": [{"description": "any", "data": "x", "valid": true}]}
]`,
	"tests/draft2020-12/items.json":                `[{"description": "says", "schema": {"$schema": "https://json-schema.org/draft/2020-12/schema", "items": false}, "tests": [{"description": "none", "data": [], "valid": true}]}]`,
	"tests/draft4/optional/format/ipv4.json":       `[{"description": "ipv4", "schema": {"format": "ipv4"}, "tests": [{"description": "number", "data": 4, "valid": true}]}]`,
	"tests/draft7/format.json":                     `[{"description": "annotation", "schema": {"format": "ipv4"}, "tests": [{"description": "only", "data": "x", "valid": true}]}]`,
	"tests/draft3/const.json":                      `[{"description": "old", "schema": {}, "tests": [{"description": "x", "data": 1, "valid": true}]}]`,
	"remotes/draft7/integer.json":                  `{"type": "integer"}`,
	"annotations/tests/draft7/x.json":              `{}`,
	"tests/draft7/optional/format-annotation.json": `[{"description": "annotation", "schema": {}, "tests": []}]`,
	"output-tests/content/draft7/type.json":        `[]`,
	"output-tests/draft2020-12/content/items.json": `[{"schema": {}, "tests": [{"data": 1, "output": {}}]}]`,
	"test-schema.json":                             `{}`,
	"package.json":                                 `{}`,
}

const draft7Listing = `draft7/const/0 (draft7) {"$schema": "http://json-schema.org/draft-07/schema#", "const": 2}
  +#0 2 same
  -#1 {"a": []} other
draft7/const/1 (draft7) true
  +#0 1.0 any
draft7/const/2 (draft7) {"$schema": "http://json-schema.org/draft-07/schema#"}
  +#0 "x" any
`

const suiteListing = `draft2020-12/items/0 (draft2020-12) {"$schema": "https://json-schema.org/draft/2020-12/schema", "items": false}
  +#0 [] none
draft4/optional/format/ipv4/0 (draft4/optional/format) {"$schema": "http://json-schema.org/draft-04/schema#", "format": "ipv4"}
  +#0 4 number
` + draft7Listing

func TestTestSuite(t *testing.T) {
	root := tree(t, suite)
	const format = "json-schema-test-suite"
	cases := []struct{ name, path, glob, want string }{
		{"the whole suite", root, "", suiteListing},
		{"its archive", archive(t, suite), "", suiteListing},
		{"the tests", filepath.Join(root, "tests"), "", suiteListing},
		{"a draft", filepath.Join(root, "tests", "draft7"), "", draft7Listing},
		{"a part of a draft", filepath.Join(root, "tests", "draft4", "optional"), "", suiteListing[strings.Index(suiteListing, "draft4"):strings.Index(suiteListing, "draft7")]},
		{"a glob", root, "tests/draft7/format.json", `draft7/format/0 (draft7) {"$schema": "http://json-schema.org/draft-07/schema#", "format": "ipv4"}
  +#0 "x" only
`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { want(t, everything(t, format, c.path, c.glob), c.want) })
	}
	t.Run("descriptions", func(t *testing.T) {
		d := load(t, open(t, format, root, ""), datasets.Query{})
		if got := d.Schemas[2].Description; got != "const" {
			t.Errorf("%s: %q", d.Schemas[2].ID, got)
		}
		if got, want := d.Schemas[2].Place, filepath.Join(root, "tests", "draft7", "const.json")+":4:19"; got != want {
			t.Errorf("the schema is at %s, want %s", got, want)
		}
	})
}

func TestSchemaFormatErrors(t *testing.T) {
	good := `{"id": "a", "schema": {}, "tests": []}` + "\n"
	const mask, suite = "maskbench", "json-schema-test-suite"
	cases := []struct {
		name, format string
		files        map[string]string // one called x.jsonl is the corpus, others are a folder
		want         string            // X is the folder
	}{
		{"not JSON", mask, map[string]string{"x.jsonl": good + `{"id": "é", schema}`}, `X/x.jsonl:2:13: not JSON: expected a key in quotes`},
		{"over two lines", mask, map[string]string{"x.jsonl": "{\n}"}, `X/x.jsonl:1:2: not JSON: expected a key in quotes`},
		{"not UTF-8", mask, map[string]string{"x.jsonl": good + "{\"\xff\": 1}"}, `X/x.jsonl:2:3: the line is not UTF-8`},
		{"an array", mask, map[string]string{"x.jsonl": ` [1]`}, `X/x.jsonl:1:2: a record must be an object, is an array`},
		{"no schema", mask, map[string]string{"x.jsonl": `{"id": "a", "content": "x"}`}, `X/x.jsonl:1:1: the object has no "schema"; expected {"schema": ..., "tests": [{"valid": ..., "data": ...}]}`},
		{"schema twice", mask, map[string]string{"x.jsonl": `{"schema": 1, "schema": 2}`}, `X/x.jsonl:1:1: "schema" is given twice`},
		{"an id of a wrong type", mask, map[string]string{"x.jsonl": `{"schema": {}, "id": [1]}`}, `X/x.jsonl:1:22: "id" must be a string or a number, is an array`},
		{"a group of a wrong type", mask, map[string]string{"x.jsonl": `{"schema": {}, "group": true}`}, `X/x.jsonl:1:25: "group" must be a string, is a boolean`},
		{"tests of a wrong type", mask, map[string]string{"x.jsonl": `{"schema": {}, "tests": {"valid": 1}}`}, `X/x.jsonl:1:25: "tests" must be an array, is an object`},
		{"a test of a wrong type", mask, map[string]string{"x.jsonl": `{"schema": {}, "tests": [7]}`}, `X/x.jsonl:1:26: a test must be an object, is a number`},
		{"no data", mask, map[string]string{"x.jsonl": `{"schema": {}, "tests": [{"valid": true}]}`}, `X/x.jsonl:1:26: a test must be {"valid": true or false, "data": any value}`},
		{"no verdict", mask, map[string]string{"x.jsonl": `{"schema": {}, "tests": [{"data": null}]}`}, `X/x.jsonl:1:26: a test must be`},
		{"a verdict of a wrong type", mask, map[string]string{"x.jsonl": `{"schema": {}, "tests": [{"data": 1, "valid": "yes"}]}`}, `X/x.jsonl:1:47: "valid" must be true or false, is a string`},
		{"a description of a wrong type", mask, map[string]string{"x.jsonl": `{"schema": {}, "tests": [{"data": 1, "valid": true, "description": 1}]}`}, `X/x.jsonl:1:68: "description" must be a string, is a number`},
		{"ids twice", mask, map[string]string{"x.jsonl": good + "\n" + good}, `X/x.jsonl:3:23: two schemas have the id "a", the first at X/x.jsonl:1:23; ids must be unique`},
		{"no lines", mask, map[string]string{"x.jsonl": "\n"}, `X/x.jsonl: the file has no lines`},
		{"a file that is not JSON", mask, map[string]string{"sub/a.json": "{\n  \"schema\": {},\n}"}, `X/sub/a.json:3:1: not JSON: expected a key in quotes`},
		{"a file that is not UTF-8", mask, map[string]string{"a.json": "{\n\"\xff\": 1}"}, `X/a.json:2:2: the text is not UTF-8`},
		{"an empty file", mask, map[string]string{"a.json": ""}, `X/a.json:1:1: not JSON: the document ends where a JSON value is expected`},
		{"a file that is a schema", mask, map[string]string{"a.json": `{"type": "string"}`}, `X/a.json:1:1: the object has no "schema"`},
		{"Parquet", "jsonschemabench", map[string]string{"x.jsonl": "PAR1\x15\x04\x00PAR1"}, `X/x.jsonl is Parquet, which this program does not read: have it import gcdbench/datasets/parquet`},
		{"Parquet in a folder", "jsonschemabench", map[string]string{"README.md": "", "data/test-0.parquet": "PAR"}, "X/data/test-0.parquet is not Parquet: such a file begins with PAR1"},
		{"Parquet for another format", mask, map[string]string{"data/test-0.parquet": "PAR1"}, "X/data/test-0.parquet is Parquet, where another format is expected"},
		{"Parquet as lines", mask, map[string]string{"x.jsonl": "PAR1\x15\x04\x00PAR1"}, `X/x.jsonl is Parquet, where another format is expected`},
		{"no such files", mask, map[string]string{"a.txt": ""}, `X: no file matches "**/*.json"`},
		{"no schema for an instance", "schemas", map[string]string{"b.json": "{}", "sub/a.valid-1.json": "1"}, `X/sub/a.valid-1.json: an instance by its name, but there is no schema sub/a.json, sub/a.schema.json or sub/a/schema.json`},
		{"no schema for all instances", "schemas", map[string]string{"valid/a.json": "1"}, `X/valid/a.json: an instance by its name, but there is no schema schema.json`},
		{"a stranger beside a schema", "schemas", map[string]string{"a/schema.json": "{}", "a/good.json": "1"}, `X/a/good.json: the name of a file beside schema.json must begin with valid or invalid; a glob leaves files out`},
		{"one schema in two files", "schemas", map[string]string{"a/schema.json": "{}", "a.json": "1"}, `two schemas have the id "a", the first at X/a.json:1:1`},
		{"an instance that is not JSON", "schemas", map[string]string{"a.json": "{}", "a.invalid.json": "{\n1}"}, `X/a.invalid.json:2:1: not JSON: expected a key in quotes`},
		{"no json_schema", "jsonschemabench", map[string]string{"x.jsonl": `{"unique_id": "a"}`}, `X/x.jsonl:1:1: the object has no "json_schema"; expected {"json_schema": ..., "unique_id": ...}`},
		{"only another format", "jsonschemabench", map[string]string{"maskbench/data/a.json": `{}`}, `X: no file has a schema`},
		{"no draft", suite, map[string]string{"tests/a.json": `[]`}, `X: no test is below a folder of a draft that is supported: draft4, draft6, draft7, draft2019-09, draft2020-12 or v1`},
		{"a suite's file is no list", suite, map[string]string{"draft7/a.json": ` {}`}, `X/draft7/a.json:1:2: a file of the test suite must be an array, is an object`},
		{"a case without tests", suite, map[string]string{"draft7/a.json": `[{"schema": {}}]`}, `X/draft7/a.json:1:2: a case must be {"description": ..., "schema": ..., "tests": [...]}`},
		{"a case of a wrong type", suite, map[string]string{"draft7/a.json": `[1]`}, `X/draft7/a.json:1:2: a case must be an object, is a number`},
		{"lines for the suite", suite, map[string]string{"x.jsonl": `{}`}, `X/x.jsonl is neither a folder nor a zip archive, as format json-schema-test-suite wants`},
		{"lines for schemas", "schemas", map[string]string{"x.jsonl": `{}`}, `X/x.jsonl is neither a folder nor a zip archive`},
		{"a broken archive", "schemas", map[string]string{"x.jsonl": "PK\x03\x04 no archive"}, `X/x.jsonl: zip: not a valid zip file`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root := tree(t, c.files)
			path := root
			if c.files["x.jsonl"] != "" {
				path = filepath.Join(root, "x.jsonl")
			}
			src, err := datasets.Open(c.format, path, "")
			if err == nil {
				_, err = datasets.Load(t.Context(), src, datasets.Query{})
			}
			wanted := strings.ReplaceAll(c.want, "X/", filepath.ToSlash(root)+"/")
			wanted = strings.Replace(wanted, "X:", root+":", 1)
			if err == nil || !strings.Contains(filepath.ToSlash(err.Error()), wanted) {
				t.Errorf("error %v, want %s", err, wanted)
			}
		})
	}
}

func TestOpenSchemaErrors(t *testing.T) {
	path := lines(t, `{"schema": {}}`)
	for _, format := range datasets.SchemaFormats() {
		if _, err := datasets.Open(format, path+".none", ""); err == nil || err.Error() != path+".none: no such file or directory" {
			t.Errorf("%s: error %v", format, err)
		}
		if !datasets.IsSchemaFormat(format) {
			t.Errorf("%s is no format of schemas", format)
		}
	}
	if datasets.IsSchemaFormat("jsonl") {
		t.Error("jsonl is a format of schemas")
	}
	if _, err := datasets.Open("maskbench", path, "*.json"); err == nil || !strings.Contains(err.Error(), "says which files of a folder or zip archive to read, and this is one file; leave it out") {
		t.Errorf("error %v", err)
	}
	if _, err := datasets.Open("schemas", filepath.Dir(path), "[a"); err == nil || !strings.Contains(err.Error(), "is not a glob") {
		t.Errorf("error %v", err)
	}
}

func TestSchemaInfo(t *testing.T) {
	path := lines(t, `{"schema": {}}`)
	d := load(t, open(t, "maskbench", path, ""), datasets.Query{})
	if d.Provenance.Language != datasets.SchemaLanguage || d.Provenance.Where != path || d.Provenance.Name != path {
		t.Errorf("provenance %+v", d.Provenance)
	}
	info := lookup(t, "schema-samples").Info()
	if info.Language != datasets.SchemaLanguage || info.Where != "embedded" || info.Licence != "Apache-2.0" || info.Missing != "" || info.Description == "" {
		t.Errorf("info %+v", info)
	}
}

// TestSchemaFilesAreLimited has a file that is larger than is read.
func TestSchemaFilesAreLimited(t *testing.T) {
	root := tree(t, map[string]string{"a.json": "{}"})
	must.OK(t, os.Truncate(filepath.Join(root, "a.json"), datasets.MaxDocumentBytes+1))
	for _, format := range []string{"maskbench", "schemas", "jsonschemabench"} {
		_, err := datasets.Load(t.Context(), open(t, format, root, ""), datasets.Query{})
		if err == nil || !strings.Contains(err.Error(), "a.json: larger than the limit of 16777216 bytes for one document") {
			t.Errorf("%s: error %v", format, err)
		}
	}
}

// TestSchemaCorporaAreLimited lowers the limit to what a corpus has, and below.
func TestSchemaCorporaAreLimited(t *testing.T) {
	one, two := `{"schema":1}`, `{"schema":[1]}`
	files := map[string]string{"a.json": one, "b.json": two}
	size := int64(len(one) + len(two))
	for name, path := range map[string]string{"lines": lines(t, one+"\n"+two), "folder": tree(t, files), "archive": archive(t, files)} {
		for _, short := range []int64{0, 1} {
			src := open(t, "maskbench", path, "")
			datasets.LimitCorpus(src, size-short)
			for range 2 { // listing twice counts anew
				_, err := src.Documents(t.Context())
				if refused := err != nil; refused != (short > 0) || refused && !strings.Contains(err.Error(), path+": the corpus is larger than the limit of 536870912 bytes") {
					t.Errorf("%s, %d bytes too few: error %v", name, short, err)
				}
			}
		}
	}
}

// TestDeepInstances reads instances whose depth no model reaches.
func TestDeepInstances(t *testing.T) {
	deep := strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000)
	record := `{"id": "a", "schema": {"a": ` + deep + `}, "tests": [{"valid": true, "data": ` + deep + `}]}`
	for _, path := range []string{lines(t, record), tree(t, map[string]string{"a.json": record})} {
		d := load(t, open(t, "maskbench", path, ""), datasets.Query{})
		if string(d.Samples[0].Content) != deep || string(d.Schemas[0].Text) != `{"a": `+deep+`}` {
			t.Errorf("%.20s... became %.20s...", deep, d.Samples[0].Content)
		}
	}
}

// TestInstancesAreTheCallers reads an instance twice and changes it in between.
func TestInstancesAreTheCallers(t *testing.T) {
	docs := must.Get(open(t, "maskbench", lines(t, `{"schema": {}, "tests": [{"valid": true, "data": 123}]}`), "").Documents(t.Context()))(t)
	first := must.Get(docs[0].Read())(t)
	first[0] = 'x'
	if again, err := docs[0].Read(); err != nil || string(again) != "123" {
		t.Errorf("%q, %v", again, err)
	}
}

// TestManyTests has a schema with so many instances that anything but linear time shows.
func TestManyTests(t *testing.T) {
	const n = 200_000
	text := `{"schema": {}, "tests": [` + strings.Repeat(`{"valid":true,"data":1},`, n-1) + `{"valid":true,"data":1}]}`
	path := lines(t, text)
	docs, err := open(t, "maskbench", path, "").Documents(t.Context())
	if err != nil || len(docs) != n {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	if want := fmt.Sprintf("%s:1:%d", path, len(text)-3); docs[n-1].Place != want {
		t.Errorf("the last is at %s, want %s", docs[n-1].Place, want)
	}
}

// FuzzSchemaLines holds that no line makes reading panic, and that what is read is JSON of the
// line.
func FuzzSchemaLines(f *testing.F) {
	f.Add([]byte(`{"id": "a", "group": "G", "schema": {"type": "array"}, "tests": [{"valid": true, "data": [1,  2], "description": "two"}]}`))
	f.Add([]byte(`{"json_schema": "{}", "unique_id": 1}` + "\n" + `{"schema": [], "id": null}`))
	path := filepath.Join(f.TempDir(), "x.jsonl")
	f.Fuzz(func(t *testing.T, text []byte) {
		must.OK(t, os.WriteFile(path, text, 0o644))
		for _, format := range []string{"maskbench", "jsonschemabench"} {
			src, err := datasets.Open(format, path, "")
			if err != nil {
				continue
			}
			d, err := datasets.Load(t.Context(), src, datasets.Query{Negatives: -1})
			if err != nil {
				continue
			}
			for _, s := range d.Samples {
				if err := datasets.CheckJSON(s.Content); err != nil || !bytes.Contains(text, s.Content) {
					t.Errorf("%s: %q of %q: %v", s.ID, s.Content, text, err)
				}
			}
		}
	})
}

func BenchmarkMaskBenchLines(b *testing.B) {
	path := filepath.Join("..", "..", "shared", "data", "maskbench-dev.jsonl.gz")
	if _, err := os.Stat(path); err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		src := must.Get(datasets.Open("maskbench", path, ""))(b)
		must.Get(datasets.Load(b.Context(), src, datasets.Query{Negatives: -1}))(b)
	}
}
