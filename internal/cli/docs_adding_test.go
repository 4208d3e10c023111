package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goBlock is a fenced block of Go.
var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// TestDocumentedAlgorithm builds the algorithm that docs/adding.md shows, enters it in the registry
// with the line that the page shows, and runs the page's test. The files lie elsewhere: the go
// command is told to take them for files of the module.
func TestDocumentedAlgorithm(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "adding.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := goBlock.FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks of Go; want the algorithm, the line of the registry, and the test", len(blocks))
	}
	registry := filepath.Join("algorithms", "all", "all.go")
	all, err := os.ReadFile(filepath.Join(root, registry))
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]string{}
	for name, text := range map[string]string{
		filepath.Join("algorithms", "mine", "mine.go"):      blocks[0][1],
		filepath.Join("algorithms", "mine", "mine_test.go"): blocks[2][1],
		registry: strings.Replace(string(all), "import (\n", "import (\n"+blocks[1][1], 1),
	} {
		overlay[filepath.Join(root, name)] = write(t, filepath.Base(name), text)
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	flag := "-overlay=" + write(t, "overlay.json", string(text))
	binary := filepath.Join(t.TempDir(), "mine.test")
	// The test is built and run in two steps, and not vetted, since its folder is not there to be in.
	for _, args := range [][]string{{tool, "build", flag, "./algorithms/all"}, {tool, "test", flag, "-vet=off", "-c", "-o", binary, "./algorithms/mine"}, {binary, "-test.v"}} {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
		if args[0] == binary && !strings.Contains(string(out), "--- PASS: TestConformance") {
			t.Errorf("the page's test did not run:\n%s", out)
		}
	}
}
