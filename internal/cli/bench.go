package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"gcdbench/harness"
	"gcdbench/harness/config"
	"gcdbench/harness/prepare"
	"gcdbench/internal/files"
	"gcdbench/reports/site"
)

// benchFlags say what is compared, in place of a configuration.
type benchFlags struct {
	grammar, tokenizer, out string
	reading                 grammarFlags
	algorithms              []string
	repeat, limit           int
}

// benchCommand compares algorithms without a configuration.
func (a *app) benchCommand() *cobra.Command {
	var f benchFlags
	cmd := newCommand("bench", some("which files? texts of the grammar's language, two at least for figures of new documents"), func(cmd *cobra.Command, args []string) error { return a.bench(cmd.Context(), f, args) })
	cmd.Flags().StringVarP(&f.grammar, "grammar", "g", "", "grammar, a name or a .lark, .gbnf or .ebnf file")
	cmd.Flags().StringSliceVarP(&f.algorithms, "algorithm", "a", []string{"psc", "greatgramma", "parserdwa", "trie"}, "algorithms, separated by commas; an engine from outside that is installed as well")
	cmd.Flags().StringVarP(&f.tokenizer, "tokenizer", "t", "o200k_base", "vocabulary, a name or a tokenizer.json")
	f.reading.addReading(cmd)
	cmd.Flags().IntVar(&f.repeat, "repeat", 3, "timed passes over each document")
	cmd.Flags().IntVar(&f.limit, "limit", 0, "documents at most; 0 for all")
	cmd.Flags().StringVar(&f.out, "out", "", "keep the result in this directory")
	if err := cmd.MarkFlagRequired("grammar"); err != nil {
		panic(err) // the flag is above
	}
	return cmd
}

// bench measures and prints the ranking.
func (a *app) bench(ctx context.Context, f benchFlags, files []string) error {
	dir := f.out
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "gcdbench-bench"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	corpus, err := corpusOf(dir, files)
	if err != nil {
		return err
	}
	text, err := f.config(corpus)
	if err != nil {
		return err
	}
	cfg, err := config.Parse(filepath.Join(dir, "bench.yaml"), text, prepare.Known())
	if err != nil {
		return flagged(text, err)
	}
	summary, err := harness.Run(ctx, cfg, a.harnessOptions(cfg, dir))
	if err != nil {
		return flagged(text, err)
	}
	if a.failed = summary.Failed > 0; a.failed {
		a.note("a row failed; where a document is refused says: gcdbench grammar check --grammar %s FILE...", f.grammar)
	}
	results, err := site.Load(dir)
	if err != nil {
		return err
	}
	return a.show(results[0].Stored, func(w io.Writer) error { return site.WriteRanking(w, results[0]) })
}

// config is the configuration that the flags stand for.
func (f *benchFlags) config(corpus string) ([]byte, error) {
	grammar, err := pathOrName(f.grammar, ".lark", ".gbnf", ".ebnf")
	if err != nil {
		return nil, err
	}
	tokenizer, err := pathOrName(f.tokenizer, ".json")
	if err != nil {
		return nil, err
	}
	var vocabulary any = tokenizer
	if strings.HasSuffix(tokenizer, ".json") {
		vocabulary = map[string]any{"file": tokenizer}
	}
	dataset := map[string]any{"format": "jsonl", "path": corpus, "special": f.reading.special}
	if f.limit != 0 {
		dataset["limit"] = f.limit
	}
	workload := map[string]any{"grammar": grammar, "dataset": dataset}
	for name, value := range map[string]string{"lexer": f.reading.Lexer, "start": f.reading.Start} {
		if value != "" {
			workload[name] = value
		}
	}
	folders := slices.Clone(f.reading.ImportPaths)
	for i := range folders {
		if folders[i], err = filepath.Abs(folders[i]); err != nil {
			return nil, err
		}
	}
	if folders != nil {
		workload["import_paths"] = folders
	}
	return yaml.Marshal(map[string]any{"name": "bench", "seed": 1, "algorithms": f.algorithms, "tokenizers": []any{vocabulary},
		"workloads": []any{workload}, "measure": map[string]any{"repeat": f.repeat}})
}

// benchFlagOf has the flags by the keys of the configuration.
var benchFlagOf = map[string]string{"algorithms": "--algorithm", "tokenizers": "--tokenizer", "grammar": "--grammar", "lexer": "--lexer", "start": "--start",
	"import_paths": "--import-path", "special": "--special", "limit": "--limit", "repeat": "--repeat", "path": "the documents"}

// flagged names the flags in errors about the configuration, which the user has not written.
func flagged(text []byte, err error) error {
	lines := strings.Split(string(text), "\n")
	flag := func(at config.Position) string {
		for n := min(at.Line, len(lines)); n > 0; n-- {
			key, _, _ := strings.Cut(strings.TrimLeft(lines[n-1], " -"), ":")
			if flag := benchFlagOf[key]; flag != "" {
				return flag
			}
		}
		return "bench"
	}
	var wrong config.Errors
	var input *prepare.InputError
	switch {
	case errors.As(err, &wrong):
		var list []error
		for _, e := range wrong {
			list = append(list, fmt.Errorf("%s: %s", flag(e.Position), e.Message))
		}
		return errors.Join(list...)
	case errors.As(err, &input):
		return fmt.Errorf("%s: %s: %w", flag(input.Pos), input.What, input.Err)
	}
	return err
}

// pathOrName is the absolute path of a file, which its ending shows, or a name as it is. It is an
// error that the file is not there.
func pathOrName(text string, endings ...string) (string, error) {
	if !slices.Contains(endings, filepath.Ext(text)) {
		return text, nil
	}
	path, err := filepath.Abs(text)
	if err == nil {
		_, err = os.Stat(path)
	}
	return path, files.Named(err)
}

// corpusOf is a corpus of the files: the file itself if it is one of JSON Lines, and otherwise one
// that is written into the directory.
func corpusOf(dir string, names []string) (string, error) {
	if len(names) == 1 && strings.HasSuffix(strings.TrimSuffix(names[0], ".gz"), ".jsonl") {
		return filepath.Abs(names[0])
	}
	var lines strings.Builder
	e := json.NewEncoder(&lines)
	named := map[string]bool{}
	for _, file := range names {
		if named[filepath.Clean(file)] {
			return "", fmt.Errorf("%s is named twice: each document counts once", file)
		}
		named[filepath.Clean(file)] = true
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if !utf8.Valid(text) {
			return "", fmt.Errorf("%s is not UTF-8: a document is a text of the grammar's language", file)
		}
		if err := e.Encode(map[string]string{"id": file, "content": string(text)}); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	path, err := filepath.Abs(filepath.Join(dir, "documents.jsonl"))
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, []byte(lines.String()), 0o644)
}
