package cell

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"testing"

	"gcdbench/internal/must"
)

// batchRecord is a batch of two of three requests, which take three steps.
func batchRecord() *BatchRecord {
	return &BatchRecord{ID: BatchID{Schema: Schema, Cell: "c", Batch: 2, Threads: 1}, Outcome: OK,
		Requests: []Request{{2, 2}, {0, 3}, {1, 1}}, FirstNS: []int64{1, 2, 3}, AgainNS: []int64{4, 5, 6}, Compared: 12}
}

// TestPutBatch: what is stored is read, and what cannot be trusted is not.
func TestPutBatch(t *testing.T) {
	s, err := Create(t.TempDir())
	must.OK(t, err)
	r := batchRecord()
	if _, err := s.Batch(r.ID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before it is there: %v", err)
	}
	must.OK(t, s.PutBatch(r))
	got, err := s.Batch(r.ID)
	if err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%+v, %v", got, err)
	}
	for name, change := range map[string]func(*BatchRecord){
		"a step less":               func(r *BatchRecord) { r.FirstNS = r.FirstNS[1:] },
		"a step more":               func(r *BatchRecord) { r.AgainNS = append(r.AgainNS, 7) },
		"a request without a token": func(r *BatchRecord) { r.Requests[1].Tokens = 0 },
		"fewer requests":            func(r *BatchRecord) { r.Requests = r.Requests[:1] },
	} {
		bad := batchRecord()
		change(bad)
		must.OK(t, s.PutBatch(bad))
		var damaged *DamagedError
		if _, err := s.Batch(r.ID); !errors.As(err, &damaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	failed := &BatchRecord{ID: r.ID, Outcome: Timeout, Detail: "too late", Requests: r.Requests}
	must.OK(t, s.PutBatch(failed))
	if got, err := s.Batch(r.ID); err != nil || got.Outcome != Timeout {
		t.Errorf("a timeout: %+v, %v", got, err)
	}
	other := r.ID
	other.Threads = 2
	must.OK(t, os.Rename(s.batchPath(r.ID.Key()), s.batchPath(other.Key())))
	var damaged *DamagedError
	if _, err := s.Batch(other); !errors.As(err, &damaged) {
		t.Errorf("another batch's file: %v", err)
	}
}

// TestRequests: positives that ended well, each once and in one order, of a schema the first.
func TestRequests(t *testing.T) {
	r := &Record{ID: ID{Seed: 5}, Outcome: OK, Key: "k", Tokenizer: "t", Samples: []Sample{
		{Outcome: OK, Tokens: 9}, {Outcome: OK, Tokens: 3, Negative: true}, {Outcome: Timeout, Tokens: 4}, {Outcome: OK, Tokens: 5, Problem: 1}, {Outcome: OK, Tokens: 7, Problem: 1}}}
	samples := func(maxTokens int) (list, tokens []int) {
		for _, q := range r.Requests(maxTokens) {
			list, tokens = append(list, q.Sample), append(tokens, q.Tokens)
		}
		return list, tokens
	}
	list, tokens := samples(0)
	again, cut := samples(6)
	if !slices.Equal(list, again) || slices.Max(cut) != 6 || slices.Max(tokens) != 9 {
		t.Errorf("requests %v of %v tokens, then %v of %v", list, tokens, again, cut)
	}
	if slices.Sort(list); !slices.Equal(list, []int{0, 3, 4}) {
		t.Errorf("requests are %v", list)
	}
	plan := &Throughput{Batch: []int{1, 3, 4}, Threads: []int{1, 2}, Models: []Model{{Tokenizer: "t"}}}
	if ids := plan.Of(r); len(ids) != 4 || ids[3] != (BatchID{Schema, "k", 3, 2, 0}) || ids[0].Key() == ids[3].Key() {
		t.Errorf("batches %v", ids)
	}
	r.Schemas = &SchemaOptions{}
	if list, _ := samples(0); len(list) != 2 {
		t.Errorf("of schemas: %v", list)
	}
	r.Tokenizer = "another"
	if ids := plan.Of(r); ids != nil {
		t.Errorf("of a vocabulary without a model: %v", ids)
	}
	r.Tokenizer, r.Outcome = "t", WrongMask
	if ids := plan.Of(r); ids != nil || (*Throughput)(nil).Of(r) != nil {
		t.Errorf("of a cell with a wrong mask: %v", ids)
	}
}
