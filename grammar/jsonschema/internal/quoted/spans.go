package quoted

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

// characters is the function from code points above ASCII to the states that one character leads
// to, from a state with this row. The list is valid until the next call.
func (e *encoder) characters(row []int32) []span {
	list := e.list[:0]
	for _, lead := range []struct {
		lo, hi  int
		first   rune // the code points of lo begin here
		missing int32
	}{{0xc2, 0xdf, 0x80, 1}, {0xe0, 0xef, 0, 2}, {0xf0, 0xf4, 0, 3}} {
		list = e.appendTails(list, row, lead.lo, lead.hi, lead.first, lead.missing)
	}
	e.list = list
	return list
}

// appendTails adds the spans of characters, or parts of them, that begin with a byte lo..hi and
// lack so many bytes after it; the code points of lo begin at first.
func (e *encoder) appendTails(list []span, row []int32, lo, hi int, first rune, missing int32) []span {
	size := rune(1) << (6 * missing) // code points of a byte
	for b := lo; b <= hi; {
		next, end := row[e.classOf[b]], b+1
		for end <= hi && row[e.classOf[end]] == next {
			end++
		}
		if next >= 0 {
			rest := e.tail(next, missing)
			if len(rest) == 1 && rest[0].lo == 0 && rest[0].hi == size-1 { // all alike
				list = appendSpan(list, span{first + rune(b-lo)*size, first + rune(end-lo)*size - 1, rest[0].to})
			} else {
				for ; b < end; b++ {
					base := first + rune(b-lo)*size
					for _, x := range rest {
						list = appendSpan(list, span{base + x.lo, base + x.hi, x.to})
					}
				}
			}
		}
		b = end
	}
	return list
}

// A tails has the spans of the rest of a character, counted from 0, from a state inside of one.
type tails struct {
	missing int32 // how many bytes are; 0 if nothing is known yet
	list    []span
}

// tail has the spans of the rest of a character of which some bytes are missing, counted from 0.
// With no byte missing the list is valid until the next call.
func (e *encoder) tail(s, missing int32) []span {
	if missing == 0 {
		e.one[0] = span{0, 0, s}
		return e.one[:]
	}
	if x := e.spans[s]; x.missing == missing {
		return x.list
	}
	list := e.appendTails(nil, e.d.Row(s), 0x80, 0xbf, 0, missing-1)
	e.spans[s] = tails{missing, list}
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
