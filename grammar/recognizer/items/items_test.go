package items

import "testing"

// TestEscapeLength: the letters of the first character of a text, both halves of an escaped pair.
func TestEscapeLength(t *testing.T) {
	for text, want := range map[string]int{`a`: 1, `é`: 2, "\xc3": 2, `\n`: 2, `\`: 2, `\u`: 6, `\u00e9`: 6, `\ud83d`: 12, `\uDBFF`: 12, `\ude00`: 6, `\ud7`: 6} {
		if got := escapeLength([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// TestNested: what is compared inside an array whose items are compared, or in one whose are not,
// is said by each bracket.
func TestNested(t *testing.T) {
	for _, c := range []struct {
		text, compared string // which brackets open arrays whose items are compared
		again          bool
	}{{`[1,1 ]`, "0", false}, {`[1,1 ]`, "1", true}, {`[[1],[1]]`, "000", false}, {`[[1],[1]]`, "100", true}, {`{"a":1,"b":1}`, "1", false}, {`{"a":[1,1 ]}`, "10", false}} {
		r := Open()
		again, brackets := false, 0
		for i := range len(c.text) {
			compared := false
			if c.text[i] == '[' || c.text[i] == '{' {
				compared, brackets = c.compared[brackets] == '1', brackets+1
			}
			r.Read(c.text[i], compared)
			again = again || r.Again()
		}
		if again != c.again {
			t.Errorf("%s, compared %s: an item comes again: %v", c.text, c.compared, again)
		}
	}
}
