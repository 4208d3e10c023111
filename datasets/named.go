package datasets

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// corpora lists the corpora known by name. Where one lies is found out when it is asked for, as
// that may take running a command.
var corpora = append(append(sampleCorpora(), programCorpora()...),
	corpus{name: SchemaLanguage + samplesSuffix, schemas: true, find: schemaSamples},
	corpus{name: schemaFilesCorpus, schemas: true, find: schemaFilesOfPackages},
	corpus{name: "goroot", find: sync.OnceValue(goTree)},
	corpus{name: "jdk", find: sync.OnceValue(jdk)},
	corpus{name: "python-stdlib", find: sync.OnceValue(pythonLibrary)},
)

type corpus struct {
	name    string
	schemas bool // its documents bring JSON schemas; the Language of its Info says the same
	find    func() Source
}

func sampleCorpora() []corpus {
	var list []corpus
	for _, lang := range Languages() {
		list = append(list, corpus{name: lang + samplesSuffix, find: func() Source { return embedded(lang) }})
	}
	return list
}

// programCorpora are those that 'gcdbench fetch programs' makes.
func programCorpora() (list []corpus) {
	for _, lang := range []string{"java", "go", "python", "sql"} {
		list = append(list, corpus{name: lang + programsSuffix, find: func() Source { return programsOfPackages(lang) }})
	}
	return list
}

// Names lists the names of the corpora known by name, and looks for none of them.
func Names() []string {
	names := make([]string, len(corpora))
	for i := range corpora {
		names[i] = corpora[i].name
	}
	return names
}

// SchemaNames lists the corpora known by name whose documents bring a JSON schema as their grammar,
// and looks for none of them.
func SchemaNames() []string {
	names := []string{}
	for i := range corpora {
		if corpora[i].schemas {
			names = append(names, corpora[i].name)
		}
	}
	return names
}

// Named lists the corpora known by name, whether they are to be had on this machine or not. It
// looks for all of them; where only names are needed, Names is faster.
func Named() []Source {
	list := make([]Source, len(corpora))
	for i := range corpora {
		list[i] = corpora[i].find()
	}
	return list
}

// Lookup finds a corpus by name, and looks for no other. It fails if there is none of that name, or
// if it is not to be had on this machine.
func Lookup(name string) (Source, error) {
	i := slices.IndexFunc(corpora, func(c corpus) bool { return c.name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no dataset %q; there are: %s", name, strings.Join(Names(), ", "))
	}
	src := corpora[i].find()
	if m, ok := src.(missing); ok {
		return nil, m.err()
	}
	return src, nil
}

// missing is a corpus that is not on this machine.
type missing struct{ info Info }

func (s missing) Info() Info { return s.info }

func (s missing) Documents(context.Context) ([]Document, error) { return nil, s.err() }

func (s missing) err() error {
	return fmt.Errorf("dataset %s is not on this machine: %s", s.info.Name, s.info.Missing)
}
