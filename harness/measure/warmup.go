package measure

import (
	"context"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
)

// WarmUpText is the text of a warm-up: strings, numbers, names and white space, for which
// algorithms build what they keep for a vocabulary.
const WarmUpText = `{"name": "value \u00e9", "list": [1, -2.5e3, true, null], "nested": {}}`

// WarmUp walks a text with an engine on a vocabulary of size ids before anything is measured, and
// returns the time of the walk. The walk ends at a token that the engine refuses. The error is
// ctx's.
func WarmUp(ctx context.Context, engine algorithms.Engine, tokens []int32, size int) (time.Duration, error) {
	row := make([]uint64, algorithms.MaskWords(size))
	begin := environment.Now()
	state := engine.Start()
	for _, token := range tokens {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		algorithms.Deliver(state, row)
		if state.Commit(int(token)) != nil {
			break
		}
	}
	return environment.Now() - begin, nil
}
