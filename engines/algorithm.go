// Package engines runs engines from outside, which are programs in other languages, beside the
// algorithms of this module.
//
// # How an engine is reached
//
// An engine is a child process that speaks the protocol of docs/engines.md. Its author, or an
// adapter of folder python, writes the child; this package has the other side:
//
//	catalogue.go   the engines that are known by name, with versions, licences and options
//	install.go     their installation into the cache folder, by the ordinary clients
//	algorithm.go   an engine as an algorithms.Outside, found by its name like any algorithm
//	translation.go grammars in the dialects of engines, made before a compile's clock begins
//	host.go        the process for one vocabulary, replaced when it dies
//	engine.go      a grammar that a process has compiled; walk.go and prove.go are its walks
//	state.go       a single generation, to look at
//
// Package engines/wire has the messages, engines/process the child, engines/serve our own
// algorithms as children, and engines/check the cases that any engine can be run through.
//
// # What is believed
//
// An engine's masks are its own: where they differ from ours, package harness/judging finds out
// which are right. Its times are its own, too, taken by the rules of package harness/measure on its
// own clock. Impossible answers are refused: see walk.go.
package engines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/engines/process"
	"gcdbench/engines/wire"
	"gcdbench/tokenizers"
)

// wholeNumber checks the value of a number.
func wholeNumber(value string) error {
	if n, err := strconv.Atoi(value); value != "" && (err != nil || n < 0) {
		return fmt.Errorf("%q is not a whole number", value)
	}
	return nil
}

func init() {
	for i := range Catalogue {
		algorithms.Register(catalogued{&Catalogue[i]})
	}
	algorithms.Register(own{})
	algorithms.Register(byCommand{})
}

// A catalogued engine is known by name.
type catalogued struct{ *Entry }

var _ algorithms.Outside = catalogued{}

func (c catalogued) Name() string                     { return c.Entry.Name }
func (c catalogued) Summary() string                  { return c.Entry.Summary + " (from outside)" }
func (c catalogued) Semantics() string                { return c.Entry.Name }
func (c catalogued) Options() []algorithms.OptionInfo { return c.Entry.Options }

// Ready tells whether the engine is installed, in the version of the catalogue.
func (c catalogued) Ready(algorithms.Options) error {
	_, err := c.Entry.Installed()
	return err
}

// Version is the pinned version, with the beginnings of the SHA-256 of the adapter and of the
// installed packages.
func (c catalogued) Version(algorithms.Options) string {
	version := c.Entry.Version + " adapter " + c.Entry.adapterSum()
	if i, err := c.Entry.Installed(); err == nil {
		version += " packages " + i.sum()
	}
	return version
}

// Prepare starts the engine.
func (c catalogued) Prepare(ctx context.Context, p *algorithms.Problem, _ algorithms.Options) error {
	command, err := c.Entry.Command()
	if err != nil {
		return &algorithms.ProcessError{Engine: c.Name(), Outcome: wire.Crash, Detail: err.Error()}
	}
	return prepare(ctx, p, command)
}

// Compile starts the engine, unless p.Kept has its process, and has it compile the source of p.
func (c catalogued) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	command, err := c.Entry.Command()
	if err != nil {
		return nil, &algorithms.ProcessError{Engine: c.Name(), Outcome: wire.Crash, Detail: err.Error()}
	}
	return compile(ctx, p, command, o)
}

// own runs an algorithm of this module in a process of its own. It tests the protocol: in process
// and out of process must agree.
type own struct{}

var _ algorithms.Outside = own{}

func (own) Name() string      { return "child" }
func (own) Summary() string   { return "an algorithm of this program in a process of its own" }
func (own) Semantics() string { return algorithms.SemanticsContract }

// SemanticsWith is that of the algorithm that runs there.
func (own) SemanticsWith(o algorithms.Options) string {
	if a, err := algorithms.Lookup(o["algorithm"]); err == nil {
		return a.Semantics()
	}
	return algorithms.SemanticsContract
}

// Options are the algorithm and its options.
func (own) Options() []algorithms.OptionInfo {
	return []algorithms.OptionInfo{
		{Name: "algorithm", Default: "psc", Check: isInside, Help: "the algorithm that runs there"},
		{Name: "options", Help: "its options, as name=value,name=value"},
	}
}

// isInside checks the name of an algorithm of this module.
func isInside(name string) error {
	a, err := algorithms.Lookup(name)
	if err == nil && algorithms.IsOutside(a) {
		err = fmt.Errorf("%s runs in a process of its own already", name)
	}
	return err
}

// inner are the options of the algorithm that runs there.
func (own) inner(o algorithms.Options) (algorithms.Options, error) {
	a, err := algorithms.Lookup(o["algorithm"])
	if err != nil {
		return nil, err
	}
	given, err := ParseOptions(strings.FieldsFunc(o["options"], func(r rune) bool { return r == ',' }))
	if err != nil {
		return nil, err
	}
	return algorithms.Resolve(a, given)
}

// ParseOptions reads options written as name=value.
func ParseOptions(list []string) (algorithms.Options, error) {
	out := algorithms.Options{}
	for _, one := range list {
		name, value, ok := strings.Cut(one, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, fmt.Errorf("option %q: expected name=value", one)
		}
		out[name] = strings.TrimSpace(value)
	}
	return out, nil
}

// Ready tells whether the algorithm's options are right.
func (a own) Ready(o algorithms.Options) error {
	_, err := a.inner(o)
	return err
}

// Version is empty: the child is this program.
func (own) Version(algorithms.Options) string { return "" }

// Compile starts this program as a child.
func (a own) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	options, err := a.inner(o)
	if err != nil {
		return nil, err
	}
	command, err := a.command(o)
	if err != nil {
		return nil, err
	}
	return compile(ctx, p, command, options)
}

// command is this program, serving an algorithm.
func (own) command(o algorithms.Options) (process.Command, error) {
	program, err := os.Executable()
	return process.Command{Name: "child " + o["algorithm"], Args: []string{program, "engines", "serve", o["algorithm"]}}, err
}

// Prepare starts this program as a child.
func (a own) Prepare(ctx context.Context, p *algorithms.Problem, o algorithms.Options) error {
	command, err := a.command(o)
	if err != nil {
		return err
	}
	return prepare(ctx, p, command)
}

// byCommand runs any program that speaks the protocol, so that a new engine needs no entry in the
// catalogue.
type byCommand struct{}

var _ algorithms.Outside = byCommand{}

func (byCommand) Name() string      { return "outside" }
func (byCommand) Summary() string   { return "an engine of your own, by the command that starts it" }
func (byCommand) Semantics() string { return "outside" }

// SemanticsWith is the option semantics, or else one of the command's own.
func (byCommand) SemanticsWith(o algorithms.Options) string {
	if o["semantics"] != "" {
		return o["semantics"]
	}
	return o["command"]
}

// Options are the command and the options of the engine.
func (byCommand) Options() []algorithms.OptionInfo {
	return []algorithms.OptionInfo{
		{Name: "command", Check: checkCommand, Help: "the program that speaks the protocol, with its arguments"},
		{Name: "version", Help: "which version it is: results of another one are not taken for its own"},
		{Name: "semantics", Help: "engines of one semantics must give equal masks, contract is ours; each command has its own by default"},
		{Name: "options", Help: "options for the engine, as name=value,name=value"},
	}
}

// checkCommand checks that a command can be split.
func checkCommand(command string) error {
	_, err := SplitCommand(command)
	return err
}

// Ready tells whether the program can be found.
func (byCommand) Ready(o algorithms.Options) error {
	c, err := CommandOf(o["command"])
	if err != nil {
		return err
	}
	return found(c)
}

// Version is that of the configuration.
func (byCommand) Version(o algorithms.Options) string { return o["version"] }

// Prepare starts the command.
func (byCommand) Prepare(ctx context.Context, p *algorithms.Problem, o algorithms.Options) error {
	c, err := CommandOf(o["command"])
	if err != nil {
		return err
	}
	return prepare(ctx, p, c)
}

// Compile starts the command.
func (byCommand) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	c, options, err := byCommandWith(o)
	if err != nil {
		return nil, err
	}
	return compile(ctx, p, c, options)
}

// byCommandWith is the command of the options, and the options of its engine.
func byCommandWith(o algorithms.Options) (process.Command, algorithms.Options, error) {
	c, err := CommandOf(o["command"])
	if err != nil {
		return c, nil, err
	}
	options, err := ParseOptions(strings.FieldsFunc(o["options"], func(r rune) bool { return r == ',' }))
	return c, options, err
}

// prepare starts the process of a command, unless p.Kept has it, gives it the vocabulary, and
// translates the grammar. Without a Kept there is no place for either.
func prepare(ctx context.Context, p *algorithms.Problem, c process.Command) error {
	if p.Kept == nil {
		return nil
	}
	e := &Engine{name: c.Name}
	takes, err := hostFor(p.Kept, c, p.Vocabulary, tokenizerOf(p)).ready(ctx)
	if err != nil {
		return e.failure(err)
	}
	if p.Source == nil {
		return ctx.Err()
	}
	return e.failure(translateFor(ctx, p, takes))
}

// translateFor translates the grammar of a problem ahead of its compile, which repeats an error. A
// translation that is not done in time is no failure of the engine's process: the engine gets no
// grammar. The error is ctx's if it was interrupted.
func translateFor(ctx context.Context, p *algorithms.Problem, takes []string) error {
	requestFor(ctx, p, takes, nil)
	if ctx.Err() == nil || errors.Is(context.Cause(ctx), context.Canceled) {
		return ctx.Err()
	}
	return unsupported("the translation of its grammar, which this program makes, takes too long: " + context.Cause(ctx).Error())
}

// tokenizerOf is the path of the vocabulary's tokenizer.json, "" if there is none.
func tokenizerOf(p *algorithms.Problem) string {
	if p.Source == nil {
		return ""
	}
	return p.Source.Tokenizer
}

// compile has the process of a command compile the source of a problem.
func compile(ctx context.Context, p *algorithms.Problem, c process.Command, o algorithms.Options) (algorithms.Engine, error) {
	if p.Source == nil {
		return nil, fmt.Errorf("%s reads grammars from their text, and this problem has none", c.Name)
	}
	e := &Engine{host: hostFor(p.Kept, c, p.Vocabulary, tokenizerOf(p)), name: c.Name, size: p.Vocabulary.Len()}
	e.prepare = func(ctx context.Context, takes []string) (err error) {
		e.request, e.notes, err = requestFor(ctx, p, takes, o)
		e.schema = p.Source.Kind == algorithms.KindSchema || p.Source.Kind == algorithms.KindTools
		e.prepare = nil
		return err
	}
	err := e.with(ctx, func(*process.Process) error { return nil })
	if err == nil {
		return e, nil
	}
	if p.Kept == nil {
		e.host.Close()
	}
	return nil, err
}

// CompileText has the process of a command compile a text of a kind of package wire, without a
// translation. If kept is nil, the process is the engine's alone, and Close ends it.
func CompileText(ctx context.Context, kept *algorithms.Kept, c process.Command, v *tokenizers.Vocabulary, kind, text string, options map[string]string) (*Engine, error) {
	e := &Engine{host: hostFor(kept, c, v, ""), name: c.Name, size: v.Len()}
	if options == nil {
		options = map[string]string{}
	}
	e.request = wire.Compile{Do: "compile", Kind: kind, Text: text, Options: options}
	if err := e.with(ctx, func(*process.Process) error { return nil }); err != nil {
		if kept == nil {
			e.host.Close()
		}
		return nil, err
	}
	return e, nil
}

// translations are the kinds that a grammar is translated to, the kinds closest to a lexer with
// maximal munch first.
var translations = []string{wire.KindLLGuidance, wire.KindGLRMask, wire.KindGRID, wire.KindKBNF, wire.KindEBNF, wire.KindGBNF, wire.KindLark}

// requestFor is the request to compile, with the notes of a translation.
func requestFor(ctx context.Context, p *algorithms.Problem, takes []string, o algorithms.Options) (request wire.Compile, notes []string, err error) {
	request = wire.Compile{Do: "compile", Options: given(o)}
	delete(request.Options, mostTools)
	has := func(kind string) bool {
		for _, k := range takes {
			if k == kind {
				return true
			}
		}
		return false
	}
	switch {
	case has(wire.KindGcdbench):
		request.Kind = wire.KindGcdbench
		request.Text, err = ownText(p.Source)
		return request, nil, err
	case p.Source.Kind == algorithms.KindSchema:
		if !has(wire.KindSchema) {
			return request, nil, unsupported("it takes no JSON schemas, but " + strings.Join(takes, ", "))
		}
		request.Kind, request.Text = wire.KindSchema, string(p.Source.Text)
		return request, nil, nil
	case p.Source.Kind == algorithms.KindTools:
		request.Kind, request.Text, err = toolsFor(p.Source, takes, o[mostTools])
		return request, nil, err
	}
	var first error
	for _, dialect := range translations {
		if !has(dialect) {
			continue
		}
		made, err := translated(ctx, p, dialect)
		if err == nil {
			request.Kind, request.Text = dialect, made.Text
			return request, made.Notes, nil
		}
		if ctx.Err() != nil {
			return request, nil, ctx.Err()
		}
		if first == nil {
			first = unsupported(fmt.Sprintf("as %s: %v", dialect, err))
		}
	}
	if first == nil {
		first = unsupported("it takes no grammars, but " + strings.Join(takes, ", "))
	}
	return request, nil, first
}

// given are the options that have a value. The engine has its own defaults.
func given(o algorithms.Options) map[string]string {
	out := map[string]string{}
	for name, value := range o {
		if value != "" {
			out[name] = value
		}
	}
	return out
}

// unsupported is a failure as the process itself would answer it.
func unsupported(text string) error { return &wire.Failure{Outcome: wire.Unsupported, Text: text} }
