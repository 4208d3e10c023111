package recognizer_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/all"
	"gcdbench/grammar/lark"
	"gcdbench/recognizer"
	"gcdbench/tokenizers"
)

// A tool is a function of the development corpus.
type tool struct {
	Source, Name string
	Parameters   json.RawMessage
	Calls        []json.RawMessage
}

// toolsOf reads the first n functions of a source, or skips.
func toolsOf(tb testing.TB, source string, n int) (list []tool) {
	f, err := os.Open(filepath.Join("..", "..", "shared", "data", "tools-dev.jsonl.gz"))
	if err != nil {
		tb.Skip(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	lines := bufio.NewReaderSize(z, 1<<20)
	for len(list) < n {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var t tool
		if err := json.Unmarshal(line, &t); err != nil {
			tb.Fatal(err)
		}
		if t.Source == source {
			list = append(list, t)
		}
	}
	return list
}

// callsOf is a grammar of one call of the tools, between markers.
func callsOf(tools []tool) []byte {
	var b bytes.Buffer
	b.WriteString("%lexer contextual\nstart: (%until \"<tool_call>\" call)* (%without \"<tool_call>\")?\ncall: ")
	for i, t := range tools {
		if i > 0 {
			b.WriteString("\n  | ")
		}
		begin, _ := json.Marshal(fmt.Sprintf("\n{\"name\": %q, \"arguments\": ", t.Name))
		fmt.Fprintf(&b, "%s %%json %s \"}\\n</tool_call>\"", begin, t.Parameters)
	}
	b.WriteString("\n")
	return b.Bytes()
}

// BenchmarkTools measures a request with many tools from its grammar's text to the first mask, and
// through a call.
func BenchmarkTools(b *testing.B) {
	tok, err := tokenizers.Load(b.Context(), "llama3", tokenizers.Options{})
	if err != nil {
		b.Skip(err)
	}
	v := tok.Vocabulary()
	for _, n := range []int{1, 64, 400, 1000} {
		tools := toolsOf(b, "glaive", n)
		text := callsOf(tools)
		for _, name := range []string{"trie", "psc"} {
			alg, err := algorithms.Lookup(name)
			if err != nil {
				b.Fatal(err)
			}
			options, err := algorithms.Resolve(alg, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name+"/"+strconv.Itoa(len(tools)), func(b *testing.B) {
				kept := algorithms.NewKept()
				for b.Loop() {
					g, err := lark.Parse(text, lark.Options{File: "tools.lark"})
					if err != nil {
						b.Fatal(err)
					}
					r, err := recognizer.New(b.Context(), g, recognizer.Options{OnDemand: true})
					if err != nil {
						b.Fatal(err)
					}
					e, err := alg.Compile(b.Context(), &algorithms.Problem{Recognizer: r, Vocabulary: v, Kept: kept}, options)
					if err != nil {
						b.Fatal(err)
					}
					e.Start().Mask()
				}
			})
		}
	}
}

// BenchmarkFreeText measures the steps of a new request in free text, per token.
func BenchmarkFreeText(b *testing.B) {
	tok, err := tokenizers.Load(b.Context(), "llama3", tokenizers.Options{})
	if err != nil {
		b.Skip(err)
	}
	text := callsOf(toolsOf(b, "glaive", 64))
	ids, err := tok.Encode([]byte("I would like to look that up for you. Let me see which of the functions that I have been given can answer " +
		"the question about the weather in Paris; a moment, please: there is one < that > seems right, and I'll call it now.\n\n"))
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"trie", "psc"} {
		alg, err := algorithms.Lookup(name)
		if err != nil {
			b.Fatal(err)
		}
		options, err := algorithms.Resolve(alg, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			kept := algorithms.NewKept()
			for range b.N {
				b.StopTimer()
				g, err := lark.Parse(text, lark.Options{File: "tools.lark"})
				if err != nil {
					b.Fatal(err)
				}
				r, err := recognizer.New(b.Context(), g, recognizer.Options{OnDemand: true})
				if err != nil {
					b.Fatal(err)
				}
				e, err := alg.Compile(b.Context(), &algorithms.Problem{Recognizer: r, Vocabulary: tok.Vocabulary(), Kept: kept}, options)
				if err != nil {
					b.Fatal(err)
				}
				s := e.Start()
				s.Mask()
				b.StartTimer()
				for _, id := range ids {
					if err := s.Commit(int(id)); err != nil {
						b.Fatal(err)
					}
					s.Mask()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ids)), "ns/token")
		})
	}
}

// BenchmarkToolNames measures the steps of a new request in the name of a function, one of many.
func BenchmarkToolNames(b *testing.B) {
	tok, err := tokenizers.Load(b.Context(), "llama3", tokenizers.Options{})
	if err != nil {
		b.Skip(err)
	}
	for _, n := range []int{64, 400, 1000} {
		tools := toolsOf(b, "glaive", n)
		text := callsOf(tools)
		ids, err := tok.Encode([]byte("<tool_call>\n{\"name\": \"" + tools[len(tools)/2].Name))
		if err != nil {
			b.Fatal(err)
		}
		alg, err := algorithms.Lookup("psc")
		if err != nil {
			b.Fatal(err)
		}
		options, err := algorithms.Resolve(alg, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strconv.Itoa(len(tools)), func(b *testing.B) {
			kept := algorithms.NewKept()
			for range b.N {
				b.StopTimer()
				g, err := lark.Parse(text, lark.Options{File: "tools.lark"})
				if err != nil {
					b.Fatal(err)
				}
				r, err := recognizer.New(b.Context(), g, recognizer.Options{OnDemand: true})
				if err != nil {
					b.Fatal(err)
				}
				e, err := alg.Compile(b.Context(), &algorithms.Problem{Recognizer: r, Vocabulary: tok.Vocabulary(), Kept: kept}, options)
				if err != nil {
					b.Fatal(err)
				}
				s := e.Start()
				s.Mask()
				b.StartTimer()
				for _, id := range ids {
					if err := s.Commit(int(id)); err != nil {
						b.Fatal(err)
					}
					s.Mask()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ids)), "ns/token")
		})
	}
}
