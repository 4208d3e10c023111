package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// yamlLine finds the line that yaml.v3 names in its message; it knows no columns.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// parseYAML returns the root node of the only document in text.
func parseYAML(file string, text []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, Errors{{File: file, Position: Position{1, 1}, Message: "the configuration is empty"}}
	case err != nil:
		return nil, syntaxError(file, err)
	}
	root := doc.Content[0]
	// A file of two documents is most likely two configurations put together by mistake; reading
	// the first alone would leave half of it out without a word.
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case err == nil:
		return nil, Errors{{File: file, Position: Position{second.Line, second.Column},
			Message: "a second document starts here: a configuration is one document"}}
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(file, err)
	}
	return root, nil
}

// syntaxError gives yaml.v3's message our form. It has a line at best.
func syntaxError(file string, err error) error {
	msg := err.Error()
	pos := Position{1, 1}
	if m := yamlLine.FindStringSubmatch(msg); m != nil {
		msg = msg[len(m[0]):]
		if line, err := strconv.Atoi(m[1]); err == nil {
			pos.Line = line
		}
	}
	return Errors{{File: file, Position: pos, Message: "not YAML: " + strings.TrimSpace(msg)}}
}

// member returns the value of key in a mapping, or nil.
func member(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// kindOf says what a node is, in words for a message.
func kindOf(n *yaml.Node) string {
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
	return fmt.Sprintf("the text %q", clip(n.Value))
}

// clip shortens what a message quotes: a value may be a whole file.
func clip(s string) string {
	const longest = 60 // characters; a message stays on one line of a terminal
	if r := []rune(s); len(r) > longest {
		return string(r[:longest]) + "..."
	}
	return s
}
