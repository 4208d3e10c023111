// Command mutants puts bugs into the code of engines, one at a time, and counts those that the
// tests find.
package main

import (
	"os"

	"gcdbench/internal/mutants"
)

func main() { os.Exit(mutants.Main(os.Args[1:], os.Stdout, os.Stderr)) }
