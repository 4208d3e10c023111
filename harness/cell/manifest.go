package cell

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Manifest says which cells of a directory the latest run was for. A directory
// may hold more: those of an earlier configuration or an earlier build.
type Manifest struct {
	Schema  int       `json:"schema"`
	Name    string    `json:"name"`
	Config  string    `json:"config"`
	Started time.Time `json:"started"`
	Cells   []Planned `json:"cells"` // in the order of the configuration
	// Shard is set if the directory has a part of a run. All then has the cells of the whole run,
	// without keys; Cells has those of the part.
	Shard *Shard    `json:"shard,omitempty"`
	All   []Planned `json:"all,omitempty"`
	// Throughput says which batches belong to the run; nil for none.
	Throughput *Throughput `json:"throughput,omitempty"`
	// Joined is set if the directory was joined of those of shards.
	Joined *Joined `json:"joined,omitempty"`
}

// Planned is one cell of a manifest, with the names that the configuration
// gives it.
type Planned struct {
	Key       string `json:"key"` // "" until the run has come to it
	Label     string `json:"label"`
	Tokenizer string `json:"tokenizer"`
	Workload  string `json:"workload"`
	// Published is Record.Published as the configuration of the latest run has it.
	Published string `json:"published,omitempty"`
}

// Joined says what a directory was joined of.
type Joined struct {
	Shards int    `json:"shards"`
	By     string `json:"by"`
	// Machines describes the machines that took part, if they are not of one kind.
	Machines []string `json:"machines,omitempty"`
}

// Same reports whether two entries are for the same place of a configuration.
func (p Planned) Same(o Planned) bool {
	return p.Label == o.Label && p.Tokenizer == o.Tokenizer && p.Workload == o.Workload
}

// PutManifest stores the manifest.
func (s *Store) PutManifest(m *Manifest) error {
	m.Schema = Schema
	return s.writeSummed(filepath.Join(s.dir, "run.json"), m)
}

// WriteSummed writes an object as JSON for ReadVersioned, atomically: its last member, "checksum",
// is the SHA-256 of the text in front. Errors are *WriteError.
func WriteSummed(path string, object any) error {
	if err := makeFolder(path); err != nil {
		return err
	}
	return new(Store).writeSummed(path, object)
}

// sumMember begins the last member of such a file.
const sumMember = ",\n \"checksum\": \""

func (s *Store) writeSummed(path string, object any) error {
	text, err := json.MarshalIndent(object, "", " ")
	if err != nil {
		return err
	}
	text = bytes.TrimSuffix(text, []byte("\n}"))
	return s.writeFile(path, fmt.Appendf(text, "%s%s\"\n}\n", sumMember, Sum(text)))
}

// unsummed says why the text of a file cannot be trusted; "" if it can.
func unsummed(text []byte) string {
	at := bytes.LastIndex(text, []byte(sumMember))
	switch {
	case at < 0:
		return "it has no checksum: an earlier program wrote it, or somebody changed it"
	case string(text[at+len(sumMember):]) != Sum(text[:at])+"\"\n}\n":
		return "its checksum is wrong: something changed it"
	}
	return ""
}

// Manifest reads the manifest; nil without error if the directory has none.
func (s *Store) Manifest() (*Manifest, error) {
	return ReadVersioned(filepath.Join(s.dir, "run.json"), Schema, func(m *Manifest) int { return m.Schema })
}

// ConfigText names the configuration and the version of results. It is a line of every report, by
// which a kept one is recognised as of today.
func ConfigText(name string, config []byte, version int) string {
	return fmt.Sprintf("Configuration %s: SHA-256 %s, results of version %d.", name, Sum(config)[:12], version)
}

// ReadVersioned reads a file of WriteSummed that says of which version it is; nil without error if
// there is no file. One that is no such file, or has changed since, is a *DamagedError.
func ReadVersioned[T any](path string, want int, version func(*T) int) (*T, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	content := new(T)
	if err := json.Unmarshal(text, content); err != nil {
		return nil, &DamagedError{path, err.Error()}
	}
	if got := version(content); got != want {
		return nil, &DamagedError{path, fmt.Sprintf("it is of version %d, this program writes %d", got, want)}
	}
	if reason := unsummed(text); reason != "" {
		return nil, &DamagedError{path, reason}
	}
	return content, nil
}
