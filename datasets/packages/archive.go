package packages

import (
	"bytes"
	"slices"
	"strings"

	"gcdbench/datasets"
	"gcdbench/internal/jsontext"
	"gcdbench/internal/pinned"
)

// The largest files that are taken out of archives, in bytes. The largest schema, FHIR's, has 3.5
// MB; documents of more than 64 KiB are data more than documents.
const (
	maxSchema   = 4 << 20
	maxDocument = 64 << 10
)

// A collection is the files of all packages by PACKAGE/PATH, as JSON texts.
type collection struct {
	schemas, documents map[string][]byte
	order              []string // of the schemas
}

func newCollection() *collection {
	return &collection{schemas: map[string][]byte{}, documents: map[string][]byte{}}
}

// add takes a package's schemas and documents out of its archive.
func (c *collection) add(p *Package, archive string) error {
	return eachFile(archive, func(path string, read func() ([]byte, error)) error {
		isSchema := matchesAny(p.schemas, path)
		if !isSchema && !matchesAny(p.documents, path) {
			return nil
		}
		text, err := read()
		if err != nil {
			return err
		}
		c.take(p.Name+"/"+path, text, isSchema)
		return nil
	})
}

// take keeps a file that is JSON or YAML of one document. A schema is a document, too. What is
// neither, or of a draft before the fourth, is left out.
func (c *collection) take(path string, text []byte, isSchema bool) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	v, err := jsontext.Parse(path, text)
	if err != nil {
		if isSchema || len(text) > maxDocument {
			return
		}
		if text, err = jsonOfYAML(text); err != nil {
			return
		}
	}
	if len(text) <= maxDocument {
		c.documents[path] = text
	}
	if isSchema && err == nil && v != nil && isOfDraft(v) {
		c.schemas[path] = text
		c.order = append(c.order, path)
	}
}

// isOfDraft tells whether a value is a schema, of a draft that is known.
func isOfDraft(v *jsontext.Value) bool {
	if v.Kind != jsontext.Object {
		return false
	}
	says := v.Get("$schema")
	if says != nil {
		return strings.Contains(says.Text, "json-schema.org") && !strings.Contains(says.Text, "draft-03")
	}
	return slices.ContainsFunc([]string{"type", "properties", "definitions", "$ref", "allOf", "anyOf", "oneOf"}, func(key string) bool { return v.Get(key) != nil })
}

// eachFile visits the files of an archive: a wheel or a module's zip, or a gzip-compressed tar with
// one folder, by their paths below that folder.
func eachFile(archive string, visit func(path string, read func() ([]byte, error)) error) error {
	return pinned.EachFile(archive, maxSchema, func(path string, read func() ([]byte, error)) error {
		if !pinned.IsZip(archive) {
			_, path, _ = strings.Cut(path, "/")
		}
		return visit(path, read)
	})
}

// fits tells whether a text is JSON as corpora have it.
func fits(text []byte) bool { return datasets.CheckJSON(text) == nil }
