package ask

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"gcdbench/algorithms"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/prepare"
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
	Allows(prefix []int, token int) (allowed, ok bool)
	// mask returns all tokens that may follow.
	Mask(prefix []int) (m algorithms.Mask, ok bool)
}

// EngineWitness asks an engine.
type EngineWitness struct{ Engine algorithms.Engine }

// Mask walks from the start each time: the answers of a State may depend on earlier questions.
func (w EngineWitness) Mask(prefix []int) (algorithms.Mask, bool) {
	s := w.Engine.Start()
	for _, t := range prefix {
		if s.Commit(t) != nil {
			return algorithms.Mask{}, false
		}
	}
	return s.Mask().Clone(), true
}

// allows asks the mask and not Commit, since the mask is wrong.
func (w EngineWitness) Allows(prefix []int, token int) (allowed, ok bool) {
	m, ok := w.Mask(prefix)
	return ok && m.Has(token), ok
}

// ContractWitness asks the recognizer, token by token.
type ContractWitness struct{ Problem *algorithms.Problem }

// state reads the bytes of prefix; ok is false where the contract refuses a token.
func (w ContractWitness) state(prefix []int) (recognizer.State, bool) {
	s := w.Problem.Start()
	for _, t := range prefix {
		next, ok := w.Problem.Read(s, w.Problem.Vocabulary.Token(t))
		if !ok || !w.Problem.Vocabulary.Legal(t) {
			return s, false
		}
		s = next
	}
	return s, true
}

// legal is the contract's answer about one token.
func (w ContractWitness) legal(s recognizer.State, token int) bool {
	v := w.Problem.Vocabulary
	switch {
	case v.IsEOS(token) && w.Problem.End(s):
		return true
	case !v.Legal(token):
		return false
	}
	_, ok := w.Problem.Read(s, v.Token(token))
	return ok
}

// Allows costs the length of the token, not of the vocabulary.
func (w ContractWitness) Allows(prefix []int, token int) (allowed, ok bool) {
	s, ok := w.state(prefix)
	return ok && w.legal(s, token), ok
}

// Mask reads every token of the vocabulary from the same state, as naive does.
func (w ContractWitness) Mask(prefix []int) (algorithms.Mask, bool) {
	s, ok := w.state(prefix)
	if !ok {
		return algorithms.Mask{}, false
	}
	b := algorithms.NewBuffer(w.Problem.Vocabulary.Len())
	for id := range w.Problem.Vocabulary.Len() {
		if w.legal(s, id) {
			b.Set(id)
		}
	}
	return b.Mask(), true
}

// shrinkTime bounds the search for a smaller case. A try is a walk and a mask: microseconds to a
// tenth of a second.
const shrinkTime = 10 * time.Second

// Shrinker makes the case in which an engine is wrong small.
type Shrinker struct {
	Problem *algorithms.Problem
	Wrong   EngineWitness
	Right   witness
	Until   time.Time
}

// Find returns the shortest token on which the two disagree after prefix; found is false if they
// agree or one of them refuses the prefix.
func (s *Shrinker) Find(prefix []int) (token int, found bool) {
	a, okA := s.Wrong.Mask(prefix)
	b, okB := s.Right.Mask(prefix)
	if !okA || !okB {
		return 0, false
	}
	v := s.Problem.Vocabulary
	for id := range v.Len() {
		if a.Has(id) != b.Has(id) && (!found || len(v.Token(id)) < len(v.Token(token))) {
			token, found = id, true
		}
	}
	return token, found
}

// WrongOn reports whether the engine is wrong about token after prefix.
func (s *Shrinker) WrongOn(prefix []int, token int) bool {
	a, okA := s.Wrong.Allows(prefix, token)
	b, okB := s.Right.Allows(prefix, token)
	return okA && okB && a != b
}

func (s *Shrinker) timeLeft() bool { return time.Now().Before(s.Until) }

// Shrink drops tokens from prefix as long as the engine stays wrong about token (delta debugging),
// byte by byte where the vocabulary has all single bytes, and replaces tokens by shorter ones,
// until the case cannot become smaller.
func (s *Shrinker) Shrink(prefix []int, token int) ([]int, int) {
	prefix = s.drop(prefix, token)
	if bytes, ok := s.spell(prefix); ok && s.WrongOn(bytes, token) {
		prefix = bytes
	}
	for {
		before := slices.Clone(prefix)
		prefix = s.shorten(s.drop(prefix, token), token)
		for _, other := range s.shorter(token) {
			if s.timeLeft() && s.WrongOn(prefix, other) {
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
func (s *Shrinker) drop(prefix []int, token int) []int {
	const few = 32 // up to here every length of run is tried, and not only halves
	for run := len(prefix); run >= 1; {
		for at := 0; at+run <= len(prefix) && s.timeLeft(); {
			shorter := append(append([]int(nil), prefix[:at]...), prefix[at+run:]...)
			if s.WrongOn(shorter, token) {
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
func (s *Shrinker) spell(prefix []int) (tokens []int, ok bool) {
	v := s.Problem.Vocabulary
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
func (s *Shrinker) shorten(prefix []int, token int) []int {
	for at := 0; at < len(prefix); at++ {
		for _, other := range s.shorter(prefix[at]) {
			if !s.timeLeft() {
				return prefix
			}
			tried := append([]int(nil), prefix...)
			tried[at] = other
			if s.WrongOn(tried, token) {
				prefix = tried
				break
			}
		}
	}
	return prefix
}

// shorter lists some tokens that are a proper prefix or suffix of a token, the shortest first.
func (s *Shrinker) shorter(token int) []int {
	v := s.Problem.Vocabulary
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

// ExplainDifference makes the case small and asks the recognizer for the reason. It calls the wrong
// engine, so its caller runs it under a guard.
func ExplainDifference(g *prepare.Prepared, ctx context.Context, r *Round, t *Trial, refEngine algorithms.Engine, reference string, diff *Differing) *Difference {
	u, s := r.Unit, r.Document
	d := &Difference{
		Workload: g.Workload.Name, Grammar: prepare.GrammarName(g.Workload.Workload), Tokenizer: g.Label,
		Algorithm: t.Label, Options: t.Options, Reference: reference,
		Sample: s.ID, Position: diff.Position, What: diff.What, Token: -1,
	}
	if u.Schema != nil {
		d.Schema = u.ID
	}
	if u.SharedProblem == nil {
		return d // the schema does not compile here, so there is no contract to ask
	}
	sh := &Shrinker{Problem: u.SharedProblem, Wrong: EngineWitness{Engine: t.Prover.Engine}, Until: time.Now().Add(shrinkTime)}
	switch {
	case t.Semantics() == algorithms.SemanticsContract:
		sh.Right = ContractWitness{Problem: u.SharedProblem}
		d.Reference = "the contract"
		if reference != "" {
			d.Reference += " (as " + reference + ")"
		}
	case refEngine != nil:
		sh.Right = EngineWitness{Engine: refEngine}
	default:
		return d
	}
	prefix := Prefix(s, diff.Position)
	token, found := sh.Find(prefix)
	if !found {
		if ctx.Err() == nil {
			d.Reason = "asked again, the two agree: the mask depends on what was asked before"
		}
		return d
	}
	small, token := sh.Shrink(prefix, token)
	d.Shrunk = len(small) < len(prefix)
	d.fill(u.SharedProblem, sh, small, token)
	return d
}

// fill writes the minimal case down and asks the recognizer why.
func (d *Difference) fill(p *algorithms.Problem, sh *Shrinker, prefix []int, token int) {
	var text []byte
	for _, t := range prefix {
		text = append(text, p.Vocabulary.Token(t)...)
	}
	d.Prefix, d.PrefixHex, d.PrefixIDs = string(text), hex.EncodeToString(text), prefix
	d.Token, d.TokenText, d.EOS = token, string(p.Vocabulary.Token(token)), p.Vocabulary.IsEOS(token)
	d.Says, _ = sh.Wrong.Allows(prefix, token)
	d.ShouldBe, _ = sh.Right.Allows(prefix, token)
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
