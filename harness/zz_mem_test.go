package harness

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar/jsonschema"
	"gcdbench/harness/load"
	"gcdbench/harness/measure"
	"gcdbench/tokenizers"
)

func TestMem(t *testing.T) {
	src, err := datasets.Open("maskbench", "../../shared/data/maskbench-dev.jsonl.gz", "")
	if err != nil {
		t.Fatal(err)
	}
	set, err := datasets.Load(context.Background(), src, datasets.Query{Negatives: 0})
	if err != nil {
		t.Fatal(err)
	}
	tok, _ := tokenizers.Load(context.Background(), "o200k_base", tokenizers.Options{})
	v := tok.Vocabulary()
	v.Trie()
	a, _ := algorithms.Lookup("psc")
	o, _ := algorithms.Resolve(a, nil)
	kept, parts := algorithms.NewKept(), jsonschema.NewKept()
	cache := load.NewCache[*load.Compiled](64 << 20)
	n := 0
	row := make([]uint64, algorithms.MaskWords(v.Len()))
	for round := 0; round < 7 && n < 10500; round++ {
		last := (*datasets.Schema)(nil)
		for i := range set.Samples {
			s := set.Samples[i].Schema
			if s == last || set.Samples[i].Negative || len(s.Text) > 30000 {
				continue
			}
			last = s
			n++
			if n%500 == 0 {
				runtime.GC()
				runtime.GC()
				fmt.Fprintf(os.Stderr, "%d schemas: live %d MiB, cache %d MiB %d evicted\n", n, measure.LiveHeap()>>20, cache.Bytes>>20, cache.Evicted)
			}
			text := s.Text
			if round > 0 && len(text) > 2 {
				text = append([]byte(fmt.Sprintf(`{"$comment": "v%d",`, round)), text[1:]...)
			}
			_, r, err := compileSchema(context.Background(), openText, &datasets.Schema{ID: s.ID, Text: text}, jsonschema.Options{Kept: parts})
			if err != nil {
				continue
			}
			e, err := a.Compile(context.Background(), &algorithms.Problem{Recognizer: r, Vocabulary: v, Kept: kept}, o)
			if err != nil {
				continue
			}
			tokens, err := tok.EncodeContinuation(set.Samples[i].Content)
			if err != nil {
				continue
			}
			st := e.Start()
			for _, tk := range tokens {
				algorithms.Deliver(st, row)
				if idl, is := st.(algorithms.Idler); is {
					idl.Idle()
				}
				if st.Commit(int(tk)) != nil {
					break
				}
			}
			cache.Put(n, &load.Compiled{Engine: e}, e.Stats().Bytes)
		}
	}
	f, _ := os.Create("/tmp/mem.prof")
	runtime.GC()
	pprof.WriteHeapProfile(f)
	f.Close()
	runtime.KeepAlive(kept)
	runtime.KeepAlive(parts)
	runtime.KeepAlive(cache)
	runtime.KeepAlive(set)
}
