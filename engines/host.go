package engines

import (
	"context"
	"encoding/binary"
	"errors"
	"runtime"
	"sync"

	"gcdbench/algorithms"
	"gcdbench/engines/process"
	"gcdbench/engines/wire"
	"gcdbench/tokenizers"
)

// A host has the process of an engine for one vocabulary. The process is started when it is first
// needed, gets the vocabulary once, and compiles one grammar after the other. A process that has
// died is replaced at its next use, and compiles the grammar again, as if there had been no
// failure.
type host struct {
	command process.Command
	v       *tokenizers.Vocabulary
	file    string // the vocabulary's tokenizer.json, "" if there is none
	closing *slot

	mu           sync.Mutex       // held while the process is used
	told         *process.Process // the one that has the vocabulary
	live         *Engine          // whose grammar the process has
	vocabularyNS int64
	noClones     string // how clones ended a process; "" as long as they have not
}

// A slot is the place of a process. It is no part of the host, so that a cleanup can empty it after
// the host is collected.
type slot struct {
	mu      sync.Mutex
	process *process.Process
	closed  bool
}

// newHost starts nothing.
func newHost(c process.Command, v *tokenizers.Vocabulary, file string) *host {
	h := &host{command: c, v: v, file: file, closing: new(slot)}
	runtime.AddCleanup(h, func(s *slot) { go s.close() }, h.closing)
	return h
}

// get is the process, nil if there is none that lives.
func (s *slot) get() *process.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil || !s.process.Alive() {
		return nil
	}
	return s.process
}

// put replaces the process. It reports whether that was possible: a closed slot has no process.
func (s *slot) put(p *process.Process) bool {
	s.mu.Lock()
	old, closed := s.process, s.closed
	if !closed {
		s.process = p
	}
	s.mu.Unlock()
	if closed {
		old = p
	}
	if old != nil {
		old.Close()
	}
	return !closed
}

// take empties the slot for good, and returns the process that was there.
func (s *slot) take() *process.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.process
	s.process, s.closed = nil, true
	return p
}

// close ends the process.
func (s *slot) close() error {
	if p := s.take(); p != nil {
		return p.Close()
	}
	return nil
}

// Close ends the process. The engines of the host cannot be used any more. Memory shared with the
// process stays mapped, since an abandoned operation may still read it.
func (h *host) Close() error {
	p := h.closing.take()
	if p == nil {
		return nil
	}
	p.End()
	go func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		p.Close()
	}()
	return nil
}

// errClosed is the Error of a host that was closed.
var errClosed = &process.Error{Outcome: wire.Crash, Detail: "it was closed and cannot be used any more"}

// start is the process, which is started if there is none that lives. h.mu is held. It fails as
// process.Process.Call does.
func (h *host) start(ctx context.Context) (*process.Process, error) {
	if p := h.closing.get(); p != nil {
		return p, nil
	}
	h.live, h.told = nil, nil
	p, err := process.Start(ctx, h.command)
	if err == nil && !h.closing.put(p) {
		err = errClosed
	}
	return p, err
}

// tell gives the process the vocabulary, unless it has it. h.mu is held.
func (h *host) tell(ctx context.Context, p *process.Process) error {
	if h.told == p {
		return nil
	}
	err := h.sendVocabulary(ctx, p)
	if err == nil {
		h.told = p
		p.Settle()
	} else {
		p.Close() // the next one begins from the start
	}
	return err
}

// sendVocabulary hands the tokens over. Ids that are not ordinary tokens have no bytes there.
func (h *host) sendVocabulary(ctx context.Context, p *process.Process) error {
	total, size := 0, h.v.Len()
	for id := range size {
		if h.v.Legal(id) {
			total += len(h.v.Token(id))
		}
	}
	var l wire.Layout
	ends, text := l.Area(int64(size), 8), l.Area(int64(total), 1)
	m, err := p.Room(ctx, l.Bytes())
	if err != nil {
		return err
	}
	endBytes, textBytes := areaOf(m, ends, 8), areaOf(m, text, 1)
	at := 0
	for id := range size {
		if h.v.Legal(id) {
			at += copy(textBytes[at:], h.v.Token(id))
		}
		binary.LittleEndian.PutUint64(endBytes[8*id:], uint64(at))
	}
	eos := h.v.EOS()
	if eos == nil {
		eos = []int{}
	}
	var answer wire.VocabularyAnswer
	err = p.Call(ctx, wire.Vocabulary{Do: "vocabulary", Name: h.v.Name(), Size: size, EOS: eos, Ends: ends, Text: text, Tokenizer: h.file}, &answer)
	if err == nil {
		err = p.Believe("the vocabulary", float64(answer.NS))
	}
	h.vocabularyNS = int64(answer.NS)
	return err
}

// ready starts the process and gives it the vocabulary, unless that is done. It returns the kinds
// that the engine takes.
func (h *host) ready(ctx context.Context) (takes []string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, err := h.start(ctx)
	if err != nil {
		return nil, during("when it was started", err)
	}
	return p.Hello.Takes, during("when it was given the vocabulary", h.tell(ctx, p))
}

// areaOf is the memory of an area that was laid out here, so that it cannot fail.
func areaOf(m *wire.Mapping, a *wire.Area, size int64) []byte {
	memory, err := m.Slice(a, size)
	if err != nil {
		panic("engines: " + err.Error())
	}
	return memory
}

// with runs f with the process, which has the engine's grammar. It fails as process.Process.Call
// does.
//
// An unsupported grammar is refused before the engine gets the vocabulary, which takes some engines
// seconds.
func (h *host) with(ctx context.Context, e *Engine, f func(p *process.Process) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, err := h.start(ctx)
	if err == nil && e.prepare != nil {
		err = e.prepare(ctx, p.Hello.Takes)
	}
	if err == nil {
		err = h.tell(ctx, p)
	}
	if err == nil {
		err = h.run(ctx, e, p, f)
	}
	if spoilt(err) {
		p.Close()
	}
	return err
}

// run runs f with a process that has the vocabulary. h.mu is held.
func (h *host) run(ctx context.Context, e *Engine, p *process.Process, f func(p *process.Process) error) error {
	if h.live != e {
		if e.compiled {
			e.again++
		}
		if err := e.compile(ctx, p); err != nil {
			return err
		}
		h.live = e
	}
	return f(p)
}

// spoilt reports whether a process may not have recovered from its last failure: a panic leaves
// locks held, and a full memory stays full.
func spoilt(err error) bool {
	var said *wire.Failure
	return errors.As(err, &said) && (said.Outcome == wire.Crash || said.Outcome == wire.OutOfMemory || said.Outcome == wire.Timeout)
}

// hostKey is the key of a host in a Kept.
type hostKey struct {
	command string
	v       *tokenizers.Vocabulary
}

// hostFor is the host of a command and a vocabulary.
func hostFor(kept *algorithms.Kept, c process.Command, v *tokenizers.Vocabulary, file string) *host {
	return algorithms.KeptValue(kept, hostKey{commandKey(c), v}, func() *host { return newHost(c, v, file) })
}
