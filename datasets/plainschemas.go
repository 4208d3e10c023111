package datasets

import (
	"fmt"
	"path"
	"strings"

	"gcdbench/internal/jsontext"
)

// plainSchemas reads a folder of one's own: files that are schemas, and instances beside them.
//
//	ID.json, ID.schema.json or ID/schema.json   the schema called ID
//	ID.valid.json, ID.invalid-2.json, ...       its instances: a name of ID, a dot, valid or invalid, and
//	                                            perhaps more after one of - _ . or a digit
//	ID/valid.json, ID/invalid-2.json, ...       the same in a folder
//	ID/valid/ANY.json, ID/invalid/ANY.json      the same in two folders
//
// ID may have folders, and is then grouped by them; schema.json of the folder itself is called
// "schema", its instances are valid.json and so on. A schema's text is that of the file, byte for
// byte; an instance is laid out on one line. Instances are in the order of their names. It is an
// error if there is no schema for an instance, or a file of another name beside a schema.json,
// which is most likely a misspelt instance.
func plainSchemas(f *schemaFolder, names []string) ([]Document, error) {
	schemas := map[string]string{} // the file, by the schema's id
	for _, name := range names {
		if id := schemaID(name); schemas[id] == "" {
			schemas[id] = name
		}
	}
	var list []*Schema
	owners := map[string]*Schema{}
	for _, name := range names {
		if _, is := instanceOf(name, schemas); is != nil {
			continue
		}
		s, err := plainSchema(f, name, schemas)
		if err != nil {
			return nil, err
		}
		owners[s.ID] = s
		list = append(list, s)
	}
	docs := map[*Schema][]Document{}
	for _, name := range names {
		id, is := instanceOf(name, schemas)
		if is == nil {
			continue
		}
		s := owners[id]
		if s == nil {
			return nil, fmt.Errorf("%s: an instance by its name, but there is no schema %s", f.place(name), wantedSchema(id))
		}
		d, err := f.json(name)
		if err != nil {
			return nil, err
		}
		doc := instance(s, len(docs[s]), d.content(d.whole), is.negative)
		doc.Place, doc.Description = d.place(d.whole.From), is.what
		docs[s] = append(docs[s], doc)
	}
	return flatten(list, docs), nil
}

// flatten lists the documents of schemas.
func flatten(list []*Schema, of map[*Schema][]Document) []Document {
	var docs []Document
	for _, s := range list {
		if of[s] == nil {
			docs = append(docs, bareSchema(s))
		}
		docs = append(docs, of[s]...)
	}
	return docs
}

// plainSchema reads a file that is a schema.
func plainSchema(f *schemaFolder, name string, schemas map[string]string) (*Schema, error) {
	beside := path.Join(path.Dir(name), "schema.json")
	if id := schemaID(beside); name != beside && schemas[id] == beside && !strings.HasSuffix(name, ".schema.json") {
		return nil, fmt.Errorf("%s: the name of a file beside %s must begin with valid or invalid; a glob leaves files out",
			f.place(name), path.Base(beside))
	}
	content, err := f.read(name)
	if err != nil {
		return nil, err
	}
	id := schemaID(name)
	group := path.Dir(id)
	if group == "." {
		group = ""
	}
	return &Schema{ID: id, Group: group, Text: content, Place: f.place(name) + ":1:1"}, nil
}

// schemaID is the id of the schema that a file holds if it holds one.
func schemaID(name string) string {
	id := withoutJSON(name)
	if path.Base(id) == "schema" && path.Dir(id) != "." {
		return path.Dir(id)
	}
	return strings.TrimSuffix(id, ".schema")
}

// instanceName is what the name of an instance says.
type instanceName struct {
	negative bool
	what     string // the name without the schema's
}

// instanceOf is the schema whose instance a file is by its name, and nil if it is none. Of several
// that the name could mean it is the first in the name for which there is a file.
func instanceOf(name string, schemas map[string]string) (id string, is *instanceName) {
	stem := withoutJSON(name)
	for at := range len(stem) {
		if at > 0 && stem[at-1] != '/' && stem[at-1] != '.' {
			continue
		}
		negative, ok := verdictOf(stem[at:])
		if !ok {
			continue
		}
		owner := "schema"
		if at > 0 {
			owner = stem[:at-1]
		}
		if is == nil || schemas[id] == "" && schemas[owner] != "" {
			id, is = owner, &instanceName{negative, stem[at:]}
		}
	}
	return id, is
}

// verdictOf reads the word valid or invalid at the beginning of a name.
func verdictOf(text string) (negative, ok bool) {
	rest, negative := strings.CutPrefix(text, "in")
	rest, ok = strings.CutPrefix(rest, "valid")
	return negative, ok && (rest == "" || strings.ContainsRune("/.-_0123456789", rune(rest[0])))
}

// wantedSchema says which files a schema may be in.
func wantedSchema(id string) string {
	if id == "schema" {
		return "schema.json"
	}
	return fmt.Sprintf("%[1]s.json, %[1]s.schema.json or %[1]s/schema.json", id)
}

// benchSchemas reads JSONSchemaBench as its repository has it: a file for each schema, in a folder
// for each part (data/Github_easy/NAME.json). The id is the name below data, without .json. What
// lies in a folder called maskbench belongs to another format and is left out, unless a glob asks
// for it.
func benchSchemas(f *schemaFolder, names []string) ([]Document, error) {
	var docs []Document
	for _, name := range names {
		if _, other := below(name, "maskbench"); other && f.glob == "" {
			continue
		}
		content, err := f.read(name)
		if err != nil {
			return nil, err
		}
		id := name
		if rest, ok := below(name, "data"); ok {
			id = rest
		}
		id = withoutJSON(id)
		docs = append(docs, bareSchema(&Schema{ID: id, Group: groupOf(id), Text: content, Place: f.place(name) + ":1:1"}))
	}
	return docs, nil
}

// benchRecord reads a line of JSONSchemaBench as its data set has it: "json_schema", a string that
// is the schema's text, and "unique_id". It may also be called "schema" and "id", and the schema be
// a value and not a string.
func benchRecord(d *jsonText, fallback string) ([]Document, error) {
	var text, schema, unique, id, group *jsontext.Value
	object := d.whole
	err := d.fields(object, "a record", map[string]**jsontext.Value{"json_schema": &text, "schema": &schema, "unique_id": &unique, "id": &id, "group": &group})
	if err != nil {
		return nil, err
	}
	if text == nil {
		text = schema
	}
	if unique == nil {
		unique = id
	}
	if text == nil {
		return nil, d.errorf(object.From, `the object has no "json_schema"; expected {"json_schema": ..., "unique_id": ...}`)
	}
	s := &Schema{Text: d.content(text), Place: d.place(text.From)}
	if text.Kind == jsontext.String {
		value, err := d.str(text, `"json_schema"`)
		if err != nil {
			return nil, err
		}
		s.Text = []byte(value)
	}
	if s.ID, err = d.identifier(unique, `"unique_id"`, fallback); err != nil {
		return nil, err
	}
	if s.Group, err = d.str(group, `"group"`); err != nil {
		return nil, err
	}
	if s.Group == "" {
		s.Group = groupOf(s.ID)
	}
	return []Document{bareSchema(s)}, nil
}
