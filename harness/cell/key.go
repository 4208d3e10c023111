package cell

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"gcdbench/harness/environment"
)

// ID is whatever changes a cell's result. The key of a cell is the SHA-256 of
// its ID.
//
// In it are the question (algorithm, options, grammar, documents, vocabulary and
// the tokens that the documents are encoded as), how it was measured (passes,
// limits, seed) and on what (processor, Go, and the program itself by the
// SHA-256 of its executable: a changed line of any algorithm is another cell).
// Not in it are names and labels, the kernel and the date, the git revision
// (which the executable's SHA-256 already answers, and better: a working tree
// with changes has no revision), and which other algorithms took part. Those are
// recorded in the Record.
type ID struct {
	Schema    int               `json:"schema"`
	Algorithm string            `json:"algorithm"`
	Options   map[string]string `json:"options"` // with defaults filled in
	Copy      int               `json:"copy"`    // tells equal entries of a configuration apart
	Semantics string            `json:"semantics"`
	// Version is that of an engine from outside and of its adapter, which the executable's SHA-256
	// does not answer; "" for ours.
	Version string `json:"version,omitempty"`

	GrammarSHA256    string `json:"grammar_sha256"`
	CorpusSHA256     string `json:"corpus_sha256"` // ids, contents and kinds of the documents chosen
	TokensSHA256     string `json:"tokens_sha256"` // the documents as token ids
	VocabularySHA256 string `json:"vocabulary_sha256"`
	TokenizerSHA256  string `json:"tokenizer_sha256"` // ids, merges, and all else that decides about tokens
	VocabularySize   int    `json:"vocabulary_size"`

	Seed      uint64 `json:"seed"`
	Warmup    int    `json:"warmup"`
	Repeat    int    `json:"repeat"`
	Compiles  int    `json:"compiles"`  // 0 for as many as the rules say
	Positions int    `json:"positions"` // at which naive is asked; 0 for all
	Between   string `json:"between"`   // what happens between two steps
	TimeoutNS int64  `json:"timeout_ns"`
	Memory    int64  `json:"memory"` // bytes, resolved

	Machine environment.Machine `json:"machine"`
}

// Key is KeyOf.
func (id ID) Key() string { return KeyOf(id) }

// KeyOf is the SHA-256 of an object's JSON, whose fields have a fixed order and whose maps
// encoding/json sorts. Its fields are plain.
func KeyOf(object any) string {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return Sum(text)
}

// Sum is the SHA-256 of a text, in lower-case hexadecimal.
func Sum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
