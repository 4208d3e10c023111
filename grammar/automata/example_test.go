package automata_test

import (
	"fmt"
	"os"

	"gcdbench/grammar/automata"
)

// From a pattern to an automaton, one byte at a time.
func Example() {
	expr, err := automata.Parse(`[1-9][0-9]*|0`, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	dfa, err := automata.Compile(expr, automata.DefaultLimits)
	if err != nil {
		fmt.Println(err)
		return
	}
	state := dfa.Start()
	for _, b := range []byte("105") {
		state = dfa.Next(state, b)
	}
	fmt.Println(dfa.Accepting(state), dfa.NumStates())
	// Output: true 3
}

// Errors say where and what to do.
func ExampleParse() {
	_, err := automata.Parse(`^\w+`, 0)
	fmt.Println(err)
	// Output: regex /^\w+/ at offset 0: ^ asks what stands before the match, but a lexeme starts anywhere in the text: leave it out; write \^ for a literal caret
}

// A comment ends at its first end mark.
func ExampleDFA_Lazy() {
	greedy := automata.MustCompile(`<!--.*-->`, automata.DotAll)
	lazy := automata.MustCompile(`<!--.*?-->`, automata.DotAll)
	text := "<!-- a --> b -->"
	fmt.Println(greedy.MatchString(text), lazy.MatchString(text), lazy.Equal(greedy.Lazy()))
	// Output: true false true
}

func ExampleDFA_Difference() {
	names := automata.MustCompile(`[a-z]+`, 0)
	keywords, err := automata.FromStrings([]string{"if", "else"}, automata.DefaultLimits)
	if err != nil {
		fmt.Println(err)
		return
	}
	free, err := names.Difference(keywords, automata.DefaultLimits)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(free.MatchString("if"), free.MatchString("iff"))
	// Output: false true
}

func ExampleDFA_Dot() {
	automata.MustCompile(`ab*`, 0).Dot(os.Stdout, "ab")
	// Output:
	// digraph "ab" {
	// 	rankdir=LR;
	// 	node [shape=circle];
	// 	0 -> 1 [label="a"];
	// 	1 [shape=doublecircle];
	// 	1 -> 1 [label="b"];
	// }
}
