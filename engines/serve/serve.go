// Package serve runs an algorithm of this module as a child that speaks the protocol of
// docs/engines.md.
//
// It is a Go implementation of the protocol, and its test: psc in the harness and psc as a child
// are the same code, walked by the same rules on the same clock, so their masks must be equal and
// their times agree. Package harness/measure itself does the timed walk. The cost of its clock is
// in hello, and the other side takes it off.
//
// A child has one core. So work of an algorithm on several threads takes longer here, such as
// garbage collection during a compile.
package serve

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/engines/wire"
	"gcdbench/grammar/jsonschema"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/tokenizers"
)

// Version is the version in hello; the build identifies the program.
const Version = "1"

// A server answers requests. It belongs to one goroutine.
type server struct {
	algorithm algorithms.Algorithm
	clock     environment.Clock

	mapping    *wire.Mapping
	vocabulary *tokenizers.Vocabulary
	problem    *algorithms.Problem
	kept       *algorithms.Kept
	keptByText *jsonschema.Kept
	engine     algorithms.Engine
	compiled   int64
	state      algorithms.State // that is explored; nil for none
	collect    *measure.Collector
	walkers    map[bool]*measure.Walker // with logits, and without

	held  map[int]algorithms.Engine // by slot of the batch
	slots *measure.Slots            // of the batch; nil before its first step
}

// differs are the cases of package engines/check that are decided otherwise on purpose: without
// options a schema's texts have white space after commas and colons only, and keys in the schema's
// order.
var differs = []string{"convention/spaces", "convention/key-order"}

// mostLine is the longest request: it holds the text of a grammar.
const mostLine = 1 << 28

// Serve answers the requests of in on out until in ends or says bye. Nothing else may write to out.
func Serve(a algorithms.Algorithm, in io.Reader, out io.Writer) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_, release := environment.Pin()
	defer release()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // see collect.go
	s := &server{algorithm: a, clock: environment.Calibrate()}
	defer func() { s.mapping.Close() }()
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 1<<16), mostLine)
	for lines.Scan() {
		answer, id, last := s.answer(lines.Bytes())
		text, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		if id != nil {
			text = wire.WithID(text, *id)
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return err
		}
		if last {
			return nil
		}
	}
	return lines.Err()
}

// answer answers one request, whose number is id. A panic of the algorithm is a crash that the
// other side hears of.
func (s *server) answer(line []byte) (answer any, id *int64, last bool) {
	defer func() {
		if v := recover(); v != nil {
			answer = wire.No(wire.Crash, fmt.Sprintf("panic: %v\n%s", v, debug.Stack()))
		}
	}()
	var request wire.Request
	if err := json.Unmarshal(line, &request); err != nil {
		return wire.No(wire.Unsupported, "a request is an object of JSON: "+err.Error()), nil, false
	}
	id = request.ID
	answer, err := s.do(request.Do, line)
	if err != nil {
		answer = failed(err)
	}
	return answer, id, request.Do == "bye"
}

// do is the table of requests.
func (s *server) do(what string, line []byte) (any, error) {
	switch what {
	case "hello":
		return s.hello(), nil
	case "map":
		return asked(line, s.remap)
	case "vocabulary":
		return asked(line, s.setVocabulary)
	case "compile":
		return asked(line, s.compile)
	case "walk":
		return asked(line, s.walk)
	case "begin":
		return asked(line, s.begin)
	case "next":
		return asked(line, s.next)
	case "measure":
		return asked(line, s.measure)
	case "batch":
		return asked(line, s.batch)
	case "weigh":
		return asked(line, s.weigh)
	case "stats":
		return s.stats()
	case "bye":
		return wire.Yes(), nil
	}
	return nil, &wire.Failure{Outcome: wire.Unsupported, Text: fmt.Sprintf("there is no request %q", what)}
}

// asked reads a request and answers it.
func asked[Q, A any](line []byte, f func(*Q) (A, error)) (any, error) {
	var q Q
	if err := json.Unmarshal(line, &q); err != nil {
		return nil, err
	}
	return f(&q)
}

// failed is the answer for an error.
func failed(err error) wire.Answer {
	var said *wire.Failure
	var unsupported *algorithms.UnsupportedError
	switch {
	case errors.As(err, &said):
		return wire.No(said.Outcome, said.Text)
	case errors.As(err, &unsupported):
		return wire.No(wire.Unsupported, unsupported.Reason)
	}
	return wire.No(wire.Crash, err.Error())
}

// hello describes this engine.
func (s *server) hello() any {
	return &wire.HelloAnswer{
		Answer: wire.Yes(), Protocol: wire.Version, Name: s.algorithm.Name(), Version: Version, Build: environment.Program(),
		Licence: "Apache-2.0", Takes: []string{wire.KindGcdbench, wire.KindSchema, wire.KindLark}, Semantics: s.algorithm.Semantics(),
		Differs:     differs,
		Can:         []string{wire.CanClone, wire.CanRollback, wire.CanDraft},
		ClockPairNS: s.clock.PairNS, ClockEmptyNS: s.clock.EmptyNS,
	}
}

// remap maps the bulk file.
func (s *server) remap(q *wire.Map) (wire.Answer, error) {
	m, err := wire.OpenFile(q.File, q.Bytes)
	if err != nil {
		return wire.Answer{}, err
	}
	s.mapping.Close()
	s.mapping = m
	return wire.Yes(), nil
}

// setVocabulary takes the tokens over, and builds what all problems of a vocabulary share.
func (s *server) setVocabulary(q *wire.Vocabulary) (*wire.VocabularyAnswer, error) {
	ends, err := s.mapping.Slice(q.Ends, 8)
	if err != nil {
		return nil, err
	}
	text, err := s.mapping.Slice(q.Text, 1)
	if err != nil {
		return nil, err
	}
	if q.Size < 1 || len(ends) != 8*q.Size {
		return nil, fmt.Errorf("%d tokens, and the ends of %d", q.Size, len(ends)/8)
	}
	tokens, at := make([][]byte, q.Size), uint64(0)
	for i := range tokens {
		end := binary.LittleEndian.Uint64(ends[8*i:])
		if end < at || end > uint64(len(text)) {
			return nil, fmt.Errorf("token %d ends at byte %d, and not from %d to %d", i, end, at, len(text))
		}
		tokens[i], at = text[at:end], end
	}
	begin := environment.Now()
	v, err := tokenizers.NewVocabulary(q.Name, tokens, q.EOS, nil)
	if err != nil {
		return nil, err
	}
	jsonschema.Prepare()
	v.Trie()
	s.dropBatch()
	*s = server{algorithm: s.algorithm, clock: s.clock, mapping: s.mapping, vocabulary: v, kept: algorithms.NewKept(), keptByText: jsonschema.NewKept(),
		collect: &measure.Collector{After: collectAfter}}
	s.warmUp()
	warmHeap()
	return &wire.VocabularyAnswer{Answer: wire.Yes(), NS: float64(environment.Now() - begin)}, nil
}

// compile compiles a grammar, as this program reads it, and the algorithm's tables.
func (s *server) compile(q *wire.Compile) (*wire.CompileAnswer, error) {
	if s.vocabulary == nil {
		return nil, errors.New("compile before vocabulary")
	}
	options, err := algorithms.Resolve(s.algorithm, q.Options)
	if err != nil {
		return nil, &wire.Failure{Outcome: wire.CompileError, Text: err.Error()}
	}
	src, err := sourceOf(q)
	if err != nil {
		return nil, err
	}
	s.engine, s.problem, s.state = nil, nil, nil
	measure.Collect()
	if src.Kind != algorithms.KindSchema { // for a schema, a collection takes as long as the compile
		defer collecting()()
	}
	jsonschema.PrepareFor(src.Text) // as in the harness, what is made once is in no grammar's time
	begin := environment.Now()
	r, err := s.recognizer(src)
	if err != nil {
		return nil, err
	}
	s.problem = &algorithms.Problem{Recognizer: r, Vocabulary: s.vocabulary, Source: src, Kept: s.kept}
	mid := environment.Now()
	engine, err := s.algorithm.Compile(context.Background(), s.problem, options)
	end := environment.Now()
	if err != nil {
		return nil, compileError(err)
	}
	algorithms.Deliver(engine.Start(), make([]uint64, algorithms.MaskWords(s.vocabulary.Len())))
	first := float64(environment.Now() - end)
	took := float64(end - mid)
	s.engine = engine
	s.compiled++
	bytes, counters := figures(engine)
	return &wire.CompileAnswer{
		Answer: wire.Yes(), Engine: s.compiled, GrammarNS: float64(mid - begin), CompileNS: &took, FirstMaskNS: &first,
		Bytes: bytes, Counters: counters, Options: options,
	}, nil
}

// compileError is an error of a compile as an answer.
func compileError(err error) error {
	var unsupported *algorithms.UnsupportedError
	var ofSchema *jsonschema.UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		return err
	case errors.As(err, &ofSchema):
		return &wire.Failure{Outcome: wire.Unsupported, Text: err.Error()}
	}
	return &wire.Failure{Outcome: wire.CompileError, Text: err.Error()}
}

// figures are an engine's own.
func figures(e algorithms.Engine) (int64, []wire.Counter) {
	stats := e.Stats()
	counters := make([]wire.Counter, len(stats.Counters))
	for i, c := range stats.Counters {
		counters[i] = wire.Counter(c)
	}
	return stats.Bytes, counters
}

// live is the engine that was compiled last.
func (s *server) live() (algorithms.Engine, error) {
	if s.engine == nil {
		return nil, errors.New("no engine is compiled")
	}
	return s.engine, nil
}

// stats are the engine's figures now.
func (s *server) stats() (any, error) {
	e, err := s.live()
	if err != nil {
		return nil, err
	}
	bytes, counters := figures(e)
	return &wire.StatsAnswer{Answer: wire.Yes(), Bytes: bytes, Counters: counters}, nil
}

// tokens reads a document; every id is one of the vocabulary.
func (s *server) tokens(a *wire.Area) ([]int32, error) {
	bytes, err := s.mapping.Slice(a, 4)
	if err != nil {
		return nil, err
	}
	ids := wire.Tokens(bytes)
	if i := slices.IndexFunc(ids, func(id int32) bool { return id < 0 || int(id) >= s.vocabulary.Len() }); i >= 0 {
		return nil, fmt.Errorf("the token at position %d is %d, of %d", i, ids[i], s.vocabulary.Len())
	}
	return ids, nil
}

// document reads a document and its positions.
func (s *server) document(q *wire.Walk) (*measure.Document, error) {
	tokens, err := s.tokens(q.Tokens)
	if err != nil {
		return nil, err
	}
	d := &measure.Document{Tokens: tokens}
	if q.Masked != nil {
		bytes, err := s.mapping.Slice(q.Masked, 4)
		if err != nil {
			return nil, err
		}
		d.Positions = append([]uint32{}, wire.Uint32s(bytes)...)
	}
	return d, nil
}
