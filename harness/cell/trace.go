package cell

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// Trace is the raw measurement of one sample by one cell: the times of every
// step of every timed pass, in nanoseconds. Nothing is put together: tables take
// their percentiles over these.
type Trace struct {
	Sample    int      // index into Record.Samples
	Positions []uint32 // which positions were masked, ascending; 0-based tokens
	// Hashes are those of the masks at Positions (algorithms.Mask.Hash), up to
	// where the cell got. They let a cell that is measured later be compared.
	Hashes []uint64
	Passes []Pass   // the timed ones, as they ran; none for a negative
	Clone  []uint32 // time of one Clone at each of Positions, or empty
}

// State is what the engine had seen of a document when a pass began.
type State uint8

// The states. A pass over a document is the first one over it, which is Fresh or
// New, or a later one.
const (
	// Fresh: the engine had seen no document.
	Fresh State = iota
	// New: it had seen other documents, but not this one.
	New
	// Again: it had walked this document before.
	Again
)

// String is fresh, new or again.
func (s State) String() string { return [...]string{"fresh", "new", "again"}[min(s, Again)] }

// Pass is one timed pass over a sample: see package measure for what its times
// are.
type Pass struct {
	State State
	// Each has one time for each of Trace.Positions, but Lookup is empty if the
	// engine has no view. A time beyond measure.MaxNS is stored as that.
	Lookup, Mask, Commit, Step []uint32
	// Disturbed counts the steps during which something else had the core, for
	// StolenNS in sum.
	Disturbed int
	StolenNS  int64
	// IdleNS is what the engine did between the steps, in sum.
	IdleNS int64
}

const (
	// traceMagic begins a file of raw times.
	traceMagic = "gcdtrace3\n"
	// packWindow is the memory that unpacking takes at most, whatever a damaged file says of its size.
	packWindow = 8 << 20
)

// encoder has no goroutine, so that it takes no time from measurements.
var encoder, _ = zstd.NewWriter(nil, packed()...)

// packed are the options of all that is packed.
func packed() []zstd.EOption {
	return []zstd.EOption{zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(packWindow)}
}

// unpacker reads what is packed.
func unpacker(from io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(packWindow))
}

// EncodeTraces packs traces: a magic line, then for each trace its numbers as
// uvarints and its arrays as little-endian words, all compressed by zstd.
func EncodeTraces(traces []Trace) []byte {
	out := []byte(traceMagic)
	out = binary.AppendUvarint(out, uint64(len(traces)))
	for i := range traces {
		out = traces[i].append(out)
	}
	return encoder.EncodeAll(out, nil)
}

// writeTraces writes what EncodeTraces packs, trace by trace. n has to be their
// number.
func writeTraces(w io.Writer, n int, traces iter.Seq2[Trace, error]) error {
	z, err := zstd.NewWriter(w, packed()...)
	if err != nil {
		return err
	}
	defer z.Close() // closed twice if all went well, which is harmless
	buf := binary.AppendUvarint([]byte(traceMagic), uint64(n))
	for t, err := range traces {
		if err != nil {
			return err
		}
		if n--; n < 0 {
			break
		}
		if _, err := z.Write(t.append(buf)); err != nil {
			return err
		}
		buf = buf[:0]
	}
	if n != 0 {
		return fmt.Errorf("a cell has another number of traces than announced, %+d", -n)
	}
	if _, err := z.Write(buf); err != nil { // the head, if there was no trace
		return err
	}
	return z.Close()
}

// append writes a trace; trace reads it, in the same order.
func (t *Trace) append(out []byte) []byte {
	out = binary.AppendUvarint(out, uint64(t.Sample))
	out = appendWords(out, t.Positions)
	out = binary.AppendUvarint(out, uint64(len(t.Hashes)))
	for _, h := range t.Hashes {
		out = binary.LittleEndian.AppendUint64(out, h)
	}
	out = appendWords(out, t.Clone)
	out = binary.AppendUvarint(out, uint64(len(t.Passes)))
	for _, p := range t.Passes {
		out = binary.AppendUvarint(out, uint64(p.State))
		for _, times := range [][]uint32{p.Lookup, p.Mask, p.Commit, p.Step} {
			out = appendWords(out, times)
		}
		out = binary.AppendUvarint(out, uint64(min(max(0, p.Disturbed), math.MaxInt32)))
		out = binary.AppendUvarint(out, uint64(p.StolenNS))
		out = binary.AppendUvarint(out, uint64(p.IdleNS))
	}
	return out
}

// appendWords writes a length and the words: fixed width, because zstd makes more
// of their repeating high bytes than of varints.
func appendWords(out []byte, words []uint32) []byte {
	out = binary.AppendUvarint(out, uint64(len(words)))
	for _, w := range words {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}

var errTrace = errors.New("the raw times are damaged")

// DecodeTraces unpacks what EncodeTraces packed. Damaged input is an error,
// never a panic nor a large allocation.
func DecodeTraces(packed []byte) ([]Trace, error) {
	var traces []Trace
	for t, err := range unpackTraces(bytes.NewReader(packed)) {
		if err != nil {
			return nil, err
		}
		traces = append(traces, t)
	}
	return traces, nil
}

// unpackTraces reads what writeTraces wrote, trace by trace: in memory are one trace
// and the window of the compression.
func unpackTraces(packed io.Reader) iter.Seq2[Trace, error] {
	return func(yield func(Trace, error) bool) {
		z, err := unpacker(packed)
		if err != nil {
			yield(Trace{}, fmt.Errorf("%w: %v", errTrace, err))
			return
		}
		defer z.Close()
		for t, err := range readTraces(bufio.NewReader(z)) {
			if !yield(t, err) {
				return
			}
		}
	}
}

// readTraces reads traces up to the first error, which comes last.
func readTraces(plain source) iter.Seq2[Trace, error] {
	return func(yield func(Trace, error) bool) {
		r := &traceReader{plain: plain}
		head := make([]byte, len(traceMagic))
		if _, err := io.ReadFull(plain, head); err != nil || string(head) != traceMagic {
			r.fail("not a file of raw times", err)
		}
		for n := r.uvarint(); n > 0 && r.err == nil; n-- {
			if t := r.trace(); r.err == nil && !yield(t, nil) {
				return
			}
		}
		if r.err == nil {
			if _, err := plain.ReadByte(); err != io.EOF {
				r.fail("more bytes follow the last trace", err)
			}
		}
		if r.err != nil {
			yield(Trace{}, r.err)
		}
	}
}

// source is where numbers are read from.
type source interface {
	io.Reader
	io.ByteReader
}

// traceReader reads numbers until the first error and zeros after it.
type traceReader struct {
	plain source
	err   error
	buf   []byte // of words
}

// fail notes a fault; err is the source's error, unless it is the end.
func (r *traceReader) fail(what string, err error) {
	if r.err != nil {
		return
	}
	r.err = fmt.Errorf("%w: %s", errTrace, what)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		r.err = fmt.Errorf("%w: %w", errTrace, err)
	}
}

// uvarint reads a number; nothing after the first error.
func (r *traceReader) uvarint() uint64 {
	if r.err != nil {
		return 0
	}
	v, err := binary.ReadUvarint(r.plain)
	if err != nil {
		r.fail("cut off", err)
		return 0
	}
	return v
}

// number reads a uvarint that has to fit an int32.
func (r *traceReader) number() int {
	v := r.uvarint()
	if v > math.MaxInt32 {
		r.fail("number out of range", nil)
		return 0
	}
	return int(v)
}

// readWords reads a length and as many words of some bytes each; nil for none. A
// length that what is left cannot hold is found out a block at a time, not allocated.
func readWords[W any](r *traceReader, size int, word func([]byte) W) []W {
	const block = 1 << 14 // words
	var out []W
	for n := r.number(); n > 0 && r.err == nil; n -= block {
		if r.buf == nil {
			r.buf = make([]byte, 8*block)
		}
		buf := r.buf[:size*min(n, block)]
		if _, err := io.ReadFull(r.plain, buf); err != nil {
			r.fail("cut off", err)
			return nil
		}
		out = slices.Grow(out, min(n, block))
		for i := 0; i < len(buf); i += size {
			out = append(out, word(buf[i:]))
		}
	}
	return out
}

// words reads what appendWords wrote.
func (r *traceReader) words() []uint32 { return readWords(r, 4, binary.LittleEndian.Uint32) }

// trace reads one trace. After an error its fields are zero, and the caller looks
// at err before it uses them.
func (r *traceReader) trace() Trace {
	t := Trace{Sample: r.number(), Positions: r.words()}
	t.Hashes = readWords(r, 8, binary.LittleEndian.Uint64)
	t.Clone = r.words()
	for n := r.uvarint(); n > 0 && r.err == nil; n-- {
		t.Passes = append(t.Passes, Pass{
			State: State(min(r.number(), int(Again))), Lookup: r.words(), Mask: r.words(), Commit: r.words(), Step: r.words(),
			Disturbed: r.number(), StolenNS: int64(r.uvarint() & math.MaxInt64), IdleNS: int64(r.uvarint() & math.MaxInt64),
		})
	}
	return t
}

// Whole reports whether a pass has a time for each position of its trace.
func (t *Trace) Whole(p *Pass) bool {
	n := len(t.Positions)
	return len(p.Mask) == n && len(p.Commit) == n && len(p.Step) == n && (len(p.Lookup) == n || len(p.Lookup) == 0)
}
