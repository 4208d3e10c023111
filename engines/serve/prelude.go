package serve

import (
	"context"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/measure"
)

// preludeTime is how long that may take. What algorithms keep is built in some 100 ms; one that
// needs longer for the text builds its masks from the ground up, and keeps nothing.
const preludeTime = 2 * time.Second

// prelude compiles a schema that allows everything, and walks a short text, when the vocabulary
// is set up: what an algorithm keeps for all schemas would otherwise be built by the first one.
// The harness does the same for algorithms in its own process. Whether it works does not matter
// here.
func (s *server) prelude() {
	defer func() { recover() }() // whoever compiles next hears of it
	ctx, cancel := context.WithTimeout(context.Background(), preludeTime)
	defer cancel()
	options, err := algorithms.Resolve(s.algorithm, nil)
	if err != nil {
		return
	}
	src := &algorithms.Source{Kind: algorithms.KindSchema, Name: "anything", Text: []byte("true")}
	r, err := s.recognizer(src)
	if err != nil {
		return
	}
	p := &algorithms.Problem{Recognizer: r, Vocabulary: s.vocabulary, Source: src, Kept: s.kept}
	e, err := s.algorithm.Compile(ctx, p, options)
	if err != nil {
		return
	}
	state, row := e.Start(), make([]uint64, algorithms.MaskWords(s.vocabulary.Len()))
	letters := map[byte]int{} // the tokens of one byte
	for id := range s.vocabulary.Len() {
		if text := s.vocabulary.Token(id); len(text) == 1 && s.vocabulary.Legal(id) {
			letters[text[0]] = id
		}
	}
	for _, b := range []byte(measure.PreludeText) {
		id, ok := letters[b]
		if !ok || ctx.Err() != nil {
			return
		}
		algorithms.Deliver(state, row)
		if state.Commit(id) != nil {
			return
		}
	}
}
