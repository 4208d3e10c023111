package tables

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/reports/document"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// The origin of the figures: machine, program and vocabularies. Every format includes it, since a
// table travels without its directory.

// About describes every environment that took part, and the vocabularies.
func About(s *result.Set) []string {
	about := slices.Clone(s.Joined)
	add := func(text string) {
		if !slices.Contains(about, text) {
			about = append(about, text)
		}
	}
	for _, c := range s.Cells {
		add(machineText(c.Provenance.Environment))
	}
	about = append(about, s.Configs...)
	for _, c := range s.Cells {
		add(fmt.Sprintf("Tokenizer %s: %s ids, SHA-256 %s.", c.Tokenizer, show.Count(c.VocabularySize), show.Short(c.Provenance.TokenizerSHA256)))
	}
	for _, c := range s.Cells {
		add(fmt.Sprintf("Workload %s: grammar %s (SHA-256 %s), documents %s (%s, %s; SHA-256 %s).", c.Workload, c.Grammar,
			show.Short(c.Provenance.GrammarSHA256), c.Dataset, show.Plural(c.Positives, "positive"), show.Plural(c.Negatives, "negative"), show.Short(c.Provenance.CorpusSHA256)))
	}
	if len(s.Cells) > 0 {
		add(show.None + " stands where there is no figure. p99 is of at least 100 values, p99.9 of at least 1,000.")
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
		revision = "revision " + show.Short(e.Revision)
		if e.Dirty {
			revision += " with changes"
		}
	}
	return fmt.Sprintf("Measured on %s, %s, %s MiB, %s %s %s, %s, GOMAXPROCS %d; program %s (%s). "+
		"A pair of clock reads cost %s ns; a pair around nothing reports %s ns, which is taken off every time.",
		e.CPU, show.Plural(e.Cores, "core"), show.Count(int(e.MemoryBytes>>20)), e.OS, e.Arch, e.Kernel, e.Go, e.GOMAXPROCS,
		show.Short(e.Program), revision, show.Significant(e.Clock.PairNS), show.Significant(e.Clock.EmptyNS))
}

// gcText names events that weaken a cell's times; "" for none.
func gcText(c *result.Cell) string {
	var parts []string
	if n := c.Measured.GC.Timed; n > 0 {
		parts = append(parts, show.Plural(n, "garbage collection")+" began in timed passes")
	}
	if c.Clamped > 0 {
		parts = append(parts, fmt.Sprintf("%s took longer than %s s, the longest time that is kept", show.Plural(c.Clamped, "step"), show.Significant(measure.MaxNS/1e9)))
	}
	if n := c.Measured.Abandoned; n > 0 {
		parts = append(parts, fmt.Sprintf("up to %s of engines that did not return took processor time", show.Plural(n, "goroutine")))
	}
	if n := c.Measured.Sessions; n > 1 {
		parts = append(parts, fmt.Sprintf("measured in %d sessions, since the run was interrupted", n))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s on %s with %s: %s.", c.Label, c.Workload, c.Tokenizer, strings.Join(parts, "; "))
}

// Stored is a set as its JSON has it.
func Stored(s *result.Set) *result.Stored {
	about := About(s)
	document.MakeVisible(reflect.ValueOf(about))
	return &result.Stored{Name: s.Name(), Cells: orEmpty(s.Cells), Run: s.Quiet, Warnings: orEmpty(s.Warnings), Missing: orEmpty(s.Missing), About: orEmpty(about)}
}

// orEmpty is a list that JSON writes as [] and not as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
