package packages

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gopkg.in/yaml.v3"

	"gcdbench/internal/jsontext"
	"gcdbench/internal/yamltext"
)

// errNoJSON says that a YAML document has no JSON value that means the same.
var errNoJSON = errors.New("not a value of JSON")

// jsonOfYAML is the JSON text of a file with one YAML document: keys in their order, aliases
// written out, dates as the strings that they are written as. Merge keys, keys that are no
// scalars, and tags of one's own have no counterpart, and numbers only if they are written as in
// JSON or as whole numbers.
func jsonOfYAML(text []byte) ([]byte, error) {
	root, err := yamltext.Parse("package's file", text)
	if err != nil {
		return nil, err
	}
	v, err := valueOfYAML(root, 0)
	if err != nil {
		return nil, err
	}
	return v.Append(nil), nil
}

// maxDepth bounds the nesting of a YAML document, with its aliases written out.
const maxDepth = 100

func valueOfYAML(n *yaml.Node, depth int) (*jsontext.Value, error) {
	if depth > maxDepth {
		return nil, errNoJSON
	}
	v := &jsontext.Value{Kind: jsontext.Array}
	switch n.Kind {
	case yaml.AliasNode:
		return valueOfYAML(n.Alias, depth+1)
	case yaml.ScalarNode:
		return scalarOfYAML(n)
	case yaml.MappingNode:
		v.Kind = jsontext.Object
	}
	if n.Tag != "!!map" && n.Tag != "!!seq" {
		return nil, errNoJSON
	}
	for i, sub := range n.Content {
		if v.Kind == jsontext.Object && i%2 == 0 {
			if sub.Kind != yaml.ScalarNode || sub.Tag == "!!merge" || slices.Contains(v.Keys, sub.Value) {
				return nil, errNoJSON
			}
			v.Keys = append(v.Keys, sub.Value)
			continue
		}
		x, err := valueOfYAML(sub, depth+1)
		if err != nil {
			return nil, err
		}
		v.Items = append(v.Items, x)
	}
	return v, nil
}

func scalarOfYAML(n *yaml.Node) (*jsontext.Value, error) {
	v := &jsontext.Value{Kind: jsontext.String, Text: n.Value}
	switch n.Tag {
	case "!!str", "!!timestamp":
	case "!!null":
		v.Kind = jsontext.Null
	case "!!bool":
		if err := n.Decode(&v.Truth); err != nil {
			return nil, err
		}
		v.Kind = jsontext.Bool
	case "!!int", "!!float":
		v.Kind = jsontext.Number
		if number, err := jsontext.Parse("", []byte(n.Value)); err == nil && number.Kind == jsontext.Number {
			break
		}
		var whole int64
		if err := n.Decode(&whole); err != nil {
			return nil, err
		}
		v.Text = strconv.FormatInt(whole, 10)
	default:
		return nil, fmt.Errorf("%w: %s", errNoJSON, n.Tag)
	}
	return v, nil
}
