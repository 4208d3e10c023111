// Package cheats has engines from outside that cheat, to show that a run names each of them. Every
// one is an honest engine, package engines/serve with an algorithm of ours, and a layer around it
// that sees the requests.
//
// A cheat sees what any child sees: requests, documents, and whether a walk is timed. It answers
// right masks in every proof.
package cheats

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"gcdbench/algorithms"
	"gcdbench/engines/serve"
	"gcdbench/engines/wire"
)

// A Cheat is a way to win.
type Cheat struct {
	Name string
	Does string // in a few words
	// Sign is how a run tells of it: one of result.Doubt's, or Masks.
	Sign string
	// Of is the algorithm around which it is.
	Of   string
	wrap func(h *hand) algorithms.State
}

// Masks is the sign of a cheat whose timed masks are not those of its proof. It loses its
// documents.
const Masks = "masks"

// All are the cheats.
var All = []Cheat{
	{"again", "answers the last mask again, where the token is in it", Masks, "trie", func(h *hand) algorithms.State { return &again{h.plain()} }},
	{"proof", "is right in proofs only: timed, it allows all tokens, but at the end of a document", Masks, "trie", func(h *hand) algorithms.State { return &loose{h.plain()} }},
	{"ahead", "makes all masks of a document before the first read of the clock", "outside", "trie", func(h *hand) algorithms.State { return h.ready(h.masks()) }},
	{"between", "makes the masks of a document after a walk, for the next walk of the same", "unasked", "trie", func(h *hand) algorithms.State { return h.ready(h.stored()) }},
	{"thread", "makes all masks of a document in a second thread, for which the walk waits before it begins", "outside", "trie", func(h *hand) algorithms.State { return h.ready(h.beside()) }},
	{"steps", "makes the next mask between two steps, and reports no work there", "apart", "trie", func(h *hand) algorithms.State { return &idler{state: h.plain()} }},
	{"commit", "makes the next mask in commit, so that masks are copies", "commits", "trie", func(h *hand) algorithms.State { return &early{state: h.plain(), next: h.first()} }},
	{"stored", "stores masks in a file, from which its other processes take them", "blind", "trie", func(h *hand) algorithms.State { return h.ready(h.loaded()) }},
	{"half", "reports half of its times", "outside", "trie", func(h *hand) algorithms.State { return h.plain() }},
	{"even", "takes 2 ms for each twentieth mask, and reports the mean of its steps for each step", "moved", "trie", func(h *hand) algorithms.State { return &uneven{h.plain()} }},
	{"compile", "compiles forty times, as if to choose, and reports a fortieth", "compiles", "greatgramma", func(h *hand) algorithms.State { return h.plain() }},
}

// Find is the cheat of a name.
func Find(name string) (*Cheat, error) {
	i := slices.IndexFunc(All, func(c Cheat) bool { return c.Name == name })
	if i < 0 {
		names := make([]string, len(All))
		for i, c := range All {
			names[i] = c.Name
		}
		return nil, fmt.Errorf("there is no cheat %q; there are: %s", name, strings.Join(names, ", "))
	}
	return &All[i], nil
}

// A hand has a cheat's knowledge of the request in progress.
type hand struct {
	engine algorithms.Engine
	words  int
	timed  bool
	tokens []int32 // of the document

	mu    sync.Mutex
	store map[string][][]uint64 // masks by document, for between
}

// Serve answers requests as engines/serve does, with a cheat around an algorithm.
func (c *Cheat) Serve(a algorithms.Algorithm, in io.Reader, out io.Writer) error {
	h := &hand{store: map[string][][]uint64{}}
	asked, requests := io.Pipe()
	given, answers := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := serve.Serve(&algorithm{a, c, h}, asked, answers)
		answers.CloseWithError(io.EOF)
		done <- err
	}()
	var mapping *wire.Mapping
	replies, lines := bufio.NewReader(given), bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			requests.Close()
			return <-done
		}
		var q struct {
			wire.Walk
			File  string `json:"file"`
			Bytes int64  `json:"bytes"`
		}
		if json.Unmarshal(line, &q) == nil && q.Do == "map" {
			if mapping, err = wire.OpenFile(q.File, q.Bytes); err != nil {
				return err
			}
		}
		if h.timed = q.Do == "walk" && q.Times != nil; q.Do == "walk" {
			if list, err := mapping.Slice(q.Tokens, 4); err == nil {
				h.tokens = wire.Tokens(list)
			}
		}
		if _, err := requests.Write(line); err != nil {
			return <-done
		}
		reply, err := replies.ReadBytes('\n')
		if err != nil {
			return <-done
		}
		if h.timed && c.Name == "half" {
			rewrite(mapping, q.Times, halve)
		}
		if h.timed && c.Name == "even" && q.Block == 0 {
			rewrite(mapping, q.Times, even)
		}
		if h.timed && c.Name == "steps" {
			reply = changed(reply, func(answer map[string]any) { delete(answer, "idle_ns") })
		}
		if q.Do == "compile" && c.Name == "compile" {
			reply = changed(reply, quicker)
		}
		if _, err := out.Write(reply); err != nil {
			return err
		}
		if q.Do == "walk" && !h.timed && c.Name == "stored" {
			h.save()
		}
		if h.timed && c.Name == "between" && q.Block == 0 {
			h.keep()
		}
	}
}

// rewrite changes the times of a walk.
func rewrite(m *wire.Mapping, area *wire.Area, change func(times []uint32)) {
	bytes, err := m.Slice(area, 4)
	if err != nil {
		return
	}
	list := wire.Uint32s(bytes)
	change(list)
	wire.PutUint32s(bytes, list)
}

// halve makes times shorter.
func halve(times []uint32) {
	for i := range times {
		times[i] /= 2
	}
}

// even makes all steps, and their masks and commits, as long as in the mean.
func even(times []uint32) {
	const kinds = 3
	var sums [kinds]uint64
	for i, ns := range times {
		sums[i%kinds] += uint64(ns)
	}
	for i := range times {
		times[i] = uint32(sums[i%kinds] / uint64(len(times)/kinds))
	}
}

// tries is how often a cheat compiles.
const tries = 40

// quicker tells the times of one of these compiles.
func quicker(answer map[string]any) {
	for _, name := range []string{"grammar_ns", "compile_ns", "first_mask_ns"} {
		if ns, is := answer[name].(float64); is {
			answer[name] = ns / tries
		}
	}
}

// changed is another answer.
func changed(reply []byte, change func(answer map[string]any)) []byte {
	var answer map[string]any
	if json.Unmarshal(reply, &answer) != nil {
		return reply
	}
	change(answer)
	text, err := json.Marshal(answer)
	if err != nil {
		return reply
	}
	return append(text, '\n')
}

// masks are those of the document, made now.
func (h *hand) masks() func(i int) []uint64 {
	list := h.walk()
	return func(i int) []uint64 { return list[i] }
}

// walk makes the masks of the document.
func (h *hand) walk() (list [][]uint64) {
	s := h.engine.Start()
	for _, token := range h.tokens {
		row := make([]uint64, h.words)
		algorithms.Deliver(s, row)
		if list = append(list, row); s.Commit(int(token)) != nil {
			break
		}
	}
	return list
}

// keep makes the masks of the document for its next walk.
func (h *hand) keep() {
	list := h.walk()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.store[fmt.Sprint(h.tokens)] = list
}

// stored are the masks that keep made; nil if there are none.
func (h *hand) stored() func(i int) []uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.store[fmt.Sprint(h.tokens)]
	if list == nil {
		return nil
	}
	return func(i int) []uint64 { return list[i] }
}

// file is where the masks of the document are stored.
func (h *hand) file() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, h.tokens))))
}

// save stores the masks of the document for other processes. An error is one cheat less.
func (h *hand) save() {
	var text []byte
	for _, row := range h.walk() {
		for _, word := range row {
			text = binary.LittleEndian.AppendUint64(text, word)
		}
	}
	os.WriteFile(h.file(), text, 0o600)
}

// loaded are the masks that another process stored; nil if there are none.
func (h *hand) loaded() func(i int) []uint64 {
	size := int64(8 * h.words * len(h.tokens))
	m, err := wire.OpenFile(h.file(), size)
	if err != nil {
		return nil
	}
	memory, err := m.Slice(&wire.Area{N: size}, 1)
	row := make([]uint64, h.words)
	if err != nil {
		return nil
	}
	return func(i int) []uint64 {
		wire.GetRow(row, memory[8*i*h.words:])
		return row
	}
}

// beside are the masks of the document, made by another thread.
func (h *hand) beside() func(i int) []uint64 {
	made := make(chan [][]uint64)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		made <- h.walk()
	}()
	list := <-made
	return func(i int) []uint64 { return list[i] }
}

// first is the mask at the beginning of a text.
func (h *hand) first() []uint64 {
	row := make([]uint64, h.words)
	algorithms.Deliver(h.engine.Start(), row)
	return row
}

// plain is an honest generation.
func (h *hand) plain() *state { return &state{State: h.engine.Start(), hand: h} }

// ready is a generation whose masks come from elsewhere, and an honest one if they do not.
func (h *hand) ready(masks func(i int) []uint64) algorithms.State {
	if masks == nil {
		return h.plain()
	}
	return &prepared{state: h.plain(), masks: masks}
}

// algorithm is an algorithm with a cheat around its engines.
type algorithm struct {
	algorithms.Algorithm
	cheat *Cheat
	hand  *hand
}

func (a *algorithm) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	e, err := a.Algorithm.Compile(ctx, p, o)
	for i := 1; i < tries && err == nil && a.cheat.Name == "compile"; i++ {
		e, err = a.Algorithm.Compile(ctx, p, o)
	}
	if err != nil {
		return nil, err
	}
	a.hand.engine, a.hand.words = e, algorithms.MaskWords(p.Vocabulary.Len())
	clear(a.hand.store)
	return &engine{e, a}, nil
}

// engine starts honest generations in proofs, and others in timed walks.
type engine struct {
	algorithms.Engine
	*algorithm
}

func (e *engine) Start() algorithms.State {
	if !e.hand.timed {
		return e.Engine.Start()
	}
	return e.cheat.wrap(e.hand)
}

// state is a generation in a timed walk that knows where it is.
type state struct {
	algorithms.State
	hand *hand
	at   int
}

func (s *state) Commit(token int) error { s.at++; return s.State.Commit(token) }
func (s *state) Fill(row []uint64)      { algorithms.Deliver(s.State, row) }

// again leaves the last mask in the row.
type again struct{ *state }

func (s *again) Fill(row []uint64) {
	tokens := s.hand.tokens
	if s.at == 0 || s.at >= len(tokens)-1 || row[tokens[s.at]/64]>>(tokens[s.at]%64)&1 == 0 {
		s.state.Fill(row)
	}
}

// uneven is slow now and then.
type uneven struct{ *state }

func (s *uneven) Fill(row []uint64) {
	s.state.Fill(row)
	for begin := time.Now(); s.at%20 == 19 && time.Since(begin) < 2*time.Millisecond; {
	}
}

// loose allows all tokens.
type loose struct{ *state }

func (s *loose) Fill(row []uint64) {
	if s.at >= len(s.hand.tokens)-1 {
		s.state.Fill(row)
		return
	}
	for i := range row {
		row[i] = ^uint64(0)
	}
}

// prepared has its masks from elsewhere, and commits nothing.
type prepared struct {
	*state
	masks func(i int) []uint64
}

func (s *prepared) Fill(row []uint64) { copy(row, s.masks(s.at)) }
func (s *prepared) Commit(int) error  { s.at++; return nil }

// early makes the next mask in Commit.
type early struct {
	*state
	next []uint64
}

func (s *early) Fill(row []uint64) { copy(row, s.next) }

func (s *early) Commit(token int) error {
	if err := s.state.Commit(token); err != nil {
		return err
	}
	s.state.Fill(s.next)
	return nil
}

// idler makes the next mask when the harness lets it build.
type idler struct {
	*state
	next  []uint64
	ahead bool // next is the mask after the token that comes next, which is committed
}

func (s *idler) Fill(row []uint64) {
	if s.next == nil {
		s.state.Fill(row)
		return
	}
	copy(row, s.next)
}

func (s *idler) Commit(token int) error {
	if s.ahead {
		s.ahead, s.at = false, s.at+1
		return nil
	}
	s.next = nil
	return s.state.Commit(token)
}

// Idle commits the token that comes next, which it should not know.
func (s *idler) Idle() (more bool) {
	if s.at >= len(s.hand.tokens)-1 || s.State.Commit(int(s.hand.tokens[s.at])) != nil {
		return false
	}
	if s.next == nil {
		s.next = make([]uint64, s.hand.words)
	}
	algorithms.Deliver(s.State, s.next)
	s.ahead = true
	return false
}
