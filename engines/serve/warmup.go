package serve

import (
	"context"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/measure"
)

// warmUpTime bounds the warm-up. Algorithms build what they keep in some 100 ms; an algorithm that
// needs longer for the text makes every mask anew, and keeps nothing.
const warmUpTime = 2 * time.Second

// warmUp compiles a schema that allows everything, and walks a short text, when the vocabulary is
// set up: otherwise the first schema would pay for what an algorithm keeps for all schemas. The
// harness does the same for algorithms in its own process. A failure does not matter here.
func (s *server) warmUp() {
	defer func() { recover() }() // the next compile fails in the same way, and reports it
	ctx, cancel := context.WithTimeout(context.Background(), warmUpTime)
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
	single := map[byte]int32{} // the tokens of one byte
	for id := range s.vocabulary.Len() {
		if text := s.vocabulary.Token(id); len(text) == 1 && s.vocabulary.Legal(id) {
			single[text[0]] = int32(id)
		}
	}
	var tokens []int32
	for _, b := range []byte(measure.WarmUpText) {
		id, ok := single[b]
		if !ok {
			break
		}
		tokens = append(tokens, id)
	}
	measure.WarmUp(ctx, e, tokens, s.vocabulary.Len())
}
