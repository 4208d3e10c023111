package config

import (
	"errors"

	"gopkg.in/yaml.v3"

	"gcdbench/internal/yamltext"
)

// parseYAML returns the root node of the only document in text.
func parseYAML(file string, text []byte) (*yaml.Node, error) {
	root, err := yamltext.Parse("configuration", text)
	var wrong *yamltext.Error
	if errors.As(err, &wrong) {
		return nil, Errors{{File: file, Position: Position{wrong.Line, wrong.Column}, Message: wrong.Message}}
	}
	return root, err
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

// items are the entries of a list; none of nil.
func items(n *yaml.Node) []*yaml.Node {
	if n == nil {
		return nil
	}
	return n.Content
}
