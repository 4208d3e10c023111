package datasets

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"gcdbench/internal/jsontext"
)

// maskBenchRecord reads an object of MaskBench, {"id","group","schema","tests"}, tests being a list
// of {"valid","data","description"}. The bytes of schema and data are kept as they stand. Other
// keys are ignored; tests, group and descriptions may be missing, and the fallback is the id of an
// object that gives none.
func maskBenchRecord(d *jsonText, fallback string) ([]Document, error) {
	var id, group, description, schema, tests *jsontext.Value
	object := d.whole
	err := d.fields(object, "a record", map[string]**jsontext.Value{"id": &id, "group": &group, "description": &description,
		"schema": &schema, "tests": &tests})
	if err != nil {
		return nil, err
	}
	if schema == nil {
		return nil, d.errorf(object.From, `the object has no "schema"; expected {"schema": ..., "tests": [{"valid": ..., "data": ...}]}`)
	}
	s := &Schema{Text: d.content(schema), Place: d.place(schema.From)}
	if s.ID, err = d.identifier(id, `"id"`, fallback); err != nil {
		return nil, err
	}
	if s.Group, err = d.str(group, `"group"`); err != nil {
		return nil, err
	}
	if s.Group == "" {
		s.Group = groupOf(s.ID)
	}
	if s.Description, err = d.str(description, `"description"`); err != nil {
		return nil, err
	}
	return testDocuments(d, s, tests)
}

// groupOf is the group that an id of MaskBench or JSONSchemaBench names: what stands before three
// dashes (Github_easy---o10008), before the file in a folder (Github_easy/o10008), or else before
// the first underscore (BFCL_java_10).
func groupOf(id string) string {
	if group, _, ok := strings.Cut(id, "---"); ok {
		return group
	}
	if at := strings.LastIndexByte(id, '/'); at >= 0 {
		return id[:at]
	}
	group, _, ok := strings.Cut(id, "_")
	if !ok {
		return ""
	}
	return group
}

// testDocuments reads a list of {"valid","data","description"}, which may be missing or null, as
// the documents of a schema.
func testDocuments(d *jsonText, s *Schema, tests *jsontext.Value) ([]Document, error) {
	if tests == nil || tests.Kind == jsontext.Null {
		return []Document{bareSchema(s)}, nil
	}
	list, err := d.list(tests, `"tests"`)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return []Document{bareSchema(s)}, nil
	}
	docs := make([]Document, len(list))
	for i, test := range list {
		if docs[i], err = testDocument(d, s, i, test); err != nil {
			return nil, err
		}
	}
	return docs, nil
}

func testDocument(d *jsonText, s *Schema, number int, test *jsontext.Value) (Document, error) {
	var valid, data, description *jsontext.Value
	err := d.fields(test, "a test", map[string]**jsontext.Value{"valid": &valid, "data": &data, "description": &description})
	switch {
	case err != nil:
		return Document{}, err
	case valid == nil || data == nil:
		return Document{}, d.errorf(test.From, `a test must be {"valid": true or false, "data": any value}`)
	case valid.Kind != jsontext.Bool:
		return Document{}, d.errorf(valid.From, `"valid" must be true or false, is %s`, kind(valid))
	}
	text, err := d.str(description, `"description"`)
	if err != nil {
		return Document{}, err
	}
	doc := instance(s, number, d.content(data), !valid.Truth)
	doc.Place, doc.Description = d.place(data.From), text
	return doc, nil
}

// instance is a document of a schema, by its number among the schema's.
func instance(s *Schema, number int, content []byte, negative bool) Document {
	return Document{ID: fmt.Sprintf("%s#%d", s.ID, number), Size: int64(len(content)), Negative: negative, Schema: s,
		Read: func() ([]byte, error) { return bytes.Clone(content), nil }}
}

// bareSchema stands for a schema without instances.
func bareSchema(s *Schema) Document { return Document{ID: s.ID, Place: s.Place, Schema: s} }

// maskBenchFiles reads MaskBench as it is published: a file for each schema, an object with
// "schema" and "tests". The id is the file's name without .json, unless the object gives one. If
// there are files below maskbench/data (of a copy of the whole repository), then only those count,
// and are named from there.
func maskBenchFiles(f *schemaFolder, names []string) ([]Document, error) {
	if f.glob == "" && slices.ContainsFunc(names, inMaskBench) {
		names = slices.DeleteFunc(names, func(name string) bool { return !inMaskBench(name) })
	}
	var docs []Document
	for _, name := range names {
		d, err := f.json(name)
		if err != nil {
			return nil, err
		}
		if rest, ok := below(name, maskBenchFolder); ok {
			name = rest
		}
		more, err := maskBenchRecord(d, withoutJSON(name))
		if err != nil {
			return nil, err
		}
		docs = append(docs, more...)
	}
	return docs, nil
}

// maskBenchFolder is where MaskBench's files are in the repository of JSONSchemaBench.
const maskBenchFolder = "maskbench/data"

func inMaskBench(name string) bool {
	_, ok := below(name, maskBenchFolder)
	return ok
}
