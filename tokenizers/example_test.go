package tokenizers_test

import (
	"context"
	"fmt"

	"gcdbench/tokenizers"
)

// Load a vocabulary that is built into the program, and encode a text.
func Example() {
	t, err := tokenizers.Load(context.Background(), "r50k_base", tokenizers.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Vocabulary().Len())
	// Output: 50257
}
