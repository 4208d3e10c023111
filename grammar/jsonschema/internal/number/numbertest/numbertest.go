// Package numbertest makes random JSON numbers for the tests of the packages that read them.
package numbertest

import (
	"fmt"
	"math/big"
	"math/rand/v2"
)

// Text makes a random JSON number, of any form, small and with values that meet each other often.
func Text(d *rand.Rand) string {
	pick := func(list ...string) string { return list[d.IntN(len(list))] }
	whole := pick("0", "0", "0", "1", "2", "5", "10", "12", "25", "100", "120", "1000", "12500", "4000000", fmt.Sprint(d.IntN(130)))
	fraction := pick("", "", ".0", ".5", ".50", ".05", ".125", ".999", ".001", ".0000", fmt.Sprintf(".%0*d", 1+d.IntN(5), d.IntN(10)), ".00000000000000012")
	exponent := ""
	if d.IntN(2) == 0 {
		exponent = pick("e", "E") + pick("0", "+0", "-0", "00", "1", "+1", "-1", "2", "-02", "003", "-3", "+4", "-5", "12", "-12", "400")
	}
	return pick("", "-") + whole + fraction + exponent
}

// Rat is the value of a JSON number, by math/big. It panics if text is none.
func Rat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(fmt.Sprintf("%q is not a number", text))
	}
	return r
}
