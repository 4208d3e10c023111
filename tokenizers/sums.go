package tokenizers

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"slices"
	"strings"
)

// What tells tokenizers apart. The bytes of the ids are not enough: two with the same ids and other
// merges, or another way to split texts, give other tokens for the same text. So there is a sum of
// each part that decides about encoding, over its contents and not over a file, which the hub may
// serialize anew.

// A sumWriter hashes fields, each with its length in front.
type sumWriter struct{ hash.Hash }

func newSum(what string) sumWriter {
	w := sumWriter{sha256.New()}
	w.bytes([]byte(what))
	return w
}

func (w sumWriter) bytes(b []byte) {
	w.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(b))))
	w.Write(b)
}

func (w sumWriter) numbers(list ...int32) {
	b := make([]byte, 0, 4*len(list))
	for _, n := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	w.bytes(b)
}

// hex is the sum in lower-case hexadecimal.
func (w sumWriter) hex() string { return hex.EncodeToString(w.Sum(nil)) }

// tokensSum is the SHA-256 of all ids' bytes, each with its length in front, in lower-case
// hexadecimal.
func tokensSum(v *Vocabulary) string {
	w := sumWriter{sha256.New()}
	for id := range v.Len() {
		w.bytes(v.Token(id))
	}
	return w.hex()
}

// mergesSum is the SHA-256 of symbols, which lie at their offsets in a slab, and of merges by rank.
func mergesSum(slab []byte, offsets []uint32, merges []merge) string {
	w := newSum("gcdbench merges 1")
	w.bytes(slab)
	ends := make([]int32, len(offsets))
	for i, o := range offsets {
		ends[i] = int32(o)
	}
	w.numbers(ends...)
	rules := make([]int32, 0, 3*len(merges))
	for _, r := range merges {
		rules = append(rules, r.left, r.right, r.result)
	}
	w.numbers(rules...)
	return w.hex()
}

// settingsSum is the SHA-256 of all else that decides which pieces a text is cut into and what
// becomes of them: flags of the model, normalizer, pre-tokenizer, added tokens, what kind each id
// is of, and EOS.
func settingsSum(v *Vocabulary, m *model, p pipelineSpec) string {
	w := newSum("gcdbench settings 1")
	for _, flag := range []bool{m.byRank, m.byteLevel, m.whole, m.byteFallback, m.fuseUnknown} {
		w.numbers(boolToInt32(flag))
	}
	w.numbers(m.unknown)
	w.bytes(canonicalJSON(p.Normalizer))
	w.bytes(canonicalJSON(p.PreTokenizer))
	added := slices.Clone(p.Added)
	slices.SortStableFunc(added, func(a, b addedToken) int { return a.ID - b.ID })
	for _, a := range added {
		raw, err := json.Marshal(a)
		if err != nil {
			panic(err) // strings, numbers and flags always marshal
		}
		w.bytes(canonicalJSON(raw))
	}
	w.bytes([]byte(v.SHA256()))
	return w.hex()
}

func boolToInt32(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// canonicalJSON is a JSON value with its keys in order and without blanks; nothing for null. Of a
// value that is no JSON, which no parsed file has, it is the text.
func canonicalJSON(raw json.RawMessage) []byte {
	if isNull(raw) {
		return nil
	}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return raw
	}
	text, err := json.Marshal(value)
	if err != nil {
		return raw
	}
	return text
}

// SHA256 is the lower-case hexadecimal SHA-256 of everything that decides about the tokens of a
// text: the ids with their bytes and kinds, the merges by rank, normalizer, pre-tokenizer and added
// tokens. Two tokenizers with equal sums encode alike, whatever they are called. Vocabulary.SHA256
// is the same for tokenizers that differ in their merges.
func (t *Tokenizer) SHA256() string {
	w := newSum("gcdbench tokenizer 1")
	w.bytes([]byte(t.vocabulary.SHA256()))
	if t.model == nil {
		for _, f := range t.source.Files {
			w.bytes([]byte(f.SHA256))
		}
		return w.hex()
	}
	w.bytes([]byte(mergesSum(t.model.slab, t.model.offsets, t.model.rules)))
	w.bytes([]byte(settingsSum(t.vocabulary, t.model, t.pipeline)))
	return w.hex()
}
