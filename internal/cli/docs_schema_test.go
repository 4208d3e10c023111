package cli

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/must"
)

// codeSpan is a code span of Markdown; in a table a | inside is escaped.
var codeSpan = regexp.MustCompile("`([^`]+)`")

// TestDocumentedSchemas executes the rows of the tables about JSON schemas: texts that they call
// accepted, refused or unsupported are, for the reason given.
func TestDocumentedSchemas(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "json-schema.md")))(t)
	rows, head := 0, []string(nil)
	for _, line := range strings.Split(string(text), "\n") {
		cells := tableCells(line)
		switch {
		case cells == nil:
			head = nil
		case head == nil:
			head = cells
		case len(head) < 3 || head[1] != "schema" || len(codeSpan.FindAllString(cells[1], -1)) != 1:
		case head[2] == "accepted":
			rows++
			documentedVerdicts(t, cells, jsonschema.Options{Name: "schema", AnyOrder: strings.Contains(head[0], "any order")})
		case head[2] == "reason":
			rows++
			documentedRefusal(t, cells)
		}
	}
	documentedFormats(t, string(text))
	if rows < 45 {
		t.Errorf("only %d rows were found: the pattern is no good", rows)
	}
}

// documentedFormats says that the formats the page names are enforced, and no other well-known one.
func documentedFormats(t *testing.T, text string) {
	t.Helper()
	_, list, _ := strings.Cut(text, "\nFormats: ")
	list, _, _ = strings.Cut(list, ". ")
	checked := map[string]bool{}
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' }) {
		checked[name] = true
	}
	if len(checked) < 13 {
		t.Errorf("only %d formats are documented: %q", len(checked), list)
	}
	all := []string{"idn-email", "idn-hostname", "iri", "iri-reference", "phone", "color", "int32", "byte"}
	for name := range checked {
		all = append(all, name)
	}
	for _, name := range all {
		result, err := jsonschema.Compile(context.Background(), []byte(`{"type": "string", "format": "`+name+`"}`), jsonschema.Options{})
		if err != nil {
			t.Errorf("format %s: %v", name, err)
			continue
		}
		for _, c := range result.Coverage {
			if c.Keyword == "format" && (c.Status != jsonschema.Annotation) != checked[name] {
				t.Errorf("format %s is %s, and documented: %v", name, c.Status, checked[name])
			}
		}
	}
}

// tableCells are the entries of a table's line; nil if it is none.
func tableCells(line string) []string {
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	var cells []string
	for _, c := range strings.Split(strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "\x00"), "|") {
		cells = append(cells, strings.TrimSpace(strings.ReplaceAll(c, "\x00", "|")))
	}
	return cells
}

// codes are the code spans of an entry.
func codes(cell string) []string {
	var list []string
	for _, m := range codeSpan.FindAllStringSubmatch(cell, -1) {
		list = append(list, m[1])
	}
	return list
}

func documentedVerdicts(t *testing.T, cells []string, o jsonschema.Options) {
	t.Helper()
	schema := codes(cells[1])[0]
	c, err := newInstanceChecker(context.Background(), []byte(schema), o, 0)
	if err != nil {
		t.Errorf("%s: %s: %v", cells[0], schema, err)
		return
	}
	for i, want := range []bool{true, false} {
		for _, instance := range codes(cells[2+i]) {
			r, err := c.check("", []byte(instance), nil)
			if err != nil || r.OK != want {
				t.Errorf("%s: %s: %s is accepted: %v, %v", cells[0], schema, instance, r.OK, err)
			}
			if err == nil && r.OK && (r.Valid == nil || !*r.Valid) {
				t.Errorf("%s: %s: %s is accepted and not valid: %s%s", cells[0], schema, instance, r.Why, r.ValidatorError)
			}
		}
	}
}

func documentedRefusal(t *testing.T, cells []string) {
	t.Helper()
	file := write(t, "schema.json", codes(cells[1])[0])
	r := gcdbench(t, "", "schema", "compile", file)
	if r.status != exitFailure || !strings.Contains(r.out, "unsupported: ") || !strings.Contains(r.out, codes(cells[2])[0]) {
		t.Errorf("%s: exit status %d: %s%s", cells[0], r.status, r.out, r.err)
	}
	if r := gcdbench(t, "", "schema", "compile", file, "--lenient"); r.status != exitOK && !strings.Contains(cells[0], "counted") {
		t.Errorf("%s, lenient: exit status %d: %s%s", cells[0], r.status, r.out, r.err)
	}
}
