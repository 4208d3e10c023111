// Package constraints measures the algorithm "automata" on what its paper is about, regular
// expressions with its extensions, where the workloads of other papers have grammars (T. Koo, F.
// Liu and L. He, "Automata-based constraints for language model decoding", COLM 2024).
//
// Each constraint has a pattern and texts that match it: the extensions of the paper's table 1,
// plain patterns, and JSON of bounded depth (section 5.1). A text is walked as a decoder would.
// Before anything is timed each mask is compared with a brute force that knows no composition:
// every token of the vocabulary is read byte by byte, or by its label, from each state that the
// text may have led to, in an automaton of the pattern without states that lead nowhere.
//
// Timed are compile, masks, commits with their masks (steps), and taking back tokens (section 5.3).
// A token is forced where it is the only one in the mask: a decoder may jump over the model there.
//
// MeasureSchema (schemas.go) has section 5.1's other half: a JSON schema as a regular expression,
// beside psc with the same schema as a grammar.
package constraints

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"gcdbench/algorithms"
	"gcdbench/algorithms/koo"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/tokenizers"
)

// A Constraint is a pattern with texts that it matches.
type Constraint struct {
	Name    string // as table 1 calls it, or what it is
	Pattern string // in the syntax of koo.ParsePattern
	Texts   []string
}

// List is the workload: the paper's examples where it has some, in the order of its table 1. The
// bullets of section 2.5.1 have a space before PARAGRAPH_TOKEN there. An encoder joins it to the
// word after it, and a label stands for whole tokens, so it is left out here.
var List = []Constraint{
	{"QUOTED_TEXT", `title: (?P<QUOTED_TEXT>)`, []string{`title: "The \"second\" edition, revised"`}},
	{"UNQUOTED_TEXT", `(\w+: (?P<UNQUOTED_TEXT>)\n)+`, []string{"name: Ada Lovelace\nborn: in London, 1815\nurl: http://example.org/a\n"}},
	{"TEXT_TOKEN", `Answer:(?P<TEXT_TOKEN>){1,40}`, []string{"Answer: it depends on the day"}},
	{"PARAGRAPH_TOKEN", `Summary:(\n\*(?P<PARAGRAPH_TOKEN>)+){3,5}`, []string{"Summary:\n* The first point is short\n* The second has a number, 42\n* And a last one"}},
	{"TEXT_UNTIL", `(?P<TEXT_UNTIL>\n\nEND)`, []string{"Some free text, with END in it,\nover two lines.\n\nEND"}},
	{"SUBSTRING_OF", `quote: "(?P<SUBSTRING_OF>the quick brown fox jumps over the lazy dog)"`, []string{`quote: "quick brown fox jumps"`}},
	{"DELIMITED_LIST", `\[(?P<DELIMITED_LIST>, |-?\d+(\.\d+)?)\]`, []string{`[1, -2.5, 300, 4000, 5.25]`}},
	{"DELIMITED_SUBSEQUENCE_OF", `(?P<DELIMITED_SUBSEQUENCE_OF>, |name|size|color|price|weight)`, []string{`name, color, weight`}},
	{"date", `(19|20)\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T[0-2]\d:[0-5]\d:[0-5]\dZ`, []string{`2024-03-17T21:05:59Z`}},
	{"call", `(get|set|delete)_(user|group|file)\(id=\d{1,6}(, force=(true|false))?\)`, []string{`delete_group(id=4711, force=true)`}},
	{"wildcard", `From: .+\nTo: .+\nSubject: [^\n]{1,60}\n`, []string{"From: ada@example.org\nTo: charles@example.org\nSubject: notes on the engine\n"}},
	{"JSON of depth 2", `(?P<JSON_VALUE>2,2)`, []string{`{"name": "x", "list": [1, {"y": []}, null], "on": true, "size": -1.5e3}`}},
}

// A Row is what was measured of a constraint, in ns.
type Row struct {
	Name      string `json:"name"`
	Pattern   string `json:"pattern"`
	States    int    `json:"dfa_states"`
	Positions int    `json:"positions"` // of which each has a mask
	// Checked counts the tokens that the brute force decided.
	Checked int64 `json:"tokens_checked"`
	Forced  int   `json:"forced"` // positions with one legal token
	Times
}

// Times are those of one engine, in ns.
type Times struct {
	CompileNS int64 `json:"compile_ns"`
	// First are the steps of first walks, Again those of later ones, Rewind the times of taking back
	// four tokens.
	First  []uint32 `json:"first_ns"`
	Again  []uint32 `json:"again_ns"`
	Rewind []uint32 `json:"rewind_ns"`
	Bytes  int64    `json:"bytes"` // that the engine holds in the end, as it counts
}

// back is how many tokens are taken back: a draft of usual length.
const back = 4

// Measure compares and times a constraint on a tokenizer. A mask that the brute force contradicts
// is an error that names the prefix and the token.
func Measure(ctx context.Context, c Constraint, tok *tokenizers.Tokenizer, repeat int) (*Row, error) {
	p, err := problem(ctx, tok.Vocabulary())
	if err != nil {
		return nil, err
	}
	alg, err := algorithms.Lookup("automata")
	if err != nil {
		return nil, err
	}
	options, err := algorithms.Resolve(alg, algorithms.Options{"pattern": c.Pattern})
	if err != nil {
		return nil, err
	}
	row := &Row{Name: c.Name, Pattern: c.Pattern}
	truth, err := newBruteForce(c.Pattern, tok.Vocabulary())
	if err != nil {
		return nil, err
	}
	row.States = truth.dfa.NumStates()
	asked, err := alg.Compile(ctx, p, options)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	timed, err := alg.Compile(ctx, p, options)
	if err != nil {
		return nil, err
	}
	row.CompileNS = time.Since(began).Nanoseconds()
	w := newWalker(tok.Vocabulary().Len())
	for _, text := range c.Texts {
		tokens, err := tok.EncodeContinuation([]byte(text))
		if err != nil {
			return nil, err
		}
		if err := truth.compare(ctx, asked, tokens, row); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		for pass := range repeat + 1 {
			if err := w.walk(&row.Times, timed.Start(), tokens, pass == 0); err != nil {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
		}
	}
	row.Bytes = timed.Stats().Bytes
	return row, nil
}

// problem has a vocabulary and a grammar that a pattern leaves unused.
func problem(ctx context.Context, v *tokenizers.Vocabulary) (*algorithms.Problem, error) {
	g, err := lark.Parse([]byte(`start: "a"`), lark.Options{File: "unused.lark"})
	if err != nil {
		return nil, err
	}
	r, err := recognizer.New(ctx, g, recognizer.Options{})
	return &algorithms.Problem{Recognizer: r, Vocabulary: v}, err
}

// walker times walks.
type walker struct {
	bits  []uint64
	empty float64 // what a pair of clock reads reports around nothing
}

func newWalker(ids int) *walker {
	return &walker{make([]uint64, algorithms.MaskWords(ids)), environment.Calibrate().EmptyNS}
}

// walk takes a generation through a text.
func (w *walker) walk(into *Times, state algorithms.State, tokens []int32, first bool) error {
	_, release := environment.Pin()
	defer release()
	var steps []uint32
	for k := 0; k <= len(tokens); k++ {
		begin := environment.Now()
		if k > 0 {
			if err := state.Commit(int(tokens[k-1])); err != nil {
				return err
			}
		}
		algorithms.Deliver(state, w.bits)
		steps = append(steps, measure.Clamp(float64(environment.Now()-begin)-w.empty))
		if first || k < back {
			continue
		}
		begin = environment.Now()
		if err := state.(algorithms.Rewinder).Rollback(back); err != nil {
			return err
		}
		into.Rewind = append(into.Rewind, measure.Clamp(float64(environment.Now()-begin)-w.empty))
		for _, t := range tokens[k-back : k] {
			if err := state.Commit(int(t)); err != nil {
				return err
			}
		}
	}
	if first {
		into.First = append(into.First, steps...)
	} else {
		into.Again = append(into.Again, steps...)
	}
	return nil
}

// bruteForce decides tokens one by one.
type bruteForce struct {
	dfa        *automata.DFA
	vocabulary *tokenizers.Vocabulary
}

// The bytes that stand for whole tokens in a pattern's automaton: no UTF-8 has them.
const (
	anyText    = 0xF8
	noNewline  = 0xF9
	firstLabel = anyText
)

// newBruteForce compiles a pattern, nothing else.
func newBruteForce(pattern string, v *tokenizers.Vocabulary) (*bruteForce, error) {
	e, err := koo.ParsePattern(pattern)
	if err != nil {
		return nil, err
	}
	d, err := automata.Compile(e, automata.Limits{})
	return &bruteForce{d, v}, err
}

// after are the states that a token leads to from a set of states, by its bytes and by labels.
func (b *bruteForce) after(from map[int32]bool, token int) map[int32]bool {
	to := map[int32]bool{}
	text := b.vocabulary.Token(token)
	for s := range from {
		at := s
		for _, c := range text {
			if c >= firstLabel {
				at = automata.Dead
				break
			}
			if at = b.dfa.Next(at, c); at == automata.Dead {
				break
			}
		}
		if at != automata.Dead && len(text) > 0 {
			to[at] = true
		}
		if !utf8.Valid(text) || len(text) == 0 {
			continue
		}
		if at = b.dfa.Next(s, anyText); at != automata.Dead {
			to[at] = true
		}
		line := true
		for _, c := range text {
			line = line && c != '\n' && c != '\r'
		}
		if at = b.dfa.Next(s, noNewline); line && at != automata.Dead {
			to[at] = true
		}
	}
	return to
}

// compare walks a text and checks each token of each mask.
func (b *bruteForce) compare(ctx context.Context, engine algorithms.Engine, tokens []int32, row *Row) error {
	state, at := engine.Start(), map[int32]bool{b.dfa.Start(): true}
	for k := 0; ; k++ {
		mask := state.Mask()
		legal := 0
		for id := range b.vocabulary.Len() {
			want := false
			if b.vocabulary.IsEOS(id) {
				for s := range at {
					want = want || b.dfa.Accepting(s)
				}
			} else if b.vocabulary.Legal(id) {
				want = len(b.after(at, id)) > 0
			}
			if mask.Has(id) != want {
				return fmt.Errorf("after %d tokens: token %d %q: the mask says %v, the brute force %v", k, id, b.vocabulary.Token(id), mask.Has(id), want)
			}
			if want {
				legal++
			}
		}
		row.Positions++
		row.Checked += int64(b.vocabulary.Len())
		if legal == 1 {
			row.Forced++
		}
		if k == len(tokens) {
			return ctx.Err()
		}
		if err := state.Commit(int(tokens[k])); err != nil {
			return err
		}
		at = b.after(at, int(tokens[k]))
	}
}
