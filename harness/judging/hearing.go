package judging

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"gcdbench/algorithms"
	"gcdbench/harness/judged"
	"gcdbench/internal/jsontext"
	"gcdbench/judges"
	"gcdbench/lexer"
	"gcdbench/recognizer"
	"gcdbench/recognizer/completion"
	"gcdbench/tokenizers"
)

type state = recognizer.State

// hearing is two engines of one problem, and whoever judges between them. It must not be used by
// two goroutines at once.
type hearing struct {
	opt               *Options
	recognizer        *recognizer.Recognizer
	completer         *completion.Completer
	reference, engine *contestant
	vocabulary        *tokenizers.Vocabulary
	tokenizer         *tokenizers.Tokenizer
	judge             judges.Judge // nil if there is none, for the reason noJudge
	noJudge           error
	order             jsontext.Order // of JSON, not nil; nil for other texts
	// describe fills in what all witnesses of the hearing have in common.
	describe func(*judged.Witness)

	comparer *comparer
	single   [256]int32 // tokens of one byte; -1 if there is none
	seed     uint64
	rng      *rand.Rand
	standing map[any]*standing
	usual    string // what explained the last convention of the engine

	document string // id of the document at hand
	cursor   algorithms.State
	read     int // tokens that cursor has read
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

// begin makes what a hearing works with.
func (h *hearing) begin(seed uint64) {
	h.vocabulary = h.tokenizer.Vocabulary()
	h.comparer = newComparer(h.recognizer, h.vocabulary)
	h.completer = completion.New(h.recognizer, endings(h.recognizer))
	h.seed, h.rng = seed, rand.New(rand.NewPCG(seed, 1))
	h.standing = map[any]*standing{}
	for b := range h.single {
		h.single[b] = -1
	}
	for _, n := range h.vocabulary.Trie().Nodes {
		if t := n.Token(); t >= 0 && len(h.vocabulary.Token(int(t))) == 1 {
			h.single[n.Byte()] = t
		}
	}
}

// endings are what completions look like. In a language with a layout they have no tabs: CPython
// refuses a block that mixes them with blanks.
func endings(r *recognizer.Recognizer) (o completion.Options) {
	if r.Layout != nil {
		o.Avoid = []byte{'\t'}
	}
	return o
}

// engineAt is the engine at a position; it must be cloned before it is changed. Positions of a
// document are asked in their order.
func (h *hearing) engineAt(p *position) (algorithms.State, error) {
	if h.cursor == nil || h.read > p.index {
		h.cursor, h.read = h.engine.engine.Start(), 0
	}
	for ; h.read < p.index; h.read++ {
		if err := h.cursor.Commit(int(p.prefix[h.read])); err != nil {
			return nil, err
		}
	}
	return h.cursor, nil
}

// standing is what is known of a group.
type standing struct {
	answer *settled
	// seen counts the positions where the group was met; at the one numbered due another token of it
	// is judged.
	seen, due int
	// mixed is set if two tokens had different answers.
	mixed bool
}

const (
	// samples is how many tokens of a new group are judged, many of one with more than many tokens.
	samples, many, manySamples = 2, 1000, 4
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

// hear settles all differences at a position. The gravest finding leads.
func (h *hearing) hear(ctx context.Context, p *position) (tally, error) {
	var t tally
	for _, g := range h.comparer.groups(p.state, p.referenceMask, p.engineMask) {
		if err := h.settleGroup(ctx, p, g, &t); err != nil {
			return nil, err
		}
	}
	sort.Slice(t, func(i, j int) bool { return t[i].Compare(&t[j].Finding) < 0 })
	if len(t) > 0 {
		t[0].Leading = 1
	}
	return t, nil
}

// settleGroup settles a group: by what is known of it, or by some of its tokens.
func (h *hearing) settleGroup(ctx context.Context, p *position, g *group, t *tally) error {
	s, err := h.stand(ctx, p, g.key, g.tokens, g.key.allows)
	if err != nil {
		return err
	}
	if !s.mixed {
		t.add(s.answer, len(g.tokens))
		return nil
	}
	// One answer does not do: its parts are settled each, by what the token leads to.
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
				q := &question{hearing: h, position: p, difference: parts[k][0], allows: g.key.allows}
				q.undecided("more kinds of tokens than are judged", fmt.Sprintf("%d of a group at one position", most))
				q.complete()
				t.add(&q.found, len(parts[k]))
				continue
			}
		}
		s, err := h.stand(ctx, p, k, parts[k], g.key.allows)
		if err != nil {
			return err
		}
		t.add(s.answer, len(parts[k]))
	}
	return nil
}

// stand brings what is known of a group up to date: a new group has some of its tokens judged, and
// one that is met again another token at the second, fourth, eighth time, and so on.
func (h *hearing) stand(ctx context.Context, p *position, key any, tokens []difference, allows string) (*standing, error) {
	s := h.standing[key]
	var ask []difference
	switch {
	case s == nil:
		s = &standing{due: 2}
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
	case s.seen+1 == s.due:
		s.due *= 2
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

// askAgain settles one more token of a group.
func (h *hearing) askAgain(ctx context.Context, p *position, s *standing, d difference, allows string) error {
	for _, brief := range []bool{true, false} {
		if brief && s.answer == nil {
			continue // the first answer is a thorough one
		}
		answer, err := h.settle(ctx, p, d, allows, brief)
		if err != nil {
			return err
		}
		if s.answer == nil {
			s.answer = answer
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

// finer tells the tokens of a mixed group apart: by the bytes that are not taken, and what the
// reference allows also by the state that it leads to.
func (h *hearing) finer(p *position, key groupKey, d difference) any {
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
