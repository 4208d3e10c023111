package cli

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gcdbench/harness/config"
	"gcdbench/harness/prepare"
	"gcdbench/internal/must"
)

// yamlBlock is a fenced block of YAML.
var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// TestDocumentedConfigurations reads every configuration, or part of one, that the documentation
// shows. The corpora that it names are a reader's own, so that they are missing is no mistake;
// anything else is.
func TestDocumentedConfigurations(t *testing.T) {
	files := must.Get(filepath.Glob(filepath.Join("..", "..", "docs", "*.md")))(t)
	blocks := 0
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		for _, m := range yamlBlock.FindAllStringSubmatch(string(text), -1) {
			blocks++
			_, err := config.Parse(filepath.Base(file), []byte(whole(m[1])), prepare.Known())
			var mistakes config.Errors
			if err != nil && !errors.As(err, &mistakes) {
				t.Errorf("%s: %v", file, err)
			}
			for _, e := range mistakes {
				if !strings.Contains(e.Message, "does not exist") {
					t.Errorf("%s: %v in\n%s", file, e, m[1])
				}
			}
		}
	}
	if blocks < 3 {
		t.Errorf("only %d blocks were found: the pattern is no good", blocks)
	}
}

// whole adds the keys that a configuration must have and a part of one lacks.
func whole(part string) string {
	for key, value := range map[string]string{"name": "x", "algorithms": "[trie]", "tokenizers": "[o200k_base]", "workloads": "[{grammar: json, dataset: json-samples}]"} {
		if !regexp.MustCompile(`(?m)^` + key + `:`).MatchString(part) {
			part += "\n" + key + ": " + value
		}
	}
	return part
}
