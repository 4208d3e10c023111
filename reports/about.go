package reports

import (
	"fmt"
	"slices"
	"strings"

	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

// The origin of the figures: machine, program and vocabularies. Every format includes it, since a
// table travels without its directory.

// about describes every environment that took part, and the vocabularies.
func (s *Set) about() []string {
	about := slices.Clone(s.joined)
	add := func(text string) {
		if !slices.Contains(about, text) {
			about = append(about, text)
		}
	}
	for _, c := range s.Cells {
		add(machineText(c.Provenance.Environment))
	}
	about = append(about, s.configs...)
	for _, c := range s.Cells {
		add(fmt.Sprintf("Tokenizer %s: %s ids, SHA-256 %s.", c.Tokenizer, count(c.VocabularySize), short(c.Provenance.TokenizerSHA256)))
	}
	for _, c := range s.Cells {
		add(fmt.Sprintf("Workload %s: grammar %s (SHA-256 %s), documents %s (%s, %s; SHA-256 %s).", c.Workload, c.Grammar,
			short(c.Provenance.GrammarSHA256), c.Dataset, plural(c.Positives, "positive"), plural(c.Negatives, "negative"), short(c.Provenance.CorpusSHA256)))
	}
	if len(s.Cells) > 0 {
		add(none + " stands where there is no figure. p99 is of at least 100 values, p99.9 of at least 1,000.")
	}
	for _, c := range s.Cells {
		if text := gcText(c); text != "" {
			add(text)
		}
	}
	return about
}

// machineText describes the machine, the program and the clock.
func machineText(e environment.Environment) string {
	revision := "revision unknown"
	if e.Revision != "" {
		revision = "revision " + short(e.Revision)
		if e.Dirty {
			revision += " with changes"
		}
	}
	return fmt.Sprintf("Measured on %s, %s, %s MiB, %s %s %s, %s, GOMAXPROCS %d; program %s (%s). "+
		"A pair of clock reads cost %s ns; a pair around nothing reports %s ns, which is taken off every time.",
		e.CPU, plural(e.Cores, "core"), count(int(e.MemoryBytes>>20)), e.OS, e.Arch, e.Kernel, e.Go, e.GOMAXPROCS,
		short(e.Program), revision, significant(e.Clock.PairNS), significant(e.Clock.EmptyNS))
}

// gcText names events that weaken a cell's times; "" for none.
func gcText(c *Cell) string {
	var parts []string
	if n := c.Measured.GC.Timed; n > 0 {
		parts = append(parts, plural(n, "garbage collection")+" began in timed passes")
	}
	if c.clamped > 0 {
		parts = append(parts, fmt.Sprintf("%s took longer than %s s, the longest time that is kept", plural(c.clamped, "step"), significant(measure.MaxNS/1e9)))
	}
	if n := c.Measured.Abandoned; n > 0 {
		parts = append(parts, fmt.Sprintf("up to %s of engines that did not return took processor time", plural(n, "goroutine")))
	}
	if n := c.Measured.Sessions; n > 1 {
		parts = append(parts, sessionsText(n, c.Measured.Shards))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s on %s with %s: %s.", c.Label, c.Workload, c.Tokenizer, strings.Join(parts, "; "))
}

// sessionsText says why more than one process measured a cell.
func sessionsText(sessions, shards int) string {
	switch {
	case shards == 0:
		return fmt.Sprintf("measured in %d sessions, since the run was interrupted", sessions)
	case sessions > shards:
		return fmt.Sprintf("measured by %s in %d sessions, since some were interrupted", plural(shards, "shard"), sessions)
	}
	return "measured by " + plural(shards, "shard")
}

// short is the head of a hexadecimal sum, enough to compare two by eye.
func short(sum string) string {
	const head = 12
	if len(sum) <= head {
		return sum
	}
	return sum[:head]
}
