// Package conformance checks algorithms against the contract.
//
// Three things stand here. The suite is data: files of cases (a grammar, a vocabulary, a prefix,
// and the mask that is right), each about one trap of the contract, readable as its documentation.
// Any algorithm runs through all of them in one line:
//
//	for _, f := range conformance.Run(ctx, alg, nil).Failures { t.Error(f) }
//
// Walk compares algorithms with naive, and naive with the brute-force oracle, along random texts
// under a grammar. Random makes tiny grammars with vocabularies to walk under, from a seed, and
// Shrink makes what failed smaller before anyone has to look at it.
package conformance

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/tokenizers"
)

//go:embed cases/*.yaml
var files embed.FS

// A Suite is a grammar and a vocabulary with cases.
type Suite struct {
	Name string `yaml:"-"` // the file's name
	// About says which trap the suite is about.
	About string `yaml:"about"`
	// Grammar is in Lark's language.
	Grammar string `yaml:"grammar"`
	// Vocabulary lists the tokens' bytes by id, written like the inside of a Go string literal. An
	// empty one is an id without bytes. The id after the last is EOS, and the ids after that are
	// special tokens with the bytes of Special. One that the grammar names has the text of package
	// special: "\xff<name>\xfe".
	Vocabulary []string `yaml:"vocabulary"`
	Special    []string `yaml:"special"`
	// DeadEnds marks a grammar in which the parser accepts a terminal that the lexing rule can
	// never deliver, so that masks hold tokens that no sentence continues (docs/contract.md).
	DeadEnds bool `yaml:"dead_ends"`
	// NoOracle, if set, says why the oracle does not understand the grammar.
	NoOracle string `yaml:"no_oracle"`
	// Reach is how many bytes (and special tokens) a legal token may be from the end of a sentence:
	// so far the oracle looks before it says that there is none. 0 leaves that question out.
	Reach int    `yaml:"reach"`
	Cases []Case `yaml:"cases"`
}

// A Case is a prefix and the mask after it.
type Case struct {
	After []string `yaml:"after"` // the tokens committed, by their bytes
	Legal []string `yaml:"legal"` // the tokens in the mask, by their bytes; equal tokens are all meant
	End   bool     `yaml:"end"`   // whether EOS is in the mask
	Why   string   `yaml:"why"`
}

// Suites reads the embedded suites, by name.
func Suites() ([]Suite, error) {
	entries, err := files.ReadDir("cases")
	if err != nil {
		return nil, err
	}
	var suites []Suite
	for _, e := range entries {
		text, err := files.ReadFile(path.Join("cases", e.Name()))
		if err != nil {
			return nil, err
		}
		var list []Suite
		dec := yaml.NewDecoder(bytes.NewReader(text))
		dec.KnownFields(true)
		if err := dec.Decode(&list); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		for i := range list {
			list[i].Name = fmt.Sprintf("%s/%d", strings.TrimSuffix(e.Name(), ".yaml"), i+1)
			if err := list[i].unquote(); err != nil {
				return nil, fmt.Errorf("%s: %w", list[i].Name, err)
			}
		}
		suites = append(suites, list...)
	}
	return suites, nil
}

// unquote replaces the escapes in all token texts.
func (s *Suite) unquote() error {
	lists := []*[]string{&s.Vocabulary, &s.Special}
	for i := range s.Cases {
		lists = append(lists, &s.Cases[i].After, &s.Cases[i].Legal)
	}
	for _, list := range lists {
		for i, text := range *list {
			plain, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
			if err != nil {
				return fmt.Errorf("token %q: %w", text, err)
			}
			(*list)[i] = plain
		}
	}
	return nil
}

// Steps is how far a random walk under the suite's grammar goes, of so many steps at the most:
// texts without a lexer have more readings with each character.
func (s *Suite) Steps(most int) int {
	if strings.Contains(s.Grammar, "%lexer dynamic") {
		return most / 3
	}
	return most
}

// Build compiles the suite's grammar and vocabulary.
func (s *Suite) Build() (*grammar.Grammar, *tokenizers.Vocabulary, error) {
	g, err := lark.Parse([]byte(s.Grammar), lark.Options{File: s.Name})
	if err != nil {
		return nil, nil, err
	}
	v, err := vocabulary(s.Name, s.Vocabulary, s.Special)
	if err == nil {
		v, err = v.Naming(g.SpecialTokens())
	}
	return g, v, err
}

// vocabulary makes a vocabulary of token texts, then EOS, then special tokens.
func vocabulary(name string, texts, special []string) (*tokenizers.Vocabulary, error) {
	var tokens [][]byte
	for _, t := range texts {
		tokens = append(tokens, []byte(t))
	}
	eos := len(tokens)
	tokens = append(tokens, []byte("<eos>"))
	var ids []int
	for _, t := range special {
		ids = append(ids, len(tokens))
		tokens = append(tokens, []byte(t))
	}
	return tokenizers.NewVocabulary(name, tokens, []int{eos}, ids)
}

// tokenOf is the smallest legal id with the given bytes.
func tokenOf(v *tokenizers.Vocabulary, text string) (int, error) {
	for id := range v.Len() {
		if v.Legal(id) && string(v.Token(id)) == text {
			return id, nil
		}
	}
	return 0, fmt.Errorf("no token of the vocabulary has the bytes %q", text)
}

// expected is the set of ids that a case says are in the mask.
func (c *Case) expected(v *tokenizers.Vocabulary) ([]int, error) {
	var ids []int
	for _, text := range c.Legal {
		if _, err := tokenOf(v, text); err != nil {
			return nil, err
		}
	}
	for id := range v.Len() {
		if v.IsEOS(id) && c.End || v.Legal(id) && slices.Contains(c.Legal, string(v.Token(id))) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
