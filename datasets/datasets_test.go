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
	"gcdbench/internal/must"
)

// listed is a source in memory.
type listed []datasets.Document

func (s listed) Info() datasets.Info {
	return datasets.Info{Name: "listed", Language: "json", Where: "memory"}
}

func (s listed) Documents(context.Context) ([]datasets.Document, error) {
	return slices.Clone(s), nil
}

// doc is a document whose content is its id, repeated to a size.
func doc(id string, size int, negative bool) datasets.Document {
	content := bytes.Repeat([]byte(id), size/len(id)+1)[:size]
	return datasets.Document{ID: id, Size: int64(size), Negative: negative,
		Read: func() ([]byte, error) { return content, nil }}
}

// ten are the positives a to j, of 10 to 100 bytes, and the negatives x and y, not in order.
func ten() listed {
	var s listed
	for i, id := range strings.Split("j b h d f e g c i a", " ") {
		s = append(s, doc(id, int(id[0]-'a'+1)*10, false))
		if i == 3 {
			s = append(s, doc("y", 15, true), doc("x", 5, true))
		}
	}
	return s
}

func load(t *testing.T, src datasets.Source, q datasets.Query) *datasets.Dataset {
	t.Helper()
	d := must.Get(datasets.Load(t.Context(), src, q))(t)
	return d
}

func ids(d *datasets.Dataset) string {
	var list []string
	for i := range d.Samples {
		list = append(list, d.Samples[i].ID)
	}
	return strings.Join(list, " ")
}

func TestLoadSelects(t *testing.T) {
	cases := []struct {
		name                      string
		query                     datasets.Query
		want                      string
		bySize, byFilter, byLimit int
	}{
		{"everything but negatives", datasets.Query{}, "a b c d e f g h i j", 0, 0, 2},
		{"negatives too", datasets.Query{Negatives: -1}, "a b c d e f g h i j x y", 0, 0, 0},
		{"the first ones", datasets.Query{Limit: 3}, "a b c", 0, 0, 9},
		{"more than there are", datasets.Query{Limit: 99, Negatives: 99}, "a b c d e f g h i j x y", 0, 0, 0},
		{"limits apart", datasets.Query{Limit: 2, Negatives: 1}, "a b x", 0, 0, 9},
		{"at least", datasets.Query{MinBytes: 80}, "h i j", 7, 0, 2},
		{"at most", datasets.Query{MaxBytes: 20, Negatives: -1}, "a b x y", 8, 0, 0},
		{"bounds are inclusive", datasets.Query{MinBytes: 30, MaxBytes: 30}, "c", 9, 0, 2},
		{"bounds apply to negatives", datasets.Query{Limit: 1, Negatives: -1, MinBytes: 10}, "a y", 1, 0, 9},
		{"bounds before limit", datasets.Query{Limit: 2, MinBytes: 50}, "e f", 4, 0, 6},
		{"filter", datasets.Query{Keep: startsLate}, "f g h i j", 0, 5, 2},
		{"filter before limit", datasets.Query{Keep: startsLate, Limit: 2}, "f g", 0, 5, 5},
		{"filter spares negatives", datasets.Query{Keep: func(c []byte) bool { return c[0] == 'b' }, Negatives: -1}, "b x y", 0, 9, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := load(t, ten(), c.query)
			if got := ids(d); got != c.want {
				t.Errorf("selected %s, want %s", got, c.want)
			}
			p := d.Provenance
			if p.BySize != c.bySize || p.ByFilter != c.byFilter || p.ByLimit != c.byLimit {
				t.Errorf("left out %d by size, %d by filter, %d by limit, want %d, %d, %d",
					p.BySize, p.ByFilter, p.ByLimit, c.bySize, c.byFilter, c.byLimit)
			}
			if p.Listed != 12 || p.Listed != len(d.Samples)+p.BySize+p.ByFilter+p.ByLimit {
				t.Errorf("%d listed, %d selected, does not add up", p.Listed, len(d.Samples))
			}
		})
	}
}

func startsLate(content []byte) bool { return content[0] > 'e' }

func TestLoadKeepsWhatIsKnown(t *testing.T) {
	src := ten()
	place := &datasets.Mistake{Line: 1, Column: 2, What: "it is"}
	for i := range src {
		if src[i].Negative {
			src[i].Mistake = place
		}
	}
	for _, s := range load(t, src, datasets.Query{Negatives: -1}).Samples {
		if want := s.ID == "x" || s.ID == "y"; s.Negative != want || (s.Mistake == place) != want {
			t.Errorf("%s: negative %v, mistake %v", s.ID, s.Negative, s.Mistake)
		}
		if s.Content[0] != s.ID[0] {
			t.Errorf("%s has the content of another: %q", s.ID, s.Content)
		}
	}
}

// hundred are 100 documents with ids starting with a prefix.
func hundred(prefix string) listed {
	var s listed
	for i := range 100 {
		s = append(s, doc(fmt.Sprintf("%s%02d", prefix, i), 8, false))
	}
	return s
}

func TestSamplingIsStable(t *testing.T) {
	first := datasets.Query{Sample: true, Seed: 7, Limit: 10}
	want := ids(load(t, hundred("a"), first))
	if len(strings.Fields(want)) != 10 {
		t.Fatalf("sampled %q, want 10 documents", want)
	}
	t.Run("the same seed", func(t *testing.T) {
		if got := ids(load(t, hundred("a"), first)); got != want {
			t.Errorf("sampled %s, then %s", want, got)
		}
	})
	t.Run("any order of listing", func(t *testing.T) {
		src := hundred("a")
		slices.Reverse(src)
		if got := ids(load(t, src, first)); got != want {
			t.Errorf("sampled %s, then %s", want, got)
		}
	})
	t.Run("another seed", func(t *testing.T) {
		other := first
		other.Seed = 8
		if got := ids(load(t, hundred("a"), other)); got == want {
			t.Errorf("seeds 7 and 8 both sample %s", got)
		}
	})
	t.Run("not the first ids", func(t *testing.T) {
		if first := ids(load(t, hundred("a"), datasets.Query{Limit: 10})); first == want {
			t.Errorf("sampled the first ids")
		}
	})
	t.Run("a larger sample begins with the smaller", func(t *testing.T) {
		larger := first
		larger.Limit = 40
		if got := ids(load(t, hundred("a"), larger)); !strings.HasPrefix(got, want+" ") {
			t.Errorf("sampled %s, then %s", want, got)
		}
	})
	t.Run("other documents do not change the order", func(t *testing.T) {
		all := first
		all.Limit = 0
		mixed := strings.Fields(ids(load(t, append(hundred("a"), hundred("b")...), all)))
		mixed = slices.DeleteFunc(mixed, func(id string) bool { return id[0] == 'b' })
		if got := strings.Join(mixed[:10], " "); got != want {
			t.Errorf("sampled %s, among others %s", want, got)
		}
	})
}

// TestSamplingIsFair draws one of four documents with many seeds: each is drawn about equally
// often. The bounds are five standard deviations away, and the seeds are fixed.
func TestSamplingIsFair(t *testing.T) {
	src := hundred("f")[:4]
	drawn := map[string]int{}
	for seed := range uint64(1000) {
		drawn[ids(load(t, src, datasets.Query{Sample: true, Seed: seed, Limit: 1}))]++
	}
	for id, n := range drawn {
		if n < 180 || n > 320 {
			t.Errorf("%s was drawn %d times of 1000, want about 250", id, n)
		}
	}
	if len(drawn) != 4 {
		t.Errorf("drew %v", drawn)
	}
}

func TestProvenance(t *testing.T) {
	d := load(t, ten(), datasets.Query{Limit: 2, Negatives: 1})
	h := sha256.New()
	for _, part := range []string{"a", strings.Repeat("a", 10), "b", strings.Repeat("b", 20), "x", "xxxxx"} {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	p := d.Provenance
	if want := hex.EncodeToString(h.Sum(nil)); p.SHA256 != want {
		t.Errorf("SHA-256 %s, want %s", p.SHA256, want)
	}
	if p.Bytes != 35 {
		t.Errorf("%d bytes, want 35", p.Bytes)
	}
	if p.Info != ten().Info() {
		t.Errorf("info %+v, want that of the source", p.Info)
	}
	moved := listed{doc("aa", 9, false), doc("b", 20, false), doc("x", 5, true)}
	if load(t, moved, datasets.Query{Negatives: 1}).Provenance.SHA256 == p.SHA256 {
		t.Error("a byte moved from content to id leaves the sum as it was")
	}
}

func TestProgress(t *testing.T) {
	var calls []string
	load(t, ten(), datasets.Query{Limit: 2, Keep: startsLate, MinBytes: 40, Progress: func(read, kept int) {
		calls = append(calls, fmt.Sprintf("%d/%d", kept, read))
	}})
	if got := strings.Join(calls, " "); got != "0/1 0/2 1/3 2/4" {
		t.Errorf("progress %s, want 0/1 0/2 1/3 2/4: d and e are read and dropped, f and g kept", got)
	}
}

// failing is a source that fails somewhere.
type failing struct {
	listed
	err error
}

func (s failing) Documents(context.Context) ([]datasets.Document, error) { return nil, s.err }

// A refusal is a source that cannot be loaded by a query, and what the error says.
type refusal struct {
	name  string
	src   datasets.Source
	query datasets.Query
	want  string
}

// refused checks that each fails, and says why.
func refused(t *testing.T, cases []refusal) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := datasets.Load(t.Context(), c.src, c.query); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestLoadErrors(t *testing.T) {
	boom := errors.New("the disk fell out")
	unreadable := ten()
	unreadable[1].Read = func() ([]byte, error) { return nil, boom }
	refused(t, []refusal{
		{"documents", failing{err: boom}, datasets.Query{}, "the disk fell out"},
		{"read", unreadable, datasets.Query{}, "the disk fell out"},
		{"ids", append(ten(), doc("c", 1, false)), datasets.Query{}, `listed: two documents have the id "c"; ids must be unique`},
		{"nothing", ten(), datasets.Query{MinBytes: 90, Keep: func([]byte) bool { return false }},
			"listed: nothing was selected: of 12 documents, 8 are outside the size bounds, 2 were filtered out and 2 are beyond the limit"},
		{"impossible bounds", ten(), datasets.Query{MinBytes: 50, MaxBytes: 40}, "10 are outside the size bounds"},
		{"an empty source", listed{}, datasets.Query{}, "of 0 documents"},
	})
	if _, err := datasets.Load(t.Context(), unreadable, datasets.Query{Limit: 1}); err != nil {
		t.Errorf("a document that is not selected was read: %v", err)
	}
}

func TestLoadStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	read := 0
	_, err := datasets.Load(ctx, ten(), datasets.Query{Progress: func(n, _ int) { read = n; cancel() }})
	if !errors.Is(err, context.Canceled) || read != 1 {
		t.Errorf("read %d documents, then %v", read, err)
	}
}

// TestSizesUnknownBeforeReading has documents whose size is only known once they are read.
func TestSizesUnknownBeforeReading(t *testing.T) {
	src := ten()
	for i := range src {
		src[i].Size = -1
	}
	d := load(t, src, datasets.Query{MinBytes: 80})
	if got := ids(d); got != "h i j" || d.Provenance.BySize != 7 {
		t.Errorf("selected %s, %d left out by size", got, d.Provenance.BySize)
	}
}

func TestLargestDocument(t *testing.T) {
	largest, larger := doc("l", 1, false), doc("m", 1, false)
	largest.Size, larger.Size = datasets.MaxDocumentBytes, datasets.MaxDocumentBytes+1
	d := load(t, listed{largest, larger}, datasets.Query{})
	if got := ids(d); got != "l" || d.Provenance.BySize != 1 {
		t.Errorf("selected %s, want l only: m is larger than a document may be", got)
	}
}
