package datasets_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gcdbench/datasets"
)

// schemaCorpus is a source in memory from lines like "b 20 +-+": a schema's id, the size of its
// text, and its instances, + for a positive and - for a negative.
func schemaCorpus(list ...string) listed {
	var docs listed
	for _, line := range list {
		var id, tests string
		var size int
		fmt.Sscan(line, &id, &size, &tests)
		schema := &datasets.Schema{ID: id, Text: bytes.Repeat([]byte(" "), size)}
		if tests == "" {
			docs = append(docs, datasets.Document{ID: id, Schema: schema})
		}
		for i, kind := range tests {
			content := []byte(fmt.Sprint(i))
			docs = append(docs, datasets.Document{ID: fmt.Sprintf("%s#%d", id, i), Size: 1, Negative: kind == '-', Schema: schema,
				Description: "test " + fmt.Sprint(i), Read: func() ([]byte, error) { return content, nil }})
		}
	}
	return docs
}

// five schemas, not in order, with six positives and five negatives.
func five() listed {
	return schemaCorpus("d 40 +-+", "b 20", "a 10 -+-", "e 50 +", "c 30 ++--")
}

func schemaIDs(d *datasets.Dataset) string {
	var list []string
	for _, s := range d.Schemas {
		list = append(list, s.ID)
	}
	return strings.Join(list, " ")
}

func TestLoadSelectsSchemas(t *testing.T) {
	even := func(content []byte) bool { return (content[0]-'0')%2 == 0 }
	twoKinds := func(_ *datasets.Schema, of []datasets.Sample) bool {
		negatives := 0
		for _, s := range of {
			if s.Negative {
				negatives++
			}
		}
		return 0 < negatives && negatives < len(of)
	}
	cases := []struct {
		name                      string
		query                     datasets.Query
		schemas, samples          string
		bySize, byFilter, byLimit int // documents
	}{
		{"everything but negatives", datasets.Query{}, "a b c d e", "a#1 c#0 c#1 d#0 d#2 e#0", 0, 0, 5},
		{"negatives too", datasets.Query{Negatives: -1}, "a b c d e", "a#0 a#1 a#2 c#0 c#1 c#2 c#3 d#0 d#1 d#2 e#0", 0, 0, 0},
		{"negatives of each schema", datasets.Query{Negatives: 1}, "a b c d e", "a#0 a#1 c#0 c#1 c#2 d#0 d#1 d#2 e#0", 0, 0, 2},
		{"a limit counts schemas", datasets.Query{Limit: 3}, "a b c", "a#1 c#0 c#1", 0, 0, 8},
		{"a schema without instances counts", datasets.Query{Limit: 2, Negatives: -1}, "a b", "a#0 a#1 a#2", 0, 0, 8},
		{"more than there are", datasets.Query{Limit: 9}, "a b c d e", "a#1 c#0 c#1 d#0 d#2 e#0", 0, 0, 5},
		{"bounds are those of the text", datasets.Query{MinBytes: 20, MaxBytes: 40}, "b c d", "c#0 c#1 d#0 d#2", 4, 0, 3},
		{"bounds before limit", datasets.Query{MinBytes: 30, Limit: 2, Negatives: -1}, "c d", "c#0 c#1 c#2 c#3 d#0 d#1 d#2", 3, 0, 1},
		{"filter of positives", datasets.Query{Keep: even, Negatives: -1}, "a b c d e", "a#0 a#2 c#0 c#2 c#3 d#0 d#1 d#2 e#0", 0, 2, 0},
		{"filter of schemas before limit", datasets.Query{KeepSchema: twoKinds, Negatives: -1, Limit: 2}, "a c", "a#0 a#1 a#2 c#0 c#1 c#2 c#3", 0, 0, 4},
		{"filter of schemas", datasets.Query{KeepSchema: twoKinds, Negatives: -1}, "a c d", "a#0 a#1 a#2 c#0 c#1 c#2 c#3 d#0 d#1 d#2", 0, 1, 0},
		{"a schema stays without positives", datasets.Query{Keep: func([]byte) bool { return false }, Limit: 1}, "a", "", 0, 1, 10},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := load(t, five(), c.query)
			if schemaIDs(d) != c.schemas || ids(d) != c.samples {
				t.Errorf("selected %s with %s, want %s with %s", schemaIDs(d), ids(d), c.schemas, c.samples)
			}
			p, n := d.Provenance, d.Provenance.Schemas
			if p.BySize != c.bySize || p.ByFilter != c.byFilter || p.ByLimit != c.byLimit {
				t.Errorf("left out %d by size, %d by filter, %d by limit", p.BySize, p.ByFilter, p.ByLimit)
			}
			if p.Listed != 11 || p.Listed != len(d.Samples)+p.BySize+p.ByFilter+p.ByLimit {
				t.Errorf("%d documents listed, %d selected, does not add up", p.Listed, len(d.Samples))
			}
			if n.Listed != 5 || n.Chosen != len(d.Schemas) || n.Listed != n.Chosen+n.BySize+n.ByFilter+n.ByLimit {
				t.Errorf("schemas: %+v, does not add up", n)
			}
		})
	}
}

func TestSchemasAreShared(t *testing.T) {
	d := load(t, five(), datasets.Query{Negatives: -1})
	for i, s := range d.Samples {
		if !slices.Contains(d.Schemas, s.Schema) || !strings.HasPrefix(s.ID, s.Schema.ID+"#") {
			t.Errorf("%s has the schema %+v", s.ID, s.Schema)
		}
		if s.Description != "test "+s.ID[2:] {
			t.Errorf("sample %d: description %q", i, s.Description)
		}
	}
	if bare := d.Provenance.Schemas.Bare; bare != 1 {
		t.Errorf("%d schemas without instances, want 1", bare)
	}
}

func TestBySchema(t *testing.T) {
	d := load(t, five(), datasets.Query{Negatives: -1})
	var got []string
	for schema, of := range d.BySchema() {
		got = append(got, fmt.Sprintf("%s %d", schema.ID, len(of)))
		for i := range of {
			if of[i].Schema != schema {
				t.Errorf("%s has %s", schema.ID, of[i].ID)
			}
		}
		if schema.ID == "d" {
			break
		}
	}
	if got := strings.Join(got, ", "); got != "a 3, b 0, c 4, d 3" {
		t.Errorf("schemas with instances: %s", got)
	}
}

// TestInstancesKeepTheirOrder has more than ten, which the order of ids as text would mix.
func TestInstancesKeepTheirOrder(t *testing.T) {
	d := load(t, schemaCorpus("a 1 ++++++++++++"), datasets.Query{})
	if got := ids(d); got != "a#0 a#1 a#2 a#3 a#4 a#5 a#6 a#7 a#8 a#9 a#10 a#11" {
		t.Errorf("order %s", got)
	}
}

func TestSchemasAreSampled(t *testing.T) {
	many := func(prefix string) (docs listed) {
		for i := range 50 {
			docs = append(docs, schemaCorpus(fmt.Sprintf("%s%02d 5 +-+", prefix, i))...)
		}
		return docs
	}
	q := datasets.Query{Sample: true, Seed: 7, Limit: 10, Negatives: -1}
	d := load(t, many("a"), q)
	want := schemaIDs(d)
	if len(d.Schemas) != 10 || len(d.Samples) != 30 || slices.IsSortedFunc(d.Schemas, byID) {
		t.Errorf("sampled %d schemas (%s) and %d instances", len(d.Schemas), want, len(d.Samples))
	}
	reversed := many("a")
	slices.Reverse(reversed)
	if got := schemaIDs(load(t, reversed, q)); got != want {
		t.Errorf("sampled %s, from another order of listing %s", want, got)
	}
	q.Limit = 0
	mixed := strings.Fields(schemaIDs(load(t, append(many("a"), many("b")...), q)))
	mixed = slices.DeleteFunc(mixed, func(id string) bool { return id[0] == 'b' })
	if got := strings.Join(mixed[:10], " "); got != want {
		t.Errorf("sampled %s, among others %s", want, got)
	}
	q.Seed = 8
	if got := schemaIDs(load(t, many("a"), q)); strings.HasPrefix(got, want) {
		t.Errorf("seeds 7 and 8 sample the same")
	}
}

func byID(a, b *datasets.Schema) int { return strings.Compare(a.ID, b.ID) }

func TestSchemaProvenance(t *testing.T) {
	src := func() listed { return schemaCorpus("a 3 +-", "b 2") }
	d := load(t, src(), datasets.Query{Negatives: -1})
	h := sha256.New()
	number := func(n int) { h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))) }
	put := func(s string) { number(len(s)); h.Write([]byte(s)) }
	put("a")
	put("   ")
	number(2)
	put("a#0")
	put("0")
	h.Write([]byte{1})
	put("a#1")
	put("1")
	h.Write([]byte{0})
	put("b")
	put("  ")
	number(0)
	if want := hex.EncodeToString(h.Sum(nil)); d.Provenance.SHA256 != want {
		t.Errorf("SHA-256 %s, want %s", d.Provenance.SHA256, want)
	}
	if d.Provenance.Bytes != 2 || d.Provenance.Schemas.Bytes != 5 {
		t.Errorf("%d bytes of instances, %d of schemas; want 2 and 5", d.Provenance.Bytes, d.Provenance.Schemas.Bytes)
	}
	changes := map[string]func(listed) listed{
		"text":     func(s listed) listed { s[0].Schema.Text = []byte("xyz"); return s },
		"verdict":  func(s listed) listed { s[0].Negative = true; return s },
		"instance": func(s listed) listed { s[0].Read = func() ([]byte, error) { return []byte("9"), nil }; return s },
		"order":    func(s listed) listed { s[0], s[1] = s[1], s[0]; return s },
		"fewer":    func(s listed) listed { return append(s[:1], s[2]) },
		"bare":     func(s listed) listed { return s[:2] },
	}
	for name, change := range changes {
		if load(t, change(src()), datasets.Query{Negatives: -1}).Provenance.SHA256 == d.Provenance.SHA256 {
			t.Errorf("%s: a change leaves the sum as it was", name)
		}
	}
}

func TestLoadSchemaErrors(t *testing.T) {
	boom := errors.New("the disk fell out")
	unreadable := five()
	unreadable[0].Read = func() ([]byte, error) { return nil, boom }
	twice := append(five(), schemaCorpus("c 1 +")...)
	twice[len(twice)-1].Schema.Place = "x.json:1:1"
	sameID := five()
	sameID[1].ID = sameID[0].ID
	refused(t, []refusal{
		{"read", unreadable, datasets.Query{}, "the disk fell out"},
		{"two schemas of an id", twice, datasets.Query{}, `x.json:1:1: two schemas have the id "c", the first at an unknown place; ids must be unique`},
		{"two documents of an id", sameID, datasets.Query{}, `listed: two documents have the id "d#0"`},
		{"programs too", append(five(), doc("p", 1, false)), datasets.Query{}, `listed: document "p" has no schema but others have one`},
		{"nothing", five(), datasets.Query{MaxBytes: 5}, "listed: nothing was selected: of 5 schemas, 5 are outside the size bounds, 0 were filtered out and 0 are beyond the limit"},
	})
	if _, err := datasets.Load(t.Context(), unreadable, datasets.Query{Limit: 1}); err != nil {
		t.Errorf("an instance of a schema that is not chosen was read: %v", err)
	}
}

func TestLargestSchema(t *testing.T) {
	src := schemaCorpus("a 1 +", "b 2 +", "c 3 +")
	src[0].Schema.Text = make([]byte, datasets.MaxDocumentBytes)
	src[1].Schema.Text = make([]byte, datasets.MaxDocumentBytes+1)
	src[2].Size = datasets.MaxDocumentBytes + 1
	d := load(t, src, datasets.Query{})
	if schemaIDs(d) != "a c" || ids(d) != "a#0" || d.Provenance.BySize != 2 || d.Provenance.Schemas.BySize != 1 {
		t.Errorf("selected %s with %s: b is a larger schema, and c#0 a larger document, than is read", schemaIDs(d), ids(d))
	}
}

func TestLoadSchemasStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	read := 0
	_, err := datasets.Load(ctx, five(), datasets.Query{Progress: func(n, _ int) { read = n; cancel() }})
	if !errors.Is(err, context.Canceled) || read != 1 {
		t.Errorf("read %d documents, then %v", read, err)
	}
}

func TestSchemaProgress(t *testing.T) {
	var calls []string
	load(t, five(), datasets.Query{Limit: 3, Progress: func(read, kept int) { calls = append(calls, fmt.Sprintf("%d/%d", kept, read)) }})
	if got := strings.Join(calls, " "); got != "1/1 2/2 3/3" {
		t.Errorf("progress %s, want 1/1 2/2 3/3", got)
	}
}
