package harness

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/load"
	"gcdbench/harness/models"
	"gcdbench/harness/prepare"
)

// What requests are drawn from: the valid documents of a workload, variants of its schemas, bad
// neighbours, and the requests of a trace.

// newServing collects the documents of a group.
func newServing(ctx context.Context, g *prepare.Prepared, cfg *config.Config, opt *LoadOptions, table *models.Table) (*serving, error) {
	s := &serving{Prepared: g, cfg: cfg, opt: opt, table: table}
	total, n := 0, 0
	for _, u := range g.Units {
		var documents [][]int32
		for _, d := range u.Documents {
			if d.Negative {
				continue
			}
			tokens, err := g.Encode(d)
			if err != nil {
				return nil, err
			}
			documents = append(documents, tokens)
			total, n = total+len(tokens), n+1
		}
		if len(documents) > 0 {
			s.add(u.Schema, documents)
		}
	}
	if n == 0 {
		return nil, loadError(g, cfg, errors.New("it has no valid document that a request could ask for"))
	}
	s.mean = float64(total) / float64(n)
	if g.Workload.Schema != nil {
		s.corpus.Another = s.another
		if err := s.addNeighbours(); err != nil {
			return nil, loadError(g, cfg, err)
		}
	}
	if cfg.Load.Trace != "" {
		if err := s.readTrace(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// loadError adds the place of the workload to an error.
func loadError(g *prepare.Prepared, cfg *config.Config, err error) error {
	return &prepare.InputError{File: cfg.File, Pos: g.Workload.Pos, What: "dataset " + g.Workload.DatasetName, Err: err}
}

// add adds a grammar with its documents, and returns its number.
func (s *serving) add(schema *datasets.Schema, documents [][]int32) int {
	s.schemas, s.corpus.Documents = append(s.schemas, schema), append(s.corpus.Documents, documents)
	return len(s.schemas) - 1
}

// another is a variant of a schema that differs in a comment, with the same documents; the schema
// itself where it is no object.
func (s *serving) another(grammar int) int {
	schema := s.schemas[grammar]
	text := bytes.TrimSpace(schema.Text)
	if len(text) < 3 || text[0] != '{' || bytes.Contains(text, []byte(`"$comment"`)) {
		return grammar
	}
	own := *schema
	s.reused++
	own.ID = fmt.Sprintf("%s, variant %d", schema.ID, s.reused)
	own.Text = slices.Concat([]byte(fmt.Sprintf(`{"$comment": "variant %d", `, s.reused)), text[1:])
	return s.add(&own, s.corpus.Documents[grammar])
}

// addNeighbours adds the bad ones.
func (s *serving) addNeighbours() error {
	for _, n := range load.Neighbours() {
		ids, err := s.LoadedTokenizer.EncodeContinuation(n.Instance)
		if err != nil {
			return fmt.Errorf("the vocabulary cannot write an instance of a bad neighbour: %w", err)
		}
		tokens := append(ids, int32(s.LoadedTokenizer.Vocabulary().EOS()[0]))
		s.corpus.Hostile = append(s.corpus.Hostile, s.add(&datasets.Schema{ID: n.Name, Text: n.Schema}, [][]int32{tokens}))
	}
	return nil
}

// traceLine is a line of a trace.
type traceLine struct {
	At       *float64        `json:"at"`
	Grammar  json.RawMessage `json:"grammar"`
	Document *string         `json:"document"`
}

// readTrace reads the requests of the configuration's trace. Errors name its lines.
func (s *serving) readTrace(ctx context.Context) error {
	path := s.cfg.Load.Trace
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 64<<20)
	known := map[string]int{}
	for number := 1; in.Scan(); number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		r, err := s.traceRequest(in.Bytes(), known)
		if err == nil && len(s.traced) > 0 && r.AtNS < s.traced[len(s.traced)-1].AtNS {
			err = errors.New("it comes before the request of the line above: expected requests in the order of their times")
		}
		if err != nil {
			return fmt.Errorf("%s:%d:1: %w", path, number, err)
		}
		s.traced = append(s.traced, r)
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(s.traced) == 0 {
		return fmt.Errorf("%s: no request: expected lines of {\"at\": seconds, \"grammar\": a schema's id, or a schema, \"document\": text}", path)
	}
	return nil
}

// traceRequest reads a line.
func (s *serving) traceRequest(line []byte, known map[string]int) (load.Request, error) {
	var t traceLine
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return load.Request{}, fmt.Errorf("%w; expected {\"at\": seconds, \"grammar\": a schema's id, or a schema, \"document\": text}", err)
	}
	switch {
	case t.At == nil || !(*t.At >= 0 && *t.At < 1e6):
		return load.Request{}, errors.New(`"at" is missing, or is no time in seconds from 0 on`)
	case t.Document == nil:
		return load.Request{}, errors.New(`"document" is missing: the text that the model writes`)
	}
	ids, err := s.LoadedTokenizer.EncodeContinuation([]byte(*t.Document))
	if err != nil {
		return load.Request{}, fmt.Errorf("the document: %w", err)
	}
	grammar, err := s.traceGrammar(t.Grammar, known)
	return load.Request{AtNS: int64(1e9 * *t.At), Grammar: grammar, Tokens: append(ids, int32(s.LoadedTokenizer.Vocabulary().EOS()[0])), Check: -1}, err
}

// traceGrammar is the number of a grammar in a trace; of a program there is only one, which need
// not be named.
func (s *serving) traceGrammar(raw json.RawMessage, known map[string]int) (int, error) {
	if s.Workload.Schema == nil {
		return 0, nil
	}
	if n, seen := known[string(raw)]; seen {
		return n, nil
	}
	var id string
	switch {
	case len(raw) == 0:
		return 0, errors.New(`"grammar" is missing: a schema, or the id of one in the workload`)
	case json.Unmarshal(raw, &id) != nil:
		known[string(raw)] = s.add(&datasets.Schema{ID: fmt.Sprintf("schema %d of the trace", len(known)+1), Text: bytes.Clone(raw)}, nil)
		return known[string(raw)], nil
	}
	at := slices.IndexFunc(s.schemas, func(o *datasets.Schema) bool { return o.ID == id })
	if at < 0 {
		return 0, fmt.Errorf("%q is the id of no schema with a valid instance in the workload", id)
	}
	known[string(raw)] = at
	return at, nil
}

// checks are masks of a load that are compared with naive's when it is over.
type checks struct {
	*serving
	requests []load.Request
	kept     []keptMask
}

// keptMask is the mask at a request's position Check.
type keptMask struct {
	request int
	row     []uint64
}

// keep keeps a mask.
func (c *checks) keep(request int, row []uint64) {
	c.kept = append(c.kept, keptMask{request, slices.Clone(row)})
}

// compare compares the masks that were kept with naive's. The error is ctx's, or a *failure.
func (c *checks) compare(ctx context.Context) (checked int, err error) {
	literal, err := algorithms.Lookup(prepare.Naive)
	if err != nil {
		return 0, err
	}
	e := &prepare.Entry{Algorithm: config.Algorithm{Name: prepare.Naive, Label: prepare.Naive}, Maker: literal}
	if e.Options, err = algorithms.Resolve(literal, nil); err != nil {
		return 0, err
	}
	for _, k := range c.kept {
		if err := ctx.Err(); err != nil {
			return checked, err
		}
		r := &c.requests[k.request]
		want, err := c.naiveMask(ctx, e, r)
		if err != nil {
			return checked, err
		}
		if !slices.Equal(want, k.row) {
			return checked, &bounds.Failure{Outcome: cell.WrongMask, Detail: fmt.Sprintf("the mask of request %d at position %d differs from naive's%s", k.request, r.Check, c.of(r.Grammar))}
		}
		checked++
	}
	return checked, nil
}

// of names a grammar that is a schema.
func (c *checks) of(grammar int) string {
	if schema := c.schemas[grammar]; schema != nil {
		return ", schema " + schema.ID
	}
	return ""
}

// naiveMask is naive's mask at a request's position Check.
func (c *checks) naiveMask(ctx context.Context, e *prepare.Entry, r *load.Request) ([]uint64, error) {
	p, err := c.problem(ctx, e, r.Grammar, nil)
	if err != nil {
		return nil, err
	}
	engine, err := e.Maker.Compile(ctx, p, e.Options)
	if err != nil {
		return nil, err
	}
	state := engine.Start()
	for _, t := range r.Tokens[:r.Check] {
		if err := state.Commit(int(t)); err != nil {
			return nil, &bounds.Failure{Outcome: cell.WrongMask, Detail: fmt.Sprintf("naive refuses a token that was allowed: %v", err)}
		}
	}
	row := make([]uint64, algorithms.MaskWords(p.Vocabulary.Len()))
	algorithms.Deliver(state, row)
	return row, nil
}
