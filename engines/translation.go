package engines

import (
	"context"
	"sync"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/grammar/dialects"
	"gcdbench/grammars"
)

// Writing a grammar in another dialect is this program's work, not the engine's: it has tables and
// automata of its own, which for a large grammar take seconds. So it is done before the clock of a
// compile, and its limit, begin: Prepare does it, and Compile finds it among what is kept.

// A translation is a grammar in a dialect, or why there is none. Neither is there before it was
// asked for.
type translation struct {
	mu   sync.Mutex
	made *dialects.Translation
	err  error
}

// translationKey is the key of a translation among what is kept.
type translationKey struct {
	grammar       *grammar.Grammar // nil if nobody has compiled it here
	name, dialect string
}

// translationOf is the place of a translation.
func translationOf(p *algorithms.Problem, dialect string) *translation {
	key := translationKey{name: p.Source.Name, dialect: dialect}
	if p.Recognizer != nil {
		key.grammar = p.Grammar
	}
	return algorithms.KeptValue(p.Kept, key, func() *translation { return new(translation) })
}

// translated is the grammar of a problem in a dialect. It is translated once for what p.Kept is
// for; ctx's end is no result, and the next one who asks begins anew.
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

// grammarOf is the grammar of a problem, which is read again if nobody has compiled it here.
func grammarOf(ctx context.Context, p *algorithms.Problem) (*grammar.Grammar, error) {
	if p.Recognizer != nil {
		return p.Grammar, nil
	}
	return grammars.Load(ctx, p.Source.Name)
}
