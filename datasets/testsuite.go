package datasets

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"gcdbench/internal/jsontext"
)

// dialects is the folders of the JSON Schema Test Suite that count, and the $schema of the draft
// each is about. Others (draft3, draft-next) are left out: they are of versions that are not
// supported.
var dialects = map[string]string{
	"draft4":       "http://json-schema.org/draft-04/schema#",
	"draft6":       "http://json-schema.org/draft-06/schema#",
	"draft7":       "http://json-schema.org/draft-07/schema#",
	"draft2019-09": "https://json-schema.org/draft/2019-09/schema",
	"draft2020-12": "https://json-schema.org/draft/2020-12/schema",
	"v1":           "https://json-schema.org/v1",
}

// besideTests is folders of the suite that hold other things than tests of validity, or tests of
// what may become a part of the standard.
var besideTests = []string{"remotes", "output-tests", "annotations", "proposals"}

// testSuite reads the JSON Schema Test Suite: tests/DRAFT/*.json and the folders below (optional,
// or should, may and additional), each file a list of cases {"description","schema","tests"}. The
// folder given may be that of the whole suite or any part of it, as long as its path or the names
// in it say the draft.
//
// The case with the number 2 of tests/draft7/items.json is called draft7/items/2, and its group is
// the folder, draft7. A schema that is an object without $schema gets that of its folder as its
// first member, since a text on its own does not say which draft it is of; true and false mean the
// same in all.
//
// Without a glob, the files are left out that have "format" for an annotation (format.json and, in
// another edition, format-annotation.json): here formats are asserted, as the files in
// optional/format ask. A schema that refers to a remote of the suite does not compile, since the
// corpus has no remotes.
func testSuite(f *schemaFolder, names []string) ([]Document, error) {
	root := f.root
	if f.archive != "" {
		root = "" // the name of an archive says nothing about what is in it
	} else if abs, err := filepath.Abs(root); err == nil {
		root = filepath.ToSlash(abs)
	}
	var docs []Document
	for _, name := range names {
		draft, id := suitePlace(root, withoutJSON(name))
		if draft == "" || f.glob == "" && saysAnnotation(strings.TrimPrefix(id, draft)) {
			continue
		}
		more, err := suiteFile(f, name, id, dialects[draft])
		if err != nil {
			return nil, err
		}
		docs = append(docs, more...)
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%s: no test is below a folder of a draft that is supported: draft4, draft6, draft7, draft2019-09, draft2020-12 or v1", f.root)
	}
	return docs, nil
}

// saysAnnotation is whether a file below a draft holds that "format" is an annotation.
func saysAnnotation(name string) bool {
	return name == "/format" || strings.HasSuffix(name, "/format-annotation") || strings.HasSuffix(name, "/format/annotation")
}

// suitePlace is the draft that the path of a file names, empty if there is none or the file is no
// test, and the path from there on.
func suitePlace(root, name string) (draft, id string) {
	for _, folder := range besideTests {
		if _, ok := below(name, folder); ok {
			return "", ""
		}
	}
	parts := strings.Split(root+"/"+name, "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if dialects[parts[i]] != "" {
			return parts[i], strings.Join(parts[i:], "/")
		}
	}
	return "", ""
}

func suiteFile(f *schemaFolder, name, id, dialect string) ([]Document, error) {
	d, err := f.json(name)
	if err != nil {
		return nil, err
	}
	cases, err := d.list(d.whole, "a file of the test suite")
	if err != nil {
		return nil, err
	}
	var docs []Document
	for i, c := range cases {
		more, err := suiteCase(d, c, fmt.Sprintf("%s/%d", id, i), dialect)
		if err != nil {
			return nil, err
		}
		docs = append(docs, more...)
	}
	return docs, nil
}

func suiteCase(d *jsonText, object *jsontext.Value, id, dialect string) ([]Document, error) {
	var description, schema, tests *jsontext.Value
	err := d.fields(object, "a case", map[string]**jsontext.Value{"description": &description, "schema": &schema, "tests": &tests})
	if err != nil {
		return nil, err
	}
	if schema == nil || tests == nil {
		return nil, d.errorf(object.From, `a case must be {"description": ..., "schema": ..., "tests": [...]}`)
	}
	s := &Schema{ID: id, Group: id[:strings.LastIndexByte(id[:strings.LastIndexByte(id, '/')], '/')], Place: d.place(schema.From)}
	if s.Text, err = withDialect(d, schema, dialect); err != nil {
		return nil, err
	}
	if s.Description, err = d.str(description, `"description"`); err != nil {
		return nil, err
	}
	return testDocuments(d, s, tests)
}

// withDialect is the text of a schema, which says its draft.
func withDialect(d *jsonText, schema *jsontext.Value, dialect string) ([]byte, error) {
	text := d.content(schema)
	var says *jsontext.Value
	if text[0] != '{' {
		return text, nil
	}
	if err := d.fields(schema, "a schema", map[string]**jsontext.Value{"$schema": &says}); err != nil || says != nil {
		return text, err
	}
	first := fmt.Sprintf(`{"$schema": %q`, dialect)
	if !bytes.Equal(text, []byte("{}")) {
		first += ", "
	}
	return append([]byte(first), text[1:]...), nil
}
