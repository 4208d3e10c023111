// Package check runs an engine from outside through cases whose answers are known. Only an engine
// that passes them has figures to be trusted.
//
// The cases are data (folder cases): a text of one of the kinds that engines take, documents that
// it accepts or refuses, and positions with tokens that must be allowed or forbidden there. An
// engine runs the cases of the kinds that it takes. The checks of protocol.go are about the
// protocol itself, on the first case that the engine passes.
//
// # What counts as a failure
//
// A text that the engine does not support is no failure: it is listed with the engine's reason. A
// case that the engine decides otherwise on purpose (no white space between values, say) is
// declared by its id, in the catalogue or in hello, and listed as declared. Any other wrong answer
// is a failure. Cases whose ids begin with "convention/" are about texts that JSON allows and
// engines often refuse.
//
// The vocabulary is small and made for this: all bytes, some pairs of them, special tokens, ids
// without bytes, two tokens that end a text, and a size that is no multiple of 8. A pair is the
// only token for its bytes beside the bytes themselves, so an engine that insists on a
// tokenizer's own way to write a text finds the documents written in it.
package check

import (
	"cmp"
	"context"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"gcdbench/algorithms"
	"gcdbench/engines"
	"gcdbench/engines/process"
	"gcdbench/engines/wire"
	"gcdbench/tokenizers"
)

// A Case is a grammar with known answers.
type Case struct {
	ID    string `json:"id"`
	About string `json:"about"`
	Kind  string `json:"kind"`
	Text  string `json:"text"`
	// Valid and Invalid are documents. <C3> is the byte of that value, in all texts.
	Valid     []string   `json:"valid"`
	Invalid   []string   `json:"invalid"`
	Positions []Position `json:"positions"`
}

// A Position has tokens of one mask by their text; <eos> is the end.
type Position struct {
	After  string   `json:"after"`
	Allow  []string `json:"allow"`
	Forbid []string `json:"forbid"`
}

//go:embed cases/*.json
var files embed.FS

// Cases are those for an engine that takes some kinds.
func Cases(takes []string) ([]Case, error) {
	var out []Case
	entries, err := files.ReadDir("cases")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := files.ReadFile(path.Join("cases", e.Name()))
		if err != nil {
			return nil, err
		}
		var list []Case
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		for _, c := range list {
			if slices.Contains(takes, c.Kind) {
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// Results of a case.
const (
	OK          = "ok"
	Failed      = "FAILED"
	Declared    = "declared"
	Unsupported = "unsupported"
)

// A Result is the result of a case, with the reason in Detail.
type Result struct {
	Case   string `json:"case"`
	Result string `json:"result"`
	Detail string `json:"detail,omitempty"`
}

// DefaultTimeout is the time limit of a case. A slow engine needs some seconds to compile.
const DefaultTimeout = 2 * time.Minute

// Options say how an engine is checked.
type Options struct {
	// Engine are options of the engine.
	Engine map[string]string
	// Declared are ids of cases that the engine decides otherwise on purpose, beside those in its
	// hello.
	Declared []string
	// Timeout bounds a case; 0 for DefaultTimeout.
	Timeout time.Duration
}

// A runner runs one engine through all cases.
type runner struct {
	command process.Command
	kept    *algorithms.Kept
	v       *tokenizers.Vocabulary
	opt     Options
	declare map[string]bool
	report  func(Result)
	failed  int
}

// Run runs an engine through all its cases and the checks of the protocol. report gets each result
// as it comes. failed counts the failures that are not declared. The error is ctx's, or that of an
// engine that does not start.
func Run(ctx context.Context, c process.Command, opt Options, report func(Result)) (failed int, err error) {
	opt.Timeout = cmp.Or(opt.Timeout, DefaultTimeout)
	v, err := vocabulary(pairs)
	if err != nil {
		return 0, err
	}
	hello, err := greet(ctx, c, opt.Timeout)
	if err != nil {
		return 0, err
	}
	cases, err := Cases(hello.Takes)
	if err != nil {
		return 0, err
	}
	r := &runner{command: c, kept: algorithms.NewKept(), v: v, opt: opt, declare: map[string]bool{}, report: report}
	defer r.kept.Close()
	for _, id := range slices.Concat(opt.Declared, hello.Differs) {
		r.declare[id] = true
	}
	r.hello(hello)
	var base *Case
	for i := range cases {
		if ctx.Err() != nil {
			return r.failed, ctx.Err()
		}
		if r.run(ctx, &cases[i]) && base == nil && len(cases[i].Valid) > 1 {
			base = &cases[i]
		}
	}
	if base == nil {
		r.add("protocol", errors.New("it passes no case, so the protocol is not checked"))
		return r.failed, ctx.Err()
	}
	r.protocol(ctx, base)
	return r.failed, ctx.Err()
}

// greet starts an engine for its hello.
func greet(ctx context.Context, c process.Command, timeout time.Duration) (*wire.HelloAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	p, err := process.Start(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	defer p.Close()
	return &p.Hello, nil
}

// add reports a case; err is nil if it is passed.
func (r *runner) add(id string, err error) {
	result := Result{Case: id, Result: OK}
	var unsupported *algorithms.UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		result.Result, result.Detail = Unsupported, unsupported.Reason
	case err != nil && r.declare[id]:
		result.Result, result.Detail = Declared, err.Error()
	case err != nil:
		result.Result, result.Detail = Failed, err.Error()
		r.failed++
	}
	r.report(result)
}

// compile has the engine compile a case.
func (r *runner) compile(ctx context.Context, c *Case, v *tokenizers.Vocabulary) (*engines.Engine, error) {
	return engines.CompileText(ctx, r.kept, r.command, v, c.Kind, c.Text, r.opt.Engine)
}

// run runs a case, and reports whether the engine passes it.
func (r *runner) run(ctx context.Context, c *Case) bool {
	ctx, cancel := context.WithTimeout(ctx, r.opt.Timeout)
	defer cancel()
	e, err := r.compile(ctx, c, r.v)
	if err == nil {
		err = documents(ctx, e, r.v, c)
	}
	r.add(c.ID, err)
	return err == nil
}

// documents looks at the documents and positions of a case.
func documents(ctx context.Context, e *engines.Engine, v *tokenizers.Vocabulary, c *Case) error {
	for i, text := range slices.Concat(c.Valid, c.Invalid) {
		w, err := walk(ctx, e, encode(v, text))
		valid := i < len(c.Valid)
		switch {
		case err != nil:
			return fmt.Errorf("document %q: %w", text, err)
		case valid && w.proof.Refused:
			return fmt.Errorf("document %q is refused: %s", text, w.where(v))
		case !valid && !w.proof.Refused:
			return fmt.Errorf("document %q is accepted", text)
		}
	}
	for _, p := range c.Positions {
		if err := position(ctx, e, v, p); err != nil {
			return fmt.Errorf("after %q %w", p.After, err)
		}
	}
	return nil
}

// position looks at one mask.
func position(ctx context.Context, e *engines.Engine, v *tokenizers.Vocabulary, p Position) (err error) {
	defer algorithms.CatchProcess(&err)
	s := e.Start()
	for _, id := range encode(v, p.After)[:len(encode(v, p.After))-1] {
		if err := s.Commit(int(id)); err != nil {
			return err
		}
	}
	m := s.Mask()
	for i, token := range slices.Concat(p.Allow, p.Forbid) {
		for _, id := range tokenOf(v, token) {
			if allowed := i < len(p.Allow); m.Has(id) != allowed {
				return fmt.Errorf("the mask %s %q (token %d)", map[bool]string{true: "forbids", false: "allows"}[allowed], token, id)
			}
		}
	}
	return never(m, v)
}

// never looks for tokens that no mask may have: special ones, and ids without bytes.
func never(m algorithms.Mask, v *tokenizers.Vocabulary) error {
	for _, id := range m.IDs(nil) {
		if !v.Legal(id) && !v.IsEOS(id) {
			return fmt.Errorf("the mask allows token %d, which is %s", id, v.Kind(id))
		}
	}
	if eos := v.EOS(); m.Has(eos[0]) != m.Has(eos[len(eos)-1]) {
		return fmt.Errorf("the mask allows one of the two tokens that end a text, %v, and not the other", eos)
	}
	return nil
}

// pairs are the tokens of two bytes. No two of them share a byte at which one text could be cut
// in two ways, so that a tokenizer with merges cuts it as the longest match does.
var pairs = []string{"tr", "ue", "fa", "ls", "nu", "ll", ", ", ": ", "re", "gr", "<C3><A9>", "xx"}

// Ids of the vocabulary that are no ordinary tokens.
const (
	specialID = 290
	holeID    = 295
	eosID     = 299
	otherEOS  = 301
	size      = 302
)

// vocabulary is the one of all cases, with some words.
func vocabulary(words []string) (*tokenizers.Vocabulary, error) {
	tokens := make([][]byte, size)
	for b := range 256 {
		tokens[b] = []byte{byte(b)}
	}
	for i, word := range words {
		tokens[256+i] = unescape(word)
	}
	tokens[specialID] = []byte("<special>")
	return tokenizers.NewVocabulary("check", tokens, []int{eosID, otherEOS}, []int{specialID})
}

// unescape reads a text of a case: <C3> is a byte.
func unescape(text string) []byte {
	var out []byte
	for len(text) > 0 {
		if len(text) >= 4 && text[0] == '<' && text[3] == '>' {
			if b, err := hex.DecodeString(text[1:3]); err == nil {
				out, text = append(out, b...), text[4:]
				continue
			}
		}
		out, text = append(out, text[0]), text[1:]
	}
	return out
}

// encode writes a text with the longest tokens, EOS last.
func encode(v *tokenizers.Vocabulary, text string) []int32 {
	rest := string(unescape(text))
	var out []int32
	for rest != "" {
		best := int(rest[0])
		for id := 256; id < v.Len(); id++ {
			if word := string(v.Token(id)); v.Legal(id) && len(word) > len(v.Token(best)) && strings.HasPrefix(rest, word) {
				best = id
			}
		}
		out, rest = append(out, int32(best)), rest[len(v.Token(best)):]
	}
	return append(out, eosID)
}

// tokenOf are the ids of a token by its text.
func tokenOf(v *tokenizers.Vocabulary, text string) (ids []int) {
	if text == "<eos>" {
		return v.EOS()
	}
	want := string(unescape(text))
	for id := range v.Len() {
		if v.Legal(id) && string(v.Token(id)) == want {
			ids = append(ids, id)
		}
	}
	return ids
}
