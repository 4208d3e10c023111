// Package plotjs holds the library that draws plots in a browser: Observable Plot, and D3, on
// which it stands. Both are the files that their npm packages carry, unchanged.
//
//	d3@7.9.0               dist/d3.min.js        ISC licence, d3.LICENSE
//	@observablehq/plot@0.6.17  dist/plot.umd.min.js  ISC licence, plot.LICENSE
//
// A test holds the files to their SHA-256. To renew one, take the file out of `npm pack`, and
// change version and sum here and in the test.
package plotjs

import _ "embed"

// D3 is the script of D3. It defines the global d3.
//
//go:embed d3.min.js
var D3 string

// Plot is the script of Observable Plot. It needs D3 before it and defines the global Plot.
//
//go:embed plot.umd.min.js
var Plot string
