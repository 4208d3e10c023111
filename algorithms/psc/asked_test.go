package psc

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/algorithms"
)

// TestAsk: an object with many members closes. The masks are the same whether the parser is asked
// or not; if it is, a mask makes few states, and none in the end.
func TestAsk(t *testing.T) {
	const members = 40
	const passes = 4 * members * maxTimes / maxMade
	var properties, text []string
	for i := range members {
		properties = append(properties, fmt.Sprintf(`"k%d":{"type":"integer"}`, i))
		text = append(text, fmt.Sprintf(`"k%d":%d`, i, i))
	}
	schema := `{"type":"object","properties":{"o":{"type":"object","properties":{` + strings.Join(properties, ",") + `}},"p":{"type":"integer"}}}`
	for _, c := range []struct{ name, document string }{
		{"inside", `{"o":{` + strings.Join(text, ",") + `},"p":1}`},
		{"at the end", `{"o":{` + strings.Join(text, ",") + `}}`},
	} {
		p := schemaProblem(t, schema, randomVocabulary(t, rand.New(rand.NewPCG(1, 2)), 300))
		asking, making := compile(t, p, nil), compile(t, p, algorithms.Options{"ask": "off"})
		for pass := range passes {
			a, m := asking.Start(), making.Start()
			for i := range len(c.document) + 1 {
				states := counter(t, asking, "states")
				if !a.Mask().Equal(m.Mask()) {
					t.Fatalf("%s, pass %d: after %s the masks differ", c.name, pass, c.document[:i])
				}
				if made := counter(t, asking, "states") - states; made > maxMade+1 {
					t.Fatalf("%s, pass %d: after %s a mask made %v states", c.name, pass, c.document[:i], made)
				}
				if i < len(c.document) {
					id := 1 + int(c.document[i]) // the token that is this byte
					if err := errors.Join(a.Commit(id), m.Commit(id)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		asked := counter(t, asking, "masks that the parser was asked about")
		if asked == 0 || asked >= passes*float64(len(c.document))/2 {
			t.Errorf("%s: the parser was asked about %v masks", c.name, asked)
		}
		if n := counter(t, making, "masks that the parser was asked about"); n != 0 {
			t.Errorf("%s: with ask=off the parser was asked about %v masks", c.name, n)
		}
		if x, y := counter(t, asking, "states"), counter(t, making, "states"); x != y {
			t.Errorf("%s: %v states in the end, and %v with ask=off", c.name, x, y)
		}
	}
}
