package show

import (
	"math"
	"testing"
)

// TestMegabytes: of memory nobody needs more than KiB.
func TestMegabytes(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0", -5: "0", 24: "0.000", 43_000: "0.041", 1 << 19: "0.500", 1 << 20: "1.00", 38 << 20: "38.0"} {
		if got := Megabytes(bytes); got != want {
			t.Errorf("%d: %s, want %s", bytes, got, want)
		}
	}
	if MegabytesOrNone(0) != None || MegabytesOrNone(1<<20) != "1.00" {
		t.Error("what is not known has a figure")
	}
}

// TestSortValue: what reports print is read back as what it means.
func TestSortValue(t *testing.T) {
	for body, want := range map[string]float64{"1,234": 1234, "12.3 [11, 13]": 12.3, "12.3 µs": 12.3e-6, "4 ms [1, 2]": 4e-3, "2.00x faster [1, 3]": 0.5, "1,000x faster": 0.001, "3.00x slower": 3,
		"~ [0.99, 1.01]": 1, TheFirst: 1, "3 of 4 [40–90%]": 0.75, "0 of 1,000": 0, "12 of 16 = 75% [1–2%]": 0.75, "85.7%": 85.7, "0, 1, 2": 0, "-1.5": -1.5, "5 MiB": 5 << 20} {
		if got, ok := SortValue(body); !ok || math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("%q: %v, %v, want %v", body, got, ok, want)
		}
	}
	for _, body := range []string{"", None, "ok", "naive", "µs", ", 1"} {
		if v, ok := SortValue(body); ok {
			t.Errorf("%q: %v", body, v)
		}
	}
}
