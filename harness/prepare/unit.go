package prepare

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/tokenizers"
)

// A Unit is a grammar with its documents, which are compiled, measured and released together. A
// workload of programs is one unit, open from the start to the end. A schema corpus has one unit
// for each schema, of which only the one at hand is open: ten thousand schemas take no more memory
// than one, but for a few hundred bytes for each instance.
type Unit struct {
	Index  int
	Number int              // in the whole group, of which a shard may have a part; seeds go by it
	ID     string           // the grammar's name or the schema's id
	Schema *datasets.Schema // nil for programs
	// Vocabulary is that of the group's tokenizer.
	Vocabulary *tokenizers.Vocabulary
	Documents  []*Document // a part of the group's

	// Set while the unit is open. SharedProblem is nil if the grammar did not compile.
	SharedProblem *algorithms.Problem
	// Shared is the part of cell.Problem that all algorithms have in common: the outcome, the time and
	// the size of the grammar.
	Shared cell.Problem
	// outside is the shared part for engines from outside. They share only source, the text of the
	// grammar, with other algorithms.
	outside       cell.Problem
	GrammarSource *algorithms.Source
	// late is the shared part for algorithms that take a schema's rules on demand (algorithms.Grower).
	late cell.Problem
	// fresh makes a problem that no algorithm has used, since a lexer on demand grows with every
	// question; freshLate makes one for algorithms that take rules on demand. For programs it is
	// always the same problem, and freshLate is nil.
	fresh, freshLate func(ctx context.Context) (*algorithms.Problem, error)
	// AnyOrder is a schema's grammar with keys in any order, made when it is first asked for; nil if
	// there is none, or if the schema's own is that one.
	AnyOrder func() *recognizer.Recognizer
}

// Document is a document as engines walk it. The second part is set while its unit is open.
type Document struct {
	Index    int // in the group
	Number   int // in the whole group, of which a shard may have a part; seeds go by it
	Positive int // how many of the documents before it are no negatives
	Problem  int // index of the unit
	ID       string
	Negative bool
	Bytes    int
	Length   int // of tokens
	Want     int // positions at which naive is asked

	Content []byte
	Parts   []cell.SamplePart // of a response with calls
	Tokens  []int32           // the oracle tokens, EOS last
	// Every lists all positions, Some those at which naive is asked, ascending. The last is that of
	// EOS, which the verdict needs.
	Every, Some []uint32
	// Sparse are the positions of algorithms that a campaign samples, by name.
	Sparse map[string][]uint32
	// Open is set if the tokens do not end with EOS.
	Open bool
}

// PositionsOf are the positions at which an entry is asked for its mask: as many as
// measure.positions says for naive, all for other algorithms. An algorithm that is asked rarely
// builds less on the way, and that is not decoding.
func (s *Document) PositionsOf(e *Entry) []uint32 {
	if list, sampled := s.Sparse[e.Name]; sampled {
		return list
	}
	if e.Name == Naive {
		return s.Some
	}
	return s.Every
}

// Naive is the algorithm that reads the contract literally.
const Naive = "naive"

// makeUnits makes the group's units and documents.
func (g *Prepared) makeUnits() {
	work := g.Workload
	g.Units, g.Documents = nil, nil
	defer func() {
		g.AllUnits = len(g.Units)
		for _, u := range g.Units {
			u.Vocabulary = g.LoadedTokenizer.Vocabulary()
		}
	}()
	if work.Schema == nil {
		g.Units = append(g.Units, g.programs())
	}
	for _, s := range work.schemas {
		g.Units = append(g.Units, &Unit{Index: len(g.Units), Number: len(g.Units), ID: s.ID, Schema: s})
	}
	at := 0
	for i := range work.samples {
		s := &work.samples[i]
		for s.Schema != g.Units[at].Schema { // samples are in the order of the schemas
			at++
		}
		doc := &Document{Index: i, Number: i, Positive: g.Positives, Problem: at, ID: s.ID, Negative: s.Negative, Bytes: len(s.Content), Content: s.Content}
		if !s.Negative {
			g.Positives++
		}
		g.Documents = append(g.Documents, doc)
		g.Units[at].Documents = append(g.Units[at].Documents, doc)
	}
}

// programs is the unit of a workload of one grammar.
func (g *Prepared) programs() *Unit {
	work := g.Workload
	u := &Unit{ID: GrammarName(work.Workload)}
	if work.Failed != nil {
		u.Shared = FailedProblem(cell.Problem{ID: u.ID}, work.Failed, cell.StageGrammar)
		u.outside = u.Shared // translations are made from the compiled grammar
		return u
	}
	p := &algorithms.Problem{Recognizer: work.recognizer, Vocabulary: g.LoadedTokenizer.Vocabulary()}
	u.ID, u.SharedProblem = p.Grammar.Name, p
	u.Shared = cell.Problem{ID: u.ID, Outcome: cell.OK}
	u.outside, u.GrammarSource = u.Shared, &algorithms.Source{Kind: algorithms.KindGrammar, Name: work.Grammar, Tokenizer: g.LoadedTokenizer.File(),
		Options: readingOptions(work.Workload).Map()}
	u.fresh = func(context.Context) (*algorithms.Problem, error) { return p, nil }
	return u
}

// Encode turns a document into oracle tokens whose bytes are exactly its own.
func (g *Prepared) Encode(s *Document) ([]int32, error) {
	ids, err := g.LoadedTokenizer.EncodeContinuation(s.Content)
	if err != nil {
		return nil, fmt.Errorf("document %s: %w", s.ID, err)
	}
	return append(ids, int32(g.LoadedTokenizer.Vocabulary().EOS()[0])), nil
}

// load encodes the documents of a unit and chooses their positions.
func (g *Prepared) load(u *Unit) error {
	for _, s := range u.Documents {
		if s.Tokens == nil {
			tokens, err := g.Encode(s)
			if err != nil {
				return err
			}
			s.Tokens = tokens
		}
		s.Choose(s.Want, rand.New(rand.NewPCG(g.Seed, uint64(s.Number))))
	}
	return g.classify(u)
}

// Close releases what a schema holds; a unit of programs stays open.
func (u *Unit) Close() {
	if u.Schema == nil {
		return
	}
	u.SharedProblem, u.fresh, u.freshLate, u.Shared = nil, nil, nil, cell.Problem{}
	u.outside, u.late, u.GrammarSource, u.AnyOrder = cell.Problem{}, cell.Problem{}, nil, nil
	for _, s := range u.Documents {
		s.Tokens, s.Every, s.Some, s.Parts = nil, nil, nil, nil
	}
}

// wantPositions spreads want positions over the documents by their length, at least one each, and
// adds the last position of each document; all positions if want is 0 or not fewer. The last
// position proves the end of the document. Times are compared at other positions.
func (g *Prepared) wantPositions(want int) {
	total := 0
	for _, s := range g.Documents {
		total += s.Length
	}
	for _, s := range g.Documents {
		s.Want = s.Length
		if want > 0 && want < total {
			share := math.Round(float64(want) * float64(s.Length) / float64(total))
			s.Want = min(s.Length, max(1, int(share))+1)
		}
	}
}

// Choose draws n positions for naive: the last and n-1 others at random.
func (s *Document) Choose(n int, rng *rand.Rand) {
	last := len(s.Tokens) - 1
	s.Every = make([]uint32, last+1)
	for i := range s.Every {
		s.Every[i] = uint32(i)
	}
	if s.Some = s.Every; n > last {
		return
	}
	s.Some = []uint32{uint32(last)}
	for _, p := range rng.Perm(last)[:n-1] {
		s.Some = append(s.Some, uint32(p))
	}
	slices.Sort(s.Some)
}

// SharedBy is the part of a problem that an entry shares with others: shared, outside or late.
func (u *Unit) SharedBy(e *Entry) *cell.Problem {
	switch {
	case e.Outside():
		return &u.outside
	case u.freshLate != nil && e.Grows():
		return &u.late
	}
	return &u.Shared
}

// Grows tells whether an entry takes rules on demand.
func (e *Entry) Grows() bool {
	return e.Rewritten == 0 && algorithms.Grows(e.Maker, e.Options)
}

// FreshFor is a problem that no algorithm has used, with the Kept of its user. An engine from
// outside gets the text, and the grammar if there is one.
func (u *Unit) FreshFor(ctx context.Context, e *Entry, kept *algorithms.Kept) (*algorithms.Problem, error) {
	p := algorithms.Problem{Vocabulary: u.Vocabulary}
	switch {
	case !e.Outside():
		make := u.fresh
		if u.freshLate != nil && e.Grows() {
			make = u.freshLate
		}
		fresh, err := make(ctx)
		if err != nil {
			return nil, err
		}
		p = *fresh
	case u.SharedProblem != nil:
		p.Recognizer = u.SharedProblem.Recognizer
	}
	p.Source, p.Kept = u.GrammarSource, kept
	return &p, nil
}

// FreshWithin is freshFor within the limits.
func (u *Unit) FreshWithin(ctx context.Context, guard *bounds.Guard, e *Entry, kept *algorithms.Kept) (*algorithms.Problem, error) {
	return bounds.CallFor(ctx, guard, "the tables of "+u.ID, func(ctx context.Context) (*algorithms.Problem, error) {
		return u.FreshFor(ctx, e, kept)
	})
}

// Accepts reports whether the grammar itself takes a document.
func (u *Unit) Accepts(content []byte) bool { return Accepts(u.SharedProblem.Recognizer, content) }

func Accepts(r *recognizer.Recognizer, content []byte) bool { return r.Check(content) == nil }
