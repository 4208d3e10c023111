package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/datasets/toolcalls"
	"gcdbench/grammar/languages"
	"gcdbench/harness/config"
	"gcdbench/harness/judges"
	"gcdbench/internal/words"
	"gcdbench/tokenizers"
)

// list: the names that a configuration may use, from the registries against which it is checked.

// listed is one line of list. Kind says which list it is of.
type listed struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Summary describes it; Note says where it comes from, or what is missing.
	Summary string         `json:"summary"`
	Note    string         `json:"note,omitempty"`
	Size    int            `json:"size,omitempty"` // of a tokenizer: ids
	Ready   bool           `json:"ready"`          // usable with nothing fetched
	Licence string         `json:"licence,omitempty"`
	Options []listedOption `json:"options,omitempty"`
	// Of a grammar: the language and its version, and the program that 'grammar audit' asks.
	Covers   string `json:"covers,omitempty"`
	JudgedBy string `json:"judged_by,omitempty"`
}

// listedOption is an option of an algorithm, with its values; none if the algorithm checks the
// value itself.
type listedOption struct {
	Name    string   `json:"name"`
	Default string   `json:"default"`
	Values  []string `json:"values,omitempty"`
	Help    string   `json:"help,omitempty"`
}

// lists are the things that list can show, in order.
var lists = []struct {
	name string
	make func() ([]listed, error)
}{
	{"algorithms", listAlgorithms},
	{"tokenizers", listTokenizers},
	{"grammars", listGrammars},
	{"datasets", listDatasets},
	{"keys", listKeys},
}

// listCommand lists the names that a configuration may use.
func (a *app) listCommand() *cobra.Command {
	names := make([]string, len(lists))
	for i, l := range lists {
		names[i] = l.name
	}
	cmd := newCommand("list", cobra.MatchAll(atMost(1), oneOf(names)), func(_ *cobra.Command, args []string) error {
		for _, l := range lists {
			if len(args) > 0 && args[0] != l.name {
				continue
			}
			entries, err := l.make()
			if err != nil {
				return err
			}
			if err := a.printList(l.name, entries); err != nil {
				return err
			}
			if l.name == "datasets" && !a.asJSON {
				fmt.Fprint(a.out, helpOf("own datasets"))
			}
		}
		return nil
	})
	cmd.Long, cmd.ValidArgs = cmd.Long+"\n\n"+helpOf("own datasets"), names
	return cmd
}

// oneOf refuses arguments that are not among names.
func oneOf(names []string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		for _, arg := range args {
			if !slices.Contains(names, arg) {
				return fmt.Errorf("%q is not one of %s", arg, strings.Join(names, ", "))
			}
		}
		return nil
	}
}

// printList prints one list; as JSON a line each, of which kind says the list.
func (a *app) printList(name string, entries []listed) error {
	if a.asJSON {
		return eachJSON(a, entries)
	}
	width := 0
	for _, e := range entries {
		width = max(width, len(e.Name))
	}
	return pages.ExecuteTemplate(a.out, "list", map[string]any{"Name": name, "Width": width, "Entries": entries})
}

// listAlgorithms lists the algorithms, with their semantics if that is not the contract.
func listAlgorithms() ([]listed, error) {
	var all []listed
	for _, name := range algorithms.Names() {
		alg, err := algorithms.Lookup(name)
		if err != nil {
			return nil, err
		}
		e := listed{Kind: "algorithm", Name: name, Summary: alg.Summary(), Ready: true}
		if s := alg.Semantics(); s != algorithms.SemanticsContract {
			e.Note = "semantics: " + s
		}
		e.Options = optionsOf(alg.Options())
		all = append(all, e)
	}
	return all, nil
}

// listTokenizers lists the tokenizers with a name, and whether they have to be fetched first.
func listTokenizers() ([]listed, error) {
	var all []listed
	for _, t := range tokenizers.Names() {
		state := "not fetched; gcdbench fetch " + t.Name
		switch {
		case t.Embedded:
			state = "embedded"
		case t.Cached:
			state = "in the cache"
		}
		if t.Unchecked != "" {
			state += ", unchecked"
		}
		all = append(all, listed{Kind: "tokenizer", Name: t.Name, Size: t.Size, Ready: t.Cached, Licence: t.Licence,
			Summary: words.Count(t.Size, "id") + ", " + state, Note: fmt.Sprintf("%s; licence: %s", t.Source, t.Licence)})
	}
	return all, nil
}

// listGrammars lists the grammars with a name, and reads those that are there for their counts.
func listGrammars() ([]listed, error) {
	var all []listed
	for _, name := range languages.Names() {
		g, err := languages.Load(context.Background(), name)
		if err != nil {
			return nil, err
		}
		all = append(all, listed{Kind: "grammar", Name: name, Ready: true, Covers: languages.Covers(name), JudgedBy: judges.NameOf(name),
			Summary: words.Count(len(g.Terminals), "terminal") + ", " + words.Count(len(g.Rules), "rule"),
			Note:    languages.Covers(name) + "; judged by " + judges.NameOf(name)})
	}
	for _, p := range languages.Packages() {
		_, ready := p.Cached()
		for _, name := range p.Grammars() {
			e := listed{Kind: "grammar", Name: name, Ready: ready, Licence: p.Licence, Summary: "not fetched; gcdbench fetch " + p.Name,
				Note: fmt.Sprintf("%s; package %s %s; licence: %s", p.Summary, p.Name, p.Version, p.Licence)}
			if g, err := languages.Load(context.Background(), name); err == nil {
				e.Summary = words.Count(len(g.Terminals), "terminal") + ", " + words.Count(len(g.Rules), "rule") + ", in the cache"
			}
			all = append(all, e)
		}
	}
	return all, nil
}

// listDatasets lists the corpora with a name, also corpora that this machine lacks.
func listDatasets() ([]listed, error) {
	var all []listed
	infos := []datasets.Info{}
	for _, src := range datasets.Named() {
		infos = append(infos, src.Info())
	}
	samples, err := toolcalls.Open(context.Background(), toolcalls.SamplesName)
	if err != nil {
		return nil, err
	}
	for _, info := range append(infos, samples.Info()) {
		e := listed{Kind: "dataset", Name: info.Name, Summary: info.Description, Ready: info.Missing == "", Licence: info.Licence}
		e.Note = info.Where
		if info.Missing != "" {
			e.Note = "not on this machine: " + info.Missing
		}
		all = append(all, e)
	}
	return all, nil
}

// listKeys lists the keys of a configuration.
func listKeys() (entries []listed, _ error) {
	for _, k := range config.Keys() {
		entries = append(entries, listed{Kind: "key", Name: k.Path, Summary: k.Doc, Ready: true})
	}
	return entries, nil
}
