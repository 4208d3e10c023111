package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"gcdbench/datasets"
	"gcdbench/datasets/toolcalls"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/tools"
	"gcdbench/harness/config"
	"gcdbench/internal/words"
)

// toolsWrite is a command that prints a request in another language.
func (a *app) toolsWrite(name string, write func(*tools.Request) ([]byte, error)) *cobra.Command {
	return newCommand("tools "+name, one("request"), func(cmd *cobra.Command, args []string) error {
		r, err := a.readRequest(cmd.Context(), args[0], name == "grammar")
		if err != nil {
			return err
		}
		text, err := write(r)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		return a.tell(map[string]string{"request": args[0], name: string(text)}, "%s", strings.TrimSuffix(string(text), "\n"))
	})
}

// readRequest reads a request from a file. The schemas of its tools have to be schemas; where ours
// is set, also ones that this program takes.
func (a *app) readRequest(ctx context.Context, file string, ours bool) (*tools.Request, error) {
	text, err := a.readInput(file)
	if err != nil {
		return nil, err
	}
	r, err := tools.Read(file, text)
	if err != nil {
		return nil, err
	}
	kept := jsonschema.NewKept()
	for i, t := range r.Tools {
		_, err := jsonschema.Open(ctx, t.Parameters, jsonschema.Options{Kept: kept})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			continue
		}
		f := schemaFailureOf(file, nil, err)
		if !ours && f.outcome() != schemaInvalid {
			continue
		}
		pointer := strings.TrimPrefix(f.Pointer, "/definitions/tool")
		line, column := tools.Place(text, i, pointer)
		return nil, fmt.Errorf("%s:%d:%d: tools[%d].parameters%s: %s", file, line, column, i, pointer, f.Message)
	}
	return r, nil
}

// formatEntry is the JSON of one format.
type formatEntry struct {
	Name    string `json:"name"`
	Models  string `json:"models"`
	Source  string `json:"source"`
	Example string `json:"example"` // a response with a text and two calls
}

// toolsFormats lists the formats.
func (a *app) toolsFormats() *cobra.Command {
	return newCommand("tools formats", cobra.NoArgs, func(*cobra.Command, []string) error {
		var list []formatEntry
		for _, name := range tools.Formats() {
			e, err := describeFormat(name)
			if err != nil {
				return err
			}
			list = append(list, e)
		}
		if a.asJSON {
			return eachJSON(a, list)
		}
		for _, e := range list {
			fmt.Fprintf(a.out, "%s: %s\n  after %s\n    %s\n", e.Name, e.Models, e.Source, strings.ReplaceAll(e.Example, "\n", "\n    "))
		}
		return nil
	})
}

// describeFormat is the entry of a format.
func describeFormat(name string) (formatEntry, error) {
	r := tools.Request{Format: name, Tools: []tools.Tool{{Name: "get_time", Parameters: []byte(`{"type": "object", "properties": {"zone": {"type": "string"}}}`)}}}
	text, err := r.Write([]tools.Part{{Text: "I look."}, {Call: "get_time", Arguments: []byte(`{"zone": "CET"}`)}, {Call: "get_time", Arguments: []byte(`{"zone": "UTC"}`)}})
	models, source := tools.About(name)
	return formatEntry{name, models, source, string(text)}, err
}

// sampleFlags say which request tools sample prints.
type sampleFlags struct {
	corpus, format, choice, text string
	parallel, reasoning          bool
	count, number                int
	seed                         uint64
	response, wrong              bool
}

// toolsSample prints a request of a corpus, or a response to it.
func (a *app) toolsSample() *cobra.Command {
	var f sampleFlags
	cmd := newCommand("tools sample", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error { return a.sampleRequest(cmd.Context(), &f) })
	flags := cmd.Flags()
	flags.StringVar(&f.corpus, "corpus", toolcalls.SamplesName, "the corpus: the embedded one, a JSON Lines file of tools and responses, or MaskBench's")
	flags.StringVar(&f.format, "format", "hermes", "how calls are written: "+strings.Join(tools.Formats(), ", "))
	flags.StringVar(&f.choice, "choice", tools.ChoiceAuto, "auto, required or one (a tool is drawn)")
	flags.StringVar(&f.text, "text", tools.TextAround, "where text may stand in a response with calls: around, before or none")
	flags.BoolVar(&f.parallel, "parallel", true, "whether there may be several calls")
	flags.BoolVar(&f.reasoning, "reasoning", false, "whether a response begins with reasoning")
	flags.IntVar(&f.count, "count", 0, "how many tools; 0 for those that the corpus's response comes with, or 8")
	flags.IntVar(&f.number, "number", 1, "which request, from 1")
	flags.Uint64Var(&f.seed, "seed", 1, "the seed of what is drawn")
	flags.BoolVar(&f.response, "response", false, "print a response, not the request")
	flags.BoolVar(&f.wrong, "wrong", false, "with --response: print a wrong one, and on standard error what is wrong with it")
	return cmd
}

// sampleRequest draws a request and prints it, or a response to it.
func (a *app) sampleRequest(ctx context.Context, f *sampleFlags) error {
	switch {
	case f.number < 1 || f.count < 0:
		return errors.New("--number counts from 1, and --count from 0")
	case f.count > config.MaxTools:
		return fmt.Errorf("--count is at most %d", config.MaxTools)
	case f.number > config.MaxTools: // each before it is drawn as well
		return fmt.Errorf("--number is at most %d", config.MaxTools)
	case f.wrong && !f.response:
		return errors.New("--wrong goes with --response")
	}
	request := tools.Request{Format: f.format, Choice: f.choice, Text: f.text, Parallel: f.parallel, Reasoning: f.reasoning}
	check := request
	check.One, check.Tools = "one", []tools.Tool{{Name: "one"}} // which are drawn
	if err := check.Check(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	corpus, err := toolcalls.Open(ctx, f.corpus)
	if err != nil {
		return err
	}
	src := corpus.Source(toolcalls.Setup{Count: f.count, Requests: f.number, Seed: f.seed, Request: request})
	docs, err := src.Documents(ctx)
	if err != nil {
		return err
	}
	last := docs[len(docs)-1].Schema
	if !f.response {
		fmt.Fprintf(a.out, "%s\n", last.Text)
		return nil
	}
	return a.printResponse(docs, last, f.wrong)
}

// printResponse prints the first right or wrong response to a request.
func (a *app) printResponse(docs []datasets.Document, of *datasets.Schema, wrong bool) error {
	for i := range docs {
		if docs[i].Schema != of || docs[i].Negative != wrong {
			continue
		}
		text, err := docs[i].Read()
		if err != nil {
			return err
		}
		if wrong {
			a.note("%s", docs[i].Description)
		}
		_, err = a.out.Write(text)
		return err
	}
	return errors.New("the request has no such response; another --number or --seed may have one")
}

// responseResult is the JSON of tools check.
type responseResult struct {
	Response string `json:"response"` // the file
	Valid    bool   `json:"valid"`    // by the checker
	OK       bool   `json:"ok"`       // by the grammar
	Kind     string `json:"kind,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Line     int    `json:"line,omitempty"` // of the mistake, from 1, as Column is
	Column   int    `json:"column,omitempty"`
	Calls    int    `json:"calls"`
	Refusal  string `json:"refusal,omitempty"` // why the grammar refuses it, with the place
}

// toolsCheck judges responses.
func (a *app) toolsCheck() *cobra.Command {
	return newCommand("tools check", takes("a request and at least one response", 2, math.MaxInt), func(cmd *cobra.Command, args []string) error {
		return a.checkResponses(cmd.Context(), args[0], args[1:])
	})
}

// checkResponses judges the responses in files.
func (a *app) checkResponses(ctx context.Context, request string, files []string) error {
	r, err := a.readRequest(ctx, request, true)
	if err != nil {
		return err
	}
	g, err := r.Grammar(ctx, request, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", request, err)
	}
	made, err := recognizer.New(ctx, g, recognizer.Options{OnDemand: true})
	if err != nil {
		return fmt.Errorf("%s: %w", request, err)
	}
	checker := toolcalls.NewChecker(r)
	for _, file := range files {
		text, err := a.readInput(file)
		if err != nil {
			return err
		}
		v, err := checker.Check(text)
		if err != nil {
			return fmt.Errorf("%s: %w", request, err)
		}
		if err := a.printVerdict(file, text, v, made.Check(text)); err != nil {
			return err
		}
	}
	return nil
}

// printVerdict prints what was found out about a response.
func (a *app) printVerdict(file string, text []byte, v *toolcalls.Verdict, refusal error) error {
	out := responseResult{Response: file, Valid: v.Valid(), OK: refusal == nil, Kind: v.Kind, Reason: v.Reason, Calls: v.Calls}
	if !v.Valid() {
		out.Line, out.Column = words.LineColumn(text, v.At)
	}
	if refusal != nil {
		out.Refusal = refusal.Error()
	}
	a.failed = a.failed || !out.Valid || !out.OK
	return a.say(out, "response", out)
}
