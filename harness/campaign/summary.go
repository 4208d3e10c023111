package campaign

import (
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"

	"gcdbench/harness/cell"
	"gcdbench/internal/words"
)

// Summary is what a campaign has come to.
type Summary struct {
	Name     string      `json:"name"`
	Shard    *cell.Shard `json:"shard"`
	Seed     uint64      `json:"seed"`
	Program  string      `json:"program_sha256"`
	Revision string      `json:"git_revision"`
	Dirty    bool        `json:"git_dirty"`
	// Positions counts those at which two algorithms at least were compared, Comparisons the masks
	// that were compared with another algorithm's, Masks all masks.
	Positions   int64 `json:"positions"`
	Comparisons int64 `json:"comparisons"`
	Masks       int64 `json:"masks"`
	Tasks       int   `json:"tasks"`
	Empty       int   `json:"tasks_without_positions"` // of documents that not two algorithms take, or of schemas without documents
	// Sessions counts the processes, MachineSeconds is the sum of their times, CPUSeconds that of the
	// processor time they used, everything included: loading, compiles, garbage.
	Sessions       int     `json:"sessions"`
	MachineSeconds float64 `json:"machine_seconds"`
	CPUSeconds     float64 `json:"cpu_seconds"` // 0 where the system does not tell
	// Rate is Positions by CPUSeconds; 0 if that is.
	Rate float64 `json:"positions_per_cpu_second"`

	Outcomes  map[cell.Outcome]int `json:"outcomes"` // of documents that did not end well
	Failures  []string             `json:"failures"`
	Witnesses []string             `json:"witnesses"`  // files of wrong masks that were found
	Lost      int                  `json:"lost_lines"` // damaged lines of the logs, whose tasks count as not done

	Groups []*GroupSummary `json:"-"`
}

// GroupSummary is a workload on a vocabulary.
type GroupSummary struct {
	Workload    string           `json:"workload"`
	Tokenizer   string           `json:"tokenizer"`
	Positions   int64            `json:"positions"`
	Comparisons int64            `json:"comparisons"`
	Seconds     float64          `json:"worker_seconds"` // of its tasks, waiting for a core included
	Rounds      []Round          `json:"rounds"`
	Engines     []*EngineSummary `json:"engines"`
}

// Round is how far a round is.
type Round struct {
	Round int    `json:"round"`
	Kind  string `json:"kind"`
	Done  int    `json:"done"`
	Of    int    `json:"of"` // tasks, in all shards
}

// EngineSummary is an algorithm in a group.
type EngineSummary struct {
	Label    string  `json:"label"`
	Masks    int64   `json:"masks"`
	Compared int64   `json:"compared"`
	Seconds  float64 `json:"seconds"`
}

// Kinds of rounds.
const (
	KindDocuments = "documents"
	KindTokens    = "other tokens"
	KindWalks     = "random walks"
)

// KindOf is what a round does with the documents: the first reads them as they are, later ones in
// turn cut their texts into other tokens, and leave them for a random walk.
func KindOf(round int) string {
	switch {
	case round == 0:
		return KindDocuments
	case round%2 == 1:
		return KindTokens
	}
	return KindWalks
}

// maxFailures bounds the failures that are listed.
const maxFailures = 20

// Summarize reads the logs of a campaign.
func Summarize(dir string, m *Manifest) (*Summary, error) {
	s := &Summary{Name: m.Name, Shard: m.Shard, Seed: m.Seed, Program: m.Program, Revision: m.Revision, Dirty: m.Dirty,
		Outcomes: map[cell.Outcome]int{}, Failures: []string{}, Witnesses: []string{}}
	sessions := map[string][2]int64{} // to the time and processor time of their last task, in ms
	for _, g := range m.Groups {
		if g.Key == "" {
			continue
		}
		group := &GroupSummary{Workload: g.Workload, Tokenizer: g.Tokenizer}
		for _, label := range m.Labels {
			group.Engines = append(group.Engines, &EngineSummary{Label: label})
		}
		seen := map[[2]int]bool{}
		lost, err := ReadLog(dir, g.Key, func(line *Line) {
			if t := line.Task; t != nil && !seen[[2]int{t.Round, t.Number}] {
				seen[[2]int{t.Round, t.Number}] = true
				last := sessions[t.Session]
				sessions[t.Session] = [2]int64{max(last[0], t.At), max(last[1], t.CPU)}
				s.add(group, t)
			}
		})
		if err != nil {
			return nil, err
		}
		s.Lost += lost
		s.Witnesses = append(s.Witnesses, witnesses(dir, g.Key)...)
		group.rounds(seen, g.Tasks)
		s.Groups = append(s.Groups, group)
	}
	s.Sessions = len(sessions)
	for _, ms := range sessions {
		s.MachineSeconds += float64(ms[0]) / 1e3
		s.CPUSeconds += float64(ms[1]) / 1e3
	}
	if s.CPUSeconds > 0 {
		s.Rate = float64(s.Positions) / s.CPUSeconds
	}
	slices.Sort(s.Failures)
	s.Failures = s.Failures[:min(maxFailures, len(s.Failures))]
	return s, nil
}

// add counts a task.
func (s *Summary) add(g *GroupSummary, t *Task) {
	s.Tasks++
	if s.Positions += int64(t.Positions); t.Positions == 0 {
		s.Empty++
	}
	g.Positions += int64(t.Positions)
	g.Seconds += float64(t.NS) / 1e9
	for i, e := range g.Engines {
		if i >= len(t.Masks) || i >= len(t.Compared) || i >= len(t.EngineNS) {
			continue
		}
		e.Masks += int64(t.Masks[i])
		e.Compared += int64(t.Compared[i])
		e.Seconds += float64(t.EngineNS[i]) / 1e9
		s.Masks += int64(t.Masks[i])
		s.Comparisons += int64(t.Compared[i])
		g.Comparisons += int64(t.Compared[i])
	}
	for outcome, n := range t.Outcomes {
		s.Outcomes[outcome] += n
	}
	for _, failure := range t.Failures {
		s.Failures = append(s.Failures, fmt.Sprintf("%s with %s: %s", g.Workload, g.Tokenizer, failure))
	}
}

// rounds counts the tasks of each round.
func (g *GroupSummary) rounds(seen map[[2]int]bool, tasks int) {
	done := map[int]int{}
	for task := range seen {
		done[task[0]]++
	}
	for _, round := range slices.Sorted(maps.Keys(done)) {
		g.Rounds = append(g.Rounds, Round{round, KindOf(round), done[round], tasks})
	}
}

// Failed reports whether a document ended in a failure, or a mask was wrong.
func (s *Summary) Failed() bool { return len(s.Failures)+len(s.Witnesses) > 0 }

//go:embed summary.txt
var summaryFile string

var summaryText = words.Template(summaryFile)

// WriteText writes the sums first, then the groups.
func (s *Summary) WriteText(w io.Writer) error {
	return summaryText.Execute(w, map[string]any{"S": s, "Outcomes": cell.Outcomes})
}
