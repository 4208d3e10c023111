package engines_test

import (
	"os/exec"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// The Python side of the protocol, and the adapters whose packages are installed, are tested in
// Python. That takes python3, or the interpreter that GCDBENCH_PYTHON names, with numpy; go test
// -v shows what was skipped.
func TestPython(t *testing.T) {
	seed.Usual(t) // the adapters' own tests take seconds
	cmd := exec.Command(must.Python(t, "numpy"), "-B", "-m", "unittest", "-v")
	cmd.Dir = "python"
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v", out, err)
	}
	t.Logf("%s", out)
}
