package judged

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"gcdbench/harness/cell"
	"gcdbench/harness/judges"
)

// A Witness is a difference between two masks with a text that settles it. It has everything that
// is needed to ask both engines and the judge again: see package harness/judging.
type Witness struct {
	Version int `json:"version"` // Schema

	// The two engines.
	Engine    Build `json:"engine"`
	Reference Build `json:"reference"`

	// The grammar: its kind, name and text, and for a schema the options it was compiled with.
	Kind          string              `json:"kind"` // algorithms.KindSchema, KindTools or KindGrammar
	Grammar       string              `json:"grammar"`
	Text          string              `json:"grammar_text,omitempty"`
	Start         string              `json:"start,omitempty"` // the start rule, if it has another name
	Lexer         string              `json:"lexer,omitempty"` // the lexer, if it is not the grammar's own
	GrammarSHA256 string              `json:"grammar_sha256"`  // of the text
	Schemas       *cell.SchemaOptions `json:"schema_options,omitempty"`

	// The vocabulary.
	Tokenizer        string `json:"tokenizer"`
	VocabularySHA256 string `json:"vocabulary_sha256"`
	VocabularySize   int    `json:"vocabulary_size"`

	// The place where the masks differ: after the tokens of Prefix, about Token. Bytes that are no
	// UTF-8 are U+FFFD in the texts, and exact in the ids.
	Workload  string `json:"workload"`
	Document  string `json:"document"` // the sample's id
	Position  int    `json:"position"`
	Prefix    string `json:"prefix"`
	PrefixIDs []int  `json:"prefix_ids"`
	Token     int    `json:"token"`
	TokenText string `json:"token_text"`
	EOS       bool   `json:"eos"` // Token ends the text
	// Allows is who allows the token: Engine or Reference.
	Allows string `json:"allows"`

	// The finding.
	Whose string `json:"whose"`
	Class Class  `json:"class"`
	Cause string `json:"cause"`

	// The text that settles the difference; "" if there is none. It begins with Prefix and Token.
	// WitnessBytes are its bytes. If only the reference allows Token, the reference's grammar
	// completed the text. If only the engine does, the engine generated it, as WitnessIDs without
	// EOS.
	Witness      string `json:"witness"`
	WitnessBytes []byte `json:"witness_bytes,omitempty"`
	WitnessIDs   []int  `json:"witness_ids,omitempty"`
	// Verdict is about the witness; nil if nobody judged it.
	Judge        string          `json:"judge,omitempty"`
	JudgeVersion string          `json:"judge_version,omitempty"`
	Verdict      *judges.Verdict `json:"verdict,omitempty"`
	// Respelled is, for Convention, the same value in a spelling that the engine takes which refuses
	// Witness.
	Respelled      string `json:"respelled,omitempty"`
	RespelledBytes []byte `json:"respelled_bytes,omitempty"`
	// RespelledIDs are the tokens, without EOS, in which the engine took it; nil for the reference,
	// which reads bytes.
	RespelledIDs []int `json:"respelled_ids,omitempty"`
	// Why explains Undecided, or a dead end.
	Why string `json:"why,omitempty"`
}

// A Build identifies an engine as it was compiled.
type Build struct {
	Label     string            `json:"label"`
	Algorithm string            `json:"algorithm"`
	Options   map[string]string `json:"options"`
	// Effective are the options in effect, as an engine from outside reports them: with its own
	// defaults and names.
	Effective map[string]string `json:"effective_options,omitempty"`
	Version   string            `json:"version"`
}

// hashLength is how many letters of the SHA-256 of a witness's file name it.
const hashLength = 16

// Path is where the witness of a hash is stored.
func Path(dir, hash string) string { return filepath.Join(Folder(dir), "witnesses", hash+".json") }

// Put stores a witness and returns its hash. Errors are *cell.WriteError.
func (w *Witness) Put(dir string) (hash string, err error) {
	w.Version = Schema
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(w); err != nil {
		return "", err
	}
	hash = cell.Sum(b.Bytes())[:hashLength]
	path := Path(dir, hash)
	if text, err := os.ReadFile(path); err == nil && bytes.Equal(text, b.Bytes()) {
		return hash, nil
	}
	return hash, cell.WriteFile(path, b.Bytes())
}

// Stored is the witness of a hash. The error is a *cell.DamagedError if its file has changed.
func Stored(dir, hash string) (*Witness, error) {
	path := Path(dir, hash)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if cell.Sum(text)[:hashLength] != hash {
		return nil, &cell.DamagedError{Path: path, Reason: "its checksum is not its name"}
	}
	return parseWitness(path, text)
}

// ReadWitness reads a witness's file. Every error names the file.
func ReadWitness(path string) (*Witness, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseWitness(path, text)
}

func parseWitness(path string, text []byte) (*Witness, error) {
	w := new(Witness)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(w); err != nil {
		return nil, fmt.Errorf("%s: not a witness of 'gcdbench judge': %w", path, err)
	}
	if w.Version != Schema {
		return nil, fmt.Errorf("%s: a witness of version %d; this program reads %d", path, w.Version, Schema)
	}
	return w, nil
}
