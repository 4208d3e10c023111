package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// goBlock is a fenced block of Go.
var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// naiveMask is the method of the page's algorithm that a later block takes the place of.
var naiveMask = regexp.MustCompile(`(?s)// Mask is the online work.*?\n}\n`)

// TestDocumentedAdditions builds a program with the algorithm and the corpus that docs/adding.md
// shows, holds the algorithm to the contract by the page's test, with both of its masks, and runs
// it on the corpus. The files lie elsewhere: the go command is told to take them for files of the
// module.
func TestDocumentedAdditions(t *testing.T) {
	if !seed.Full() {
		t.Skip("it compiles half of the module; set GCDBENCH_FULL=1")
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	root := must.Get(filepath.Abs(filepath.Join("..", "..")))(t)
	read := func(name string) string {
		text := must.Get(os.ReadFile(filepath.Join(root, filepath.FromSlash(name))))(t)
		return string(text)
	}
	blocks := goBlock.FindAllStringSubmatch(read("docs/adding.md"), -1)
	if len(blocks) != 6 {
		t.Fatalf("%d blocks of Go; want the algorithm, the line of the registry, another mask, the test, the corpus, and its entry", len(blocks))
	}
	mine, line, mask, test, corpus, entry := blocks[0][1], blocks[1][1], blocks[2][1], blocks[3][1], blocks[4][1], blocks[5][1]
	walk := strings.NewReplacer("package mine", "package walk", `"mine"`, `"walk"`, "import (\n", "import (\n\t\"gcdbench/grammar/recognizer\"\n")
	overlay := map[string]string{}
	for name, text := range map[string]string{
		"algorithms/mine/mine.go":      mine,
		"algorithms/mine/mine_test.go": test,
		"algorithms/walk/walk.go":      walk.Replace(naiveMask.ReplaceAllLiteralString(mine, mask)),
		"algorithms/walk/walk_test.go": strings.Replace(test, "package mine", "package walk", 1),
		"algorithms/all/all.go":        strings.Replace(read("algorithms/all/all.go"), "import (\n", "import (\n"+line+strings.Replace(line, "mine", "walk", 1), 1),
		"datasets/mine.go":             corpus,
		"datasets/named.go":            strings.Replace(read("datasets/named.go"), "programCorpora()...),\n", "programCorpora()...),\n"+entry, 1),
	} {
		overlay[filepath.Join(root, filepath.FromSlash(name))] = write(t, filepath.Base(name), text)
	}
	text := must.Get(json.Marshal(map[string]any{"Replace": overlay}))(t)
	flag := "-overlay=" + write(t, "overlay.json", string(text))
	dir := t.TempDir()
	config := write(t, "c.yaml", "name: c\nalgorithms: [naive, mine, walk]\ntokenizers: [\"r50k_base[:300]\"]\nworkloads: [{grammar: schema, dataset: my-schemas}]\n")
	// Tests are built and run in two steps, and not vetted, since their folders are not there to be
	// in.
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{tool, "test", flag, "-vet=off", "-c", "-o", filepath.Join(dir, "mine"), "./algorithms/mine"}, ""},
		{[]string{tool, "test", flag, "-vet=off", "-c", "-o", filepath.Join(dir, "walk"), "./algorithms/walk"}, ""},
		{[]string{tool, "build", flag, "-o", filepath.Join(dir, "gcdbench"), "./cmd/gcdbench"}, ""},
		{[]string{filepath.Join(dir, "mine"), "-test.v"}, "--- PASS: TestConformance"},
		{[]string{filepath.Join(dir, "walk"), "-test.v"}, "--- PASS: TestConformance"},
		{[]string{filepath.Join(dir, "gcdbench"), "list", "datasets"}, "my-schemas"},
		{[]string{filepath.Join(dir, "gcdbench"), "verify", config}, "2 masks"},
	} {
		cmd := exec.CommandContext(t.Context(), c.args[0], c.args[1:]...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), c.want) {
			t.Fatalf("%s: %v; want %q in\n%s", strings.Join(c.args, " "), err, c.want, out)
		}
	}
}
