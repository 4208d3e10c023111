// Package yamltext reads YAML texts of one document, and says where in a text something is wrong.
package yamltext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"gcdbench/internal/words"
)

// An Error is what is wrong with a text, and where. Line and Column count from 1; of what is not
// YAML there is a line at best.
type Error struct {
	Line, Column int
	Message      string
}

// Error is line:column: message.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message) }

// yamlLine finds the line that yaml.v3 names in its message; it knows no columns.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// Parse returns the root node of the only document in a text. What says what the text is, such as
// "configuration". The error is an *Error.
func Parse(what string, text []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, &Error{1, 1, "the " + what + " is empty"}
	case err != nil:
		return nil, syntaxError(text, err)
	}
	// A file of two documents is most likely two files put together by mistake; reading the first
	// alone would leave half of it out without a word.
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case err == nil:
		return nil, &Error{second.Line, second.Column, fmt.Sprintf("a second document starts here: a %s is one document", what)}
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(text, err)
	}
	return doc.Content[0], nil
}

// Messages of yaml.v3's parser name the line before; its scanner counts from 1. It names none for
// an alias.
var (
	fromParser   = regexp.MustCompile(`^did not find expected (<|node content|'-' indicator|key$|',' or)`)
	unknownAlias = regexp.MustCompile(`^unknown anchor '(.*)' referenced`)
)

// syntaxError gives yaml.v3's message our form.
func syntaxError(text []byte, err error) error {
	msg, line, column := err.Error(), 1, 1
	if m := yamlLine.FindStringSubmatch(msg); m != nil {
		msg = msg[len(m[0]):]
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
			if fromParser.MatchString(msg) {
				line++
			}
		}
	}
	if m := unknownAlias.FindStringSubmatch(msg); m != nil {
		if at := bytes.Index(text, []byte("*"+m[1])); at >= 0 {
			line, column = words.LineColumn(text, at)
		}
	}
	return &Error{line, column, "not YAML: " + strings.TrimSpace(msg)}
}

// EachKey visits the pairs of a mapping. It reports keys that are not plain, and keys that stand
// there twice, which yaml.v3's node tree does not do; it does not visit them.
func EachKey(n *yaml.Node, report func(key *yaml.Node, why string), visit func(key, value *yaml.Node)) {
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		line, twice := seen[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge":
			report(key, "expected a plain key, found "+KindOf(key))
		case twice:
			report(key, fmt.Sprintf("the key %q stood already at line %d", Clip(key.Value), line))
		default:
			seen[key.Value] = key.Line
			visit(key, value)
		}
	}
}

// KindOf says what a node is, in words for a message.
func KindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "the truth value " + n.Value
	case "!!int", "!!float":
		return "the number " + n.Value
	}
	return fmt.Sprintf("the text %q", Clip(n.Value))
}

// Clip shortens what a message quotes, which may be a whole file, so that it stays on one line of a
// terminal.
func Clip(s string) string { return words.Clip(s, 60) }
