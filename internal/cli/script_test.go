package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// A script is a file of testdata/script: commands, and behind them the files that they are given,
// which lie in a folder of their own, where the commands run. Its lines are
//
//	# what follows is about
//	file NAME TEXT       a file of this text, without a line end
//	env NAME=VALUE       a variable of the environment
//	stdin TEXT           what the next command reads
//	gcdbench ARGUMENT... a command, quiet. Words are apart by blanks; 'a b' is one word
//	exit STATUS          how it ended: without this line, well
//	stdout TEXT          a part of its output
//	stderr TEXT          a part of its messages
//	! stdout TEXT        no part of it
//	silent               it has no output
//
// A word or text may be a string of Go. $WORK is the folder, $CONFIGS that of the configurations.
type script struct {
	*testing.T
	file, about string
	line        int
	expand      *strings.Replacer
	stdin       string
	ran         *result
	args        string
	exit        int
}

// TestScripts runs all scripts.
func TestScripts(t *testing.T) {
	files := must.Get(filepath.Glob("testdata/script/*.txt"))(t)
	if len(files) < 4 {
		t.Fatalf("%d scripts", len(files))
	}
	configs := must.Get(filepath.Abs("../../configs"))(t)
	for _, file := range seed.Some(t, files, 2, 1, 1) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			archive := must.Get(txtar.ParseFile(file))(t)
			work := t.TempDir()
			t.Setenv("GCDBENCH_CACHE", t.TempDir()) // nothing is fetched
			t.Chdir(work)
			for _, f := range archive.Files {
				must.OK(t, os.MkdirAll(filepath.Dir(f.Name), 0o755))
				must.OK(t, os.WriteFile(f.Name, f.Data, 0o644))
			}
			s := &script{T: t, file: file, expand: strings.NewReplacer("$WORK", work, "$CONFIGS", configs)}
			for i, line := range strings.Split(string(archive.Comment), "\n") {
				s.line = i + 1
				s.run(strings.TrimSpace(line))
			}
			s.ended()
		})
	}
}

// run does what a line says.
func (s *script) run(line string) {
	verb, rest, _ := strings.Cut(s.expand.Replace(line), " ")
	switch verb {
	case "":
	case "#":
		s.about = rest
	case "file":
		name, content, _ := strings.Cut(rest, " ")
		must.OK(s.T, os.WriteFile(name, []byte(s.text(content)), 0o644))
	case "env":
		name, value, _ := strings.Cut(rest, "=")
		s.Setenv(name, value)
	case "stdin":
		s.stdin = s.text(rest)
	case "gcdbench":
		s.ended()
		r := gcdbench(s.T, s.stdin, s.words(rest)...)
		s.ran, s.args, s.stdin = &r, rest, ""
	case "exit":
		s.exit = must.Get(strconv.Atoi(rest))(s.T)
	case "silent":
		s.check(s.ran.out == "", "it has output")
	case "stdout":
		s.check(strings.Contains(s.ran.out, s.text(rest)), "no "+rest)
	case "stderr":
		s.check(strings.Contains(s.ran.err, s.text(rest)), "no "+rest)
	case "!":
		_, text, _ := strings.Cut(rest, " ")
		s.check(!strings.Contains(s.ran.out, s.text(text)), text)
	default:
		s.Fatalf("%s:%d: no line of a script begins with %q", s.file, s.line, verb)
	}
}

// ended looks at how the command ended. A message about bad input has the program's name.
func (s *script) ended() {
	if s.ran != nil {
		s.check(s.ran.status == s.exit, "status "+strconv.Itoa(s.ran.status))
		s.check(s.ran.status != exitUsage || strings.HasPrefix(s.ran.err, "gcdbench: "), "a message without the program's name")
	}
	s.ran, s.exit = nil, exitOK
}

func (s *script) check(ok bool, what string) {
	s.Helper()
	if !ok {
		s.Errorf("%s:%d: %s: gcdbench %s: %s in\n%.2000s%.2000s", s.file, s.line, s.about, s.args, what, s.ran.out, s.ran.err)
	}
}

// text is what a string of Go stands for, or the text as it stands.
func (s *script) text(text string) string {
	if quoted, err := strconv.Unquote(text); err == nil {
		return quoted
	}
	return text
}

// words are the arguments of a command.
func (s *script) words(line string) (list []string) {
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		word := ""
		switch line[0] {
		case '\'':
			word, line, _ = strings.Cut(line[1:], "'")
		case '"':
			quoted := must.Get(strconv.QuotedPrefix(line))(s.T)
			word, line = s.text(quoted), line[len(quoted):]
		default:
			word, line, _ = strings.Cut(line, " ")
		}
		list = append(list, word)
	}
	return list
}
