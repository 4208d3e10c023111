package recognizer_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/all"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/tools"
	"gcdbench/internal/jsontext"
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
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "tools-dev.jsonl.gz"))
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

// A requests makes engines of one algorithm for grammars that none of them has seen.
type requests struct {
	tok  *tokenizers.Tokenizer
	alg  algorithms.Algorithm
	kept *algorithms.Kept
}

func newRequests(b *testing.B, algorithm string) *requests {
	b.Helper()
	tok, err := tokenizers.Load(b.Context(), "llama3", tokenizers.Options{})
	if err != nil {
		b.Skip(err)
	}
	alg, err := algorithms.Lookup(algorithm)
	if err != nil {
		b.Fatal(err)
	}
	return &requests{tok, alg, algorithms.NewKept()}
}

// begin is a generation after its first mask.
func (r *requests) begin(b *testing.B, text []byte) algorithms.State {
	b.Helper()
	g, err := lark.Parse(text, lark.Options{File: "tools.lark"})
	if err != nil {
		b.Fatal(err)
	}
	rec, err := recognizer.New(b.Context(), g, recognizer.Options{OnDemand: true})
	if err != nil {
		b.Fatal(err)
	}
	options, err := algorithms.Resolve(r.alg, nil)
	if err != nil {
		b.Fatal(err)
	}
	e, err := r.alg.Compile(b.Context(), &algorithms.Problem{Recognizer: rec, Vocabulary: r.tok.Vocabulary(), Kept: r.kept}, options)
	if err != nil {
		b.Fatal(err)
	}
	s := e.Start()
	s.Mask()
	return s
}

// steps measures the steps of a new request on a text, per token.
func (r *requests) steps(b *testing.B, grammar []byte, text string) {
	b.Helper()
	ids, err := r.tok.Encode([]byte(text))
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		b.StopTimer()
		s := r.begin(b, grammar)
		b.StartTimer()
		for _, id := range ids {
			if err := s.Commit(int(id)); err != nil {
				b.Fatal(err)
			}
			s.Mask()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ids)), "ns/token")
}

// BenchmarkTools measures a request with many tools from its grammar's text to the first mask.
func BenchmarkTools(b *testing.B) {
	for _, n := range []int{1, 64, 400, 1000} {
		list := toolsOf(b, "glaive", n)
		for _, name := range []string{"trie", "psc"} {
			b.Run(name+"/"+strconv.Itoa(len(list)), func(b *testing.B) {
				r := newRequests(b, name)
				for b.Loop() {
					r.begin(b, callsOf(list))
				}
			})
		}
	}
}

// BenchmarkFreeText measures the steps of a new request in free text.
func BenchmarkFreeText(b *testing.B) {
	grammar := callsOf(toolsOf(b, "glaive", 64))
	for _, name := range []string{"trie", "psc"} {
		b.Run(name, func(b *testing.B) {
			newRequests(b, name).steps(b, grammar, "I would like to look that up for you. Let me see which of the functions that I have been given can answer "+
				"the question about the weather in Paris; a moment, please: there is one < that > seems right, and I'll call it now.\n\n")
		})
	}
}

// BenchmarkToolNames measures the steps of a new request in the name of a function, one of many.
func BenchmarkToolNames(b *testing.B) {
	for _, n := range []int{64, 400, 1000} {
		list := toolsOf(b, "glaive", n)
		b.Run(strconv.Itoa(len(list)), func(b *testing.B) {
			newRequests(b, "psc").steps(b, callsOf(list), "<tool_call>\n{\"name\": \""+list[len(list)/2].Name)
		})
	}
}

// BenchmarkToolsMemory measures what a request holds after its first mask, and after 20 calls of
// 20 functions.
func BenchmarkToolsMemory(b *testing.B) {
	for _, n := range []int{1000, 4000} {
		list := toolsOf(b, "glaive", n)
		for i := 0; len(list) < n; i++ { // again, with other names
			again := list[i]
			again.Name += "_again"
			list = append(list, again)
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			r := newRequests(b, "psc")
			r.begin(b, callsOf(list[:1]))
			grammar := callsOf(list)
			for b.Loop() {
				nothing := heap()
				s := r.begin(b, grammar)
				b.ReportMetric(heap()-nothing, "MiB/first")
				for i := range 20 {
					t := list[i*len(list)/20]
					arguments := tools.OneLine(jsontext.DeclaredOrder(t.Parameters).Sorted(t.Calls[0]))
					text := fmt.Sprintf("I call.\n<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", t.Name, arguments)
					ids, err := r.tok.Encode([]byte(text))
					if err != nil {
						b.Fatal(err)
					}
					for k, id := range ids {
						if err := s.Commit(int(id)); err != nil {
							b.Fatalf("%s after %d tokens: %v", text, k, err)
						}
						s.Mask()
					}
				}
				b.ReportMetric(heap()-nothing, "MiB/calls")
				runtime.KeepAlive(s)
			}
			runtime.KeepAlive(r)
		})
	}
}

// heap is what is held, in MiB.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}
