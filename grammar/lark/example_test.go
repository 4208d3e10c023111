package lark_test

import (
	"fmt"

	"gcdbench/grammar/lark"
)

// Parse a grammar in Lark's language, and look a terminal up.
func ExampleParse() {
	g, err := lark.Parse([]byte("start: WORD (\",\" WORD)*\nWORD: /[a-z]+/\n"), lark.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	word, ok := g.Lookup("WORD")
	fmt.Println(g.TerminalName(word), ok)
	// Output: WORD true
}
