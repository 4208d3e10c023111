package engines_test

import (
	"os"
	"os/exec"
	"testing"
)

// The Python side of the protocol, and the adapters whose packages are installed, are tested in
// Python. That takes python3, or the interpreter that GCDBENCH_PYTHON names, with numpy; go test
// -v shows what was skipped.
func TestPython(t *testing.T) {
	python := os.Getenv("GCDBENCH_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import numpy").Run(); err != nil {
		t.Skipf("%s has no numpy: %v", python, err)
	}
	cmd := exec.Command(python, "-B", "-m", "unittest", "-v")
	cmd.Dir = "python"
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v", out, err)
	}
	t.Logf("%s", out)
}
