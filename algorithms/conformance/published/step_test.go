package published

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/all"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/environment"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

// BenchmarkContextual compares a step of psc (mask and commit) on SynCode's SQL, read by the
// contextual lexer, with one by the basic lexer, on texts that both accept. The two take turns on
// each text, and at being the first; the least time of a text counts, so none that builds. It
// reports the ratio, that of the first pass, which builds, and states of each.
func BenchmarkContextual(b *testing.B) {
	tok := must.Get(tokenizers.Load(context.Background(), "o200k_base", tokenizers.Options{Offline: true}))(b)
	tok.Vocabulary().Trie()
	names := []grammar.LexerMode{grammar.LexFirst, grammar.LexContextual}
	var both [2]*recognizer.Recognizer
	var engines [2]algorithms.Engine
	for i, lexer := range names {
		both[i] = sqlOf(b, lexer)
		engines[i] = realtext.MustCompile(b, "psc", &algorithms.Problem{Recognizer: both[i], Vocabulary: tok.Vocabulary()}, nil)
		b.ReportMetric(float64(both[i].Lexer.NumStates()), lexer.String()+"-lexer-states")
	}
	texts := must.Get(newGenerator(both[0], rand.New(rand.NewPCG(1, 2))))(b).texts(400)
	least, steps := map[string]*[2]time.Duration{}, 0
	var first, sum [2]time.Duration
	for round := range max(b.N, 5) {
		for n, text := range texts {
			if both[0].Check([]byte(text)) != nil || both[1].Check([]byte(text)) != nil {
				continue
			}
			ids := must.Get(tok.EncodeContinuation([]byte(text)))(b)
			if least[text] == nil {
				least[text] = &[2]time.Duration{math.MaxInt64, math.MaxInt64}
				steps += len(ids)
			}
			for k := range engines {
				i := (n + k) % len(engines)
				took := walked(b, engines[i], ids)
				least[text][i] = min(least[text][i], took)
				if round == 0 {
					first[i] += took
				}
			}
		}
	}
	for _, times := range least {
		sum[0], sum[1] = sum[0]+times[0], sum[1]+times[1]
	}
	b.ReportMetric(float64(len(least)), "texts")
	b.ReportMetric(float64(sum[0].Nanoseconds())/float64(steps), "basic-ns/step")
	b.ReportMetric(float64(sum[1])/float64(sum[0]), "contextual/basic")
	b.ReportMetric(float64(first[1])/float64(first[0]), "contextual/basic-first-pass")
}

// sqlOf is SynCode's SQL with a lexer; the test is skipped where it was not downloaded.
func sqlOf(b *testing.B, lexer grammar.LexerMode) *recognizer.Recognizer {
	b.Helper()
	folder, archives := b.TempDir(), must.Get(Folder())(b)
	for _, p := range Packages() {
		if p.Name == "syncode" && p.Unpack(archives, folder) != nil {
			b.Skip("SynCode's grammars are not downloaded")
		}
	}
	g := must.Get(lark.Load(filepath.Join(folder, "syncode/parsers/grammars/sql.lark"), lark.Options{Lexer: &lexer}))(b)
	return must.Get(recognizer.New(context.Background(), g, recognizer.Options{}))(b)
}

// walked is the time of the processor for all steps of a text.
func walked(b *testing.B, e algorithms.Engine, ids []int32) time.Duration {
	s := e.Start()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begun := environment.ThreadTime()
	for _, id := range ids {
		s.Mask()
		must.OK(b, s.Commit(int(id)))
	}
	return environment.ThreadTime() - begun
}
