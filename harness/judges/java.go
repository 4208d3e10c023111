package judges

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed Parse.java
var javaProgram []byte

// newJava judges by javac's parser. A JDK runs the program from its source, and compiles it in
// memory.
func newJava(name string, opt Options) (Judge, error) {
	javac := "javac"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		javac = filepath.Join(home, "bin", "javac")
	}
	javac, err := exec.LookPath(javac)
	if err == nil {
		javac, err = filepath.EvalSymlinks(javac) // beside which java is the JDK's own
	}
	if err != nil {
		return nil, &MissingError{Judge: name, Why: "it is not there: put a JDK's programs on the PATH, or set JAVA_HOME", Installable: true}
	}
	return newChild(name, opt, nil, func() (*exec.Cmd, func(), error) {
		file, done, err := fileOf(name, "Parse.java", javaProgram)
		if err != nil {
			return nil, nil, err
		}
		// One thread and little memory: it parses small files, beside engines.
		return exec.Command(filepath.Join(filepath.Dir(javac), "java"), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss64m", file), done, nil
	}), nil
}
