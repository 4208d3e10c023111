package tokenizers

import (
	"os"
	"path/filepath"
	"testing"

	"gcdbench/internal/must"
)

// TestFile: a tokenizer that was read from a tokenizer.json says from which, and one that was cut
// or is embedded from none.
func TestFile(t *testing.T) {
	embedded := must.Get(Load(t.Context(), "r50k_base", Options{}))(t)
	if embedded.File() != "" {
		t.Errorf("embedded, but of %s", embedded.File())
	}
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	text := `{"version":"1.0","added_tokens":[{"id":2,"content":"<end>","special":true,"single_word":false,"lstrip":false,"rstrip":false,"normalized":false}],` +
		`"normalizer":null,"pre_tokenizer":null,"decoder":null,"model":{"type":"BPE","vocab":{"a":0,"b":1},"merges":[]}}`
	must.OK(t, os.WriteFile(path, []byte(text), 0o600))
	read := must.Get(Load(t.Context(), path, Options{CacheDir: t.TempDir(), EOS: []string{"<end>"}}))(t)
	if read.File() != path {
		t.Errorf("read from %s, and says %q", path, read.File())
	}
	cut := must.Get(read.Cut(2))(t)
	if cut.File() != "" {
		t.Errorf("cut, and says %q", cut.File())
	}
}
