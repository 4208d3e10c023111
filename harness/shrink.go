package harness

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"gcdbench/algorithms"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/special"
	"gcdbench/internal/words"
)

// Difference is a wrong mask, made small, as it is printed and stored.
type Difference struct {
	Workload  string            `json:"workload"`
	Grammar   string            `json:"grammar"`
	Tokenizer string            `json:"tokenizer"`
	Algorithm string            `json:"algorithm"`
	Options   map[string]string `json:"options"`
	Reference string            `json:"reference"`
	Schema    string            `json:"schema,omitempty"` // its id, in a schema corpus
	Sample    string            `json:"sample"`
	Position  int               `json:"position"` // where it was found, in tokens
	What      string            `json:"what"`

	// The minimal case: after the tokens of Prefix, the two disagree on Token.
	Prefix      string `json:"prefix"`
	PrefixHex   string `json:"prefix_hex"` // the bytes exactly
	PrefixIDs   []int  `json:"prefix_ids"`
	Token       int    `json:"token"`
	TokenText   string `json:"token_text"`
	EOS         bool   `json:"eos"` // Token is EOS
	Says        bool   `json:"algorithm_allows"`
	ShouldBe    bool   `json:"reference_allows"`
	Shrunk      bool   `json:"shrunk"` // Prefix is shorter than the sample's
	Explanation any    `json:"explanation,omitempty"`
	Reason      string `json:"reason"` // the explanation in one sentence
}

// Text is the difference as a person reads it.
func (d *Difference) Text() string {
	verdict := map[bool]string{true: "allows", false: "refuses"}
	token := fmt.Sprintf("token %d %q", d.Token, special.Shown([]byte(d.TokenText)))
	if d.EOS {
		token = "EOS"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "wrong mask: %s on %s with %s\n", d.Algorithm, d.Workload, d.Tokenizer)
	fmt.Fprintf(&b, "  found in %s: %s\n", d.Sample, d.What)
	fmt.Fprintf(&b, "  after    %q (%s %v)\n", special.Shown([]byte(d.Prefix)), words.Count(len(d.PrefixIDs), "token"), d.PrefixIDs)
	fmt.Fprintf(&b, "  %s %s %s\n", d.Algorithm, verdict[d.Says], token)
	fmt.Fprintf(&b, "  %s %s it", d.Reference, verdict[d.ShouldBe])
	if d.Reason != "" {
		fmt.Fprintf(&b, ": %s", d.Reason)
	}
	b.WriteByte('\n')
	return b.String()
}

// witness knows the right masks. For the contract it is the recognizer; for another semantics it is
// the reference's engine.
type witness interface {
	// allows says whether token may follow prefix; ok is false if prefix itself is refused.
	allows(prefix []int, token int) (allowed, ok bool)
	// mask returns all tokens that may follow.
	mask(prefix []int) (m algorithms.Mask, ok bool)
}

// engineWitness asks an engine.
type engineWitness struct{ engine algorithms.Engine }

// mask walks from the start each time: the answers of a State may depend on earlier questions.
func (w engineWitness) mask(prefix []int) (algorithms.Mask, bool) {
	s := w.engine.Start()
	for _, t := range prefix {
		if s.Commit(t) != nil {
			return algorithms.Mask{}, false
		}
	}
	return s.Mask().Clone(), true
}

// allows asks the mask and not Commit, since the mask is wrong.
func (w engineWitness) allows(prefix []int, token int) (allowed, ok bool) {
	m, ok := w.mask(prefix)
	return ok && m.Has(token), ok
}

// contractWitness asks the recognizer, token by token.
type contractWitness struct{ problem *algorithms.Problem }

// state reads the bytes of prefix; ok is false where the contract refuses a token.
func (w contractWitness) state(prefix []int) (recognizer.State, bool) {
	s := w.problem.Start()
	for _, t := range prefix {
		next, ok := w.problem.Read(s, w.problem.Vocabulary.Token(t))
		if !ok || !w.problem.Vocabulary.Legal(t) {
			return s, false
		}
		s = next
	}
	return s, true
}

// legal is the contract's answer about one token.
func (w contractWitness) legal(s recognizer.State, token int) bool {
	v := w.problem.Vocabulary
	switch {
	case v.IsEOS(token) && w.problem.End(s):
		return true
	case !v.Legal(token):
		return false
	}
	_, ok := w.problem.Read(s, v.Token(token))
	return ok
}

// allows costs the length of the token, not of the vocabulary.
func (w contractWitness) allows(prefix []int, token int) (allowed, ok bool) {
	s, ok := w.state(prefix)
	return ok && w.legal(s, token), ok
}

// mask reads every token of the vocabulary from the same state, as naive does.
func (w contractWitness) mask(prefix []int) (algorithms.Mask, bool) {
	s, ok := w.state(prefix)
	if !ok {
		return algorithms.Mask{}, false
	}
	b := algorithms.NewBuffer(w.problem.Vocabulary.Len())
	for id := range w.problem.Vocabulary.Len() {
		if w.legal(s, id) {
			b.Set(id)
		}
	}
	return b.Mask(), true
}

// shrinkTime bounds the search for a smaller case. A try is a walk and a mask: microseconds to a
// tenth of a second.
const shrinkTime = 10 * time.Second

// shrinker makes the case in which an engine is wrong small.
type shrinker struct {
	problem *algorithms.Problem
	wrong   engineWitness
	right   witness
	until   time.Time
}

// find returns the shortest token on which the two disagree after prefix; found is false if they
// agree or one of them refuses the prefix.
func (s *shrinker) find(prefix []int) (token int, found bool) {
	a, okA := s.wrong.mask(prefix)
	b, okB := s.right.mask(prefix)
	if !okA || !okB {
		return 0, false
	}
	v := s.problem.Vocabulary
	for id := range v.Len() {
		if a.Has(id) != b.Has(id) && (!found || len(v.Token(id)) < len(v.Token(token))) {
			token, found = id, true
		}
	}
	return token, found
}

// wrongOn reports whether the engine is wrong about token after prefix.
func (s *shrinker) wrongOn(prefix []int, token int) bool {
	a, okA := s.wrong.allows(prefix, token)
	b, okB := s.right.allows(prefix, token)
	return okA && okB && a != b
}

func (s *shrinker) timeLeft() bool { return time.Now().Before(s.until) }

// shrink drops tokens from prefix as long as the engine stays wrong about token (delta debugging),
// byte by byte where the vocabulary has all single bytes, and replaces tokens by shorter ones,
// until the case cannot become smaller.
func (s *shrinker) shrink(prefix []int, token int) ([]int, int) {
	prefix = s.drop(prefix, token)
	if bytes, ok := s.spell(prefix); ok && s.wrongOn(bytes, token) {
		prefix = bytes
	}
	for {
		before := slices.Clone(prefix)
		prefix = s.shorten(s.drop(prefix, token), token)
		for _, other := range s.shorter(token) {
			if s.timeLeft() && s.wrongOn(prefix, other) {
				token = other
				break
			}
		}
		if slices.Equal(before, prefix) || !s.timeLeft() {
			return prefix, token
		}
	}
}

// drop takes runs of tokens out, long runs first.
func (s *shrinker) drop(prefix []int, token int) []int {
	const few = 32 // up to here every length of run is tried, and not only halves
	for run := len(prefix); run >= 1; {
		for at := 0; at+run <= len(prefix) && s.timeLeft(); {
			shorter := append(append([]int(nil), prefix[:at]...), prefix[at+run:]...)
			if s.wrongOn(shorter, token) {
				prefix = shorter
			} else {
				at++
			}
		}
		if run > few {
			run /= 2
		} else {
			run--
		}
	}
	return prefix
}

// spell writes the bytes of prefix as tokens of one byte each.
func (s *shrinker) spell(prefix []int) (tokens []int, ok bool) {
	v := s.problem.Vocabulary
	var byByte [256]int
	for id := v.Len() - 1; id >= 0; id-- {
		if text := v.Token(id); len(text) == 1 && v.Legal(id) {
			byByte[text[0]] = id + 1
		}
	}
	for _, t := range prefix {
		for _, b := range v.Token(t) {
			if byByte[b] == 0 {
				return nil, false
			}
			tokens = append(tokens, byByte[b]-1)
		}
	}
	return tokens, true
}

// shorten replaces tokens by ones with fewer bytes.
func (s *shrinker) shorten(prefix []int, token int) []int {
	for at := 0; at < len(prefix); at++ {
		for _, other := range s.shorter(prefix[at]) {
			if !s.timeLeft() {
				return prefix
			}
			tried := append([]int(nil), prefix...)
			tried[at] = other
			if s.wrongOn(tried, token) {
				prefix = tried
				break
			}
		}
	}
	return prefix
}

// shorter lists some tokens that are a proper prefix or suffix of a token, the shortest first.
func (s *shrinker) shorter(token int) []int {
	v := s.problem.Vocabulary
	text := string(v.Token(token))
	if !v.Legal(token) || len(text) < 2 {
		return nil
	}
	byText := map[string]int{}
	for i := 1; i < len(text); i++ {
		byText[text[:i]], byText[text[i:]] = -1, -1
	}
	for id := range v.Len() {
		if at, wanted := byText[string(v.Token(id))]; wanted && at < 0 && v.Legal(id) {
			byText[string(v.Token(id))] = id
		}
	}
	const handful = 8
	var out []int
	for n := 1; n < len(text) && len(out) < handful; n++ {
		for _, part := range []string{text[:n], text[len(text)-n:]} {
			if id := byText[part]; id >= 0 {
				out = append(out, id)
			}
		}
	}
	return out
}

// explainDifference makes the case small and asks the recognizer for the reason. It calls the wrong
// engine, so its caller runs it under a guard.
func (g *prepared) explainDifference(ctx context.Context, r *round, t *trial, refEngine algorithms.Engine, reference string, diff *difference) *Difference {
	u, s := r.unit, r.document
	d := &Difference{
		Workload: g.workload.Name, Grammar: grammarName(g.workload.Workload), Tokenizer: g.label,
		Algorithm: t.Label, Options: t.options, Reference: reference,
		Sample: s.id, Position: diff.position, What: diff.what, Token: -1,
	}
	if u.schema != nil {
		d.Schema = u.id
	}
	if u.problem == nil {
		return d // the schema does not compile here, so there is no contract to ask
	}
	sh := &shrinker{problem: u.problem, wrong: engineWitness{t.prover.engine}, until: time.Now().Add(shrinkTime)}
	switch {
	case t.semantics() == algorithms.SemanticsContract:
		sh.right = contractWitness{u.problem}
		d.Reference = "the contract"
		if reference != "" {
			d.Reference += " (as " + reference + ")"
		}
	case refEngine != nil:
		sh.right = engineWitness{refEngine}
	default:
		return d
	}
	prefix := s.prefix(diff.position)
	token, found := sh.find(prefix)
	if !found {
		if ctx.Err() == nil {
			d.Reason = "asked again, the two agree: the mask depends on what was asked before"
		}
		return d
	}
	small, token := sh.shrink(prefix, token)
	d.Shrunk = len(small) < len(prefix)
	d.fill(u.problem, sh, small, token)
	return d
}

// fill writes the minimal case down and asks the recognizer why.
func (d *Difference) fill(p *algorithms.Problem, sh *shrinker, prefix []int, token int) {
	var text []byte
	for _, t := range prefix {
		text = append(text, p.Vocabulary.Token(t)...)
	}
	d.Prefix, d.PrefixHex, d.PrefixIDs = string(text), hex.EncodeToString(text), prefix
	d.Token, d.TokenText, d.EOS = token, string(p.Vocabulary.Token(token)), p.Vocabulary.IsEOS(token)
	d.Says, _ = sh.wrong.allows(prefix, token)
	d.ShouldBe, _ = sh.right.allows(prefix, token)
	var e *recognizer.Explanation
	var err error
	if d.EOS {
		e, err = p.ExplainEnd(text)
	} else {
		e, err = p.Explain(text, p.Vocabulary.Token(token))
	}
	if err == nil {
		d.Explanation, d.Reason = e, e.Reason
	}
}
