package algorithms_test

import (
	"context"
	"fmt"
	"log"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/psc"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/tokenizers"
)

// One generation of an engine: a mask, and a token that it allows.
func Example() {
	ctx := context.Background()
	grammar, err := lark.Parse([]byte(`start: "[" "]"`), lark.Options{})
	if err != nil {
		log.Fatal(err)
	}
	r, err := recognizer.New(ctx, grammar, recognizer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	t, err := tokenizers.Load(ctx, "r50k_base", tokenizers.Options{})
	if err != nil {
		log.Fatal(err)
	}
	psc, err := algorithms.Lookup("psc")
	if err != nil {
		log.Fatal(err)
	}
	engine, err := psc.Compile(ctx, &algorithms.Problem{Recognizer: r, Vocabulary: t.Vocabulary()}, nil)
	if err != nil {
		log.Fatal(err)
	}
	state := engine.Start()
	ids, err := t.Encode([]byte("["))
	if err != nil {
		log.Fatal(err)
	}
	bracket := int(ids[0])
	fmt.Println(state.Mask().Has(bracket))
	fmt.Println(state.Commit(bracket))
	fmt.Println(state.Mask().Has(bracket))
	// Output:
	// true
	// <nil>
	// false
}
