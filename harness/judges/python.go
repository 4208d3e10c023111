package judges

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Judges that run in Python: CPython's parser, PostgreSQL's (pglast) and Lark (lark.go).

//go:embed pythonjudge.py
var pythonProgram string

//go:embed sqljudge.py
var sqlProgram string

//go:embed pyodide.mjs
var pyodideProgram []byte

// pythonSetup is what CPython's child has to know.
type pythonSetup struct {
	Compile bool `json:"compile"`
}

// newPython judges by CPython's parser, of the newest Python there is unless one is named.
func newPython(name string, opt Options) (Judge, error) {
	if opt.Python == "" && os.Getenv(pythonVariable) == "" {
		opt.Python = newestPython()
	}
	return pythonChild(name, opt, pythonProgram, pythonSetup{opt.Compile}), nil
}

// newSQL judges by PostgreSQL's parser.
func newSQL(name string, opt Options) (Judge, error) {
	return pythonChild(name, opt, sqlProgram, nil), nil
}

// pythonVariable names a Python.
const pythonVariable = "GCDBENCH_PYTHON"

// pythonChild runs a program in Python.
func pythonChild(name string, opt Options, program string, setup any) *child {
	python := opt.Python
	if python == "" {
		python = os.Getenv(pythonVariable)
	}
	if python == "" {
		python = "python3"
	}
	return newChild(name, opt, setup, func() (*exec.Cmd, func(), error) {
		if strings.HasSuffix(python, ".mjs") {
			return pyodideCommand(name, python, program)
		}
		if _, err := exec.LookPath(python); err != nil {
			return nil, nil, &MissingError{Judge: name, Why: python + " is not there: install Python, or name it in GCDBENCH_PYTHON", Installable: true}
		}
		return exec.Command(python, "-c", program), func() {}, nil
	})
}

// pyodideCommand runs a program in Pyodide, whose module is at a path.
func pyodideCommand(name, module, program string) (*exec.Cmd, func(), error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, nil, &MissingError{Judge: name, Why: "node is not there, which runs " + module + ": install Node.js", Installable: true}
	}
	if module, err = filepath.Abs(module); err == nil {
		_, err = os.Stat(module)
	}
	if err != nil {
		return nil, nil, &MissingError{Judge: name, Why: err.Error()}
	}
	file, done, err := fileOf(name, "pyodide.mjs", pyodideProgram)
	if err != nil {
		return nil, nil, err
	}
	return exec.Command(node, file, module, program), done, nil
}

// fileOf writes a judge's program into a folder of its own; done removes it.
func fileOf(judge, file string, text []byte) (path string, done func(), err error) {
	folder, err := os.MkdirTemp("", "gcdbench-judge-")
	if err != nil {
		return "", nil, &MissingError{Judge: judge, Why: err.Error()}
	}
	done = func() { os.RemoveAll(folder) } // what is left of it is a file of 3 KB
	path = filepath.Join(folder, file)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		done()
		return "", nil, &MissingError{Judge: judge, Why: err.Error()}
	}
	return path, done, nil
}

// newest is the largest minor version of Python 3 that newestPython looks for.
const newest = 30

// newestPython is the newest CPython on the PATH, python3.N with the largest N that runs; "" if
// there is none, and python3 has to do.
func newestPython() string {
	for n := newest; n >= 0; n-- {
		path, err := exec.LookPath("python3." + strconv.Itoa(n))
		// A version manager has stand-ins on the PATH that do not run.
		if err == nil && exec.Command(path, "-c", "").Run() == nil {
			return path
		}
	}
	return ""
}
