package harness

import (
	"slices"
	"strings"
	"time"

	"gcdbench/harness/cell"
)

// resume opens the journal and takes over what an earlier process finished.
func (g *group) resume() error {
	journal, entries, torn, err := g.run.store.OpenJournal(g.journalName())
	if err != nil {
		return err
	}
	g.journal = journal
	if torn > 0 {
		g.run.progress.note("the journal's last %d bytes were torn by the end of an earlier run and are cut off", torn)
	}
	g.session, g.started = 1, time.Now().UTC()
	for _, e := range entries {
		g.replay(e)
	}
	if n := len(entries); n > 0 {
		g.run.progress.note("resuming %s with %s: %d of %d samples are done", g.workload.Name, g.label, g.doneRounds(), len(g.scripts))
		if err := g.blame(entries[n-1].Begin); err != nil {
			return err
		}
	}
	now := time.Now().UTC()
	return g.journal.Append(cell.Entry{Session: &now})
}

// journalName is a key for the group: its question and how it is measured,
// whichever algorithms take part.
func (g *group) journalName() string {
	id := g.pending[0].id
	id.Algorithm, id.Options, id.Copy, id.Semantics = "", nil, 0, ""
	return id.Key()[:32]
}

// replay takes over one line of the journal. Results of algorithms that the
// configuration no longer has are skipped.
func (g *group) replay(e cell.Entry) {
	switch {
	case e.Session != nil:
		if g.session == 1 {
			g.started = *e.Session
		}
		g.session++
	case e.Compiled != nil:
		if c := g.contestant(e.Compiled.Key); c != nil {
			p := e.Compiled.Problem
			c.compiled = &p
		}
	case e.Round != nil:
		for key, result := range e.Round.Results {
			if c := g.contestant(key); c != nil {
				c.results[e.Round.Sample] = result
			}
		}
	}
}

// contestant finds the one with a key; nil if it is not part of this run.
func (g *group) contestant(key string) *contestant {
	for _, c := range g.pending {
		if c.key == key {
			return c
		}
	}
	return nil
}

// doneRounds counts the scripts that nobody has to do any more.
func (g *group) doneRounds() int {
	done := 0
	for _, s := range g.scripts {
		if !slices.ContainsFunc(g.pending, func(c *contestant) bool { return !c.finished(s) }) {
			done++
		}
	}
	return done
}

// blame finds the operation during which an earlier process died of a fatal
// error of the Go runtime (a stack overflow, say, which no recover catches). A
// process that was killed leaves no such words, and nothing is held against
// anybody.
func (g *group) blame(begin *cell.Begin) error {
	if begin == nil || g.run.lastWords == "" {
		return nil
	}
	words := g.run.lastWords
	g.run.lastWords = ""
	c := g.contestant(begin.Key)
	if c == nil {
		return nil
	}
	f := causeOfDeath(words)
	if begin.Sample < 0 {
		return g.recordCompile(c, cell.Problem{ID: g.problem.Grammar.Name, Outcome: f.outcome, Detail: f.detail})
	}
	return g.recordRound(begin.Sample, map[string]cell.Result{c.key: {Sample: g.complete(failedSample(g.scripts[begin.Sample], f), nil)}})
}

// causeOfDeath reads the last words of a process. They are the stacks only: the
// runtime writes its message to standard error alone, so the kind of the error is
// read off the functions of the runtime that raised it.
func causeOfDeath(words string) *failure {
	f := &failure{outcome: cell.Crash, detail: "the process died of a fatal error\n" + words}
	raised, _, _ := strings.Cut(words, "\ngoroutine ")
	switch {
	case strings.Contains(raised, "runtime.newstack"):
		f.detail = "the process died of a stack overflow\n" + words
	case strings.Contains(raised, "runtime.(*mheap)"), strings.Contains(raised, "runtime.sysMap"), strings.Contains(raised, "runtime.sysReserve"):
		f.outcome, f.detail = cell.OutOfMemory, "the process died because no more memory was to be had\n"+words
	}
	return f
}
