// Package campaign keeps the state of a long verification: finished tasks, masks compared, time.
//
// A campaign is in the folder "campaign" of a result directory:
//
//	campaign.json   the configuration, its groups, the program, the shard
//	KEY.log         a line for each task of a group that is done
//	differences/    wrong masks, made small, as JSON
//
// A task is a document, or a schema with its instances, in one round. A line is written when its
// task is done, so a kill loses the tasks in flight and no more; a task that is there is not done
// again. KEY is over all that decides about a task: documents, tokens, algorithms, seed, sampling
// and the program itself. Another program begins anew, and what another one has compared is not
// counted.
//
// Logs of shards of a campaign are joined by writing them one after the other.
package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"gcdbench/harness/cell"
)

// Schema is the version of the files.
const Schema = 1

// Manifest says what a campaign is about.
type Manifest struct {
	Schema   int            `json:"schema"`
	Name     string         `json:"name"`
	Config   string         `json:"config"` // text of the configuration file
	Seed     uint64         `json:"seed"`
	Sample   map[string]int `json:"sample"` // algorithms that are asked at one in so many positions
	Labels   []string       `json:"labels"` // of the algorithms, as lines of the logs count them
	Program  string         `json:"program_sha256"`
	Revision string         `json:"git_revision"`
	Dirty    bool           `json:"git_dirty"`
	Shard    *cell.Shard    `json:"shard,omitempty"`
	Groups   []Group        `json:"groups"`
	Joined   int            `json:"joined,omitempty"` // of how many directories it was joined
}

// Group is a workload on a vocabulary.
type Group struct {
	Key       string `json:"key"` // "" until the campaign has come to it
	Workload  string `json:"workload"`
	Tokenizer string `json:"tokenizer"`
	Tasks     int    `json:"tasks"` // of a round, in all shards
}

// Same reports whether two groups are for the same place of a configuration.
func (g Group) Same(o Group) bool { return g.Workload == o.Workload && g.Tokenizer == o.Tokenizer }

// Question is all that decides about the tasks of a group and their results.
type Question struct {
	ID         cell.ID        `json:"id"` // without algorithm and machine
	Algorithms []Algorithm    `json:"algorithms"`
	Sample     map[string]int `json:"sample"`
	Program    string         `json:"program_sha256"`
}

// Algorithm is one that takes part.
type Algorithm struct {
	Name    string            `json:"name"`
	Options map[string]string `json:"options"`
	Copy    int               `json:"copy"`
	// Rewritten is the seed by which its grammars are rewritten; 0 if they are not.
	Rewritten uint64 `json:"rewritten,omitempty"`
}

// Key is the name of the group's log.
func (q *Question) Key() string { return cell.KeyOf(q)[:32] }

// Line is a line of a log. One field is set.
type Line struct {
	Session *Session `json:"session,omitempty"`
	Task    *Task    `json:"task,omitempty"`
}

// Session is a process that worked on the group.
type Session struct {
	ID      string    `json:"id"`              // the same in all logs
	Group   string    `json:"group,omitempty"` // key of the group whose log has the line; "" in older logs
	Started time.Time `json:"started"`
	CPU     string    `json:"cpu"`
	Workers int       `json:"workers"`
}

// Task is the result of a task.
type Task struct {
	Session string `json:"session"`
	At      int64  `json:"at_ms"` // since the session started, when it was done
	Round   int    `json:"round"`
	Number  int    `json:"number"` // of the document or the schema
	NS      int64  `json:"ns"`     // of one worker
	CPU     int64  `json:"cpu_ms"` // processor time of the process since the session started; 0 if unknown
	// Positions counts those at which masks of two algorithms at least were compared, Masks and
	// Compared the masks of each algorithm and how many of them were compared with another's, EngineNS
	// its time.
	Positions int     `json:"positions"`
	Masks     []int   `json:"masks"`
	Compared  []int   `json:"compared"`
	EngineNS  []int64 `json:"engine_ns"`
	// Outcomes counts the documents of all algorithms that did not end well.
	Outcomes map[cell.Outcome]int `json:"outcomes,omitempty"`
	Failures []string             `json:"failures,omitempty"`
}

// Folder is where the campaign of a result directory is.
func Folder(dir string) string { return filepath.Join(dir, "campaign") }

// manifestPath is that of campaign.json.
func manifestPath(dir string) string { return filepath.Join(Folder(dir), "campaign.json") }

// LogPath is the path of a group's log.
func LogPath(dir, key string) string { return filepath.Join(Folder(dir), key+".log") }

// WitnessPath is the path of a witness of a wrong mask that was found in a group.
func WitnessPath(dir, key, name string) string {
	return filepath.Join(Folder(dir), "differences", key+"-"+name+".json")
}

// witnesses lists the witnesses of a group.
func witnesses(dir, key string) []string {
	list, err := filepath.Glob(WitnessPath(dir, key, "*"))
	if err != nil {
		return nil // of a pattern that a folder's name makes bad
	}
	return list
}

// ReadManifest reads campaign.json; nil if there is none.
func ReadManifest(dir string) (*Manifest, error) {
	return cell.ReadVersioned(manifestPath(dir), Schema, func(m *Manifest) int { return m.Schema })
}

// WriteManifest writes campaign.json. The error is a *cell.WriteError.
func WriteManifest(dir string, m *Manifest) error {
	m.Schema = Schema
	return cell.WriteSummed(manifestPath(dir), m)
}

// ReadLog visits the lines of a group's log. Lines that are no line of this package are lost ones.
// The error is that of reading, or that the log is of another group.
func ReadLog(dir, key string, visit func(*Line)) (lost int, err error) {
	d := decoder{key: key, visit: visit}
	lost, err = cell.ReadLog(LogPath(dir, key), d.line)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return lost + d.bad, errors.Join(err, d.foreign(dir))
}

// OpenLog opens a group's log to be appended to, and visits its lines. A log of another group is an
// error.
func OpenLog(dir, key string, visit func(*Line)) (log *cell.Log, lost int, err error) {
	d := decoder{key: key, visit: visit}
	log, lost, err = cell.OpenLog(LogPath(dir, key), d.line)
	if err == nil {
		if err = d.foreign(dir); err != nil {
			log.Close()
			log = nil
		}
	}
	return log, lost + d.bad, err
}

// A decoder visits lines by their texts, counts those that are not ours, and notes the group that
// they are of if it is not the expected one.
type decoder struct {
	key   string
	visit func(*Line)
	bad   int
	other string
}

func (d *decoder) line(text []byte) {
	var line Line
	if json.Unmarshal(text, &line) != nil {
		d.bad++
		return
	}
	if s := line.Session; s != nil && s.Group != "" && s.Group != d.key {
		d.other = s.Group
	}
	d.visit(&line)
}

// foreign is the error about a log of another group.
func (d *decoder) foreign(dir string) error {
	if d.other == "" {
		return nil
	}
	return fmt.Errorf("%s is the log of another group, %s.log: were files renamed? give them their names again", LogPath(dir, d.key), d.other)
}

// Append writes a line.
func Append(log *cell.Log, line Line) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	return log.Append(text)
}
