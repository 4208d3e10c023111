package merge

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"gcdbench/harness/campaign"
	"gcdbench/harness/cell"
)

// Joining the campaigns of shards. A campaign has a budget of time, so its shards need not be
// equally far; the sums say how many tasks of each round are done.

// sameCampaign refuses campaigns of different configurations or programs.
func (m *merger) sameCampaign() error {
	first := m.sources[0]
	if first.campaign == nil {
		return nil
	}
	for _, s := range m.sources[1:] {
		a, b := first.campaign, s.campaign
		switch {
		case a.Config != b.Config:
			return fmt.Errorf("%s has the campaign of another configuration than %s: their SHA-256 are %s and %s", s.name(), first.name(), sumOf(b.Config), sumOf(a.Config))
		case a.Program != b.Program:
			return fmt.Errorf("another program ran the campaign of %s than %s: their SHA-256 are %s and %s", s.name(), first.name(),
				b.Program[:min(12, len(b.Program))], a.Program[:min(12, len(a.Program))])
		case !maps.Equal(a.Sample, b.Sample) || !slices.Equal(a.Labels, b.Labels) || len(a.Groups) != len(b.Groups):
			return fmt.Errorf("the campaigns of %s and %s ask other algorithms, or at other positions (--sample)", first.name(), s.name())
		}
		for i := range a.Groups {
			if x, y := a.Groups[i], b.Groups[i]; !x.Same(y) || x.Key != "" && y.Key != "" && x.Key != y.Key {
				return fmt.Errorf("the campaigns of %s and %s differ in %s with %s: a corpus, a grammar or a vocabulary is not the same", first.name(), s.name(), y.Workload, y.Tokenizer)
			}
		}
	}
	return nil
}

// joinCampaign writes the campaign of all shards.
func (m *merger) joinCampaign(dir string) error {
	joined := *m.sources[0].campaign
	joined.Shard, joined.Joined, joined.Groups = nil, len(m.sources), slices.Clone(joined.Groups)
	for _, s := range m.sources[1:] {
		for i, g := range s.campaign.Groups {
			if joined.Groups[i].Key == "" {
				joined.Groups[i] = g
			}
		}
	}
	if err := campaign.WriteManifest(dir, &joined); err != nil {
		return err
	}
	for _, g := range joined.Groups {
		if g.Key == "" {
			continue
		}
		if err := m.joinLog(dir, g); err != nil {
			return err
		}
	}
	return m.folderInto(dir, filepath.Join("campaign", "differences"))
}

// joinLog writes the lines of all shards about a group. A task that two of them did must have come
// to the same.
func (m *merger) joinLog(dir string, g campaign.Group) (err error) {
	log, _, err := campaign.OpenLog(dir, g.Key, func(*campaign.Line) {})
	if err != nil {
		return err
	}
	seen := map[[2]int]*campaign.Task{}
	for _, s := range m.sources {
		if _, readErr := campaign.ReadLog(s.dir, g.Key, func(line *campaign.Line) {
			if err == nil {
				err = joinLine(log, line, seen, s, g)
			}
		}); err == nil {
			err = readErr
		}
	}
	if closed := log.Close(); err == nil {
		err = closed
	}
	return err
}

// joinLine writes a line, unless it is of a task that is there.
func joinLine(log *cell.Log, line *campaign.Line, seen map[[2]int]*campaign.Task, s *source, g campaign.Group) error {
	if t := line.Task; t != nil {
		id := [2]int{t.Round, t.Number}
		if before := seen[id]; before != nil {
			if before.Positions != t.Positions || !slices.Equal(before.Masks, t.Masks) || !slices.Equal(before.Compared, t.Compared) {
				return fmt.Errorf("%s: another directory has task %d of round %d of %s with %s with different contents", s.name(), t.Number, t.Round, g.Workload, g.Tokenizer)
			}
			return nil
		}
		seen[id] = t
	}
	return campaign.Append(log, *line)
}
