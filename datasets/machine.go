package datasets

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// goTree is the Go files of the Go distribution.
func goTree() Source {
	info := Info{Name: "goroot", Description: "the Go distribution's own source, tests included", Language: "go",
		Licence: "BSD-3-Clause"}
	home := goRoot()
	root := filepath.Join(home, "src")
	if home == "" || !exists(filepath.Join(root, "runtime")) {
		info.Missing = "set GOROOT to a Go distribution, or put the go command on the PATH"
		return missing{info}
	}
	info.Where = root
	return &dirSource{info, goFiles{os.DirFS(root)}, "**/*.go"}
}

// goRoot is the folder of the Go distribution: GOROOT, or the folder that the go command is in, or
// the one it prints.
func goRoot() string {
	if root := os.Getenv("GOROOT"); root != "" {
		return root
	}
	if root := installation("go"); root != "" && exists(filepath.Join(root, "src", "runtime")) {
		return root
	}
	return output("go", "env", "GOROOT")
}

// installation is the folder above the bin folder that a command is in, links resolved; empty if
// there is no such command.
func installation(command string) string {
	file, err := exec.LookPath(command)
	if err == nil {
		file, err = filepath.EvalSymlinks(file)
	}
	if err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(file))
}

// patience is how long a command may take to print a path: a hundred times as long as it needs.
const patience = 10 * time.Second

// output is what a command prints, without the white space around it; empty if it fails.
func output(command string, args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, command, args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
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
	if home := installation("java"); home != "" {
		homes = append(homes, home)
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
	root := pythonRoot()
	if root == "" {
		info.Missing = "put python3 on the PATH"
		return missing{info}
	}
	info.Where = root
	return &dirSource{info, pythonFiles{os.DirFS(root)}, "**/*.py"}
}

// pythonRoot is the folder of the standard library: beside the interpreter if its name says the
// version, as it mostly does once links are resolved, and otherwise (a wrapper script) what the
// interpreter says.
func pythonRoot() string {
	if file, err := exec.LookPath("python3"); err == nil {
		if file, err = filepath.EvalSymlinks(file); err == nil {
			root := filepath.Join(filepath.Dir(filepath.Dir(file)), "lib", filepath.Base(file))
			if exists(filepath.Join(root, "os.py")) {
				return root
			}
		}
	}
	root := output("python3", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))")
	if root == "" || !exists(filepath.Join(root, "os.py")) {
		return ""
	}
	return root
}

// pythonFiles hides files that are not valid source of the library itself: installed packages, and
// the test data of lib2to3 and others, which is wrong or Python 2 on purpose.
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
