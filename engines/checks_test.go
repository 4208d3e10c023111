package engines

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gcdbench/engines/process"
	"gcdbench/engines/wire"
	"gcdbench/harness/measure"
	"gcdbench/tokenizers"
)

// BenchmarkChecks walks documents as a run does, in turn with all that holds an engine to its times
// and its masks, and without: rows that are copied and compared, processor time that is read, an
// audit of every eighth document. The metric is the share that checks add to the processor time of
// this process and the child, of each document in its shortest round; one round has 8 documents.
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
			least := make([][2]time.Duration, len(docs))
			for i := 0; b.Loop(); i++ {
				for k, d := range docs {
					for turn := range 2 {
						checked := (turn + k + i) % 2
						began := familyTime(b)
						runWalks(b, e, d, checked == 1, k == len(docs)/2)
						if took := familyTime(b) - began; i == 0 || took < least[k][checked] {
							least[k][checked] = took
						}
					}
				}
			}
			var without, with time.Duration
			for _, pair := range least {
				without, with = without+pair[0], with+pair[1]
			}
			b.ReportMetric(100*(float64(with)/float64(without)-1), "%checks")
		})
	}
}

// familyTime is how long the threads of this process and of those that it started have run.
func familyTime(b *testing.B) (sum time.Duration) {
	b.Helper()
	for pids := []string{fmt.Sprint(os.Getpid())}; len(pids) > 0; pids = pids[1:] {
		threads, err := filepath.Glob("/proc/" + pids[0] + "/task/*")
		if err != nil || len(threads) == 0 {
			b.Skip("the system does not tell the time of threads")
		}
		for _, thread := range threads {
			stat, _ := os.ReadFile(thread + "/schedstat") // it may have ended
			ns, _, _ := strings.Cut(string(stat), " ")
			n, _ := strconv.ParseInt(ns, 10, 64)
			sum += time.Duration(n)
			children, _ := os.ReadFile(thread + "/children")
			pids = append(pids, strings.Fields(string(children))...)
		}
	}
	return sum
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

// runWalks are the walks of a run with one warm-up and three timed passes: two proofs, of which one
// is the timed engine's, and four timed ones. One of eight documents is drawn for the audit and has
// all masks compared, one of eight walks of the others has.
func runWalks(b *testing.B, e *Engine, d *measure.Document, checked, drawn bool) {
	b.Helper()
	for range 2 {
		if err := e.WalkProof(b.Context(), d, new(measure.Proof), everyRow); err != nil {
			b.Fatal(err)
		}
	}
	for pass := range 4 {
		var err error
		var times measure.Times
		if checked {
			one := *d
			one.Drawn = drawn || (pass+len(d.Tokens))%8 == 0
			err = e.WalkTimed(b.Context(), &one, true, &times)
		} else {
			err = uncheckedWalk(b, e, d, &times)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	if checked && drawn {
		if _, err := e.WalkAudit(b.Context(), d); err != nil {
			b.Fatal(err)
		}
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
