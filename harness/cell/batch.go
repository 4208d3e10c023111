package cell

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"gcdbench/harness/measure"
	"gcdbench/harness/models"
)

// A batch record has what a batch of generations of one cell took, step by step. Models are not in
// it: their steps are added in reports, so that another table of times needs no measurement.

// Throughput is the part of a manifest about batches.
type Throughput struct {
	Batch     []int    `json:"batch"`
	Threads   []int    `json:"threads"`
	Masks     []string `json:"masks"`                // serial, overlapped
	MaxTokens int      `json:"max_tokens,omitempty"` // of a document; 0 for all
	Models    []Model  `json:"models"`
}

// Model is a model beside which a vocabulary's batches are shown.
type Model struct {
	Tokenizer string        `json:"tokenizer"` // its label
	Table     *models.Table `json:"table"`
}

// Has reports whether a vocabulary has a model.
func (t *Throughput) Has(tokenizer string) bool {
	return slices.ContainsFunc(t.Models, func(m Model) bool { return m.Tokenizer == tokenizer })
}

// Of lists the batches of a cell: sizes for which it has enough documents, since the same document
// twice in a batch would find its own masks. A nil t has none.
func (t *Throughput) Of(r *Record) (ids []BatchID) {
	if t == nil || !t.Has(r.Tokenizer) {
		return nil
	}
	requests := len(r.Requests(t.MaxTokens))
	for _, threads := range t.Threads {
		for _, size := range t.Batch {
			if size <= requests {
				ids = append(ids, BatchID{Schema: Schema, Cell: r.Key, Batch: size, Threads: threads, MaxTokens: t.MaxTokens})
			}
		}
	}
	return ids
}

// Same reports whether two manifests ask for the same batches and models.
func (t *Throughput) Same(o *Throughput) bool { return reflect.DeepEqual(t, o) }

// BatchID says which batch of a cell was measured.
type BatchID struct {
	Schema    int    `json:"schema"`
	Cell      string `json:"cell"` // its key
	Batch     int    `json:"batch"`
	Threads   int    `json:"threads"`
	MaxTokens int    `json:"max_tokens"`
}

// Key is the SHA-256 of the ID's JSON.
func (id BatchID) Key() string { return KeyOf(id) }

// A BatchRecord is the result of one batch size and number of threads of a cell.
type BatchRecord struct {
	ID BatchID `json:"id"`
	// Outcome is OK, or says why there are no times; Detail says more.
	Outcome  Outcome   `json:"outcome"`
	Detail   string    `json:"detail,omitempty"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	// Requests are in the order in which they begin.
	Requests []Request `json:"requests"`
	// FirstNS has the time of each step while the engine meets the documents for the first time,
	// AgainNS of the same requests once more. Of JSON schemas there is no AgainNS: each request
	// compiles its own.
	FirstNS []int64 `json:"first_ns"`
	AgainNS []int64 `json:"again_ns,omitempty"`
	// FirstStolenNS and AgainStolenNS are how long something else had the core meanwhile, of one
	// thread.
	FirstStolenNS int64 `json:"first_stolen_ns"`
	AgainStolenNS int64 `json:"again_stolen_ns,omitempty"`
	// Compared counts masks that were compared with those of the cell.
	Compared int        `json:"compared"`
	GC       measure.GC `json:"gc"`
	// ClockEmptyNS is the time of a pair of clock reads around nothing, which was taken off.
	ClockEmptyNS float64 `json:"clock_empty_ns"`
}

// Request is a document that is generated.
type Request struct {
	Sample int `json:"sample"` // index into Record.Samples
	Tokens int `json:"tokens"` // the end of the text included, if it is reached
}

// Requests are what a batch of the cell decodes: the positives that it ended well, in an order of
// the seed; of each schema the first one, since a batch of schemas is of different ones. At most
// maxTokens of each are generated; 0 for all. There are none if a mask of the cell is wrong.
func (r *Record) Requests(maxTokens int) (list []Request) {
	if r.Outcome == WrongMask {
		return nil // truth before time
	}
	seen := map[int]bool{}
	for i := range r.Samples {
		s := &r.Samples[i]
		if s.Outcome != OK || s.Negative || r.Schemas != nil && seen[s.Problem] {
			continue
		}
		seen[s.Problem] = true
		q := Request{Sample: i, Tokens: s.Tokens}
		if maxTokens > 0 {
			q.Tokens = min(q.Tokens, maxTokens)
		}
		list = append(list, q)
	}
	rng := rand.New(rand.NewPCG(r.ID.Seed, 1<<62))
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// batchPath is the file of a batch record.
func (s *Store) batchPath(key string) string { return filepath.Join(s.dir, "batches", key+".json.zst") }

// PutBatch stores a batch record. The error is a *WriteError.
func (s *Store) PutBatch(r *BatchRecord) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	path := s.batchPath(r.ID.Key())
	if err := makeFolder(path); err != nil {
		return err
	}
	return s.writeFile(path, encoder.EncodeAll(text, nil))
}

// Batch reads a batch record. The error is fs.ErrNotExist if there is none, and a *DamagedError if
// it cannot be trusted: zstd has a checksum of its own, and the ID must be the one asked for.
func (s *Store) Batch(id BatchID) (*BatchRecord, error) {
	path := s.batchPath(id.Key())
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := unpacker(f)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	r := new(BatchRecord)
	d := json.NewDecoder(text)
	d.DisallowUnknownFields()
	err = d.Decode(r)
	if err == nil {
		_, err = io.Copy(io.Discard, text) // its checksum is at the end
	}
	if err != nil {
		return nil, &DamagedError{path, err.Error()}
	}
	if reason := r.unsound(id); reason != "" {
		return nil, &DamagedError{path, reason}
	}
	return r, nil
}

// unsound says why a record cannot be trusted; "" if it can.
func (r *BatchRecord) unsound(id BatchID) string {
	if r.ID != id {
		return "it is another batch's"
	}
	if r.Outcome != OK {
		return ""
	}
	lengths := make([]int, len(r.Requests))
	for i, q := range r.Requests {
		if lengths[i] = q.Tokens; q.Tokens < 1 {
			return "it has a request without tokens"
		}
	}
	if id.Batch < 1 || id.Batch > len(lengths) {
		return fmt.Sprintf("it has %d requests for a batch of %d", len(lengths), id.Batch)
	}
	steps := 0
	for b := measure.NewBatch(lengths, id.Batch); b.Live() > 0; b.Advance() {
		steps++
	}
	if len(r.FirstNS) != steps || len(r.AgainNS) != 0 && len(r.AgainNS) != steps {
		return fmt.Sprintf("it has times of %d and %d steps, where its requests take %d", len(r.FirstNS), len(r.AgainNS), steps)
	}
	return ""
}
