package engines

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gcdbench/algorithms"
	"gcdbench/engines/wire"
	"gcdbench/grammar"
	"gcdbench/grammar/dialects"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/tools"
)

// The translation of a grammar into another dialect is this program's work, not the engine's, and
// takes seconds for a large grammar. So it is done before the clock and the limit of a compile
// begin: Prepare translates, and Compile finds the result in the Kept.

// A translation is a grammar in a dialect, or the reason why there is none. It is made on demand.
type translation struct {
	mu   sync.Mutex
	made *dialects.Translation
	err  error
}

// translationKey is the key of a translation in a Kept.
type translationKey struct {
	grammar       *grammar.Grammar // nil if nobody has compiled it here
	name, dialect string
	options       string // that it is read with
}

// translationOf is the place of a translation.
func translationOf(p *algorithms.Problem, dialect string) *translation {
	key := translationKey{name: p.Source.Name, dialect: dialect, options: fmt.Sprint(p.Source.Options)}
	if p.Recognizer != nil {
		key.grammar = p.Grammar
	}
	return algorithms.KeptValue(p.Kept, key, func() *translation { return new(translation) })
}

// translated is the grammar of a problem in a dialect. It is translated once for a Kept. If ctx is
// done first, there is no result, and the next call begins anew.
func translated(ctx context.Context, p *algorithms.Problem, dialect string) (*dialects.Translation, error) {
	t := translationOf(p, dialect)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.made != nil || t.err != nil {
		return t.made, t.err
	}
	g, err := grammarOf(ctx, p)
	var made *dialects.Translation
	if err == nil {
		made, err = dialects.Translate(ctx, g, dialect)
	}
	if ctx.Err() == nil {
		t.made, t.err = made, err
	}
	return made, err
}

// mostTools is the option with the number of tools above which an engine is not asked.
const mostTools = "most_tools"

// toolsFor is a request with tools in the first language of those that an engine takes; most is the
// value of mostTools.
func toolsFor(s *algorithms.Source, takes []string, most string) (kind, text string, err error) {
	r, err := tools.Read(s.Name, s.Text)
	if err != nil {
		return "", "", err
	}
	if n, err := strconv.Atoi(most); err == nil && len(r.Tools) > n {
		return "", "", unsupported(fmt.Sprintf("the request has %d tools, and with %s=%d it is not asked", len(r.Tools), mostTools, n))
	}
	for _, way := range []struct {
		kind  string
		write func() ([]byte, error)
	}{{wire.KindStructuralTag, r.StructuralTag}, {wire.KindLLGuidance, r.LLGuidance}} {
		if !slices.Contains(takes, way.kind) {
			continue
		}
		made, err := way.write()
		if err != nil {
			return "", "", unsupported(err.Error())
		}
		return way.kind, string(made), nil
	}
	return "", "", unsupported("it takes no requests with tools, but " + strings.Join(takes, ", "))
}

// grammarOf is the grammar of a problem. It is read again if it is not compiled here.
func grammarOf(ctx context.Context, p *algorithms.Problem) (*grammar.Grammar, error) {
	if p.Recognizer != nil {
		return p.Grammar, nil
	}
	return languages.LoadWith(ctx, p.Source.Name, languages.OptionsOf(p.Source.Options))
}
