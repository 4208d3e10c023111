package lark

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
)

// Files. An import without a leading dot is looked for in the search paths and then among the
// libraries, one with a dot in the search paths and then beside the importing file. It is Lark's
// order, and it has the effect that a file beside the grammar cannot hide a library.
//
// Each file is read and parsed once, however often it is imported, and its text goes into the hash
// that identifies the grammar. Libraries do too: another version of them is another grammar. So is
// another start rule, where it is not called start.

// libraries are the grammars that Lark brings along and that are imported without a leading dot.
//
//go:embed lib/*.lark
var libraries embed.FS

// extension is that of grammar files; an import names them without it.
const extension = ".lark"

// files finds and reads grammar files, each once.
type files struct {
	ctx     context.Context // ends everything
	kept    *jsonschema.Kept
	fs      fs.FS // nil: the operating system's
	search  []string
	parsed  map[string]*file
	imports int // so far
	hash    hash.Hash
}

// A file is a parsed grammar file.
type file struct {
	// path tells files apart; a library's has a prefix that no path has.
	path       string
	dir        string
	src        *source
	statements []*statement
	inRule     bool // it stands in a rule of another
}

func newFiles(opt Options) *files {
	ctx := opt.Context
	if ctx == nil {
		ctx = context.Background()
	}
	return &files{ctx: ctx, kept: opt.Kept, fs: opt.FS, search: opt.ImportPaths, parsed: map[string]*file{}, hash: sha256.New()}
}

// stopped is the error of the context once it has ended.
func (f_ *files) stopped() error {
	if err := f_.ctx.Err(); err != nil {
		return fmt.Errorf("reading the grammar: %w", err)
	}
	return nil
}

// read reads a file of the file system in use, and no more of it than shows that it is too large: a
// device may have no end.
func (f_ *files) read(name string) ([]byte, error) {
	var file fs.File
	var err error
	if f_.fs != nil {
		file, err = f_.fs.Open(path.Clean(filepath.ToSlash(name)))
	} else {
		file, err = os.Open(name)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxText+int64(len(byteOrderMark))+1))
}

// join joins the elements of a path of the file system in use.
func (f_ *files) join(elem ...string) string {
	if f_.fs != nil {
		return path.Join(elem...)
	}
	return filepath.Join(elem...)
}

// parse parses a text and adds it to the hash.
func (f_ *files) parse(name, dir string, text []byte) (*file, error) {
	var size [8]byte
	binary.LittleEndian.PutUint64(size[:], uint64(len(text)))
	f_.hash.Write(size[:])
	f_.hash.Write(text)
	src, err := newSource(name, text)
	if err != nil {
		return nil, err
	}
	statements, err := parseFile(src, f_.stopped)
	return &file{path: name, dir: dir, src: src, statements: statements}, err
}

// hashStart adds a start rule to the hash. No file is as long as the number in front of it says.
func (f_ *files) hashStart(start string) {
	if start != defaultStart {
		f_.hash.Write(binary.LittleEndian.AppendUint64(nil, math.MaxUint64))
		f_.hash.Write([]byte(start))
	}
}

// hashLexer adds a lexer that the text does not ask for to the hash.
func (f_ *files) hashLexer(mode grammar.LexerMode) {
	f_.hash.Write(binary.LittleEndian.AppendUint64(nil, math.MaxUint64-1))
	f_.hash.Write([]byte(mode.String()))
}

// find finds the file that an import names, and where it looked. A file that is nowhere is no error
// of this function, since the message is about the import; one that cannot be read is.
func (f_ *files) find(dotted []string, relative bool, dir string) (*file, []string, error) {
	name := f_.join(dotted...) + extension
	candidates := make([]string, 0, len(f_.search)+1)
	for _, s := range f_.search {
		candidates = append(candidates, f_.join(s, name))
	}
	if relative {
		candidates = append(candidates, f_.join(dir, name))
	}
	for _, c := range candidates {
		if f, ok := f_.parsed[c]; ok {
			return f, nil, nil
		}
		text, err := f_.read(c)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
			continue
		}
		if err != nil {
			return nil, candidates, err
		}
		f, err := f_.parse(c, f_.dirOf(c), text)
		f_.parsed[c] = f
		return f, nil, err
	}
	if !relative {
		f, err := f_.library(dotted)
		return f, candidates, err
	}
	return nil, candidates, nil
}

// dirOf is the folder that a file is in.
func (f_ *files) dirOf(name string) string {
	if f_.fs != nil {
		return path.Dir(filepath.ToSlash(name))
	}
	return filepath.Dir(name)
}

// library is the library of a name; nil if there is none.
func (f_ *files) library(dotted []string) (*file, error) {
	name := "lark:" + strings.Join(dotted, "/") + extension
	if f, ok := f_.parsed[name]; ok {
		return f, nil
	}
	text, err := libraries.ReadFile(path.Join("lib", path.Join(dotted...)+extension))
	if err != nil {
		return nil, nil
	}
	f, err := f_.parse(name, "", text)
	f_.parsed[name] = f
	return f, err
}

// libraryNames lists the libraries, for messages.
func libraryNames() string {
	entries, err := libraries.ReadDir("lib")
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), extension))
	}
	return strings.Join(names, ", ")
}
