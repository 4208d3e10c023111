package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gcdbench/harness"
	"gcdbench/harness/config"
)

// yamlBlock is a fenced block of YAML.
var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// TestDocumentedConfigurations reads every configuration, or part of one, that the documentation
// shows. The corpora that it names are a reader's own, so that they are missing is no mistake;
// anything else is.
func TestDocumentedConfigurations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range yamlBlock.FindAllStringSubmatch(string(text), -1) {
			blocks++
			_, err := config.Parse(filepath.Base(file), []byte(whole(m[1])), harness.Known())
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

// TestDocumentedKeys: the page about the command line names every key that a configuration can
// have.
func TestDocumentedKeys(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "configs", "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, about, _ := strings.Cut(string(page), "## Configurations")
	about, _, _ = strings.Cut(about, "## Environment")
	named := regexp.MustCompile(`[a-z_]+`).FindAllString(strings.Join(regexp.MustCompile("`[^`]*`").FindAllString(about, -1), " "), -1)
	keys := keysOf(schema)
	if len(keys) < 25 {
		t.Fatalf("only %d keys: %v", len(keys), keys)
	}
	for _, key := range keys {
		if !slices.Contains(named, key) {
			t.Errorf("docs/reference.md does not say what %q is", key)
		}
	}
}

// keysOf are the names of the properties anywhere in a schema.
func keysOf(schema any) []string {
	var keys []string
	switch v := schema.(type) {
	case []any:
		for _, e := range v {
			keys = append(keys, keysOf(e)...)
		}
	case map[string]any:
		for name, e := range v {
			if properties, is := e.(map[string]any); is && name == "properties" {
				for key := range properties {
					keys = append(keys, key)
				}
			}
			keys = append(keys, keysOf(e)...)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
