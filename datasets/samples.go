package datasets

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
)

// Below samples, each language has a folder of valid documents and one of invalid ones; the
// latter's mistakes.json says where each of them is wrong. The folder schema has JSON schemas
// instead, each a file with its instances.
//
//go:embed samples
var samples embed.FS

// samplesSuffix makes the name of a corpus from the language of its samples.
const samplesSuffix = "-samples"

// Languages lists the languages that have embedded samples.
func Languages() []string { return []string{"go", "java", "json", "python", "sql"} }

// sampleSource is the embedded samples of one language.
type sampleSource struct {
	info Info
	lang string
}

func embedded(lang string) Source {
	return &sampleSource{Info{
		Name:        lang + samplesSuffix,
		Description: "programs written for this project, valid ones and ones with a known mistake",
		Language:    lang,
		Licence:     "Apache-2.0",
		Where:       "embedded",
	}, lang}
}

func (s *sampleSource) Info() Info { return s.info }

func (s *sampleSource) Documents(context.Context) ([]Document, error) {
	root := path.Join("samples", s.lang)
	mistakes, err := readMistakes(path.Join(root, "invalid", mistakesFile))
	if err != nil {
		return nil, err
	}
	var docs []Document
	for _, kind := range []string{"valid", "invalid"} {
		entries, err := samples.ReadDir(path.Join(root, kind))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Name() == mistakesFile {
				continue
			}
			name := path.Join(root, kind, e.Name())
			content, err := samples.ReadFile(name)
			if err != nil {
				return nil, err
			}
			docs = append(docs, Document{ID: path.Join(s.lang, kind, e.Name()), Size: int64(len(content)),
				Negative: kind == "invalid", Mistake: mistakes[e.Name()],
				Read: func() ([]byte, error) { return content, nil }})
		}
	}
	return docs, nil
}

// mistakesFile says for each embedded negative where it is wrong.
const mistakesFile = "mistakes.json"

func readMistakes(name string) (map[string]*Mistake, error) {
	text, err := samples.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []struct {
		File string `json:"file"`
		Mistake
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	byFile := make(map[string]*Mistake, len(list))
	for i := range list {
		byFile[list[i].File] = &list[i].Mistake
	}
	return byFile, nil
}

// schemaSamples is the embedded JSON schemas: files as MaskBench has them, with a group.
func schemaSamples() Source {
	info := Info{
		Name:        SchemaLanguage + samplesSuffix,
		Description: "JSON schemas written for this project, with valid and invalid instances",
		Language:    SchemaLanguage,
		Licence:     "Apache-2.0",
		Where:       "embedded",
	}
	below, err := fs.Sub(samples, "samples/schema")
	if err != nil {
		panic(err) // the name is a constant and well formed
	}
	return &schemaFiles{info, schemaFolder{fsys: below, root: "samples/schema", glob: "*.json", left: MaxCorpusBytes}, maskBenchFiles}
}
