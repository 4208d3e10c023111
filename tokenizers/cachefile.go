package tokenizers

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// The parsed form of a tokenizer, as the cache keeps it: what definition has, ready to be used
// as it lies. It exists for speed: gemma3's tokenizer.json takes half a second to read, its
// parsed form 20 ms.
//
//	magic    "gcdbench-tok"
//	version  uint32, parsedVersion
//	sum      SHA-256 of what follows
//	header   uint32 length, then JSON (parsedHeader)
//	arrays   in the order of parsedArrays, each a uint32 length, then its elements
//
// Numbers are little-endian. A file with another magic, version, sum or key is not used and is
// written anew from the source; so is one that was cut off.

const (
	parsedMagic   = "gcdbench-tok"
	parsedVersion = 2 // 1 was made before merges were checked
)

// errParsed is the reason why a parsed form is of no use.
var errParsed = errors.New("not a parsed tokenizer of this version")

// parsedHeader has what is not an array.
type parsedHeader struct {
	Key          string       `json:"key"` // of the sources it was made from
	EOS          []int        `json:"eos"`
	Pipeline     pipelineSpec `json:"pipeline"`
	ByRank       bool         `json:"by_rank"`
	ByteLevel    bool         `json:"byte_level"`
	Whole        bool         `json:"whole"`
	ByteFallback bool         `json:"byte_fallback"`
	FuseUnknown  bool         `json:"fuse_unknown"`
	Unknown      int32        `json:"unknown"`
}

// encodeParsed writes d, made from sources with the given key.
func encodeParsed(d *definition, key string) ([]byte, error) {
	v, m := d.vocabulary, d.model
	header, err := json.Marshal(parsedHeader{
		key, v.eos, d.Pipeline, m.byRank, m.byteLevel, m.whole, m.byteFallback, m.fuseUnknown, m.unknown,
	})
	if err != nil {
		return nil, err
	}
	out := append([]byte(parsedMagic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(out[len(parsedMagic):], parsedVersion)
	out = append(out, make([]byte, sha256.Size)...)
	body := len(out)
	kinds := make([]byte, len(v.kinds))
	for i, k := range v.kinds {
		kinds[i] = byte(k)
	}
	rules := make([]uint32, 0, 3*len(m.rules))
	for _, r := range m.rules {
		rules = append(rules, uint32(r.left), uint32(r.right), uint32(r.result))
	}
	fallback := make([]uint32, len(m.fallback))
	for i, id := range m.fallback {
		fallback[i] = uint32(id)
	}
	for _, b := range [][]byte{header, kinds, v.slab, m.slab} {
		out = append(appendUint32s(out, uint32(len(b))), b...)
	}
	for _, n := range [][]uint32{v.offsets, m.offsets, rules, fallback} {
		out = appendUint32s(appendUint32s(out, uint32(len(n))), n...)
	}
	sum := sha256.Sum256(out[body:])
	copy(out[body-sha256.Size:], sum[:])
	return out, nil
}

func appendUint32s(dst []byte, numbers ...uint32) []byte {
	for _, n := range numbers {
		dst = binary.LittleEndian.AppendUint32(dst, n)
	}
	return dst
}

// parsedReader takes lengths and arrays off the front of data. After the first shortage
// everything is empty.
type parsedReader struct {
	data []byte
	err  error
}

// bytes reads an array of bytes; it is part of data, not a copy.
func (r *parsedReader) bytes() []byte {
	n := r.length(1)
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}

// uint32s reads an array of numbers.
func (r *parsedReader) uint32s() []uint32 {
	out := make([]uint32, r.length(4))
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(r.data[4*i:])
	}
	r.data = r.data[4*len(out):]
	return out
}

// length reads the number of elements of an array of the given element size.
func (r *parsedReader) length(size int) int {
	if len(r.data) < 4 {
		r.data, r.err = nil, errParsed
		return 0
	}
	n := int(binary.LittleEndian.Uint32(r.data))
	r.data = r.data[4:]
	if n > len(r.data)/size {
		r.data, r.err = nil, errParsed
		return 0
	}
	return n
}

// decodeParsed reads what encodeParsed wrote for the same key. The result keeps data. Any
// damage is an error.
func decodeParsed(name string, data []byte, key string) (*definition, error) {
	const start = len(parsedMagic) + 4 + sha256.Size
	if len(data) < start || string(data[:len(parsedMagic)]) != parsedMagic ||
		binary.LittleEndian.Uint32(data[len(parsedMagic):]) != parsedVersion {
		return nil, errParsed
	}
	sum := sha256.Sum256(data[start:])
	if !bytes.Equal(sum[:], data[start-sha256.Size:start]) {
		return nil, fmt.Errorf("%w: checksum differs", errParsed)
	}
	r := &parsedReader{data: data[start:]}
	var h parsedHeader
	if err := json.Unmarshal(r.bytes(), &h); err != nil || h.Key != key {
		return nil, fmt.Errorf("%w: made from another source", errParsed)
	}
	rawKinds, slab, symbols := r.bytes(), r.bytes(), r.bytes()
	offsets, symbolOffsets, rules, fallback := r.uint32s(), r.uint32s(), r.uint32s(), r.uint32s()
	m := &model{
		slab: symbols, offsets: symbolOffsets, byRank: h.ByRank, byteLevel: h.ByteLevel, whole: h.Whole,
		byteFallback: h.ByteFallback, fuseUnknown: h.FuseUnknown, unknown: h.Unknown,
	}
	if r.err != nil || len(fallback) != len(m.fallback) || len(rules)%3 != 0 || len(offsets) != len(rawKinds)+1 {
		return nil, errParsed
	}
	kinds := make([]Kind, len(rawKinds))
	for i, k := range rawKinds {
		kinds[i] = Kind(k)
	}
	m.rules = make([]merge, len(rules)/3)
	for i := range m.rules {
		m.rules[i] = merge{int32(rules[3*i]), int32(rules[3*i+1]), int32(rules[3*i+2])}
	}
	for i, id := range fallback {
		m.fallback[i] = int32(id)
	}
	v, err := packedVocabulary(name, slab, offsets, kinds, h.EOS)
	if err != nil {
		return nil, err
	}
	return &definition{vocabulary: v, model: m, Pipeline: h.Pipeline}, nil
}
