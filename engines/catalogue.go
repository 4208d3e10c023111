package engines

import (
	"fmt"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/engines/wire"
)

// An Entry is an engine that is known by name, with its installation and its options. When a
// version changes, only the table below has to be edited; a new engine needs an adapter in folder
// python, too.
type Entry struct {
	Name    string
	Summary string
	// Version is the one that is installed, Licence that of the engine.
	Version, Licence string
	// Takes are the kinds of text that it compiles, by the words of package wire.
	Takes []string
	// Adapter is the file in folder python that speaks the protocol for it.
	Adapter string
	// Bare are packages that are installed without their dependencies, Packages those with them.
	// Each has a version; the installation records the versions of dependencies.
	Bare, Packages []string
	// Options are the engine's options. The value "" stands for the value in MaskBench's runner of
	// the engine, or else for the engine's own default; the adapter decides.
	Options []algorithms.OptionInfo
	// Language are the options that change which texts the masks allow: engines that differ in them
	// are not compared bit for bit.
	Language []string
	// Differs are the ids of cases of package engines/check that it decides otherwise on purpose.
	Differs []string
	// Source is set if it is built from source, which takes minutes.
	Source bool
	// Note is a warning before the installation.
	Note string
}

// numpy is needed by the Python side of the protocol.
const numpy = "numpy>=1.26"

// Catalogue are the engines, the ones with most users first.
var Catalogue = []Entry{
	{
		Name: "llguidance", Summary: "Earley parser over lexemes, derivatives of regular expressions",
		Version: "1.9.1", Licence: "MIT", Adapter: "llguidance_engine.py",
		Differs:  []string{"convention/spaces", "convention/key-order", "convention/escapes"},
		Language: []string{"json"},
		Takes:    []string{wire.KindSchema, wire.KindLLGuidance, wire.KindRegex},
		Packages: []string{"llguidance==1.9.1", numpy},
		Options: []algorithms.OptionInfo{
			number("max_items_in_row"), number("initial_lexer_fuel"), number("step_lexer_fuel"),
			number("step_max_items"), number("max_lexer_states"), number("max_grammar_size"),
			free("json", "a JSON object of options for the compiler of JSON schemas"),
		},
	},
	{
		Name: "xgrammar", Summary: "Earley parser over bytes, masks precomputed for grammar states",
		Version: "0.2.8", Licence: "Apache-2.0", Adapter: "xgrammar_engine.py",
		Differs:  []string{"convention/compact", "convention/spaces", "convention/key-order", "convention/escapes"},
		Language: []string{"any_whitespace", "strict_mode", "any_order"},
		Takes:    []string{wire.KindSchema, wire.KindStructuralTag, wire.KindEBNF, wire.KindLark, wire.KindRegex},
		Bare:     []string{"xgrammar==0.2.8"},
		Packages: []string{"apache-tvm-ffi==0.1.15.post2", "pydantic>=2", numpy},
		Options: []algorithms.OptionInfo{
			likeMaskBench("any_whitespace", "false", "true"), likeMaskBench("strict_mode", "true", "true"), yesNo("any_order"),
			{Name: mostTools, Check: wholeNumber, Help: "of a request with more tools it is not asked: of thousands its compile takes minutes and all memory; asked of all unless given"},
		},
		Note: "without torch and transformers, which it imports for names of types",
	},
	{
		Name: "glrmask", Summary: "weighted automata over the stacks of a GLR parser",
		Version: "0.5.0", Licence: "MIT OR Apache-2.0", Adapter: "glrmask_engine.py",
		Differs:  []string{"convention/compact", "convention/spaces", "convention/key-order", "convention/escapes"},
		Takes:    []string{wire.KindSchema, wire.KindGLRMask, wire.KindLark},
		Packages: []string{"glrmask==0.5.0", numpy},
		Options:  []algorithms.OptionInfo{free("mask_strategy", "AUTO, or another MaskStrategy of glrmask's")},
	},
	{
		Name: "outlines-core", Summary: "the automaton of a regular expression over tokens",
		Version: "0.2.14", Licence: "Apache-2.0", Adapter: "outlines_core_engine.py",
		Differs:  []string{"convention/spaces", "convention/key-order", "convention/escapes", "convention/numbers"},
		Language: []string{"whitespace", "max_recursion_depth"},
		Takes:    []string{wire.KindSchema, wire.KindRegex},
		Packages: []string{"outlines-core==0.2.14", numpy},
		Options: []algorithms.OptionInfo{
			free("whitespace", "the regular expression of white space in JSON"), number("max_recursion_depth"), number("max_rollback"),
		},
	},
	{
		Name: "formatron", Summary: "Earley parser of KBNF grammars (kbnf)",
		Version: "0.5.0", Licence: "MIT", Adapter: "formatron_engine.py",
		Differs:  []string{"convention/spaces", "convention/key-order", "convention/escapes"},
		Language: []string{"strict_schema"},
		Takes:    []string{wire.KindSchema, wire.KindKBNF},
		Packages: []string{"formatron==0.5.0", "kbnf==0.4.2", numpy},
		Options:  []algorithms.OptionInfo{yesNo("strict_schema")},
	},
	{
		Name: "lm-format-enforcer", Summary: "a parser of characters that walks the vocabulary's tree",
		Version: "0.11.3", Licence: "MIT", Adapter: "lmformatenforcer_engine.py",
		Differs:  []string{"convention/escapes"},
		Language: []string{"max_consecutive_whitespaces", "max_json_array_length", "strict_json_field_order"},
		Takes:    []string{wire.KindSchema, wire.KindRegex},
		Packages: []string{"lm-format-enforcer==0.11.3", numpy},
		Options: []algorithms.OptionInfo{
			number("max_consecutive_whitespaces"), number("max_json_array_length"), yesNo("strict_json_field_order"),
		},
	},
	{
		Name: "grid", Summary: "LALR(1) tables, masks kept by parser configuration",
		Version: "0.4.2", Licence: "Apache-2.0", Adapter: "grid_engine.py",
		Differs:  []string{"convention/escapes"},
		Language: []string{"strict"},
		Takes:    []string{wire.KindSchema, wire.KindGRID},
		Bare:     []string{"grid-guardrail==0.4.2"},
		Packages: []string{"grid_core==0.2.0", "interegular==0.3.3", "PyYAML==6.0.3", numpy},
		Options:  []algorithms.OptionInfo{likeMaskBench("strict", "false", "false")},
		Note:     "without torch, whose tensors its masks never touch",
	},
	{
		Name: "syncode", Summary: "a store of masks for pairs of terminals",
		Version: "0.4.16", Licence: "MIT", Adapter: "syncode_engine.py",
		Language: []string{"mode"},
		Takes:    []string{wire.KindLark},
		Bare:     []string{"syncode==0.4.16"},
		Packages: []string{"interegular==0.3.3", "regex==2024.11.6", "tqdm", numpy},
		Options:  []algorithms.OptionInfo{free("mode", "grammar_mask or grammar_strict")},
		Note:     "without torch and transformers",
	},
	{
		Name: "llama.cpp", Summary: "sets of stacks of a GBNF grammar, tested token by token",
		Version: "0.3.36", Licence: "MIT", Adapter: "llamacpp_engine.py",
		Takes:    []string{wire.KindSchema, wire.KindGBNF},
		Packages: []string{"llama-cpp-python==0.3.36", numpy},
		Source:   true,
		Note:     "built from source: it takes a C++ compiler, and minutes",
	},
}

// SemanticsWith are the engine's, with the options that were given and change its language.
func (c catalogued) SemanticsWith(o algorithms.Options) string {
	words := []string{c.Entry.Name}
	for _, name := range c.Entry.Language {
		if o[name] != "" {
			words = append(words, name+"="+o[name])
		}
	}
	return strings.Join(words, " ")
}

// Find is the entry of a name; nil if there is none.
func Find(name string) *Entry {
	for i := range Catalogue {
		if Catalogue[i].Name == name {
			return &Catalogue[i]
		}
	}
	return nil
}

// Names are those of the engines in the catalogue.
func Names() (names []string) {
	for i := range Catalogue {
		names = append(names, Catalogue[i].Name)
	}
	return names
}

// ownDefault is the help of an option's default.
const ownDefault = " (the engine's own default unless given)"

// number is an option whose value is a whole number.
func number(name string) algorithms.OptionInfo {
	return algorithms.OptionInfo{Name: name, Check: wholeNumber, Help: "its parameter of that name, a whole number" + ownDefault}
}

// yesNo is an option that is true or false.
func yesNo(name string) algorithms.OptionInfo {
	return algorithms.OptionInfo{Name: name, Values: []string{"", "true", "false"}, Help: "its option of that name" + ownDefault}
}

// likeMaskBench is an option that is true or false. Its default is the value in MaskBench's runs of
// the engine, which may differ from the engine's own default.
func likeMaskBench(name, unlessGiven, own string) algorithms.OptionInfo {
	help := fmt.Sprintf("its option of that name (unless given %s, as MaskBench runs it; the engine's own default is %s)", unlessGiven, own)
	return algorithms.OptionInfo{Name: name, Values: []string{"", "true", "false"}, Help: help}
}

// free is an option with any value.
func free(name, help string) algorithms.OptionInfo {
	return algorithms.OptionInfo{Name: name, Help: help + ownDefault}
}
