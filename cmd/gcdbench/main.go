// Command gcdbench compares grammar-constrained decoding algorithms; see README.md.
package main

import (
	"os"

	"gcdbench/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
