package spanner

import (
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
)

// Which kinds of terminals may follow which in a text of JSON. The rules of a grammar that is
// written on demand are never all known, but its terminals are those of JSON: a sign, a string, or
// another scalar. So two terminals are neighbours if JSON allows that of their kinds, which holds
// whatever rules are still to come.

// A jsonKind is the role of a terminal in a text of JSON.
type jsonKind uint8

const (
	anyKind jsonKind = iota // none of the others: all may follow it, and it may follow all
	openObject
	openArray
	closing // of an object or an array
	comma
	colon
	keyKind
	stringKind // a value, or a key
	scalar     // a number or a word
	ending     // the end of the text
	numKinds
)

// after has, by kind, what may follow.
var jsonAfter = [numKinds]uint16{
	anyKind:    1<<numKinds - 1,
	openObject: 1<<keyKind | 1<<stringKind | 1<<closing,
	openArray:  values | 1<<closing,
	closing:    1<<comma | 1<<closing | 1<<ending,
	comma:      values | 1<<keyKind,
	colon:      values,
	keyKind:    1 << colon,
	stringKind: 1<<comma | 1<<closing | 1<<colon | 1<<ending,
	scalar:     1<<comma | 1<<closing | 1<<ending,
}

// values are the kinds that a value begins with.
const values = 1<<openObject | 1<<openArray | 1<<stringKind | 1<<scalar

// firstBytes has, by kind, the bytes that one can begin with.
var firstBytes = [numKinds]string{
	openObject: "{", openArray: "[", closing: "}]", comma: ",", colon: ":", stringKind: `"`, scalar: "-0123456789tfn",
}

// kindOf tells the kind of a terminal by the bytes that it can begin with.
func kindOf(d *automata.DFA) jsonKind {
	kind := anyKind
	for k, bytes := range firstBytes {
		for i := range len(bytes) {
			if d == nil || d.Next(d.Start(), bytes[i]) == automata.Dead {
				continue
			}
			if kind != anyKind && kind != jsonKind(k) {
				return anyKind
			}
			kind = jsonKind(k)
			break
		}
	}
	return kind
}

// beginsWith is the kind of what begins with a byte.
func beginsWith(b byte) jsonKind {
	for k, bytes := range firstBytes {
		if strings.IndexByte(bytes, b) >= 0 {
			return jsonKind(k)
		}
	}
	return anyKind
}

// newJSONFollow is what may follow in the texts of a grammar that is written on demand.
func newJSONFollow(r *recognizer.Recognizer, terminal func(grammar.Terminal) *automata.DFA) *follow {
	var ofKind [numKinds][]uint64 // the terminals of a kind
	for k := range ofKind {
		ofKind[k] = r.Tables.NewSet()
	}
	bitset.Add(ofKind[ending], int(r.Tables.End()))
	kinds := make([]jsonKind, r.Tables.NumTerminals())
	inside := insideJSON(r.Grammar)
	for t := range kinds {
		def := &r.Grammar.Terminals[t]
		switch {
		case inside != nil && !def.All:
			continue // it stands in front of a text of JSON or behind one
		case def.Key:
			kinds[t] = keyKind
		default:
			kinds[t] = kindOf(terminal(grammar.Terminal(t)))
		}
		bitset.Add(ofKind[kinds[t]], t)
		if inside != nil && !bitset.Has(inside, t) { // the text of JSON ends with it
			kinds[t] = anyKind
		}
	}
	var after [numKinds][]uint64
	for k := range after {
		after[k] = r.Tables.NewSet()
		for o := range ofKind {
			if jsonAfter[k]&(1<<o) != 0 || o == int(anyKind) {
				bitset.Unite(after[k], ofKind[o])
			}
		}
	}
	if inside != nil {
		for t := range kinds {
			bitset.Add(after[anyKind], t)
		}
	}
	f := &follow{rec: r, after: make([][]uint64, len(kinds)), kinds: kinds}
	for t, k := range kinds {
		f.after[t] = after[k]
	}
	return f
}

// insideJSON is the set of the terminals after which an embedded text goes on; nil if the whole
// text is one of JSON.
func insideJSON(g *grammar.Grammar) []uint64 {
	if g.Modes == nil {
		return nil
	}
	set := bitset.New(len(g.Terminals))
	for i := range g.Modes {
		for _, t := range g.Modes[i].Terminals {
			if g.Terminals[t].All {
				bitset.Add(set, t)
			}
		}
	}
	return set
}

// begins tells whether a lexeme that begins with a byte may stand after symbol x, as far as the
// kinds of its members tell.
func (f *follow) begins(s *Spanner, x Symbol, b byte) bool {
	if f == nil || f.kinds == nil || x == silent || f.open(s, x) {
		return true
	}
	k := beginsWith(b)
	may := uint16(1 << k)
	if k == stringKind {
		may |= 1 << keyKind
	}
	for _, t := range s.Members(x) {
		if k == anyKind || jsonAfter[f.kinds[t]]&may != 0 {
			return true
		}
	}
	return false
}
