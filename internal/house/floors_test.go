package house

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

var (
	floorRow = regexp.MustCompile("(?m)^\\| [^|]+ \\| (`[^|]+`) \\| [^|]+ \\|$")
	module   = "gcdbench/"
)

// TestFloors: no package imports one from a floor above, by the first table of
// docs/architecture.md, whose rooms are folders with all that is in them. The longest name counts.
func TestFloors(t *testing.T) {
	floors := floorsOf(t)
	arrows := 0
	for _, s := range sources(t) {
		if strings.HasSuffix(s.path, "_test.go") {
			continue
		}
		name := filepath.ToSlash(filepath.Dir(s.path))
		for _, imported := range s.file.Imports {
			to, err := strconv.Unquote(imported.Path.Value)
			if err != nil || !strings.HasPrefix(to, module) {
				continue
			}
			arrows++
			to = strings.TrimPrefix(to, module)
			from, above := floorOf(floors, name), floorOf(floors, to)
			if from == 0 || above == 0 {
				t.Errorf("%s imports %s: one of them stands on no floor of docs/architecture.md", name, to)
			} else if above > from {
				t.Errorf("%s (floor %d) imports %s (floor %d): turn the arrow round, or move what both need down", s.path, from, to, above)
			}
		}
	}
	if arrows < 500 {
		t.Errorf("only %d imports were looked at", arrows)
	}
}

// floorsOf reads the table: the floor of each room, from 1 upwards.
func floorsOf(t *testing.T) map[string]int {
	page := must.Get(os.ReadFile(filepath.Join(root, "docs", "architecture.md")))(t)
	table, _, _ := strings.Cut(string(page), "\n## ")
	floors := map[string]int{}
	for i, row := range floorRow.FindAllStringSubmatch(table, -1) {
		for _, room := range span.FindAllStringSubmatch(row[1], -1) {
			floors[room[1]] = i + 1
		}
	}
	if len(floors) < 8 {
		t.Fatalf("only %d rooms were read", len(floors))
	}
	return floors
}

// floorOf is the floor of a package by the longest of its folders that is a room; 0 for none.
func floorOf(floors map[string]int, name string) int {
	for ; name != "."; name = path.Dir(name) {
		if floor, ok := floors[name]; ok {
			return floor
		}
	}
	return 0
}
