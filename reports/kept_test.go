package reports

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/reports/internal/made"
)

// TestKeptPlots: the plots that the repository keeps have the axes that the code writes today, but
// for those of reports that results/README.md lists as to be measured again.
func TestKeptPlots(t *testing.T) {
	seed.Usual(t)
	axes := map[string][2]string{}
	directories := []string{made.SchemaSet.Store(t)}
	for _, set := range made.Sets {
		directories = append(directories, set.Store(t))
	}
	for _, f := range load(t, servedStore(t)).Figures() {
		for _, grammar := range []string{"java", "go", "sql", "schema"} {
			axes[strings.Replace(f.Name, "serving-json-", "serving-"+grammar+"-", 1)] = [2]string{strings.Replace(f.XLabel, ", json,", ", "+grammar+",", 1), "tokens per second"}
		}
	}
	for _, dir := range directories {
		for _, f := range load(t, dir).Figures() {
			axes[f.Name] = [2]string{f.XLabel, f.YLabel}
		}
	}
	axes["ttfm-tail"] = [2]string{axes["ttfm"][0], "schemas at least as slow"} // the sets have too few schemas
	files, err := filepath.Glob(filepath.Join("..", "results", "*.svg"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no kept plots: %v", err)
	}
	page := must.Get(os.ReadFile(filepath.Join("..", "results", "README.md")))(t)
	text := regexp.MustCompile(`>([^<]+)</text>`)
	for _, file := range files {
		base := strings.TrimSuffix(filepath.Base(file), ".svg")
		if strings.HasPrefix(base, "load-") {
			continue // package loads has a test of its own
		}
		name := ""
		for plot := range axes {
			if strings.HasSuffix(base, "-"+plot) && len(plot) > len(name) {
				name = plot
			}
		}
		if name == "" {
			t.Errorf("%s: no plot of today has that name", file)
			continue
		}
		if row := regexp.MustCompile(`(?m)^.*\[` + strings.TrimSuffix(base, "-"+name) + `\.json\].*$`).FindString(string(page)); !strings.HasSuffix(row, "| yes |") {
			continue // to be measured again
		}
		content := must.Get(os.ReadFile(file))(t)
		var written []string
		for _, m := range text.FindAllStringSubmatch(string(content), -1) {
			written = append(written, m[1])
		}
		all := strings.Join(written, "\n")
		for _, label := range axes[name] {
			if !strings.Contains(all, label) {
				t.Errorf("%s: it has no axis %q; measure it again by cmd/keep", file, label)
			}
		}
	}
}
