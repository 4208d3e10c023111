// Package result reads result directories and computes the figures of their cells: a Set has cells,
// a Cell has counts, times with intervals, the bill, and for JSON schemas the figures of each
// schema. load.go goes from directories to cells, cells.go from a record to figures; compare.go has
// the figures that need several cells. Nothing here knows how a figure is shown.
package result

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gcdbench/harness/cell"
	underload "gcdbench/harness/load"
	"gcdbench/internal/words"
	"gcdbench/reports/show"
)

// Set is the cells a report is about, in the order of their configurations.
type Set struct {
	Names    []string // of the configurations
	Cells    []*Cell
	Warnings []string       // for the reader of any table
	Missing  []cell.Planned // cells of the configurations that no run has finished
	seed     uint64
	Models   []cell.Model // beside which batches are shown
	Joined   []string     // about the directories that were joined of shards
	Configs  []string     // about the configurations
	damaged  bool         // a manifest could not be read
	Quiet    *Quiet       // the verdict on the run; nil if nothing was timed
}

// NoResultsError says that a directory has nothing to report.
type NoResultsError struct{ Dir string }

// Error names the directory and the command that fills it, or the report of the loads that it has.
func (e *NoResultsError) Error() string {
	if _, err := os.Stat(filepath.Join(e.Dir, underload.File)); err == nil {
		return fmt.Sprintf("%s holds loads, and no finished cells: their report is in %s, and `gcdbench load CONFIG.yaml --out %s` writes it anew",
			e.Dir, filepath.Join(e.Dir, "report"), words.Shell(e.Dir))
	}
	return fmt.Sprintf("%s holds no finished cells: `gcdbench run CONFIG.yaml --out %s` makes them", e.Dir, words.Shell(e.Dir))
}

// Load reads result directories. Of each it takes the cells of the latest run,
// as far as they are finished; cells of earlier configurations or builds are left
// out with a warning. The error is about a directory that is missing, not
// readable or without any cell.
func Load(dirs ...string) (*Set, error) {
	set := &Set{}
	for _, dir := range dirs {
		store, err := cell.Open(dir)
		if err != nil {
			return nil, err
		}
		before := len(set.Cells)
		if err := set.add(store); err != nil {
			return nil, err
		}
		if len(set.Cells) == before {
			return nil, &NoResultsError{dir}
		}
	}
	set.compare()
	set.Quiet = set.verdict()
	return set, nil
}

// add reads one directory.
func (s *Set) add(store *cell.Store) error {
	plan, err := s.plan(store)
	if err != nil {
		return err
	}
	s.noteJoined(store.Dir(), plan)
	s.noteConfig(plan)
	before := len(s.Cells)
	for _, p := range plan.Cells {
		if err := s.addCell(store, p); err != nil {
			return err
		}
	}
	if err := s.readJudged(store, s.Cells[before:]); err != nil {
		return err
	}
	if err := s.readBatches(store, plan.Throughput, s.Cells[before:]); err != nil {
		return err
	}
	s.noteTook(plan, s.Cells[before:])
	if plan.Name != "" {
		s.Names = append(s.Names, plan.Name)
	}
	return s.countOthers(store, plan)
}

// noteConfig notes which configuration a directory is of.
func (s *Set) noteConfig(m *cell.Manifest) {
	if m.Config != "" {
		s.Configs = append(s.Configs, cell.ConfigText(m.Name, []byte(m.Config), m.Schema))
	}
}

// noteTook notes how long the groups of a directory took together: the engines of one workload and
// vocabulary are measured side by side, and their cells begin at the same time. Nothing is noted
// where cells are missing, or a group was taken up again.
func (s *Set) noteTook(m *cell.Manifest, cells []*Cell) {
	if m.Config == "" || m.Joined != nil || m.Shard != nil || len(cells) < len(m.Cells) {
		return
	}
	ends := map[time.Time]time.Time{} // by the beginning of a group
	for _, c := range cells {
		if c.Measured.Sessions > 1 {
			return
		}
		for _, end := range []time.Time{c.Record.Finished, c.batchesEnd} {
			if begin := c.Record.Started; end.After(begin) && end.After(ends[begin]) {
				ends[begin] = end
			}
		}
	}
	var took time.Duration
	for begin, end := range ends {
		took += end.Sub(begin)
	}
	said := fmt.Sprintf("%.1f minutes", took.Minutes())
	if took < time.Minute {
		said = fmt.Sprintf("%.1f seconds", took.Seconds())
	}
	s.Configs = append(s.Configs, fmt.Sprintf("Configuration %s took %s to measure.", m.Name, said))
}

// noteJoined notes what a directory was joined of, or which part of a run it has.
func (s *Set) noteJoined(dir string, m *cell.Manifest) {
	switch {
	case m.Shard != nil:
		s.warn("%s is a part of a run, %s: 'gcdbench merge' joins the shards", dir, m.Shard)
	case m.Joined != nil && m.Joined.By == "":
		s.Joined = append(s.Joined, fmt.Sprintf("Joined of %d directories.", m.Joined.Shards))
	case m.Joined != nil:
		s.Joined = append(s.Joined, fmt.Sprintf("Joined of %s by %s, each a process of its own.", show.Plural(m.Joined.Shards, "shard"), m.Joined.By))
	}
	if m.Joined != nil && len(m.Joined.Machines) > 1 {
		s.warn("%s was joined of shards that ran on %d kinds of machines (%s): times of different cells do not compare",
			dir, len(m.Joined.Machines), strings.Join(m.Joined.Machines, "; "))
	}
}

// plan is the directory's manifest, or, if it has none, one of all its cells.
func (s *Set) plan(store *cell.Store) (*cell.Manifest, error) {
	m, err := store.Manifest()
	var damaged *cell.DamagedError
	switch {
	case err == nil && m == nil:
		err = &cell.DamagedError{Path: filepath.Join(store.Dir(), "run.json"), Reason: "it is not there"}
	case err == nil:
		return m, nil
	case !errors.As(err, &damaged):
		return nil, err
	}
	keys, readErr := store.Keys()
	if readErr != nil {
		return nil, readErr
	}
	if len(keys) > 0 { // the cells are still there
		s.damaged = true
		s.warn("%v; all cells of the directory are shown", err)
	}
	m = &cell.Manifest{}
	for _, key := range keys {
		m.Cells = append(m.Cells, cell.Planned{Key: key})
	}
	return m, nil
}

// addCell reads a cell of the plan. A missing or damaged cell is no error: the rest of the results
// still makes a table, with a warning.
func (s *Set) addCell(store *cell.Store, p cell.Planned) error {
	if p.Key == "" { // the run never came to it
		s.Missing = append(s.Missing, p)
		return nil
	}
	record, err := store.Get(p.Key)
	var damaged *cell.DamagedError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.Missing = append(s.Missing, p)
		return nil
	case errors.As(err, &damaged):
		s.damaged = true
		s.warn("%v; the next run measures it again", err)
		s.Missing = append(s.Missing, p)
		return nil
	case err != nil:
		return err
	}
	if p.Label != "" { // the names of the configuration, which may have changed since
		record.Label, record.Tokenizer, record.Workload, record.Published = p.Label, p.Tokenizer, p.Workload, p.Published
	}
	c, err := Of(record, store.Traces(record))
	if err != nil {
		return err
	}
	s.Cells = append(s.Cells, c)
	s.seed = record.ID.Seed
	return nil
}

// countOthers warns of cells that no longer belong to the run.
func (s *Set) countOthers(store *cell.Store, plan *cell.Manifest) error {
	keys, err := store.Keys()
	if err != nil {
		return err
	}
	planned := map[string]bool{}
	for _, p := range plan.Cells {
		planned[p.Key] = true
	}
	others := 0
	for _, key := range keys {
		if !planned[key] {
			others++
		}
	}
	if others > 0 {
		s.warn("%s: %s of an earlier configuration or build left out", store.Dir(), show.Plural(others, "cell"))
	}
	return nil
}

// warn adds a warning, which every format shows before its first table.
func (s *Set) warn(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

// Whole reports whether all results of the runs are there: nothing is damaged, and no cell is
// unfinished.
func (s *Set) Whole() bool { return !s.damaged && len(s.Missing) == 0 }

// Damaged reports whether something in the directories cannot be trusted, as a warning says.
func (s *Set) Damaged() bool { return s.damaged }

// Name names the set in titles.
func (s *Set) Name() string {
	if len(s.Names) == 0 {
		return "results"
	}
	return strings.Join(s.Names, ", ")
}

// Problems are the warnings and, last, the missing cells: a reader has to know that the run is not
// complete. The caller may change the list.
func (s *Set) Problems() []string {
	problems := slices.Clone(s.Warnings)
	if len(s.Missing) > 0 {
		problems = append(problems, s.missing())
	}
	return problems
}

// missing names the cells that the run has not reached, so that a part is not taken for the whole.
func (s *Set) missing() string {
	var names []string
	for _, p := range s.Missing {
		name := strings.TrimSpace(p.Label + " on " + p.Workload + " with " + p.Tokenizer)
		if p.Label == "" {
			name = "cell " + p.Key
		}
		names = append(names, name)
	}
	return fmt.Sprintf("not finished, and not in any table: %s; the same `gcdbench run` goes on with them", strings.Join(names, "; "))
}
