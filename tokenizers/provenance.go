package tokenizers

import "time"

// Provenance says where a tokenizer comes from, for the records that a result keeps.
type Provenance struct {
	// Name is the tokenizer's name, or the path it was loaded from.
	Name string `json:"name"`
	// Source is "embedded", "npm", "hub" or "file".
	Source string `json:"source"`
	// Origin is the package and version, or the repository, or the path.
	Origin string `json:"origin"`
	// Licence is what the origin states.
	Licence string `json:"licence,omitempty"`
	// Files are the files read.
	Files []FileSum `json:"files,omitempty"`
	// Unchecked says what of a tokenizer that was fetched by name could not be checked; empty if
	// all was.
	Unchecked string `json:"unchecked,omitempty"`
	// Checks is the version of the checks that a hub's files have passed; 0 before merges were
	// checked.
	Checks int `json:"checks,omitempty"`
	// Fetched is when they were obtained; zero for embedded and local ones.
	Fetched time.Time `json:"fetched,omitzero"`
}

// FileSum is a file of an origin, with its contents' SHA-256 in lower-case hexadecimal.
type FileSum struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}
