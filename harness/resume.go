package harness

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/prepare"
	"gcdbench/harness/stats"
	"gcdbench/internal/words"
)

// resume opens the journal and takes over the results of an earlier process.
func (g *group) resume() error {
	g.session = 1
	entries, last := 0, cell.Entry{}
	journal, damage, err := g.run.store.OpenJournal(g.journalName(), func(e cell.Entry, at cell.Place) {
		entries, last = entries+1, e
		g.replay(e, at)
	})
	if err != nil {
		return err
	}
	g.journal = journal
	g.noteDamage(damage)
	if entries > 0 {
		done, of, what := g.doneRounds()
		g.run.progress.Note("resuming %s with %s: %d of %d %s are done", g.Workload.Name, g.Label, done, of, what)
		if err := g.blame(last.Begin); err != nil {
			return err
		}
	}
	now := time.Now().UTC()
	if g.started.IsZero() {
		g.started = now
	}
	_, err = g.journal.Append(cell.Entry{Session: &now})
	return err
}

// noteDamage reports the lines of the journal that were not read. Every result is in one line, so
// the results of a lost line are measured again and no others.
func (g *group) noteDamage(d cell.Damage) {
	if d.Torn > 0 {
		g.run.progress.Note("%s at the end of the journal, torn by the end of an earlier run, are cut off", words.Count(int(d.Torn), "byte"))
	}
	const most = 5
	for i, lost := range d.Lost {
		if i == most {
			g.run.progress.Note("and %s more", words.Count(len(d.Lost)-most, "line"))
			break
		}
		g.run.progress.Note("the journal of %s with %s is damaged: %v; what was in it is done again", g.Workload.Name, g.Label, lost)
	}
}

// journalName is a key for the group: its question and how it is measured, without the algorithms.
func (g *group) journalName() string {
	id := g.pending[0].ID
	id.Algorithm, id.Options, id.Copy, id.Semantics = "", nil, 0, ""
	return id.Key()[:32]
}

// replay takes over one line of the journal. Results of algorithms that the
// configuration no longer has are skipped.
func (g *group) replay(e cell.Entry, at cell.Place) {
	switch {
	case e.Session != nil:
		if g.started.IsZero() {
			g.started = *e.Session
		}
		g.session++
	case e.Compiled != nil:
		if c := g.engine(e.Compiled.Key); c != nil && e.Compiled.Index < len(g.Units) {
			p := e.Compiled.Problem
			c.Problems[e.Compiled.Index] = &p
		}
	case e.Used != nil:
		if c := g.engine(e.Used.Key); c != nil && e.Used.Index < len(g.Units) {
			c.Used[e.Used.Index] = e.Used
		}
	case e.Proof != nil && e.Proof.Sample < len(g.Documents):
		g.replayRound(e.Proof, func(c *ask.Engine, s *cell.Sample) { takeAnswers(c, e.Proof.Sample, s, at) })
	case e.Round != nil && e.Round.Sample < len(g.Documents):
		g.replayRound(e.Round, func(c *ask.Engine, s *cell.Sample) { takeResult(c, e.Round.Sample, s, at) })
	}
}

// replayRound takes over the results of the engines that take part now. The line with the beginning
// of their session may be lost; the new session still gets a number of its own.
func (g *group) replayRound(r *cell.Round, take func(c *ask.Engine, s *cell.Sample)) {
	for key, result := range r.Results {
		if c := g.engine(key); c != nil {
			take(c, &result.Sample)
		}
		g.session = max(g.session, result.Sample.Session+1)
	}
}

// engine finds the engine with a key; nil if it is not part of this run.
func (g *group) engine(key string) *ask.Engine {
	for _, c := range g.pending {
		if c.Key == key {
			return c
		}
	}
	return nil
}

// doneRounds counts the schemas that are done, or the documents of one grammar.
func (g *group) doneRounds() (done, of int, what string) {
	if g.Workload.Schema != nil {
		for _, u := range g.Units {
			done += stats.Truth(!slices.ContainsFunc(g.pending, func(c *ask.Engine) bool { return !finishedUnit(c, u) }))
		}
		return done, len(g.Units), "schemas"
	}
	for _, s := range g.Documents {
		done += stats.Truth(!slices.ContainsFunc(g.pending, func(c *ask.Engine) bool { return !finished(c, s) }))
	}
	return done, len(g.Documents), "samples"
}

// blame finds the operation during which an earlier process died of a fatal error of the Go runtime
// (a stack overflow, say, which no recover catches) and records the failure. A process that was
// killed leaves no such words, and no engine is blamed.
func (g *group) blame(begin *cell.Begin) error {
	if begin == nil || g.run.lastWords == "" {
		return nil
	}
	f := causeOfDeath(g.run.lastWords)
	g.run.lastWords = ""
	if f == nil {
		return nil
	}
	c := g.engine(begin.Key)
	switch {
	case begin.Problem >= len(g.Units) || begin.Sample >= len(g.Documents):
		return nil // a line of another program
	case begin.Key == "":
		return g.blameGrammar(g.Units[begin.Problem], f)
	case c == nil:
		return nil
	case begin.Sample < 0:
		return g.recordCompile(c, begin.Problem, failedOn(g.Units[begin.Problem], c.Entry, f, cell.StageAlgorithm))
	}
	return g.recordRound(begin.Sample, map[string]cell.Result{c.Key: {Sample: g.complete(c, ask.FailedSample(g.Documents[begin.Sample], f), nil)}})
}

// blameGrammar records the death of the process during the compile of a schema to a grammar, which
// is no algorithm's fault.
func (g *group) blameGrammar(u *prepare.Unit, f *bounds.Failure) error {
	for _, c := range g.pending {
		if c.Problems[u.Index] != nil || c.Outside() {
			continue
		}
		if err := g.recordCompile(c, u.Index, failedOn(u, c.Entry, f, cell.StageGrammar)); err != nil {
			return err
		}
	}
	return nil
}

// failedOn is the problem of a unit for an engine that failed. An open schema keeps the figures of
// its grammar.
func failedOn(u *prepare.Unit, e *prepare.Entry, f *bounds.Failure, stage string) cell.Problem {
	p := *u.SharedBy(e)
	if p.ID == "" {
		p = cell.Problem{ID: u.ID}
		if u.Schema != nil {
			p.Group, p.Bytes = u.Schema.Group, len(u.Schema.Text)
		}
	}
	p = prepare.FailedProblem(p, f, stage)
	if u.Schema == nil && stage == cell.StageAlgorithm {
		p.Stage, p.Reason = "", "" // nothing to count: the detail is enough
	}
	return p
}

// signalCode matches the code of the signal in the runtime's last words.
var signalCode = regexp.MustCompile(`(?m)^SIG[A-Z0-9]+: .*\n(?:.* )?sigcode=(-?\d+)`)

// sentFromOutside reports whether the signal that ended a process came from a process and not from
// the kernel. Codes of the kernel are above 0 (SI_USER is 0, SI_QUEUE and SI_TKILL are below). The
// runtime may print an int32 as an unsigned number.
func sentFromOutside(words string) bool {
	m := signalCode.FindStringSubmatch(words)
	if m == nil {
		return false
	}
	code, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return true // beyond an int64: a negative number, printed unsigned
	}
	return int32(code) <= 0
}

// causeOfDeath reads the last words of a process; nil if another process sent it a signal, which
// says nothing about the operation at hand. The words are stacks only, since the runtime writes its
// message to standard error: the functions of the runtime on the stack tell the kind of the error.
func causeOfDeath(words string) *bounds.Failure {
	if sentFromOutside(words) {
		return nil
	}
	f := &bounds.Failure{Outcome: cell.Crash, Detail: "the process died of a fatal error\n" + words}
	raised, _, _ := strings.Cut(words, "\ngoroutine ")
	switch {
	case strings.Contains(raised, "runtime.newstack"):
		f.Detail = "the process died of a stack overflow\n" + words
	case strings.Contains(raised, "runtime.(*mheap)"), strings.Contains(raised, "runtime.sysMap"), strings.Contains(raised, "runtime.sysReserve"):
		f.Outcome, f.Detail = cell.OutOfMemory, "the process died because no more memory was to be had\n"+words
	}
	return f
}
