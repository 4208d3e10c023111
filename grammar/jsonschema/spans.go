package jsonschema

// A span sends the code points lo..hi to a state.
type span struct {
	lo, hi rune
	to     int32
}

// find is the index of the first span that ends at or after r.
func find(spans []span, r rune) int {
	lo, hi := 0, len(spans)
	for lo < hi {
		if m := (lo + hi) / 2; spans[m].hi < r {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// lookup is the state that r leads to.
func (e *encoder) lookup(spans []span, r rune) int32 {
	if i := find(spans, r); i < len(spans) && spans[i].lo <= r {
		return e.of(spans[i].to)
	}
	return -1
}

// constant tells whether all of lo..hi go the same way.
func constant(spans []span, lo, hi rune) bool {
	i := find(spans, lo)
	if i == len(spans) || spans[i].lo > hi {
		return true
	}
	return spans[i].lo <= lo && hi <= spans[i].hi
}

// characters is the function from code points above ASCII to states that one character computes, from
// a state with this row on.
func (e *encoder) characters(row []int32) []span {
	var list []span
	for b := 0xc2; b <= 0xf4; b++ {
		next := row[e.classOf[b]]
		switch {
		case next < 0:
		case b >= 0xf0:
			list = e.appendTail(list, rune(b&7)<<18, next, 3)
		case b >= 0xe0:
			list = e.appendTail(list, rune(b&15)<<12, next, 2)
		default:
			list = e.appendTail(list, rune(b&31)<<6, next, 1)
		}
	}
	return list
}

func (e *encoder) appendTail(list []span, base rune, s int32, missing int32) []span {
	for _, x := range e.tail(s, missing) {
		list = appendSpan(list, span{base + x.lo, base + x.hi, x.to})
	}
	return list
}

// tail is the same for the rest of a character of which some bytes are missing.
func (e *encoder) tail(s, missing int32) []span {
	if missing == 0 {
		return []span{{0, 0, s}}
	}
	key := [2]int32{s, missing}
	list, ok := e.spans[key]
	if !ok {
		row := e.d.Row(s)
		for b := 0x80; b < 0xc0; b++ {
			if next := row[e.classOf[b]]; next >= 0 {
				list = e.appendTail(list, rune(b&0x3f)<<(6*(missing-1)), next, missing-1)
			}
		}
		e.spans[key] = list
	}
	return list
}

// appendSpan joins neighbours that lead to the same state.
func appendSpan(list []span, x span) []span {
	if n := len(list); n > 0 && list[n-1].hi+1 == x.lo && list[n-1].to == x.to {
		list[n-1].hi = x.hi
		return list
	}
	return append(list, x)
}
