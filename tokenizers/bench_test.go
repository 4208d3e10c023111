package tokenizers

import (
	"context"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// BenchmarkEncode gives MB/s on the golden texts: programs in Java, Go, Python and SQL, and JSON.
func BenchmarkEncode(b *testing.B) {
	golden(b)
	text := goldenTexts.all
	for _, info := range Names() {
		b.Run(info.Name, func(b *testing.B) {
			tok := fetched(b, info.Name)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				must.Get(tok.Encode(text))(b)
			}
		})
	}
}

// BenchmarkLoad loads from the cache (embedded ones from the program).
func BenchmarkLoad(b *testing.B) {
	for _, info := range Names() {
		b.Run(info.Name, func(b *testing.B) {
			fetched(b, info.Name)
			for b.Loop() {
				must.Get(Load(context.Background(), info.Name, Options{Offline: true}))(b)
			}
		})
	}
}

// BenchmarkParse reads gemma3's tokenizer.json, the largest there is, without the cache.
func BenchmarkParse(b *testing.B) {
	p := fetched(b, "gemma3").Provenance()
	s := must.Get(openStore(""))(b)
	data := must.Get(s.blob(p.Files[0]))(b)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		f := must.Get(parseTokenizerJSON("tokenizer.json", data))(b)
		must.Get(f.definition("gemma3", []string{"<end_of_turn>"}))(b)
	}
}

// BenchmarkTrieNamed builds the tries of real vocabularies.
func BenchmarkTrieNamed(b *testing.B) {
	for _, name := range []string{"llama3", "gemma3"} {
		b.Run(name, func(b *testing.B) {
			v := fetched(b, name).Vocabulary()
			for b.Loop() {
				buildTrie(v)
			}
		})
	}
}

// BenchmarkSplitters compares a hand-written splitter with the regular expression engine.
func BenchmarkSplitters(b *testing.B) {
	golden(b)
	text := goldenTexts.all
	re := must.Get(compileRegex(patternO200K))(b)
	for name, p := range map[string]preTokenizer{"hand": handSplit{next: splitO200K}, "regexp2": regexSplit{re: re, behavior: isolated}} {
		b.Run(name, func(b *testing.B) {
			if name == "regexp2" && !seed.Full() {
				b.Skip("slow: set GCDBENCH_FULL")
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				p.split(nil, text, true)
			}
		})
	}
}
