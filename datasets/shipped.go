package datasets

import (
	"path/filepath"

	"gcdbench/tokenizers"
)

// Corpora of what packages ship, which 'gcdbench fetch' makes in the cache.

// schemaFilesCorpus is the name of the corpus of schema files.
const schemaFilesCorpus = "schema-files"

// SchemaFilesName is the name of the file that the corpus is in.
const SchemaFilesName = "corpus.jsonl"

// SchemaFilesFolder is the folder of the cache that the corpus of schema files is in. It need not
// exist.
func SchemaFilesFolder() (string, error) { return inCache(schemaFilesCorpus) }

// schemaFilesOfPackages is the corpus of schema files, if it was fetched.
func schemaFilesOfPackages() Source {
	folder, err := SchemaFilesFolder()
	info := Info{
		Name:        schemaFilesCorpus,
		Description: "schema files of packages of npm and PyPI, with real documents and mutants of them",
		Language:    SchemaLanguage,
	}
	return shipped("schemas", info, filepath.Join(folder, SchemaFilesName), err, func(info Info) Source {
		return &lineSource{info, info.Where, corpusLimit, maskBenchRecord}
	})
}

// programsSuffix ends the names of the corpora of programs: java-programs and so on.
const programsSuffix = "-programs"

// ProgramsFolder is the folder of the cache that the corpora of programs are in. It need not exist.
func ProgramsFolder() (string, error) { return inCache("programs") }

// programsOfPackages is the corpus of programs in a language, if it was fetched.
func programsOfPackages(language string) Source {
	folder, err := ProgramsFolder()
	info := Info{
		Name:        language + programsSuffix,
		Description: "files of packages of npm, PyPI and Go, in versions with a known SHA-256",
		Language:    language,
	}
	return shipped("programs", info, filepath.Join(folder, language+".jsonl"), err, func(info Info) Source {
		return &lineSource{info, info.Where, corpusLimit, documentRecord}
	})
}

// inCache is a folder of the cache.
func inCache(name string) (string, error) {
	cache, err := tokenizers.CacheDir()
	return filepath.Join(cache, name), err
}

// shipped is a corpus in a file that 'gcdbench fetch NAME' makes, or what says so where it is not
// there.
func shipped(name string, info Info, path string, err error, open func(Info) Source) Source {
	info.Licence = "of each package its own: 'gcdbench fetch " + name + " --json' lists them"
	if err != nil || !exists(path) {
		info.Missing = "run: gcdbench fetch " + name
		return missing{info}
	}
	info.Where = path
	return open(info)
}
