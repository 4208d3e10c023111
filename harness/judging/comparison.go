package judging

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/recognizer/completion"
	"gcdbench/grammar/tools"
	"gcdbench/harness/cell"
	"gcdbench/harness/judged"
	"gcdbench/harness/judges"
	"gcdbench/internal/jsontext"
	"gcdbench/tokenizers"
)

// comparison has the two engines of one problem and the judge between them. It must not be used by
// two goroutines at once.
type comparison struct {
	opt               *Options
	recognizer        *recognizer.Recognizer
	completer         *completion.Completer
	reference, engine *engine
	vocabulary        *tokenizers.Vocabulary
	tokenizer         *tokenizers.Tokenizer
	judge             judges.Judge // nil for the reason noJudge
	noJudge           error
	order             jsontext.Order // of the keys; nil for texts that are no JSON
	// schema is the text of a schema, compiled with schemaOptions; nil for a grammar.
	schema        []byte
	schemaOptions *cell.SchemaOptions
	request       *tools.Request // nil for texts that are no responses to a request with tools
	// describe fills in the fields that all witnesses of the comparison have in common.
	describe func(*judged.Witness)
	// revive starts the engine's process again; died is whether a question may have ended it.
	revive func(context.Context) error
	died   bool

	comparer *comparer
	single   [256]int32 // tokens of one byte; -1 if there is none
	seed     uint64
	rng      *rand.Rand
	standing map[any]*groupState
	usual    string // the engine's last convention

	// guides are made when they are first needed (loose).
	guides     []guide
	guidesMade bool

	conventions declared // nil before they are first needed

	until time.Time // the end of the search for more answers; zero while there is no answer

	later []*settled // faults after a token, found at the position at hand

	document string // id of the document at hand
	cursor   algorithms.State
	read     int // tokens committed in cursor
}

// position is a place in a document at which two masks differ.
type position struct {
	index  int
	prefix []int32 // tokens before it
	text   []byte  // their bytes
	oracle int32
	// content is the document.
	content []byte
	state   recognizer.State

	referenceMask, engineMask algorithms.Mask
}

// of says what texts a comparison is about; schemas are the options of a schema.
func (h *comparison) of(s *algorithms.Source, schemas *cell.SchemaOptions) (err error) {
	switch h.order = orderOf(s); s.Kind {
	case algorithms.KindSchema:
		h.schema, h.schemaOptions = s.Text, schemas
	case algorithms.KindTools:
		h.request, err = tools.Read(s.Name, s.Text)
	}
	return err
}

// begin makes the rest of a comparison.
func (h *comparison) begin(seed uint64) {
	h.vocabulary = h.tokenizer.Vocabulary()
	h.comparer = newComparer(h.recognizer, h.vocabulary, h.order != nil)
	h.completer = completion.New(h.recognizer, endings(h.recognizer))
	h.seed, h.rng = seed, rand.New(rand.NewPCG(seed, 1))
	h.standing = map[any]*groupState{}
	for b := range h.single {
		h.single[b] = -1
	}
	for _, n := range h.vocabulary.Trie().Nodes {
		if t := n.Token(); t >= 0 && len(h.vocabulary.Token(int(t))) == 1 {
			h.single[n.Byte()] = t
		}
	}
}

// endings are the options of completions. In a language with a layout they have no tabs: CPython
// refuses a block that mixes tabs with blanks.
func endings(r *recognizer.Recognizer) (o completion.Options) {
	if r.Layout != nil {
		o.Avoid = []byte{'\t'}
	}
	return o
}

// engineAt is the engine at a position. The caller clones it before a change. The positions of a
// document come in their order.
func (h *comparison) engineAt(p *position) (algorithms.State, error) {
	if h.cursor == nil || h.read > p.index {
		h.cursor, h.read = h.engine.compiled.Start(), 0
	}
	for ; h.read < p.index; h.read++ {
		if err := h.cursor.Commit(int(p.prefix[h.read])); err != nil {
			return nil, err
		}
	}
	return h.cursor, nil
}

// groupState is the answer of a group so far.
type groupState struct {
	answer *settled
	// seen counts the positions where the group was met. At position number due another of its
	// tokens is judged.
	seen, due int
	// mixed is set if two tokens had different answers.
	mixed bool
}

const (
	// samples is how many tokens of a new group are judged, manySamples of one with more than many.
	samples, many, manySamples = 2, 1000, 4
	// wideSamples is how many of a group whose byte class is wide.
	wideSamples = 6
	// most bounds how many parts of a mixed group are judged at one position.
	most = 48
)

// tally is the findings at a position: tokens by kind, with the shortest witness of each.
type tally []tallied

type tallied struct {
	judged.Finding
	witness *judged.Witness
}

// add counts tokens for an answer.
func (t *tally) add(s *settled, tokens int) {
	f := s.kind()
	for i := range *t {
		if o := &(*t)[i]; o.Same(&f) {
			o.Tokens += tokens
			if shorter(&s.Witness, o.witness) {
				o.witness = &s.Witness
			}
			return
		}
	}
	f.Positions, f.Tokens = 1, tokens
	*t = append(*t, tallied{f, &s.Witness})
}

// shorter orders witnesses: with a text before without one, then by the text's length, then by the
// prefix.
func shorter(a, b *judged.Witness) bool {
	if (a.Witness == "") != (b.Witness == "") {
		return a.Witness != ""
	}
	if len(a.WitnessBytes) != len(b.WitnessBytes) {
		return len(a.WitnessBytes) < len(b.WitnessBytes)
	}
	return len(a.PrefixIDs) < len(b.PrefixIDs)
}

// groupTime is how many questions' time a group of tokens may take, its parts together.
const groupTime = 8

// unsettled is an answer about a token that was not judged, with the reason.
func (h *comparison) unsettled(p *position, d difference, allows, cause, why string) *settled {
	q := &question{comparison: h, position: p, difference: d, allows: allows}
	q.found.Document = h.document
	q.undecided(cause, why)
	q.complete()
	return &q.found
}

// settleGroup settles a group by its earlier answer, or by some of its tokens. When the time of a
// group, all parts together, is over, the rest of it is undecided.
func (h *comparison) settleGroup(ctx context.Context, p *position, g *group, t *tally) error {
	limited, cancel := context.WithTimeout(ctx, groupTime*h.opt.Timeout)
	defer cancel()
	s, err := h.stand(limited, p, g.key, g.tokens, g.key.allows)
	switch {
	case err != nil && ctx.Err() == nil && limited.Err() != nil:
		t.add(h.unsettled(p, g.tokens[0], g.key.allows, groupIsOver, ""), len(g.tokens))
		return nil
	case err != nil:
		return err
	}
	if !s.mixed {
		t.add(s.answer, len(g.tokens))
		return nil
	}
	// The tokens have several answers: each part of the group is settled.
	parts, order := map[any][]difference{}, []any{}
	for _, d := range g.tokens {
		k := h.finer(p, g.key, d)
		if parts[k] == nil {
			order = append(order, k)
		}
		parts[k] = append(parts[k], d)
	}
	judgedNow := 0
	for _, k := range order {
		if h.standing[k] == nil {
			if judgedNow++; judgedNow > most {
				t.add(h.unsettled(p, parts[k][0], g.key.allows, "more kinds of tokens than are judged", ""), len(parts[k]))
				continue
			}
		}
		s, err := h.stand(limited, p, k, parts[k], g.key.allows)
		switch {
		case err != nil && ctx.Err() == nil && limited.Err() != nil:
			t.add(h.unsettled(p, parts[k][0], g.key.allows, groupIsOver, ""), len(parts[k]))
			continue
		case err != nil:
			return err
		}
		t.add(s.answer, len(parts[k]))
	}
	return nil
}

// stand updates the answer of a group. Some tokens of a new group are judged, and another token
// when the group is met for the second, fourth, eighth time, and so on; every time if it is
// undecided.
func (h *comparison) stand(ctx context.Context, p *position, key any, tokens []difference, allows string) (*groupState, error) {
	s := h.standing[key]
	var ask []difference
	switch {
	case s == nil:
		s = &groupState{due: 2}
		h.standing[key] = s
		shortest := slices.MinFunc(tokens, func(a, b difference) int {
			return len(h.vocabulary.Token(int(a.token))) - len(h.vocabulary.Token(int(b.token)))
		})
		ask = append(ask, shortest)
		n := samples
		if len(tokens) > many {
			n = manySamples
		}
		for range min(n, len(tokens)) - 1 {
			ask = append(ask, tokens[h.rng.IntN(len(tokens))])
		}
		if k, ok := key.(groupKey); ok && k.class.wide() {
			ask = h.spread(ask, tokens)
		}
	case s.seen+1 == s.due || s.answer.Class == judged.Undecided:
		if s.seen+1 == s.due {
			s.due *= 2
		}
		ask = append(ask, tokens[h.rng.IntN(len(tokens))])
	}
	s.seen++
	for _, d := range ask {
		if s.mixed {
			break
		}
		if err := h.askAgain(ctx, p, s, d, allows); err != nil {
			delete(h.standing, key)
			return nil, err
		}
	}
	return s, nil
}

// spread adds random tokens that differ in the byte that is not taken.
func (h *comparison) spread(ask, tokens []difference) []difference {
	byteOf := func(d difference) (b byte) {
		if token := h.vocabulary.Token(int(d.token)); d.at < len(token) {
			b = token[d.at]
		}
		return b
	}
	for range 4 * wideSamples {
		d := tokens[h.rng.IntN(len(tokens))]
		if !slices.ContainsFunc(ask, func(o difference) bool { return byteOf(o) == byteOf(d) }) {
			ask = append(ask, d)
		}
		if len(ask) >= wideSamples {
			break
		}
	}
	return ask
}

// askAgain settles one more token of a group. An answer replaces Undecided.
func (h *comparison) askAgain(ctx context.Context, p *position, s *groupState, d difference, allows string) error {
	for _, brief := range []bool{true, false} {
		if brief && (s.answer == nil || s.answer.Class == judged.Undecided) {
			continue // the first answer is a thorough one
		}
		answer, err := h.settle(ctx, p, d, allows, brief)
		if err != nil {
			return err
		}
		if s.answer == nil || s.answer.Class == judged.Undecided {
			s.answer = answer
			return nil
		}
		if answer.Class == judged.Undecided {
			return nil
		}
		if a, b := answer.kind(), s.answer.kind(); a.Same(&b) {
			if shorter(&answer.Witness, &s.answer.Witness) {
				s.answer = answer
			}
			return nil
		}
	}
	s.mixed = true
	return nil
}

// finer is the key of a part of a mixed group: the bytes that are not taken, and for a token that
// the reference allows also the state after it.
func (h *comparison) finer(p *position, key groupKey, d difference) any {
	type part struct {
		groupKey
		state lexer.State
		exact roughly
		bytes string
	}
	const told = 2 // bytes
	token := h.vocabulary.Token(int(d.token))
	at := min(d.at, len(token))
	out := part{groupKey: key, bytes: string(token[at:min(at+told, len(token))])}
	if key.allows == judged.Reference && h.vocabulary.Legal(int(d.token)) {
		if s, ok := h.recognizer.Read(p.state, token); ok {
			out.state, out.exact = s.Lexer, rough(h.recognizer, s)
		}
	}
	return out
}
