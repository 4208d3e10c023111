package tokenizers

import "fmt"

// foreignModel encodes text with an implementation that is not this package's own.
type foreignModel interface {
	encode(text []byte) ([]int32, error)
}

func foreignTokenizer(f *tokenizerFile, data []byte, eos []string, reason *UnsupportedError) (*Tokenizer, error) {
	return nil, fmt.Errorf("%s: %w", f.file, reason)
}
