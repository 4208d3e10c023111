package harness

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/cell"
	"gcdbench/tokenizers"
)

// A unit is a grammar with its documents, which are compiled, measured and released together. A
// workload of programs is one unit, open from the start to the end. A schema corpus has one unit
// for each schema, of which only the one at hand is open: ten thousand schemas take no more memory
// than one, but for a few hundred bytes for each instance.
type unit struct {
	index  int
	number int              // in the whole group, of which a shard may have a part; seeds go by it
	id     string           // the grammar's name or the schema's id
	schema *datasets.Schema // nil for programs
	// vocabulary is that of the group's tokenizer.
	vocabulary *tokenizers.Vocabulary
	documents  []*document // a part of the group's

	// Set while the unit is open. problem is nil if the grammar did not compile.
	problem *algorithms.Problem
	// shared is the part of cell.Problem that all algorithms have in common: the outcome, the time and
	// the size of the grammar.
	shared cell.Problem
	// outside is the shared part for engines from outside. They share only source, the text of the
	// grammar, with other algorithms.
	outside cell.Problem
	source  *algorithms.Source
	// late is the shared part for algorithms that take a schema's rules on demand (algorithms.Grower).
	late cell.Problem
	// fresh makes a problem that no algorithm has used, since a lexer on demand grows with every
	// question; freshLate makes one for algorithms that take rules on demand. For programs it is
	// always the same problem, and freshLate is nil.
	fresh, freshLate func(ctx context.Context) (*algorithms.Problem, error)
	// anyOrder is a schema's grammar with keys in any order, made when it is first asked for; nil if
	// there is none, or if the schema's own is that one.
	anyOrder func() *recognizer.Recognizer
}

// document is a document as engines walk it. The second part is set while its unit is open.
type document struct {
	index    int // in the group
	number   int // in the whole group, of which a shard may have a part; seeds go by it
	positive int // how many of the documents before it are no negatives
	problem  int // index of the unit
	id       string
	negative bool
	bytes    int
	length   int // of tokens
	want     int // positions at which naive is asked

	content []byte
	parts   []cell.SamplePart // of a response with calls
	tokens  []int32           // the oracle tokens, EOS last
	// every lists all positions, some those at which naive is asked, ascending. The last is that of
	// EOS, which the verdict needs.
	every, some []uint32
	// sparse are the positions of algorithms that a campaign samples, by name.
	sparse map[string][]uint32
	// open is set if the tokens do not end with EOS.
	open bool
}

// positionsOf are the positions at which an entry is asked for its mask: as many as
// measure.positions says for naive, all for other algorithms. An algorithm that is asked rarely
// builds less on the way, and that is not decoding.
func (s *document) positionsOf(e *entry) []uint32 {
	if list, sampled := s.sparse[e.Name]; sampled {
		return list
	}
	if e.Name == naive {
		return s.some
	}
	return s.every
}

// naive is the algorithm that reads the contract literally.
const naive = "naive"

// makeUnits makes the group's units and documents.
func (g *prepared) makeUnits() {
	work := g.workload
	g.units, g.documents = nil, nil
	defer func() {
		g.allUnits = len(g.units)
		for _, u := range g.units {
			u.vocabulary = g.tokenizer.Vocabulary()
		}
	}()
	if work.Schema == nil {
		g.units = append(g.units, g.programs())
	}
	for _, s := range work.schemas {
		g.units = append(g.units, &unit{index: len(g.units), number: len(g.units), id: s.ID, schema: s})
	}
	at := 0
	for i := range work.samples {
		s := &work.samples[i]
		for s.Schema != g.units[at].schema { // samples are in the order of the schemas
			at++
		}
		doc := &document{index: i, number: i, positive: g.positives, problem: at, id: s.ID, negative: s.Negative, bytes: len(s.Content), content: s.Content}
		if !s.Negative {
			g.positives++
		}
		g.documents = append(g.documents, doc)
		g.units[at].documents = append(g.units[at].documents, doc)
	}
}

// programs is the unit of a workload of one grammar.
func (g *prepared) programs() *unit {
	work := g.workload
	u := &unit{id: grammarName(work.Workload)}
	if work.failed != nil {
		u.shared = failedProblem(cell.Problem{ID: u.id}, work.failed, cell.StageGrammar)
		u.outside = u.shared // translations are made from the compiled grammar
		return u
	}
	p := &algorithms.Problem{Recognizer: work.recognizer, Vocabulary: g.tokenizer.Vocabulary()}
	u.id, u.problem = p.Grammar.Name, p
	u.shared = cell.Problem{ID: u.id, Outcome: cell.OK}
	u.outside, u.source = u.shared, &algorithms.Source{Kind: algorithms.KindGrammar, Name: work.Grammar, Tokenizer: g.tokenizer.File(),
		Options: readingOptions(work.Workload).Map()}
	u.fresh = func(context.Context) (*algorithms.Problem, error) { return p, nil }
	return u
}

// encode turns a document into oracle tokens whose bytes are exactly its own.
func (g *prepared) encode(s *document) ([]int32, error) {
	ids, err := g.tokenizer.EncodeContinuation(s.content)
	if err != nil {
		return nil, fmt.Errorf("document %s: %w", s.id, err)
	}
	return append(ids, int32(g.tokenizer.Vocabulary().EOS()[0])), nil
}

// load encodes the documents of a unit and chooses their positions.
func (g *prepared) load(u *unit) error {
	for _, s := range u.documents {
		if s.tokens == nil {
			tokens, err := g.encode(s)
			if err != nil {
				return err
			}
			s.tokens = tokens
		}
		s.choose(s.want, rand.New(rand.NewPCG(g.seed, uint64(s.number))))
	}
	return g.classify(u)
}

// close releases what a schema holds; a unit of programs stays open.
func (u *unit) close() {
	if u.schema == nil {
		return
	}
	u.problem, u.fresh, u.freshLate, u.shared = nil, nil, nil, cell.Problem{}
	u.outside, u.late, u.source, u.anyOrder = cell.Problem{}, cell.Problem{}, nil, nil
	for _, s := range u.documents {
		s.tokens, s.every, s.some, s.parts = nil, nil, nil, nil
	}
}

// wantPositions spreads want positions over the documents by their length, at least one each, and
// adds the last position of each document; all positions if want is 0 or not fewer. The last
// position proves the end of the document. Times are compared at other positions.
func (g *prepared) wantPositions(want int) {
	total := 0
	for _, s := range g.documents {
		total += s.length
	}
	for _, s := range g.documents {
		s.want = s.length
		if want > 0 && want < total {
			share := math.Round(float64(want) * float64(s.length) / float64(total))
			s.want = min(s.length, max(1, int(share))+1)
		}
	}
}

// choose draws n positions for naive: the last and n-1 others at random.
func (s *document) choose(n int, rng *rand.Rand) {
	last := len(s.tokens) - 1
	s.every = make([]uint32, last+1)
	for i := range s.every {
		s.every[i] = uint32(i)
	}
	if s.some = s.every; n > last {
		return
	}
	s.some = []uint32{uint32(last)}
	for _, p := range rng.Perm(last)[:n-1] {
		s.some = append(s.some, uint32(p))
	}
	slices.Sort(s.some)
}

// sharedBy is the part of a problem that an entry shares with others: shared, outside or late.
func (u *unit) sharedBy(e *entry) *cell.Problem {
	switch {
	case e.outside():
		return &u.outside
	case u.freshLate != nil && e.grows():
		return &u.late
	}
	return &u.shared
}

// grows tells whether an entry takes rules on demand.
func (e *entry) grows() bool {
	a, is := e.algorithm.(algorithms.Grower)
	return is && e.rewritten == 0 && a.Grows(e.options)
}

// freshFor is a problem that no algorithm has used, with the Kept of its user. An engine from
// outside gets the text, and the grammar if there is one.
func (u *unit) freshFor(ctx context.Context, e *entry, kept *algorithms.Kept) (*algorithms.Problem, error) {
	p := algorithms.Problem{Vocabulary: u.vocabulary}
	switch {
	case !e.outside():
		make := u.fresh
		if u.freshLate != nil && e.grows() {
			make = u.freshLate
		}
		fresh, err := make(ctx)
		if err != nil {
			return nil, err
		}
		p = *fresh
	case u.problem != nil:
		p.Recognizer = u.problem.Recognizer
	}
	p.Source, p.Kept = u.source, kept
	return &p, nil
}

// freshWithin is freshFor within the limits.
func (u *unit) freshWithin(ctx context.Context, guard *guard, e *entry, kept *algorithms.Kept) (*algorithms.Problem, error) {
	return callFor(ctx, guard, "the tables of "+u.id, func(ctx context.Context) (*algorithms.Problem, error) {
		return u.freshFor(ctx, e, kept)
	})
}

// accepts reports whether the grammar itself takes a document.
func (u *unit) accepts(content []byte) bool { return accepts(u.problem.Recognizer, content) }

func accepts(r *recognizer.Recognizer, content []byte) bool { return r.Check(content) == nil }
