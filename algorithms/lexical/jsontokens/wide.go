package jsontokens

// A string of bounded length is in another state after each character, and as long as its end is
// farther away than a token reaches, tokens do the same to all of them, whatever the schema. So the
// effect on such a state is found once per vocabulary. Near the end only the tokens that are too
// long are left out.

// maxTooLong is how many plain tokens may be too long. With more of them a walk is no slower.
const maxTooLong = 512

// wide is the effect on a live state that any characters follow, each written in any way, and a
// quote after any number of them; nil if the live state is not like that.
func (l *Lexicon) wide(t Live) *Effect {
	if l.without&Depths != 0 || t.p.text == nil || !t.p.between(t.state) || !t.p.text.loops(t.state) {
		return nil
	}
	d, v := t.p.depth(t.state), l.onWide.Load()
	tooLong := l.byLength[l.upTo[min(d.least, int32(len(l.upTo)-1))]:]
	switch {
	case d.quote != quoteAlways || d.least < l.beyondPlain || len(tooLong) > maxTooLong:
		return nil
	case len(tooLong) == 0 && v == nil:
		v = l.crawl([]Live{t})
		l.onWide.Store(v)
		return v
	case len(tooLong) == 0:
		return v
	case v == nil || d.most > d.least:
		return nil
	}
	return &Effect{Alive: v.Alive, Minus: tooLong, Closings: v.Closings}
}

// loops tells whether all characters, controls as well, lead from a state that is between two of
// them back to it, but for a count.
func (t *textRows) loops(s int32) bool {
	at, _ := t.Inside(s)
	at = t.over.Uncount(at)
	row := t.base.Row(at)
	for b := range 0x80 {
		if row[t.read.classOf[b]] != at {
			return false
		}
	}
	for kind := uint8(otherKind); kind <= lineKind; kind++ {
		if t.read.target(at, kind) != at {
			return false
		}
	}
	return true
}
