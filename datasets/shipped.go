package datasets

import (
	"path/filepath"

	"gcdbench/tokenizers"
)

// schemaFilesCorpus is the name of the corpus of schema files that packages ship.
const schemaFilesCorpus = "schema-files"

// SchemaFilesName is the name of the file that the corpus is in.
const SchemaFilesName = "corpus.jsonl"

// SchemaFilesFolder is the folder of the cache that the corpus of schema files is in. It need not
// exist.
func SchemaFilesFolder() (string, error) {
	cache, err := tokenizers.CacheDir()
	return filepath.Join(cache, schemaFilesCorpus), err
}

// schemaFilesOfPackages is the corpus of schema files that packages ship, if it was fetched.
func schemaFilesOfPackages() Source {
	info := Info{
		Name:        schemaFilesCorpus,
		Description: "schema files of packages of npm and PyPI, with real documents and mutants of them",
		Language:    SchemaLanguage,
		Licence:     "of each package its own: 'gcdbench fetch schemas --json' lists them",
	}
	folder, err := SchemaFilesFolder()
	path := filepath.Join(folder, SchemaFilesName)
	if err != nil || !exists(path) {
		info.Missing = "run: gcdbench fetch schemas"
		return missing{info}
	}
	info.Where = path
	return &schemaLines{info, path, corpusLimit, maskBenchRecord}
}

// programsSuffix ends the names of the corpora of programs that packages ship: java-programs and so
// on.
const programsSuffix = "-programs"

// ProgramsFolder is the folder of the cache that the corpora of programs are in. It need not exist.
func ProgramsFolder() (string, error) {
	cache, err := tokenizers.CacheDir()
	return filepath.Join(cache, "programs"), err
}

// programsOfPackages is the corpus of programs in a language that packages ship, if it was fetched.
func programsOfPackages(language string) Source {
	info := Info{
		Name:        language + programsSuffix,
		Description: "files of packages of npm, PyPI and Go, in versions with a known SHA-256",
		Language:    language,
		Licence:     "of each package its own: 'gcdbench fetch programs --json' lists them",
	}
	folder, err := ProgramsFolder()
	path := filepath.Join(folder, language+".jsonl")
	if err != nil || !exists(path) {
		info.Missing = "run: gcdbench fetch programs"
		return missing{info}
	}
	info.Where = path
	return &jsonlSource{info, path}
}
