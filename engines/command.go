package engines

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"unicode"

	"gcdbench/engines/process"
)

// commandKey tells commands apart.
func commandKey(c process.Command) string {
	return fmt.Sprintf("%q %q %q", c.Name, c.Args, c.Env)
}

// SplitCommand splits a command at white space. Quotes of both kinds hold words together; a
// backslash is an ordinary character, so that paths of all systems can be written.
func SplitCommand(command string) ([]string, error) {
	var args []string
	var word strings.Builder
	quote, inWord := rune(0), false
	for _, r := range command {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, inWord = r, true
		case quote == 0 && unicode.IsSpace(r):
			if inWord {
				args = append(args, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		args = append(args, word.String())
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("command %q: the quote %c is not closed", command, quote)
	case len(args) == 0:
		return nil, errors.New(`which command? an engine of your own needs one, as {name: outside, options: {command: "python3 my_engine.py"}}`)
	}
	return args, nil
}

// CommandOf is the command of an engine that speaks the protocol. Python finds the module
// gcdbench_engine there.
func CommandOf(command string) (process.Command, error) {
	args, err := SplitCommand(command)
	if err != nil {
		return process.Command{}, err
	}
	c := process.Command{Name: strings.Join(args, " "), Args: args}
	dir, err := writeAdapters()
	if err != nil {
		return c, err
	}
	c.Env = []string{pythonPath(dir)}
	return c, nil
}

// pythonPath is the variable by which Python finds modules in a folder, before those of the user.
func pythonPath(dir string) string {
	if old := os.Getenv("PYTHONPATH"); old != "" {
		dir += string(os.PathListSeparator) + old
	}
	return "PYTHONPATH=" + dir
}

// found tells whether the program of a command is there.
func found(c process.Command) error {
	if _, err := exec.LookPath(c.Args[0]); err != nil {
		return fmt.Errorf("the program of the engine %q cannot be started: %w", c.Name, err)
	}
	return nil
}
