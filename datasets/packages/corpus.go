package packages

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gcdbench/datasets"
	"gcdbench/datasets/labels"
	"gcdbench/internal/bundle"
	"gcdbench/internal/jsontext"
)

const (
	// maxDocuments bounds the documents of a schema: of a hundred manifests most are alike.
	maxDocuments = 12
	// mutantsOfDocument is how many mutants of a valid document are taken, of so many tries.
	mutantsOfDocument, mutantTries = 2, 30
	// patience is how long the validator may take for a verdict. The slowest real one takes some
	// 100 ms.
	patience = 10 * time.Second
)

// recordFile is the name of the Record beside the corpus.
const recordFile = "fetched.json"

// A line is a schema of the corpus, as format maskbench has it.
type line struct {
	ID     string          `json:"id"`
	Group  string          `json:"group"`
	Schema json.RawMessage `json:"schema"`
	Tests  []test          `json:"tests"`
}

// A test is a document or a mutant of one.
type test struct {
	Description string          `json:"description"`
	Valid       bool            `json:"valid"`
	Data        json.RawMessage `json:"data"`
}

// write makes the corpus of a collection and puts it into a folder.
func (c *collection) write(ctx context.Context, folder string, list []Package, progress func(string)) (*Record, error) {
	r := &Record{Packages: list, Tables: tablesSum(), Date: time.Now().UTC().Truncate(time.Second)}
	names := c.identifiers()
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	lines.SetEscapeHTML(false)
	for _, path := range c.distinct() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress(fmt.Sprintf("schema %d: %s", r.Schemas+1, path))
		l := c.line(path, names)
		if err := lines.Encode(l); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		r.count(l)
	}
	err := writeFile(filepath.Join(folder, datasets.SchemaFilesName), out.Bytes())
	if err == nil {
		err = writeRecord(folder, r)
	}
	return r, err
}

// distinct are the paths of the schemas, in order, each text once.
func (c *collection) distinct() (paths []string) {
	seen := map[[sha256.Size]byte]bool{}
	for _, path := range slices.Sorted(slices.Values(c.order)) {
		if sum := sha256.Sum256(c.schemas[path]); !seen[sum] {
			seen[sum] = true
			paths = append(paths, path)
		}
	}
	return paths
}

// line is the record of a schema.
func (c *collection) line(path string, names map[string][]string) *line {
	schema := oneLine(bundle.Of(c.schemas[path], uriOf(path), func(uri string) []byte { return c.find(path, uri, names) }))
	l := &line{ID: path, Group: packageOf(path), Schema: schema, Tests: []test{}}
	docs := c.documentsOf(path)
	if len(docs) == 0 {
		return l
	}
	v, err := labels.New(schema)
	if err != nil {
		return l // who cannot judge does not label
	}
	j := &judge{v: v}
	for _, doc := range docs {
		l.Tests = append(l.Tests, j.tests(path, doc, c.documents[doc])...)
	}
	return l
}

// documentsOf are the documents that are meant for a schema.
func (c *collection) documentsOf(schema string) (docs []string) {
	for _, k := range kinds() {
		if !matchesAny([]string{k.schema}, schema) {
			continue
		}
		var of []string
		for doc := range c.documents {
			if doc != schema && matchesAny(k.documents, doc) {
				of = append(of, doc)
			}
		}
		docs = append(docs, spread(slices.Sorted(slices.Values(of)), maxDocuments-len(docs))...)
	}
	return docs
}

// spread are some elements of a list, as far apart as can be.
func spread(list []string, n int) (some []string) {
	n = max(0, min(n, len(list)))
	for i := range n {
		some = append(some, list[i*len(list)/n])
	}
	return some
}

// tests are a document and its mutants, if the validator has an opinion.
func (j *judge) tests(schema, path string, text []byte) (list []test) {
	doc, err := jsontext.Parse(path, text)
	if err != nil || jsontext.RepeatsKey(text) {
		return nil
	}
	data := doc.Append(nil)
	valid, ok := j.valid(data)
	if !ok || !fits(data) {
		return nil
	}
	list = append(list, test{path, valid, data})
	if !valid {
		return list
	}
	tries := 0
	for what, mutant := range mutants(doc, schema+" "+path) {
		if tries++; tries > mutantTries || len(list) > mutantsOfDocument {
			break
		}
		if valid, ok := j.valid(mutant); ok && !valid {
			list = append(list, test{path + ", " + what, false, mutant})
		}
	}
	return list
}

// A judge asks a validator, until it takes too long.
type judge struct {
	v    *labels.Validator
	slow bool
}

// valid is the validator's opinion; ok is false if it has none.
func (j *judge) valid(text []byte) (valid, ok bool) {
	if j.slow {
		return false, false
	}
	type verdict struct{ valid, ok bool }
	done := make(chan verdict, 1) // of one, so that a late verdict can end
	go func() {
		valid, err := j.v.Valid(text)
		done <- verdict{valid, err == nil}
	}()
	select {
	case d := <-done:
		return d.valid, d.ok
	case <-time.After(patience):
		j.slow = true
		return false, false
	}
}

// count adds a line to the counts.
func (r *Record) count(l *line) {
	r.Schemas++
	for _, t := range l.Tests {
		switch {
		case strings.Contains(t.Description, ", "):
			r.Mutants++
		default:
			r.Documents++
			if t.Valid {
				r.Valid++
			}
		}
	}
}

// oneLine is a JSON text without white space.
func oneLine(text []byte) json.RawMessage {
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		panic(err) // it was parsed
	}
	return out.Bytes()
}

// packageOf is the package in PACKAGE/PATH.
func packageOf(path string) string {
	parts := strings.SplitN(path, "/", 3)
	if strings.HasPrefix(path, "@") {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// tablesSum identifies the tables that a corpus is made by.
func tablesSum() string {
	sum := sha256.Sum256([]byte(packageTable + kindTable))
	return hex.EncodeToString(sum[:])
}

// current tells whether a corpus was made by the tables as they are.
func (r *Record) current() bool { return r.Tables == tablesSum() }

// readRecord is the record of the corpus in a folder.
func readRecord(folder string) (*Record, error) {
	text, err := os.ReadFile(filepath.Join(folder, recordFile))
	if err != nil {
		return nil, err
	}
	r := &Record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	_, err = os.Stat(filepath.Join(folder, datasets.SchemaFilesName))
	return r, err
}

// identifiers are the paths of schemas by their identifiers.
func (c *collection) identifiers() map[string][]string {
	names := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(c.schemas)) {
		if root, err := jsontext.Parse(path, c.schemas[path]); err == nil {
			if id := bundle.Identifier(root); id != "" {
				names[id] = append(names[id], path)
			}
		}
	}
	return names
}

// uriOf is what a file is called that does not say so itself.
func uriOf(path string) string { return (&url.URL{Path: "/" + path}).String() }

// find is the text of the file that a URI leads to from a schema: the path of one, or what one
// calls itself, in the same package rather than in another.
func (c *collection) find(from, uri string, names map[string][]string) []byte {
	if u, err := url.Parse(uri); err == nil && u.Host == "" {
		for _, ending := range []string{"", ".json"} { // which some leave out
			if text := c.schemas[strings.TrimPrefix(u.Path, "/")+ending]; text != nil {
				return text
			}
		}
	}
	named := names[uri]
	for _, path := range named {
		if packageOf(path) == packageOf(from) {
			return c.schemas[path]
		}
	}
	if len(named) == 0 {
		return nil
	}
	return c.schemas[named[0]]
}
