package jsontokens

import (
	"math"
	"slices"
	"unicode/utf8"

	"gcdbench/grammar/automata"
	"gcdbench/internal/bitset"
)

// A string whose characters are counted is in another state after each of them, and as long as its
// end is farther away than a token reaches, tokens do the same to all of these states: what they do
// if nothing is counted. So that is found once for an automaton over characters, whatever the
// lengths. Nearer to the end tokens that are too long are left out; where not even other tokens
// than plain ones fit, those are looked at, and the plain ones are not.

// maxTooLong is how many plain tokens are left out of a bit set that is not copied.
const maxTooLong = 512

// A widened is what is known of a live state whose characters are counted: the effect if they are
// not, and of what plain tokens it holds: those of at most sure characters as it is, those of up to
// most characters if they leave the live state alive, and no others.
type widened struct {
	*Effect
	sure, most int32
}

// widen is false for a live state that is not between two characters that are counted, has too few
// yet, or leaves too many tokens to try.
func (l *Lexicon) widen(t Live) (w widened, ok bool) {
	if l.without&Depths != 0 || t.p.text == nil || !t.p.between(t.state) {
		return w, false
	}
	at, _ := t.p.text.Inside(t.state)
	left, needs, ok := t.p.text.over.Left(at)
	if !ok {
		return w, false
	}
	w.most = int32(min(left, math.MaxInt32))
	w.sure = max(0, w.most-int32(needs))
	if lo, hi := l.plainOf(w.sure), l.plainOf(w.most); hi-lo > maxTries {
		return w, false
	}
	d := l.uncounted.about(t.p.text.base, func(uint32) *automata.DFA { return t.p.text.Uncounted() })
	p := l.Profile(d)
	base := p.At(p.text.State(t.p.text.over.Uncount(at)))
	key := base.appendKey(nil)
	if w.Effect = l.widest.get(key); w.Effect == nil {
		w.Effect = l.effect([]Live{base})
		l.widest.put(key, w.Effect)
	}
	return w, true
}

// plainOf is how many plain tokens have at most n characters.
func (l *Lexicon) plainOf(n int32) int32 { return l.upTo[min(n, int32(len(l.upTo)-1))] }

// wide is the effect on a live state that is far enough from its end for all tokens but plain ones;
// nil for another one.
func (l *Lexicon) wide(t Live) *Effect {
	w, ok := l.widen(t)
	if !ok || w.sure < l.beyondPlain {
		return nil
	}
	dead := func(id int32) bool {
		text := l.vocabulary.Token(int(id))
		n := int32(utf8.RuneCount(text))
		return n > w.sure && (n > w.most || t.after(text) == automata.Dead)
	}
	alive := func(list []int32) []int32 { return slices.DeleteFunc(slices.Clone(list), dead) }
	v := &Effect{Few: alive(w.Few), Alive: w.Alive, Minus: w.Minus, Plus: alive(w.Plus), Closings: w.Closings}
	if w.Alive == nil {
		return v
	}
	gone := l.byLength[l.plainOf(w.sure):]
	if len(gone) > maxTooLong {
		tried := l.plainOf(w.most) - l.plainOf(w.sure)
		v.Alive = slices.Clone(w.Alive)
		bitset.RemoveAll(v.Alive, gone[tried:])
		gone = gone[:tried]
	}
	v.Minus = slices.Clone(w.Minus)
	for _, id := range gone {
		if bitset.Has(v.Alive, id) && !slices.Contains(w.Minus, id) && dead(id) {
			v.Minus = append(v.Minus, id)
		}
	}
	return v
}

// counted notes the plain tokens after which a live state is alive whose characters are counted. It
// is false for one that has to be walked.
func (c *crawl) counted(t Live) bool {
	w, ok := c.l.widen(t)
	if !ok {
		return false
	}
	words := slices.Clone(c.l.upToLength(w.sure))
	for i := range words {
		if w.Alive != nil {
			words[i] &= w.Alive[i]
		} else {
			words[i] = 0
		}
	}
	bitset.RemoveAll(words, w.Minus)
	for _, id := range slices.Concat(w.Few, w.Plus) {
		if bitset.Has(c.l.upToLength(w.sure), id) {
			bitset.Add(words, id)
		}
	}
	c.unite(words)
	lo := c.l.plainOf(w.sure)
	for i, id := range c.l.byLength[lo:c.l.plainOf(w.most)] {
		if t.after(c.l.texts[int(lo)+i]) != automata.Dead {
			c.note([]int32{id})
		}
	}
	return true
}
