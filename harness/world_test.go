package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/all"
	_ "gcdbench/engines"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/prepare"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

// The world of these tests: a small grammar, a tokenizer of some 270 ids, a few
// documents, and algorithms that are wrong in one way each. All run through the
// public interfaces.

const listGrammar = `start: "[" (item ("," item)*)? "]"
item: NUMBER | STRING | start
NUMBER: /[0-9]+/
STRING: /"[a-z ]*"/
%ignore " "
`

// positives and negatives of the corpus, in the order of their ids.
var positives = []string{`[1, 22, 333]`, `["a b", [4], [ ]]`, `[]`, `[[[5]], "xyz", 6]`, `[1,"q",[2,"r",[3,"s"]]]`, `[10, 20, 30, 40, 50]`}

var negatives = []string{`[1,]`, `["a" 2]`}

// wrong is an algorithm made of naive and a defect.
type wrong struct {
	name string
	// compile and mask run before naive's; state is nil in compile.
	compile func(ctx context.Context) error
	// compileOf is told which grammar it is, too.
	compileOf func(ctx context.Context, grammar string) error
	mask      func(s *wrongState)
	commit    func(s *wrongState, token int) error
	change    func(s *wrongState, m algorithms.Mask) algorithms.Mask
	other     string // semantics, if not the contract's
}

func (w *wrong) Name() string { return w.name }

func (w *wrong) Summary() string { return "naive with a defect" }

func (w *wrong) Options() []algorithms.OptionInfo { return nil }

func (w *wrong) Semantics() string {
	if w.other != "" {
		return w.other
	}
	return algorithms.SemanticsContract
}

func (w *wrong) Compile(ctx context.Context, p *algorithms.Problem, _ algorithms.Options) (algorithms.Engine, error) {
	if w.compile != nil {
		if err := w.compile(ctx); err != nil {
			return nil, err
		}
	}
	if w.compileOf != nil {
		if err := w.compileOf(ctx, p.Grammar.Name); err != nil {
			return nil, err
		}
	}
	naive, err := algorithms.Lookup("naive")
	if err != nil {
		return nil, err
	}
	e, err := naive.Compile(ctx, p, nil)
	return &wrongEngine{e, w, p}, err
}

type wrongEngine struct {
	algorithms.Engine
	defect  *wrong
	problem *algorithms.Problem
}

func (e *wrongEngine) Start() algorithms.State {
	return &wrongState{State: e.Engine.Start(), engine: e}
}

// wrongState knows the text so far.
type wrongState struct {
	algorithms.State
	engine *wrongEngine
	text   string
	last   int // token
	past   []wrongPast
}

// wrongPast is what a wrongState knew before a token.
type wrongPast struct {
	text string
	last int
}

func (s *wrongState) Rollback(k int) error {
	if err := s.State.(algorithms.Rewinder).Rollback(k); err != nil || k == 0 {
		return err
	}
	at := len(s.past) - k
	s.text, s.last, s.past = s.past[at].text, s.past[at].last, s.past[:at]
	return nil
}

func (s *wrongState) Clone() algorithms.State {
	return &wrongState{s.State.Clone(), s.engine, s.text, s.last, slices.Clone(s.past)}
}

func (s *wrongState) Mask() algorithms.Mask {
	if f := s.engine.defect.mask; f != nil {
		f(s)
	}
	m := s.State.Mask()
	if f := s.engine.defect.change; f != nil {
		m = f(s, m)
	}
	return m
}

func (s *wrongState) Commit(token int) error {
	if f := s.engine.defect.commit; f != nil {
		if err := f(s, token); err != nil {
			return err
		}
	}
	err := s.State.Commit(token)
	if err == nil {
		s.past = append(s.past, wrongPast{s.text, s.last})
		s.text += string(s.engine.problem.Vocabulary.Token(token))
		s.last = token
	}
	return err
}

// flip returns m with one token's bit turned over.
func flip(m algorithms.Mask, token int) algorithms.Mask {
	b := algorithms.NewBuffer(m.Len())
	for _, id := range m.IDs(nil) {
		b.Set(id)
	}
	b.Words()[token/64] ^= 1 << (token % 64)
	return b.Mask()
}

// idOf is the id of the one-byte token c: the test tokenizer puts bytes first.
func idOf(c byte) int { return int(c) }

// never is what hangs wait for. The first world of a test makes it, and closes it when
// the test is over.
var never chan struct{}

// zoo is the algorithms of the tests, naive and trie aside.
var zoo = []*wrong{
	{name: "right"},
	{name: "right-2"},
	// After an opening bracket inside a list, it forgets that 7 may follow.
	{name: "flips", change: func(s *wrongState, m algorithms.Mask) algorithms.Mask {
		if strings.Count(s.text, "[") >= 2 && strings.HasSuffix(s.text, "[") {
			return flip(m, idOf('7'))
		}
		return m
	}},
	// After "2" as a token of its own behind another "2", which no encoder writes.
	{name: "rare", change: func(s *wrongState, m algorithms.Mask) algorithms.Mask {
		if s.last == idOf('2') && strings.HasSuffix(s.text, "22") {
			return flip(m, idOf('7'))
		}
		return m
	}},
	// On a grammar whose nonterminals have the names that rewriting gives.
	{name: "by-name", change: func(s *wrongState, m algorithms.Mask) algorithms.Mask {
		if strings.HasPrefix(s.engine.problem.Grammar.Nonterminals[0].Name, "n0_") && s.text != "" {
			return flip(m, idOf('7'))
		}
		return m
	}},
	{name: "panics", mask: func(s *wrongState) {
		if strings.Contains(s.text, "22") {
			panic("out of ideas")
		}
	}},
	{name: "panics-compiling", compile: func(context.Context) error { panic("no idea") }},
	{name: "hangs", mask: func(s *wrongState) {
		if strings.Contains(s.text, "22") {
			<-never
		}
	}},
	{name: "slow", mask: func(s *wrongState) {
		if strings.HasSuffix(s.text, "333") {
			time.Sleep(350 * time.Millisecond) // both together are too slow
		}
	}, commit: func(s *wrongState, _ int) error {
		if strings.HasSuffix(s.text, "333") {
			time.Sleep(350 * time.Millisecond)
		}
		return nil
	}},
	{name: "slow-compiling", compile: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }},
	{name: "hangs-compiling", compile: func(ctx context.Context) error { <-never; return nil }},
	{name: "unsupported", compile: func(context.Context) error {
		return &algorithms.UnsupportedError{Algorithm: "unsupported", Reason: "lists are beyond it"}
	}},
	{name: "broken", compile: func(context.Context) error { return errors.New("table 3 does not fit") }},
	{name: "grows", mask: func(s *wrongState) {
		full := never // of this case: the next one makes its own
		var ballast [][]byte
		for strings.Contains(s.text, "22") && len(ballast) < 300 {
			ballast = append(ballast, make([]byte, 1<<20))
			time.Sleep(200 * time.Microsecond)
		}
		if len(ballast) >= 300 {
			<-full
			ballast[0][0]++ // held until here
		}
	}},
	{name: "swells", mask: func(s *wrongState) {
		for end, ballast := never, [][]byte(nil); strings.Contains(s.text, "22") && len(ballast) < 2<<10; {
			ballast = append(ballast, make([]byte, 1<<20))
			select {
			case <-end:
				return
			case <-time.After(200 * time.Microsecond):
			}
		}
	}},
	{name: "contradicts", commit: func(s *wrongState, token int) error {
		if s.text == "[1" && token == idOf(',') {
			return errors.New("no comma for you")
		}
		return nil
	}},
	{name: "too-strict", change: func(s *wrongState, m algorithms.Mask) algorithms.Mask {
		if s.text == "[1" && m.Has(idOf(',')) {
			return flip(m, idOf(','))
		}
		return m
	}},
	{name: "too-strict-2", other: "strict", commit: func(s *wrongState, token int) error {
		if s.text == "[1" && token == idOf(',') {
			return errors.New("refused")
		}
		return nil
	}, change: func(s *wrongState, m algorithms.Mask) algorithms.Mask {
		if s.text == "[1" && m.Has(idOf(',')) {
			return flip(m, idOf(','))
		}
		return m
	}},
	{name: "fickle", change: func(s *wrongState, m algorithms.Mask) algorithms.Mask {
		if fickleCalls++; fickleCalls > 120 {
			return flip(m, idOf('7'))
		}
		return m
	}},
	{name: "hogs", mask: func(s *wrongState) {
		if strings.Contains(s.text, "22") {
			ballast := make([]byte, 160<<20)
			time.Sleep(100 * time.Millisecond)
			ballast[0]++
		}
	}},
	{name: "rests", mask: func(*wrongState) { time.Sleep(50 * time.Millisecond) }},
	{name: "naps", mask: func(*wrongState) { time.Sleep(5 * time.Millisecond) }},
	{name: "waits", mask: func(*wrongState) {
		for time.Sleep(200 * time.Microsecond); hold(); {
			time.Sleep(time.Hour)
		}
	}},
	{name: "overflows", mask: func(s *wrongState) {
		if strings.Contains(s.text, "22") {
			debug.SetMaxStack(1 << 20)
			overflowed = overflow(1)
		}
	}},
}

var fickleCalls int

// overflowed is never set: overflow does not return.
var overflowed int

//go:noinline
func overflow(n int) int {
	//lint:ignore SA5007 the fault
	return overflow(n+1) + n
}

func lookupZoo(name string) (algorithms.Algorithm, error) {
	for _, w := range slices.Concat(zoo, schemaZoo) {
		if w.name == name {
			return w, nil
		}
	}
	if grows := (growing{&wrong{name: "grows-on-the-way"}, 0, 64 << 10}); name == grows.name {
		return grows, nil
	}
	return algorithms.Lookup(name)
}

// world is a directory with everything a configuration needs.
type world struct {
	dir    string
	out    string
	weighs bool            // its engines, whose sizes the test asks for
	notes  strings.Builder // of load
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{dir: t.TempDir()}
	if never == nil {
		never = make(chan struct{})
		t.Cleanup(letGo)
	}
	w.out = filepath.Join(w.dir, "out")
	w.file(t, "list.lark", listGrammar)
	w.file(t, "tok.json", tinyTokenizer())
	w.file(t, "tokenizer_config.json", `{"eos_token": "<end>"}`)
	var lines strings.Builder
	for i, text := range positives {
		fmt.Fprintf(&lines, "{\"id\": \"p%d\", \"content\": %q}\n", i, text)
	}
	for i, text := range negatives {
		fmt.Fprintf(&lines, "{\"id\": \"z%d\", \"content\": %q, \"valid\": false}\n", i, text)
	}
	w.file(t, "docs.jsonl", lines.String())
	return w
}

// letGo ends what hangs, and waits until it has returned: nothing of a test stays
// behind for the next one.
func letGo() {
	close(never)
	for bounds.OfProcess.Names() != "" {
		time.Sleep(time.Millisecond)
	}
	never = nil
}

func (w *world) file(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(w.dir, name)
	must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.OK(t, os.WriteFile(path, []byte(text), 0o644))
}

// tinyTokenizer is a byte-level BPE: id i is byte i, then a few merges, then EOS.
func tinyTokenizer() string {
	vocab := map[string]int{}
	letters := byteLetters()
	for b := range 256 {
		vocab[letters[b]] = b
	}
	space := letters[' ']
	var merges []string
	for i, m := range [][2]string{{"2", "2"}, {"3", "3"}, {",", space}, {"]", "]"}, {"[", "["}, {`"`, ","}, {"[", `"`}, {"1", "0"}} {
		vocab[m[0]+m[1]] = 256 + i
		merges = append(merges, m[0]+" "+m[1])
	}
	end := len(vocab)
	text, err := json.Marshal(map[string]any{
		"version":       "1.0",
		"added_tokens":  []any{map[string]any{"id": end, "content": "<end>", "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false}},
		"normalizer":    nil,
		"pre_tokenizer": map[string]any{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false},
		"decoder":       map[string]any{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
		"model":         map[string]any{"type": "BPE", "dropout": nil, "unk_token": nil, "fuse_unk": false, "byte_fallback": false, "vocab": vocab, "merges": merges},
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// byteLetters is GPT-2's way to write bytes as characters: printable ones as they
// are, the others from U+0100 on.
func byteLetters() (letters [256]string) {
	next := rune(0x100)
	for b := range 256 {
		r := rune(b)
		if !(b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE) {
			r = next
			next++
		}
		letters[b] = string(r)
	}
	return letters
}

// once is measure settings with one compile of a grammar, unless they say how many; "by the rule, "
// before them is for none.
func once(measure string) string {
	if rest, ok := strings.CutPrefix(measure, "by the rule, "); ok {
		return rest
	}
	if strings.Contains(measure, "compiles: ") {
		return measure
	}
	return strings.TrimSuffix("compiles: 1, "+measure, ", ")
}

// config is a configuration with the given algorithms and measure settings, of which once is taken.
func (w *world) config(t testing.TB, algorithms, measure string) *config.Config {
	t.Helper()
	text := fmt.Sprintf(`name: test
seed: 3
algorithms: [%s]
tokenizers: [{file: tok.json}]
workloads: [{grammar: list.lark, dataset: {format: jsonl, path: docs.jsonl}}]
measure: {%s}
`, algorithms, once(measure))
	cfg := must.Get(config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), config.Names{}))(t)
	return cfg
}

func (w *world) options() prepare.Options {
	return prepare.Options{Out: w.out, Algorithm: lookupZoo, Unweighed: !w.weighs, Grace: 100 * time.Millisecond,
		Tokenizers: tokenizers.Options{CacheDir: filepath.Join(w.dir, "cache"), Offline: true}}
}

func (w *world) run(t testing.TB, cfg *config.Config) *Summary {
	t.Helper()
	var log strings.Builder
	opt := w.options()
	opt.Progress = &log
	sum, err := Run(context.Background(), cfg, opt)
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	t.Log(log.String())
	return sum
}

// records reads the cells of the run by label.
func (w *world) records(t testing.TB) map[string]*cell.Record {
	t.Helper()
	s, err := cell.Open(w.out)
	must.OK(t, err)
	m, err := s.Manifest()
	if err != nil || m == nil {
		t.Fatalf("manifest %v, %v", m, err)
	}
	out := map[string]*cell.Record{}
	for _, p := range m.Cells {
		r, err := s.Get(p.Key)
		if err != nil {
			t.Fatalf("%s: %v", p.Label, err)
		}
		out[p.Label] = r
	}
	return out
}

func (w *world) traces(t testing.TB, r *cell.Record) []cell.Trace {
	t.Helper()
	s := must.Get(cell.Open(w.out))(t)
	var traces []cell.Trace
	for tr, err := range s.Traces(r) {
		must.OK(t, err)
		traces = append(traces, tr)
	}
	return traces
}

// sample finds a sample of a record.
func sample(t testing.TB, r *cell.Record, id string) cell.Sample {
	t.Helper()
	for _, s := range r.Samples {
		if s.ID == id {
			return s
		}
	}
	t.Fatalf("no sample %s", id)
	return cell.Sample{}
}

// inBubble runs a test in a bubble of package synctest. Its clock stands still while
// anything computes and moves on when all wait, so that a time limit is reached by who
// sleeps or hangs, and by nobody else however slow the machine is; and the guard looks
// at the heap exactly as often as a sleeper is asleep.
func inBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		child()
		return
	}
	// The compressor's channels are the process's: not of the bubble of package synctest that comes
	// first, where they would stay.
	if _, err := cell.DecodeTraces(cell.EncodeTraces([]cell.Trace{{Hashes: []uint64{1}, Positions: []uint32{0}}})); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
