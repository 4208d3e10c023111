package datasets

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"context"
)

//go:embed all:samples
var samples embed.FS

// Languages lists the languages that have embedded samples.
func Languages() []string { return []string{"go", "java", "json", "python", "sql"} }

// Named lists the corpora known by name, whether they are to be had on this machine or not.
func Named() []Source {
	var list []Source
	for _, lang := range Languages() {
		list = append(list, embedded(lang))
	}
	return append(list, goTree(), jdk(), pythonLibrary())
}

// Lookup finds a corpus by name. It fails if there is none of that name, or if it is not to be had on
// this machine.
func Lookup(name string) (Source, error) {
	var names []string
	for _, s := range Named() {
		info := s.Info()
		if info.Name == name {
			if info.Missing != "" {
				return nil, fmt.Errorf("dataset %s is not on this machine: %s", name, info.Missing)
			}
			return s, nil
		}
		names = append(names, info.Name)
	}
	return nil, fmt.Errorf("there is no dataset %q; there are: %s", name, strings.Join(names, ", "))
}

// sampleSource is the embedded samples of one language.
type sampleSource struct {
	info Info
	lang string
}

func embedded(lang string) Source {
	return &sampleSource{Info{
		Name:        lang + "-samples",
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
			if e.Name() == mistakesFile || strings.HasPrefix(e.Name(), "README") {
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

// missing is a named corpus that is not on this machine.
type missing struct{ info Info }

func (s missing) Info() Info { return s.info }

func (s missing) Documents(context.Context) ([]Document, error) {
	return nil, fmt.Errorf("dataset %s is not on this machine: %s", s.info.Name, s.info.Missing)
}

// goTree is the Go files of the Go distribution.
func goTree() Source {
	info := Info{Name: "goroot", Description: "the Go distribution's own source, tests included", Language: "go",
		Licence: "BSD-3-Clause"}
	root := filepath.Join(goRoot(), "src")
	if st, err := os.Stat(root); err != nil || !st.IsDir() {
		info.Missing = "set GOROOT to a Go distribution, or put the go command on the PATH"
		return missing{info}
	}
	info.Where = root
	return &dirSource{info, goFiles{os.DirFS(root)}, "**/*.go"}
}

// goRoot is the Go distribution's folder: GOROOT, or what the go command says.
func goRoot() string {
	if root := os.Getenv("GOROOT"); root != "" {
		return root
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// goFiles hides the folders named testdata: they hold programs that are wrong on purpose.
type goFiles struct{ fs.FS }

func (f goFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(f.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.IsDir() && e.Name() == "testdata" }), err
}

// jdk is the Java files of java.base in a JDK's src.zip.
func jdk() Source {
	info := Info{Name: "jdk", Description: "the java.base module of a JDK's src.zip", Language: "java",
		Licence: "GPL-2.0 with Classpath exception"}
	for _, home := range javaHomes() {
		file := filepath.Join(home, "lib", "src.zip")
		if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() {
			info.Where = file
			return &zipSource{info, file, "java.base/**/*.java"}
		}
	}
	info.Missing = "install a JDK with its sources (lib/src.zip) and set JAVA_HOME to it"
	return missing{info}
}

// javaHomes lists folders that may be a JDK: JAVA_HOME, that of the java command, and where systems
// install them.
func javaHomes() []string {
	var homes []string
	if home := os.Getenv("JAVA_HOME"); home != "" {
		homes = append(homes, home)
	}
	if java, err := exec.LookPath("java"); err == nil {
		if java, err = filepath.EvalSymlinks(java); err == nil {
			homes = append(homes, filepath.Dir(filepath.Dir(java)))
		}
	}
	places := []string{"/usr/lib/jvm/*", "/usr/java/*", "/opt/*jdk*"}
	if runtime.GOOS == "darwin" {
		places = []string{"/Library/Java/JavaVirtualMachines/*/Contents/Home"}
	}
	for _, pattern := range places {
		found, _ := filepath.Glob(pattern) // the patterns are constants and well formed
		homes = append(homes, found...)
	}
	return homes
}

// pythonLibrary is the standard library of the python3 on the PATH.
func pythonLibrary() Source {
	info := Info{Name: "python-stdlib", Description: "the standard library of the python3 found here, tests included",
		Language: "python", Licence: "PSF-2.0"}
	const script = "import sysconfig; print(sysconfig.get_path('stdlib'))"
	out, err := exec.Command("python3", "-c", script).Output()
	root := strings.TrimSpace(string(out))
	if st, e := os.Stat(root); err != nil || e != nil || !st.IsDir() {
		info.Missing = "put python3 on the PATH"
		return missing{info}
	}
	info.Where = root
	return &dirSource{info, pythonFiles{os.DirFS(root)}, "**/*.py"}
}

// pythonFiles hides what is not the library's own valid source: installed packages, and the test
// data of lib2to3 and others, which is wrong or Python 2 on purpose.
type pythonFiles struct{ fs.FS }

func (f pythonFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(f.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		switch e.Name() {
		case "site-packages", "dist-packages", "__pycache__":
			return true
		case "data":
			return strings.Contains(name, "lib2to3")
		}
		return strings.HasPrefix(e.Name(), "bad") && strings.HasPrefix(name, "test")
	}), err
}
