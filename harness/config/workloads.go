package config

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"gopkg.in/yaml.v3"

	"gcdbench/grammar/languages"
	"gcdbench/internal/bundle"
	"gcdbench/internal/yamltext"
)

// workload reads a grammar and the documents for it.
func (b *builder) workload(n *yaml.Node) Workload {
	g := b.grammar(n)
	w := Workload{Grammar: g.Value, Pos: Position{n.Line, n.Column}}
	short := g.Value
	switch {
	case g.Value == "": // reported already
	case member(n, "tools") != nil:
		w.Schema, w.Tools = &SchemaOptions{DeclaredOrder: true}, b.tools(member(n, "tools"))
		short = w.Tools.name()
	case g.Value == GrammarSchema:
		w.Schema = new(SchemaOptions)
	case languages.IsFile(g.Value):
		w.GrammarFile, w.Grammar = true, b.existing(g, "grammar")
		short = strings.TrimSuffix(filepath.Base(g.Value), filepath.Ext(g.Value))
	case strings.EqualFold(filepath.Ext(g.Value), ".json"):
		b.errorf(g, "%q is a JSON schema by its name, and schemas come with their instances: write grammar: %s with a dataset of format %s; "+
			"schemas is a folder of NAME.json with NAME.valid*.json and NAME.invalid*.json", yamltext.Clip(g.Value), GrammarSchema, strings.Join(SchemaFormats, ", "))
	case b.names.Grammars != nil && !slices.Contains(b.names.Grammars, g.Value):
		b.unknown(g, "grammar", append(slices.Clone(b.names.Grammars), GrammarSchema))
	}
	b.reading(n, &w)
	w.Dataset = b.dataset(member(n, "dataset"), slices.Contains(b.names.Replaced, w.Grammar))
	if w.Tools == nil {
		b.schemaOptions(n, w.Schema)
	} else {
		b.schemaOptions(n, nil)
	}
	b.schemaFiles(n, &w)
	b.published(n, &w)
	b.fitting(n, &w)
	w.Name = valueOr(member(n, "name"), workloadName(short, w.Dataset))
	return w
}

// grammar is the node that names the grammar. Requests with tools have none, and are called tools.
func (b *builder) grammar(n *yaml.Node) *yaml.Node {
	g, t := member(n, "grammar"), member(n, "tools")
	switch {
	case g == nil && t == nil:
		b.errorf(n, "a workload lacks the key \"grammar\"; requests with tools have the key \"tools\" in its place")
	case g != nil && t != nil:
		b.errorf(g, "a workload has either grammar or tools")
	case t != nil:
		return &yaml.Node{Value: GrammarTools, Line: t.Line, Column: t.Column}
	}
	if g == nil {
		return &yaml.Node{Line: n.Line, Column: n.Column}
	}
	return g
}

// tools reads which requests are made.
func (b *builder) tools(n *yaml.Node) *ToolsOptions {
	word := func(key, unless string, known []string) string {
		at := member(n, key)
		switch {
		case at == nil:
			return unless
		case known != nil && !slices.Contains(known, at.Value):
			b.errorf(at, "%s cannot be %q%s; expected one of %s", key, yamltext.Clip(at.Value), didYouMean(at.Value, known), strings.Join(known, ", "))
		}
		return at.Value
	}
	for _, keyword := range items(member(n, "without")) {
		if b.names.Keywords != nil && !slices.Contains(b.names.Keywords, keyword.Value) {
			b.errorf(keyword, "%q is no keyword of JSON Schema%s", yamltext.Clip(keyword.Value), didYouMean(keyword.Value, b.names.Keywords))
		}
	}
	return &ToolsOptions{
		Format: word("format", "", b.names.ToolsFormats), Choice: word("choice", "auto", b.names.ToolsChoices), Text: word("text", "around", b.names.ToolsTexts),
		Parallel: isTrue(member(n, "parallel"), true), Reasoning: isTrue(member(n, "reasoning"), false),
		Markers: strings.Replace(word("markers", "", nil), MarkersText, "", 1),
		Count:   int(intOr(member(n, "count"), 0)), Requests: int(intOr(member(n, "requests"), 0)), Without: listed(member(n, "without")),
	}
}

// name is how tables call requests unless they have a name.
func (o *ToolsOptions) name() string {
	name := GrammarTools + " " + o.Format
	if o.Count > 0 {
		name += fmt.Sprintf(" %d", o.Count)
	}
	if o.Markers == MarkersTokens {
		name += " with tokens"
	}
	return name
}

// reading reads the keys that go with grammars in Lark's language only.
func (b *builder) reading(n *yaml.Node, w *Workload) {
	for key, into := range map[string]*string{"start": &w.Start, "lexer": &w.Lexer} {
		at := member(n, key)
		if *into = valueOr(at, ""); at != nil && w.Schema != nil {
			b.errorf(at, "%s goes with a grammar in Lark's language, not with grammar: %s", key, GrammarSchema)
		}
	}
	at := member(n, "import_paths")
	if at == nil {
		return
	}
	if !w.GrammarFile {
		b.errorf(at, "import_paths goes with a .lark file; grammars with a name and JSON schemas import nothing")
	}
	for _, folder := range at.Content {
		path := b.resolve(folder.Value)
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			b.errorf(folder, "the import path %q is no folder; relative paths start at %s", yamltext.Clip(folder.Value), b.dir)
		}
		w.ImportPaths = append(w.ImportPaths, path)
	}
}

// schemaOptions reads the keys that go with the grammar schema only; into is nil
// for another.
func (b *builder) schemaOptions(n *yaml.Node, into *SchemaOptions) {
	keys := []struct {
		key, set string
		value    func(o *SchemaOptions) *bool
	}{
		{"whitespace", "any", func(o *SchemaOptions) *bool { return &o.AnyWhiteSpace }},
		{"order", "declared", func(o *SchemaOptions) *bool { return &o.DeclaredOrder }},
		{"lenient", "true", func(o *SchemaOptions) *bool { return &o.Lenient }},
	}
	for _, k := range keys {
		at := member(n, k.key)
		if at == nil {
			continue
		}
		if into == nil {
			b.errorf(at, "%s goes with grammar: %s only", k.key, GrammarSchema)
			continue
		}
		*k.value(into) = strings.EqualFold(at.Value, k.set)
	}
}

// schemaFiles reads the keys that name other schemas: a folder, and single files by their URIs.
func (b *builder) schemaFiles(n *yaml.Node, w *Workload) {
	folder, files := member(n, "schemas"), member(n, "schema_files")
	for _, at := range []*yaml.Node{folder, files} {
		if at != nil && w.Schema == nil {
			b.errorf(at, "schemas and schema_files go with grammar: %s only", GrammarSchema)
			return
		}
	}
	if folder != nil {
		list, err := bundle.Folder(b.resolve(folder.Value))
		if err != nil {
			b.errorf(folder, "schemas: %v; relative paths start at %s", err, b.dir)
		}
		w.SchemaFiles = list
	}
	if files == nil {
		return
	}
	for i := 0; i < len(files.Content); i += 2 {
		w.SchemaFiles = append(w.SchemaFiles, bundle.File{URI: files.Content[i].Value, Path: b.existing(files.Content[i+1], "schema")})
	}
}

// published reads which published figures belong to a workload. Those of programs say
// nothing about JSON schemas, and the reverse.
func (b *builder) published(n *yaml.Node, w *Workload) {
	at := member(n, "published")
	if at == nil {
		return
	}
	w.Published = at.Value
	ofSchemas := slices.Contains(PublishedSchemas, at.Value)
	switch {
	case ofSchemas && w.Schema == nil:
		b.errorf(at, "published: %s goes with grammar: %s only", at.Value, GrammarSchema)
	case !ofSchemas && w.Schema != nil:
		b.errorf(at, "published: %s is about programs; grammar: %s has %s", at.Value, GrammarSchema, strings.Join(PublishedSchemas, ", "))
	}
}

// fitting reports a grammar for documents that bring their own, and the reverse.
func (b *builder) fitting(n *yaml.Node, w *Workload) {
	at, d := member(n, "dataset"), w.Dataset
	brings := slices.Contains(SchemaFormats, d.Format) || slices.Contains(b.names.SchemaDatasets, d.Name)
	known := d.Format != "" || d.Name != "" && slices.Contains(b.names.Datasets, d.Name)
	hasTools := d.Format == FormatTools || slices.Contains(b.names.ToolsDatasets, d.Name)
	if hasTools || w.Tools != nil {
		b.fittingTools(n, w, hasTools || !known)
		return
	}
	which := "the dataset " + d.Name
	if d.Format != "" {
		which = "a dataset of format " + d.Format
	}
	switch {
	case brings && w.Schema == nil:
		b.errorf(member(n, "grammar"), "%s brings a JSON schema with its documents: it needs grammar: %s", which, GrammarSchema)
	case w.Schema != nil && known && !brings:
		b.errorf(at, "%s has no schemas: grammar: %s needs a corpus of schemas, of format %s", which, GrammarSchema, strings.Join(SchemaFormats, ", "))
	}
	switch f := member(at, "filter"); {
	case w.Schema != nil && d.Filter == FilterParses:
		b.errorf(f, "filter: parses goes with one grammar for all documents; instances of schemas are labelled valid or not, and filter: right chooses schemas by them")
	case w.Schema == nil && d.Filter == FilterRight:
		b.errorf(f, "filter: right goes with a corpus of schemas, whose instances are labelled valid or not; for programs there is filter: parses")
	}
}

// fittingTools reports a corpus of tools without requests, and the reverse.
func (b *builder) fittingTools(n *yaml.Node, w *Workload, hasTools bool) {
	at := member(n, "dataset")
	if w.Tools == nil {
		b.errorf(at, "a corpus of tools needs the key \"tools\" in the place of grammar: which requests are made of it")
	} else if !hasTools {
		b.errorf(at, "it has no tools: expected %s, or a mapping of format %s and a path", strings.Join(b.names.ToolsDatasets, ", "), FormatTools)
	}
	if f := member(at, "filter"); w.Dataset.Filter != "" {
		b.errorf(f, "a corpus of tools has no filter")
	}
}

// workloadName is the grammar's name, with the dataset's unless that is the
// embedded samples of the grammar's language.
func workloadName(grammar string, d Dataset) string {
	switch {
	case d.Name == path.Base(grammar)+"-samples":
		return grammar
	case d.Name != "":
		return grammar + "/" + d.Name
	}
	return grammar + "/" + filepath.Base(d.Path)
}

// dataset reads a corpus's name, or a mapping that names a corpus or a format with
// its path, which is not looked for if the documents will be replaced.
func (b *builder) dataset(n *yaml.Node, replaced bool) Dataset {
	d := Dataset{Negatives: -1, Pos: Position{n.Line, n.Column}}
	if n.Kind == yaml.ScalarNode {
		b.corpusName(n, &d)
		return d
	}
	name, format, path := member(n, "name"), member(n, "format"), member(n, "path")
	switch {
	case (name == nil) == (format == nil):
		b.errorf(n, "a dataset needs either name or format")
	case name != nil && path != nil:
		b.errorf(path, "path goes with format, not with name")
	case name != nil && member(n, "invalid") != nil:
		b.errorf(member(n, "invalid"), "invalid goes with formats dir and zip; a corpus with a name knows which of its documents have a mistake")
	case name != nil && member(n, "column") != nil:
		b.errorf(member(n, "column"), "column goes with format parquet")
	case name != nil:
		b.corpusName(name, &d)
	case path == nil:
		b.errorf(n, "a dataset of format %s lacks the key \"path\"", format.Value)
	default:
		b.files(&d, format, path, member(n, "glob"))
		b.invalid(&d, member(n, "invalid"))
		b.column(&d, member(n, "column"))
		if !replaced {
			b.documents(&d, path)
		}
	}
	b.selection(&d, n)
	return d
}

// corpusName takes a name of the registry of corpora.
func (b *builder) corpusName(n *yaml.Node, d *Dataset) {
	d.Name = n.Value
	if b.names.Datasets != nil && !slices.Contains(b.names.Datasets, d.Name) {
		b.unknown(n, "dataset", b.names.Datasets)
	}
}

// files reads format, path and glob, and looks for nothing yet.
func (b *builder) files(d *Dataset, format, path, glob *yaml.Node) {
	d.Format = format.Value
	if glob != nil {
		d.Glob = glob.Value
		if d.Format == "files" || d.Format == "jsonl" || d.Format == FormatTools {
			b.errorf(glob, "glob goes with folders and archives: formats dir, zip, parquet, %s", strings.Join(SchemaFormats, ", "))
		} else if !doublestar.ValidatePattern(d.Glob) {
			b.errorf(glob, "bad glob %q: check its brackets and braces", yamltext.Clip(d.Glob))
		}
	}
	d.Path = b.resolve(path.Value)
	if d.Format == "files" && !doublestar.ValidatePattern(filepath.ToSlash(d.Path)) {
		b.errorf(path, "bad glob %q: check its brackets and braces", yamltext.Clip(path.Value))
	}
}

// invalid reads the glob of the files with a known mistake, where there are files to match.
func (b *builder) invalid(d *Dataset, glob *yaml.Node) {
	if glob == nil {
		return
	}
	d.Invalid = glob.Value
	switch {
	case d.Format == "jsonl":
		b.errorf(glob, `invalid goes with formats dir and zip; a line of format jsonl says "valid": false`)
	case d.Format == "parquet":
		b.errorf(glob, "invalid goes with formats dir and zip; all rows of format parquet are meant to be right")
	case d.Format == "files":
		b.errorf(glob, "invalid goes with formats dir and zip; for format files name their folder, in format dir")
	case slices.Contains(SchemaFormats, d.Format) || d.Format == FormatTools:
		b.errorf(glob, "invalid goes with formats dir and zip; a corpus of format %s labels its instances", d.Format)
	case !doublestar.ValidatePattern(d.Invalid):
		b.errorf(glob, "bad glob %q: check its brackets and braces", yamltext.Clip(d.Invalid))
	}
}

// column reads which column of a table has the texts.
func (b *builder) column(d *Dataset, n *yaml.Node) {
	switch {
	case n == nil:
	case d.Format != "parquet":
		b.errorf(n, "column goes with format parquet")
	default:
		d.Column = n.Value
	}
}

// documents reports a path with nothing there, or a glob that matches no file.
func (b *builder) documents(d *Dataset, path *yaml.Node) {
	if d.Format != "files" {
		b.existing(path, "dataset")
		return
	}
	switch found, err := doublestar.FilepathGlob(d.Path, doublestar.WithFilesOnly()); {
	case errors.Is(err, doublestar.ErrBadPattern): // reported by files
	case err != nil:
		b.errorf(path, "cannot look for %q: %v", yamltext.Clip(path.Value), err)
	case len(found) == 0:
		b.errorf(path, "no file matches %q; relative paths start at %s", yamltext.Clip(path.Value), b.dir)
	}
}

// selection reads which of the documents to take.
func (b *builder) selection(d *Dataset, n *yaml.Node) {
	d.Limit = int(intOr(member(n, "limit"), 0))
	d.MinBytes = sizeOr(member(n, "min_bytes"))
	d.MaxBytes = sizeOr(member(n, "max_bytes"))
	if d.MaxBytes > 0 && d.MinBytes > d.MaxBytes {
		b.errorf(member(n, "min_bytes"), "min_bytes is above max_bytes: no document would be left")
	}
	if s := member(n, "sample"); s != nil {
		d.Sample = s.Value == "random"
		if d.Sample && d.Limit == 0 {
			b.errorf(s, "sample: random needs a limit")
		}
	}
	if f := member(n, "filter"); f != nil && f.Value != "none" {
		d.Filter = f.Value
	}
	if s := member(n, "special"); s != nil {
		if d.Special = s.Value == "split"; d.Special && slices.Contains(SchemaFormats, d.Format) {
			b.errorf(s, "special: split goes with a grammar that names special tokens, not with JSON schemas")
		}
	}
	switch neg := member(n, "negatives"); {
	case neg == nil || neg.Value == "all":
	case neg.Value == "none":
		d.Negatives = 0
	default:
		d.Negatives = int(intOr(neg, 0))
	}
}
