package engines

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gcdbench/engines/process"
	"gcdbench/engines/wire"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/tokenizers"
)

// BenchmarkChecks walks documents as a run does, in turn with all that holds an engine to its times
// and its masks, and without: rows that are copied and compared, processor time that is read, an
// audit of every eighth document; without, a second proof shows that the timed process makes the
// masks of the first. The metric is the share that checks add to the processor time of
// this process and the child, of each walk in its shortest round; one round has 8 documents.
//
//	go test ./engines -run xxx -bench Checks -benchtime 9x
func BenchmarkChecks(b *testing.B) {
	tok, err := tokenizers.Load(b.Context(), "o200k_base[:32000]", tokenizers.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, algorithm := range []string{"psc", "trie"} {
		b.Run(algorithm, func(b *testing.B) {
			e := outside(b, grammarProblem(b, tok.Vocabulary(), "json"), algorithm, "")
			docs := benchDocuments(b, tok, e)
			spent := newSpent(b)
			for i := 0; b.Loop(); i++ {
				for k, d := range docs {
					for turn := range 2 {
						runWalks(b, e, k, d, spent, (turn+k+i)%2 == 1, k == len(docs)/2)
					}
				}
			}
			sum := map[string]time.Duration{}
			for w, least := range spent.least {
				sum[w.kind] += least
			}
			plain := sum["proof"] + sum["again"] + sum["timed"]
			b.ReportMetric(100*(float64(sum["proof"]+sum["checked"]+sum["audit"])/float64(plain)-1), "%checks")
			b.ReportMetric(100*float64(sum["audit"])/float64(plain), "%audit")
		})
	}
}

// A benchWalk is a walk of a round: proof, timed, checked (timed too), or audit.
type benchWalk struct {
	kind           string
	document, pass int
}

// spent has the least processor time of each walk, of this process and the child.
type spent struct {
	pid   int
	least map[benchWalk]time.Duration
}

// newSpent is for the only process that there is below this one and its watcher.
func newSpent(b *testing.B) *spent {
	pid := os.Getpid()
	for range 2 {
		lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
		pid = 0
		for _, list := range lists {
			text, _ := os.ReadFile(list)
			fmt.Sscan(string(text), &pid)
		}
		if pid == 0 {
			b.Skip("the system does not tell of processes")
		}
	}
	return &spent{pid, map[benchWalk]time.Duration{}}
}

// now is the processor time so far.
func (s *spent) now() time.Duration {
	return environment.ProcessTime(0) + environment.ProcessTime(s.pid)
}

// of runs a walk.
func (s *spent) of(b *testing.B, w benchWalk, walk func() error) {
	b.Helper()
	began := s.now()
	if err := walk(); err != nil {
		b.Fatal(err)
	}
	if took, before := s.now()-began, s.least[w]; before == 0 || took < before {
		s.least[w] = took
	}
}

// benchDocuments are JSON texts of some 50 to 250 tokens, with the masks that an engine proves.
func benchDocuments(b *testing.B, tok *tokenizers.Tokenizer, e *Engine) (docs []*measure.Document) {
	b.Helper()
	for k := range 8 {
		text := strings.Repeat(fmt.Sprintf(`{"id": %d, "name": "document %[1]d", "tags": ["a", "b"], "rest": null}, `, 1234*k), 5+5*k)
		ids, err := tok.EncodeContinuation([]byte("[" + strings.TrimSuffix(text, ", ") + "]"))
		if err != nil {
			b.Fatal(err)
		}
		d := document(append(ids, int32(tok.Vocabulary().EOS()[0])))
		proof := new(measure.Proof)
		if err := e.WalkProof(b.Context(), d, proof, everyRow); err != nil || proof.Refused {
			b.Fatalf("%v, refused at %d of %d", err, proof.RefusedAt, len(d.Tokens))
		}
		d.Proved = proof.Hashes
		docs = append(docs, d)
	}
	return docs
}

// everyRow goes on with a proof.
func everyRow(int, []uint64) bool { return true }

// runWalks are the walks of a run with one warm-up and three timed passes: a proof, and four timed
// ones. All masks of one of these are compared, or there is another proof, the timed engine's. One
// of eight documents is drawn for the audit.
func runWalks(b *testing.B, e *Engine, k int, d *measure.Document, s *spent, checked, drawn bool) {
	b.Helper()
	proof := func(kind string) {
		s.of(b, benchWalk{kind, k, 0}, func() error { return e.WalkProof(b.Context(), d, new(measure.Proof), everyRow) })
	}
	if proof("proof"); !checked {
		proof("again")
	}
	for pass := range 4 {
		var times measure.Times
		if !checked {
			s.of(b, benchWalk{"timed", k, pass}, func() error { return uncheckedWalk(b, e, d, &times) })
			continue
		}
		one := *d
		one.Whole, one.Drawn = pass == k%4, drawn
		s.of(b, benchWalk{"checked", k, pass}, func() error { return e.WalkTimed(b.Context(), &one, true, &times) })
	}
	if checked && drawn {
		s.of(b, benchWalk{"audit", k, 0}, func() error {
			_, err := e.WalkAudit(b.Context(), d)
			return err
		})
	}
}

// uncheckedWalk is WalkTimed by an engine that is believed: one row, nothing compared, no processor
// time.
func uncheckedWalk(b *testing.B, e *Engine, d *measure.Document, t *measure.Times) error {
	w := e.newWalk(d)
	w.rows(1)
	w.times(timesEach * w.masked)
	w.request.Logits = true
	return e.with(b.Context(), func(p *process.Process) error {
		m, err := p.Room(b.Context(), w.layout.Bytes())
		if err != nil {
			return err
		}
		wire.PutTokens(areaOf(m, w.request.Tokens, 4), w.doc.Tokens)
		unwrite(areaOf(m, w.request.Times, 4))
		var a wire.WalkAnswer
		if err := p.Call(b.Context(), w.request, &a); err != nil {
			return err
		}
		*t, err = timesOf(p, wire.Uint32s(areaOf(m, w.request.Times, 4)), float64(a.IdleNS))
		return err
	})
}
