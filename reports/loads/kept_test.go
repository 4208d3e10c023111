package loads

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// TestKeptPlots: the plots of loads that the repository keeps have the axes that the code writes
// today.
func TestKeptPlots(t *testing.T) {
	kept := 0
	for _, f := range someLoads().figures() {
		for _, file := range must.Get(filepath.Glob(filepath.Join("..", "..", "results", "load*"+strings.TrimPrefix(f.Name, "load")+".svg")))(t) {
			kept++
			svg := must.Get(os.ReadFile(file))(t)
			for _, label := range []string{f.XLabel, f.YLabel} {
				if !strings.Contains(string(svg), ">"+label+"</text>") {
					t.Errorf("%s has no axis %q; measure it again by cmd/keep", file, label)
				}
			}
		}
	}
	if files := must.Get(filepath.Glob(filepath.Join("..", "..", "results", "load-*.svg")))(t); kept != len(files) || kept < 2 {
		t.Errorf("%d plots of today's names among %v", kept, files)
	}
}
