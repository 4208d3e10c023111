package cell

import (
	"crypto/sha256"
	"encoding/hex"
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
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	return s.writeFile(filepath.Join(s.dir, "run.json"), append(text, '\n'))
}

// Manifest reads the manifest; nil without error if the directory has none.
func (s *Store) Manifest() (*Manifest, error) {
	return ReadVersioned(filepath.Join(s.dir, "run.json"), Schema, func(m *Manifest) int { return m.Schema })
}

// ConfigText names the configuration and the version of results. It is a line of every report, by
// which a kept one is recognised as of today.
func ConfigText(name string, config []byte, version int) string {
	sum := sha256.Sum256(config)
	return fmt.Sprintf("Configuration %s: SHA-256 %s, results of version %d.", name, hex.EncodeToString(sum[:6]), version)
}

// ReadVersioned reads a JSON file that says of which version it is; nil without error if there is
// no file. A file that is no such JSON, or of another version, is a *DamagedError.
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
	return content, nil
}
