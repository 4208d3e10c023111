// Command keep measures the reports in results/ again; see results/README.md.
package main

import (
	"os"

	"gcdbench/internal/keep"
)

func main() {
	os.Exit(keep.Main(os.Args[1:], os.Stdout, os.Stderr))
}
