package judges

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gcdbench/internal/must"
)

// TestNewestPython: the largest minor version on the PATH, as a number, that runs.
func TestNewestPython(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh")
	}
	shell, _ := exec.LookPath("sh")
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if got := newestPython(); got != "" {
		t.Errorf("%s, want none", got)
	}
	for name, status := range map[string]string{"python3.9": "0", "python3.12": "0", "python3.14": "127"} { // a stand-in that does not run
		must.OK(t, os.WriteFile(filepath.Join(dir, name), []byte("#!"+shell+"\nexit "+status+"\n"), 0o755))
	}
	if got, want := newestPython(), filepath.Join(dir, "python3.12"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
