package tokenizers

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"

	"gcdbench/internal/special"
)

// MaxVocabulary is the largest number of ids a vocabulary may have. A trie node keeps the
// size of its subtree in 24 bits (see TrieNode), and the vocabularies in use have about
// two trie nodes per token, so 4 Mi ids is both far above the largest one known
// (Gemma 3: 262,145) and within what the trie can address for ordinary token lengths.
const MaxVocabulary = 1 << 22

// Kind says what an id stands for, and with it whether a mask may ever hold it.
type Kind uint8

const (
	// Ordinary tokens are text: their bytes may be emitted.
	Ordinary Kind = iota
	// SpecialToken marks control tokens (BOS, EOS, chat markup, byte-less unknowns).
	SpecialToken
	// AddedToken marks tokens a tokenizer adds beside its model without calling them special. They
	// are text as Ordinary ones are; a tokenizer finds them in a text before its model sees it.
	AddedToken
	// Unused marks ids without bytes: padding and holes.
	Unused
)

// String names the kind as `gcdbench` prints it.
func (k Kind) String() string {
	switch k {
	case Ordinary:
		return "ordinary"
	case SpecialToken:
		return "special"
	case AddedToken:
		return "added"
	default:
		return "unused"
	}
}

// Vocabulary is what an LLM can emit: ids from 0 to Len()-1, each with its exact bytes.
//
// It is immutable and safe for concurrent use. All bytes lie in one slab, token id at
// slab[offsets[id]:offsets[id+1]], so that a vocabulary of 262,145 ids is two allocations
// and a scan over it is a scan over memory.
type Vocabulary struct {
	name    string
	slab    []byte
	offsets []uint32 // Len()+1 of them
	kinds   []Kind
	eos     []int // ascending, no duplicates

	names      map[int]string         // of Naming: by id
	naming     map[string]*Vocabulary // those made by Naming, by names
	namingLock sync.Mutex

	trieOnce sync.Once
	trie     *Trie
	sumOnce  sync.Once
	sum      string
}

// NewVocabulary makes a vocabulary out of explicit tokens: tokens[id] are the bytes of id, nil
// or empty if it has none. Ids in special, and the eos ids, are control tokens: never Legal.
// The bytes are copied. It fails on an id out of range, and above MaxVocabulary ids or
// MaxTokenLength bytes of one.
func NewVocabulary(name string, tokens [][]byte, eos []int, special []int) (*Vocabulary, error) {
	kinds := make([]Kind, len(tokens))
	for _, id := range special {
		if id < 0 || id >= len(tokens) {
			return nil, fmt.Errorf("vocabulary %s: special id %d is outside 0..%d", name, id, len(tokens)-1)
		}
		kinds[id] = SpecialToken
	}
	return newVocabulary(name, tokens, kinds, eos)
}

// newVocabulary packs tokens, and takes ownership of kinds. An id without bytes becomes Unused
// unless it is special; EOS ids become special.
func newVocabulary(name string, tokens [][]byte, kinds []Kind, eos []int) (*Vocabulary, error) {
	if len(tokens) > MaxVocabulary {
		return nil, fmt.Errorf("vocabulary %s: %d ids, above the limit of %d", name, len(tokens), MaxVocabulary)
	}
	total := 0
	for _, t := range tokens {
		total += len(t)
	}
	slab := make([]byte, 0, total)
	offsets := make([]uint32, len(tokens)+1)
	for id, t := range tokens {
		slab = append(slab, t...)
		offsets[id+1] = uint32(len(slab))
	}
	return packedVocabulary(name, slab, offsets, kinds, eos)
}

// packedVocabulary finishes a vocabulary whose slab and offsets are already laid out. It
// takes ownership of all slices.
func packedVocabulary(name string, slab []byte, offsets []uint32, kinds []Kind, eos []int) (*Vocabulary, error) {
	v := &Vocabulary{name: name, slab: slab, offsets: offsets, kinds: kinds}
	v.eos = slices.Compact(slices.Sorted(slices.Values(eos)))
	for _, id := range v.eos {
		if id < 0 || id >= v.Len() {
			return nil, fmt.Errorf("vocabulary %s: EOS id %d is outside 0..%d", name, id, v.Len()-1)
		}
		if !special.Is(v.Token(id)) { // one that a grammar names is a token of the text too
			kinds[id] = SpecialToken
		}
	}
	for id := range kinds {
		if kinds[id] != SpecialToken && offsets[id] == offsets[id+1] {
			kinds[id] = Unused
		}
	}
	if err := checkTrieLimits(v); err != nil {
		return nil, err
	}
	return v, nil
}

// Name is the name it was loaded under, such as "llama3" or "llama3[:32000]".
func (v *Vocabulary) Name() string { return v.name }

// Len is |V|: the number of ids, special, added and unused ones included.
func (v *Vocabulary) Len() int { return len(v.kinds) }

// Token returns the bytes of id: read-only, shared, nil if it has none or is out of range.
// Special tokens have the bytes of their name ("<|endoftext|>"), for display; they are
// not text and not Legal.
func (v *Vocabulary) Token(id int) []byte {
	if id < 0 || id >= len(v.kinds) || v.offsets[id] == v.offsets[id+1] {
		return nil
	}
	return v.slab[v.offsets[id]:v.offsets[id+1]:v.offsets[id+1]]
}

// EOS returns the ids that end a text, ascending; read-only.
func (v *Vocabulary) EOS() []int { return v.eos }

// IsEOS tells whether id is one of EOS.
func (v *Vocabulary) IsEOS(id int) bool { return slices.Contains(v.eos, id) }

// Kind classifies id; ids out of range are Unused.
func (v *Vocabulary) Kind(id int) Kind {
	if id < 0 || id >= len(v.kinds) {
		return Unused
	}
	return v.kinds[id]
}

// Legal tells whether id may ever be in a mask by its bytes: it has some and is neither special nor
// padding. EOS is not Legal in this sense, unless the grammar names it too; whether it may end the
// text is a question to the grammar alone.
func (v *Vocabulary) Legal(id int) bool {
	kind := v.Kind(id)
	return kind == Ordinary || kind == AddedToken
}

// Decode concatenates the bytes of ids, special tokens left out. It fails on an id out of range.
func (v *Vocabulary) Decode(ids []int32) ([]byte, error) {
	var out []byte
	for i, id := range ids {
		if int(id) < 0 || int(id) >= v.Len() {
			return nil, fmt.Errorf("vocabulary %s: id %d at position %d is outside 0..%d", v.name, id, i, v.Len()-1)
		}
		if v.kinds[id] != SpecialToken {
			out = append(out, v.Token(int(id))...)
		}
	}
	return out, nil
}

// Trie returns the prefix tree of all Legal tokens. It is built at the first call
// (about 50 ms for 262,145 ids) and shared afterwards.
func (v *Vocabulary) Trie() *Trie {
	v.trieOnce.Do(func() { v.trie = buildTrie(v) })
	return v.trie
}

// SHA256 is the lower-case hexadecimal SHA-256 of the contents: every id's kind and bytes, and
// the EOS ids. The name is not part of it: equal contents have equal sums.
func (v *Vocabulary) SHA256() string {
	v.sumOnce.Do(func() {
		var buf bytes.Buffer
		le := binary.LittleEndian
		put := func(n int) { buf.Write(le.AppendUint32(nil, uint32(n))) }
		buf.WriteString("gcdbench vocabulary 1\n")
		put(v.Len())
		for _, o := range v.offsets {
			put(int(o))
		}
		for _, k := range v.kinds {
			buf.WriteByte(byte(k))
		}
		put(len(v.eos))
		for _, id := range v.eos {
			put(id)
		}
		buf.Write(v.slab)
		sum := sha256.Sum256(buf.Bytes())
		v.sum = hex.EncodeToString(sum[:])
	})
	return v.sum
}
