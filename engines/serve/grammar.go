package serve

import (
	"context"
	"encoding/json"

	"gcdbench/algorithms"
	"gcdbench/engines/wire"
	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/tools"
)

// kindText is the kind of a Source that is a Lark grammar in itself, not the name of one.
const kindText = "lark"

// sourceOf is the source in a request to compile.
func sourceOf(q *wire.Compile) (*algorithms.Source, error) {
	switch q.Kind {
	case wire.KindSchema:
		return &algorithms.Source{Kind: algorithms.KindSchema, Name: "schema", Text: []byte(q.Text)}, nil
	case wire.KindLark:
		return &algorithms.Source{Kind: kindText, Text: []byte(q.Text)}, nil
	case wire.KindGcdbench:
		var own wire.Own
		if err := json.Unmarshal([]byte(q.Text), &own); err != nil {
			return nil, &wire.Failure{Outcome: wire.CompileError, Text: err.Error()}
		}
		return &algorithms.Source{Kind: own.Kind, Name: own.Name, Text: []byte(own.Text), Options: own.Options}, nil
	}
	return nil, &wire.Failure{Outcome: wire.Unsupported, Text: "grammars of kind " + q.Kind}
}

// recognizer reads a grammar and builds its tables, as the harness does. The tables of a schema
// grow as texts reach them.
func (s *server) recognizer(src *algorithms.Source) (*recognizer.Recognizer, error) {
	ctx := context.Background() // whoever asked ends this process when its time is over
	if src.Kind != algorithms.KindSchema {
		g, err := s.loadGrammar(ctx, src)
		if err != nil {
			return nil, compileError(err)
		}
		r, err := recognizer.New(ctx, g, recognizer.Options{OnDemand: src.Kind == algorithms.KindTools})
		if err != nil {
			return nil, compileError(err)
		}
		return r, nil
	}
	compiled, err := jsonschema.Open(ctx, src.Text, s.schemaOptions(src))
	if err != nil {
		return nil, compileError(err)
	}
	r, err := recognizer.New(ctx, compiled.Grammar, recognizer.Options{OnDemand: true})
	if err != nil {
		return nil, &wire.Failure{Outcome: wire.Unsupported, Text: err.Error()}
	}
	return r, nil
}

// loadGrammar reads a grammar by its name, or from its text.
func (s *server) loadGrammar(ctx context.Context, src *algorithms.Source) (*grammar.Grammar, error) {
	if src.Kind == algorithms.KindTools {
		r, err := tools.Read(src.Name, src.Text)
		if err != nil {
			return nil, err
		}
		return r.Grammar(ctx, src.Name, s.keptByText)
	}
	if src.Kind == kindText {
		return lark.Parse(src.Text, lark.Options{File: "grammar.lark", Context: ctx, Kept: s.keptByText})
	}
	return languages.LoadWith(ctx, src.Name, languages.OptionsOf(src.Options))
}

// schemaOptions are the options of a source for package jsonschema.
func (s *server) schemaOptions(src *algorithms.Source) jsonschema.Options {
	o := jsonschema.OptionsOf(src.Options)
	o.Name, o.Kept = src.Name, s.keptByText
	return o
}
