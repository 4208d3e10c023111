package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"gcdbench/internal/yamltext"
)

// Defaults of the keys a configuration may leave out. They are what a first run wants, which is
// minutes and not hours; a result records the values themselves, so changing one here does not
// change what an old result means.
const (
	DefaultSeed    = 1
	DefaultWarmup  = 1                // enough for an engine that builds on demand to have built what the timed passes need
	DefaultRepeat  = 3                // the least of which a median drops an outlier
	DefaultTimeout = 10 * time.Minute // for a compile, or all passes over one sample
)

// builder turns nodes of the right shape into structs, and finds the mistakes
// that no shape shows: names nobody knows, files that are not there, keys that
// exclude each other.
type builder struct {
	*checker
	dir   string // of the configuration; relative paths start here
	names Names  // what is registered; nil kinds are not checked
}

// config reads a file of the right shape. It goes on after a mistake, so that all
// are reported; what it returns then is not used.
func (b *builder) config(root *yaml.Node) *Config {
	cfg := &Config{
		Name: member(root, "name").Value,
		Seed: uint64(intOr(member(root, "seed"), DefaultSeed)),
	}
	for _, n := range member(root, "algorithms").Content {
		cfg.Algorithms = append(cfg.Algorithms, b.algorithm(n))
	}
	b.labelAlgorithms(cfg.Algorithms)
	for _, n := range member(root, "tokenizers").Content {
		cfg.Tokenizers = append(cfg.Tokenizers, b.tokenizer(n)...)
	}
	for _, n := range member(root, "workloads").Content {
		cfg.Workloads = append(cfg.Workloads, b.workload(n))
	}
	cfg.Measure = b.measure(member(root, "measure"))
	b.unique(root, cfg)
	cfg.Throughput = b.throughput(member(root, "throughput"), cfg)
	cfg.Load = b.load(member(root, "load"), cfg)
	return cfg
}

// sound reads the entries that have the right shape in a file that is wrong
// elsewhere, for the mistakes in them: all are to be reported together.
func (b *builder) sound(root *yaml.Node) {
	for key, read := range map[string]func(n *yaml.Node){
		"algorithms": func(n *yaml.Node) { b.algorithm(n) },
		"tokenizers": func(n *yaml.Node) { b.tokenizer(n) },
		"workloads":  func(n *yaml.Node) { b.workload(n) },
	} {
		entries := member(root, key)
		if entries == nil || entries.Kind != yaml.SequenceNode {
			continue
		}
		shape := rootShape.field(key).shape.(list).of
		for _, n := range entries.Content {
			alone := &checker{file: b.file} // its mistakes of shape are reported already
			if shape.check(alone, n); len(alone.errs) == 0 {
				read(n)
			}
		}
	}
}

// algorithm reads a name, or {name, options, label}.
func (b *builder) algorithm(n *yaml.Node) Algorithm {
	a := Algorithm{Pos: Position{n.Line, n.Column}}
	at := n
	if n.Kind == yaml.MappingNode {
		at, a.Label = member(n, "name"), valueOr(member(n, "label"), "")
	}
	a.Name = at.Value
	options, known := b.names.Algorithms[a.Name]
	if b.names.Algorithms != nil && !known {
		b.unknown(at, "algorithm", sortedKeys(b.names.Algorithms))
	}
	if o := member(n, "options"); o != nil {
		a.Options = b.options(a.Name, o, options)
	}
	return a
}

// options reads an algorithm's options as they are written. Their defaults are the
// algorithm's business, and are filled in when it is looked up.
func (b *builder) options(algorithm string, n *yaml.Node, known []Option) map[string]string {
	got := map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		got[key.Value] = value.Value
		if b.names.Algorithms != nil {
			b.option(algorithm, key, value, known)
		}
	}
	if len(got) == 0 {
		return nil
	}
	return got
}

// option checks one option's name and value against what the algorithm declares.
func (b *builder) option(algorithm string, key, value *yaml.Node, known []Option) {
	var names []string
	for _, o := range known {
		names = append(names, o.Name)
		if o.Name != key.Value {
			continue
		}
		if len(o.Values) > 0 && !slices.Contains(o.Values, value.Value) {
			b.errorf(value, "%s's option %s cannot be %q%s; expected one of %s", algorithm, o.Name,
				yamltext.Clip(value.Value), didYouMean(value.Value, o.Values), strings.Join(o.Values, ", "))
		} else if len(o.Values) == 0 && o.Check != nil {
			if err := o.Check(value.Value); err != nil {
				b.errorf(value, "%s's option %s cannot be %q: %v", algorithm, o.Name, yamltext.Clip(value.Value), err)
			}
		}
		return
	}
	if len(names) == 0 {
		b.errorf(key, "%s takes no options, found %q", algorithm, yamltext.Clip(key.Value))
		return
	}
	b.errorf(key, "%s has no option %q%s; it has %s", algorithm, yamltext.Clip(key.Value),
		didYouMean(key.Value, names), strings.Join(names, ", "))
}

// labelAlgorithms counts equal entries and gives every entry a label of its own:
// the name, its options in brackets, and #2, #3 ... for a repeated entry.
func (b *builder) labelAlgorithms(list []Algorithm) {
	copies := map[string]int{}
	for i := range list {
		a := &list[i]
		id := a.Name + OptionText(a.Options)
		a.Copy = copies[id]
		copies[id]++
		if a.Label != "" {
			continue
		}
		a.Label = id
		if a.Copy > 0 {
			a.Label = fmt.Sprintf("%s #%d", id, a.Copy+1)
		}
	}
}

// OptionText writes options in the order of their names, as " (a=1, b=2)"; ""
// if there are none.
func OptionText(options map[string]string) string {
	if len(options) == 0 {
		return ""
	}
	pairs := make([]string, 0, len(options))
	for _, k := range sortedKeys(options) {
		pairs = append(pairs, k+"="+options[k])
	}
	return " (" + strings.Join(pairs, ", ") + ")"
}

// cutName is name[:n].
var cutName = regexp.MustCompile(`^(.*)\[:([0-9]+)\]$`)

// tokenizer reads a name, or {name|file, cut, label}; a list of cuts gives one
// vocabulary each.
func (b *builder) tokenizer(n *yaml.Node) []Tokenizer {
	t := Tokenizer{Pos: Position{n.Line, n.Column}}
	at := n
	if n.Kind == yaml.MappingNode {
		name, file := member(n, "name"), member(n, "file")
		if (name == nil) == (file == nil) {
			b.errorf(n, "a tokenizer needs either name or file")
			return nil
		}
		if at = name; at == nil {
			at = file
			t.File, t.Spec = true, b.existing(file, "tokenizer")
		}
	}
	if !t.File && !b.tokenizerName(at, &t) {
		return nil
	}
	label := at.Value
	if t.File {
		label = filepath.Base(t.Spec)
	}
	return b.cuts(t, valueOr(member(n, "label"), label), member(n, "cut"))
}

// tokenizerName splits name[:n] and looks the name up.
func (b *builder) tokenizerName(at *yaml.Node, t *Tokenizer) bool {
	t.Spec = at.Value
	if m := cutName.FindStringSubmatch(at.Value); m != nil {
		cut, err := strconv.Atoi(m[2])
		if err != nil || cut < 1 {
			b.errorf(at, "the cut of %q is out of range: expected at least 1 id", yamltext.Clip(at.Value))
			return false
		}
		t.Spec, t.Cut = m[1], cut
	}
	if b.names.Tokenizers != nil && !slices.Contains(b.names.Tokenizers, t.Spec) {
		named := *at // the message is about the name, without its cut
		named.Value = t.Spec
		b.unknown(&named, "tokenizer", b.names.Tokenizers)
		return false
	}
	return true
}

// cuts makes one vocabulary of each size in cut, or the whole one if there is no
// cut. Sizes are part of the labels, since a sweep is read by them.
func (b *builder) cuts(t Tokenizer, label string, cut *yaml.Node) []Tokenizer {
	t.Label = label
	if cut == nil {
		return []Tokenizer{t}
	}
	if t.Cut != 0 {
		b.errorf(cut, "the name %q is cut already", label)
		return nil
	}
	sizes := []*yaml.Node{cut}
	if cut.Kind == yaml.SequenceNode {
		sizes = cut.Content
	}
	var out []Tokenizer
	for _, n := range sizes {
		one := t
		one.Pos = Position{n.Line, n.Column}
		if n.Value != "all" {
			one.Cut = int(intOr(n, 0))
			one.Label = fmt.Sprintf("%s[:%d]", label, one.Cut)
		}
		out = append(out, one)
	}
	return out
}

// measure fills in the defaults; n is nil if the file leaves measure out.
func (b *builder) measure(n *yaml.Node) Measure {
	return Measure{
		Warmup:    int(intOr(member(n, "warmup"), DefaultWarmup)),
		Repeat:    int(intOr(member(n, "repeat"), DefaultRepeat)),
		Compiles:  int(intOr(member(n, "compiles"), 0)),
		Positions: int(intOr(member(n, "positions"), 0)),
		Between:   valueOr(member(n, "between"), BetweenLogits),
		Timeout:   durationOr(member(n, "timeout"), DefaultTimeout),
		Memory:    sizeOr(member(n, "memory")),
	}
}

// unique reports entries that results could not tell apart.
func (b *builder) unique(root *yaml.Node, cfg *Config) {
	seen := map[string]Position{}
	once := func(kind, label string, pos Position) {
		if first, twice := seen[kind+"\x00"+label]; twice {
			b.errorf(&yaml.Node{Line: pos.Line, Column: pos.Column},
				"the %s %q stands already at line %d column %d; give one of them another %s",
				kind, label, first.Line, first.Column, map[bool]string{true: "name", false: "label"}[kind == "workload"])
			return
		}
		seen[kind+"\x00"+label] = pos
	}
	for _, a := range cfg.Algorithms {
		once("algorithm", a.Label, a.Pos)
	}
	for _, t := range cfg.Tokenizers {
		once("tokenizer", t.Label, t.Pos)
	}
	for _, w := range cfg.Workloads {
		once("workload", w.Name, w.Pos)
	}
}

// resolve makes a path of the file absolute.
func (b *builder) resolve(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(b.dir, path)
	}
	return filepath.Clean(path)
}

// existing resolves a path and reports it if nothing is there.
func (b *builder) existing(n *yaml.Node, what string) string {
	path := b.resolve(n.Value)
	if _, err := os.Stat(path); err != nil {
		if os.IsNotExist(err) {
			b.errorf(n, "the %s file %q does not exist; relative paths start at %s", what, yamltext.Clip(n.Value), b.dir)
		} else {
			b.errorf(n, "cannot use the %s file %q: %v", what, yamltext.Clip(n.Value), err)
		}
	}
	return path
}

// unknown reports a name that is not registered, with the nearest one that is.
func (b *builder) unknown(n *yaml.Node, what string, known []string) {
	known = slices.Sorted(slices.Values(known))
	hint := ""
	if what == "tokenizer" {
		hint = "; any other is given by its file, {file: path/tokenizer.json}"
	}
	b.errorf(n, "unknown %s %q%s; known are %s%s", what, yamltext.Clip(n.Value), didYouMean(n.Value, known), strings.Join(known, ", "), hint)
}

// valueOr is the text of a node, or otherwise if the node is not there.
func valueOr(n *yaml.Node, otherwise string) string {
	if n == nil {
		return otherwise
	}
	return n.Value
}

// intOr is the number of a node, or otherwise if the node is not there.
func intOr(n *yaml.Node, otherwise int64) int64 {
	if n == nil {
		return otherwise
	}
	i, err := parseInt(n.Value)
	if err != nil {
		return otherwise // a word, such as all
	}
	return i
}

// sizeOr reads a plain number of bytes or a size with unit; 0 if n is nil.
func sizeOr(n *yaml.Node) int64 {
	if n == nil {
		return 0
	}
	if i, err := parseInt(n.Value); err == nil {
		return i
	}
	s, _ := ParseSize(n.Value) // its shape was checked
	return s
}

// sortedKeys are a map's keys in the order of the alphabet: messages and labels must not depend on
// how a map is walked.
func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
