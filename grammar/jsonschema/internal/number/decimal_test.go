package number

import (
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// TestDecimals is a table of numbers as JSON writes them, and by value.
func TestDecimals(t *testing.T) {
	for _, c := range []struct {
		text            string
		want            Decimal
		whole, fraction string
	}{
		{"0", Decimal{}, "0", ""},
		{"-0", Decimal{}, "0", ""},
		{"0.000", Decimal{}, "0", ""},
		{"0e99", Decimal{}, "0", ""},
		{"1", One, "1", ""},
		{"1.0", One, "1", ""},
		{"10e-1", One, "1", ""},
		{"0.01E+2", One, "1", ""},
		{"-1.5", Decimal{Neg: true, Digits: "15", Exp: 1}, "1", "5"},
		{"120", Decimal{Digits: "12", Exp: 3}, "120", ""},
		{"1.2e2", Decimal{Digits: "12", Exp: 3}, "120", ""},
		{"0.0012", Decimal{Digits: "12", Exp: -2}, "0", "0012"},
		{"12.5e-3", Decimal{Digits: "125", Exp: -1}, "0", "0125"},
		{"100.250", Decimal{Digits: "10025", Exp: 3}, "100", "25"},
		{"1e999", Decimal{Digits: "1", Exp: MaxExponent}, "1" + strings.Repeat("0", MaxExponent-1), ""},
		{"1e1000", Decimal{Digits: "1", Exp: MaxExponent}, "1" + strings.Repeat("0", MaxExponent-1), ""}, // saturated
		{"1e99999999999999999999", Decimal{Digits: "1", Exp: MaxExponent}, "1" + strings.Repeat("0", MaxExponent-1), ""},
		{"1e-99999999999999999999", Decimal{Digits: "1", Exp: -MaxExponent}, "0", strings.Repeat("0", MaxExponent) + "1"},
	} {
		d := Parse(c.text)
		if d != c.want {
			t.Errorf("%s is %+v, want %+v", c.text, d, c.want)
		}
		if whole, fraction := d.Parts(); whole != c.whole || fraction != c.fraction {
			t.Errorf("%s is written %s.%s, want %s.%s", c.text, whole, fraction, c.whole, c.fraction)
		}
		if again := Parse(d.String()); again != d {
			t.Errorf("%s is written %s, which is %+v", c.text, d, again)
		}
	}
}

// TestComparisons has numbers in ascending order, equal ones in one line.
func TestComparisons(t *testing.T) {
	ascending := [][]string{
		{"-1e400", "-0.1e401"}, {"-120", "-1.2e2"}, {"-12.000001"}, {"-12"}, {"-1.5", "-15e-1"}, {"-0.1"}, {"-1e-400"},
		{"0", "-0", "0e5", "0.00"},
		{"1e-400"}, {"0.0999999"}, {"0.1", "1e-1", "0.10"}, {"1", "1.0"}, {"1.5"}, {"9.99"}, {"12", "1.2e1"}, {"12.000001"}, {"120"}, {"1e399"}, {"1e400"},
	}
	for i, list := range ascending {
		for j, others := range ascending {
			for _, a := range list {
				for _, b := range others {
					c := Parse(a).Cmp(Parse(b))
					if want := i - j; c < 0 != (want < 0) || c > 0 != (want > 0) {
						t.Errorf("%s and %s compare as %d", a, b, c)
					}
					for rel, want := range map[Relation]bool{Less: i < j, LessEqual: i <= j, Greater: i > j, GreaterEqual: i >= j} {
						if rel.Holds(c) != want || rel.Not().Holds(c) == want {
							t.Errorf("%s and %s, relation %d: %v", a, b, rel, !want)
						}
					}
				}
			}
		}
	}
}

// TestMultiplesByValue is a table of multiples.
func TestMultiplesByValue(t *testing.T) {
	for _, c := range []struct {
		num, of string
		want    bool
	}{
		{"0", "7", true}, {"14", "7", true}, {"-14", "7", true}, {"15", "7", false}, {"0.3", "0.1", true}, {"0.35", "0.1", false},
		{"1e300", "7", false}, {"7e300", "7", true}, {"1e-5", "1", false}, {"1", "0", false}, {"4.5", "1.5", true}, {"1e2", "2.5e1", true},
	} {
		if got := Parse(c.num).Multiple(Parse(c.of)); got != c.want {
			t.Errorf("%s is a multiple of %s: %v", c.num, c.of, got)
		}
	}
}

// texts is a table of one automaton: the texts that it accepts, and those that it refuses.
type texts struct {
	name    string
	in, out []string
}

func (c *texts) check(t *testing.T, accepts func(string) bool) {
	t.Helper()
	for _, text := range c.in {
		if !accepts(text) {
			t.Errorf("%s: %s is refused", c.name, text)
		}
	}
	for _, text := range append(c.out, "", "-", "1.", ".5", "01", "+1", "1e", "1e+", "--1", "1.5.5", "1e1e1", "0x1", "1 ") {
		if accepts(text) {
			t.Errorf("%s: %s is accepted", c.name, text)
		}
	}
}

// TestBoundsByText is a table of bounds.
func TestBoundsByText(t *testing.T) {
	for _, c := range []struct {
		rel Relation
		num string
		texts
	}{
		{GreaterEqual, "0", texts{"at least 0", []string{"0", "-0", "-0.0e5", "1e-9", "123456789e5", "0.00000001e400"}, []string{"-1", "-0.001", "-1e-400"}}},
		{Greater, "0", texts{"above 0", []string{"0.01", "1e-400", "12345678901e3"}, []string{"0", "-0", "0e5", "-1"}}},
		{Less, "10", texts{"below 10", []string{"9.99", "-100", "-1e400", "0.99e1", "999e-2", "0", "9"}, []string{"10", "1e1", "10.0", "0.1e2", "100e-1", "1e400"}}},
		{LessEqual, "10", texts{"at most 10", []string{"10", "1e1", "10.000", "0.1e2", "100e-1", "1000.0e-2"}, []string{"10.01", "1.01e1", "101e-1", "11"}}},
		{GreaterEqual, "-2.5", texts{"at least -2.5", []string{"-2.5", "-2.4999", "-25e-1", "-0.25e1", "0", "7", "1e99"}, []string{"-2.51", "-2.50001", "-26e-1", "-3", "-1e9"}}},
		{Greater, "1e5", texts{"above 100000", []string{"100000.1", "100001", "1.1e5", "2e5", "1e6"}, []string{"100000", "1e5", "99999", "0.9e5", "-1e6"}}},
		// A bound of many digits: mantissas with an exponent have one digit before the point.
		{LessEqual, "1234567890", texts{"at most 1234567890", []string{"1234567890", "1.23456789e9", "1e9", "0.1", "-12e99"}, []string{"1234567891", "1.234567891e9", "2e9", "12e8", "0.1e9"}}},
	} {
		d := Bounded(Parse(c.num), c.rel)
		c.check(t, d.MatchString)
	}
}

// TestDivisorsByText is a table of divisors.
func TestDivisorsByText(t *testing.T) {
	for _, c := range []struct {
		of string
		texts
	}{
		{"1", texts{"integers", []string{"0", "-0.0", "0e-9", "12", "-12.000", "1e3", "1.5e1", "1.25E+2", "120e-1", "1.2345678901234567e16", "12000e-3"}, []string{"1.5", "1e-1", "1.25e1", "120e-2", "-0.001"}}},
		{"100", texts{"hundreds", []string{"0", "100", "1200", "-300.0", "1e2", "1.2e3", "12e2"}, []string{"10", "150", "1e1", "1.25e3", "100.5"}}},
		{"0.01", texts{"cents", []string{"0", "1", "1.25", "1.250", "-0.07", "125e-2", "1.2e1", "3e-2"}, []string{"1.255", "0.001", "1e-3", "125e-3"}}},
		{"7", texts{"sevens", []string{"0", "7", "14.0", "-21", "7e5", "1.4e1", "0.7e1", "70e-1"}, []string{"8", "1", "7.5", "1e9", "71e-1"}}},
		{"0.25", texts{"quarters", []string{"0.25", "1.50", "-2", "3.75", "25e-2", "0.5e0", "1e2"}, []string{"0.3", "0.125", "1e-1", "1.26"}}},
		{"86400000", texts{"days", []string{"0", "86400000", "172800000", "-864000000", "864e5", "86400000.0"}, []string{"86400001", "8640000", "865e5", "43200000"}}},
		{"12", texts{"dozens", []string{"12", "24", "1.2e1", "3.6e1", "-144", "0"}, []string{"6", "4", "1e1", "8", "18", "100"}}},
	} {
		of := Parse(c.of)
		d := Multiples(of, false)
		c.check(t, d.MatchString)
		decided := Multiples(of, true)
		c.in, c.out = append(c.in, c.out...), nil // plain and short, all are decided
		c.name += ", decided"
		c.check(t, decided.MatchString)
	}
	for _, large := range []string{"123457", "9.87654e9", "0.000123457", "98765400"} {
		if Divides(Parse(large)) {
			t.Errorf("%s divides all numbers", large)
		}
	}
}

// TestOneOf is a table of lists, and the ways to write their numbers.
func TestOneOf(t *testing.T) {
	var many []Decimal
	for i := range Few + 1 {
		many = append(many, Decimal{Digits: "5", Exp: i + 1})
	}
	for _, c := range []struct {
		list []Decimal
		texts
	}{
		{nil, texts{"none", nil, []string{"0", "1"}}},
		{[]Decimal{Parse("0")}, texts{"zero", []string{"0", "-0", "0.000", "-0e7", "0.0E-12"}, []string{"1", "0.1"}}},
		{[]Decimal{Parse("12.5"), Parse("-1")}, texts{"two", []string{"12.5", "12.50", "1.25e1", "125e-1", "0.125e2", "0.0125e3", "-1", "-1.0", "-1e0", "-10e-1", "-1E-00"}, []string{"1", "-12.5", "1.25", "1250e-2", "0.00125e4"}}},
		{many, texts{"many", []string{"5", "50", "5e1", "5.00e1", "5e16"}, []string{"500e0", "0.5e1", "50e1", "6", "55"}}},
	} {
		d := must.Get(OneOf(c.list))(t)
		c.check(t, d.MatchString)
	}
}
