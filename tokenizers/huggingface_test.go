package tokenizers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestHuggingFace compares ids with those of Hugging Face's tokenizers, on files that its trainers
// make, with every part that is supported here. Control tokens in a text are read as such there.
func TestHuggingFace(t *testing.T) {
	texts := oddTexts(seed.Each(t, 1), 205)
	dir := t.TempDir()
	files := 0
	for _, theirs := range huggingFace(t, dir, texts) {
		files++
		t.Run(theirs.Name, func(t *testing.T) {
			tok := must.Get(Load(t.Context(), filepath.Join(dir, theirs.Name+".json"), Options{CacheDir: t.TempDir()}))(t)
			wrong := 0
			for i, text := range texts {
				ids, err := tok.EncodeSpecial([]byte(text))
				if err != nil || !slices.Equal(ids, theirs.IDs[i]) {
					if wrong++; wrong <= 3 {
						t.Errorf("%q: %v (%v)\n%v, theirs %v\n%v", text, tokens(t, tok, ids), err, ids, tokens(t, tok, theirs.IDs[i]), theirs.IDs[i])
					}
				}
			}
			t.Logf("%d of %d texts have other ids", wrong, len(texts))
		})
	}
	if files < 20 {
		t.Errorf("only %d files were compared", files)
	}
}

// encoded is what a tokenizer of theirs makes of the texts.
type encoded struct {
	Name string
	IDs  [][]int32
}

// huggingFace trains the tokenizers, in a folder, and encodes texts, or skips the test where the
// module is not installed.
func huggingFace(t *testing.T, dir string, texts []string) (list []encoded) {
	t.Helper()
	python := must.Python(t, "tokenizers.models")
	cmd := exec.CommandContext(t.Context(), python, "testdata/huggingface.py")
	cmd.Stdin = bytes.NewReader(marshal(t, object{"dir": dir, "texts": texts}))
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("%v: %s", err, exit.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(bytes.NewReader(out))
	version, _ := lines.ReadString('\n')
	t.Logf("tokenizers %s", strings.TrimSpace(version))
	for dec := json.NewDecoder(lines); dec.More(); {
		var e encoded
		must.OK(t, dec.Decode(&e))
		list = append(list, e)
	}
	return list
}

// oddParts are what odd texts are made of.
var oddParts = []string{
	"the", "cat", "Hello", "HELLO", "away", "naïve", "café", "cafe\u0301", "Straße", "İstanbul", "ΣΑΣ", "ﬁne", "²", "½", "x=1;", "if(a){b();}", "don't", "we'LL",
	" ", "  ", "    ", "\t", "\n", "\r\n", "\n\n", "\u00a0", "\u3000", "\u200b", "\u2028", "\x00", "\x7f", "\u0085", "\ufeff", "\u00ad",
	"1", "12345", "3.14", "-2e9", "٣", "日本語", "中", "한국어", "русский", "العربية", "नमस्ते", "ไทย", "😀", "👩\u200d👩\u200d👧", "🇩🇪", "e\u0301\u0327", "\ufffd", "\U00020000", "\U0010ffff",
	",", ".", "!?", "...", "_", "-", "'", "\"", "«", "」", "`", "$", "▁", "##", "</w>", "<0x41>",
	"<|im_start|>", "</s>", "<unk>", "<tool_call>", "<think>", "<left>", "<right>", "catm", "atm", "scat", "cat.", "CAT", "<tool_call", "aaaaaaaaaaaaaaaaaaaaaaa",
}

// oddTexts are each part alone, and random ones in a row.
func oddTexts(seeds iter.Seq[uint64], n int) []string {
	texts := append([]string{""}, oddParts...)
	for s := range seeds {
		rng := rand.New(rand.NewPCG(s, 1))
		for len(texts) < n {
			var b strings.Builder
			for range 1 + rng.IntN(9) {
				b.WriteString(oddParts[rng.IntN(len(oddParts))])
				if rng.IntN(3) == 0 {
					b.WriteByte(' ')
				}
			}
			texts = append(texts, b.String())
		}
	}
	return texts
}
