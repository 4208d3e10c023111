package pattern

// A pattern such as ^@[a-z]{1,64}$ has a state for each of its characters. It is a smaller pattern,
// ^@[a-z]*$, with bounds on the length of the string: lengths are counted on demand, and what is
// found out about the smaller pattern holds for all of them.

// fewRounds is up to how many rounds more or less a repetition is written out.
const fewRounds = 8

// Counted is a pattern without the count of the characters of one class, in the syntax of package
// automata, and the lengths of the strings in characters. It is not ok for a pattern that is not of
// this form, that is: ^, texts of given lengths with one repeated class between them, and $.
func Counted(pattern string) (base string, least, most int, ok bool) {
	n, err := Parse(pattern)
	if err != nil || n.op != opCat || len(n.subs) < 3 || n.subs[0].op != opStart || n.subs[len(n.subs)-1].op != opEnd {
		return "", 0, 0, false
	}
	whole := &Node{op: opCat}
	for _, sub := range n.subs[1 : len(n.subs)-1] {
		if sub.op == opRepeat && sub.subs[0].op == opClass && sub.max-sub.min >= fewRounds && !ok {
			least, most, ok = least+sub.min, most+sub.max, true
			sub = &Node{op: opRepeat, subs: sub.subs, max: -1}
		} else if length := sub.length(); length < 0 {
			return "", 0, 0, false
		} else {
			least, most = least+length, most+length
		}
		whole.subs = append(whole.subs, sub)
	}
	w := &writer{}
	w.padded(whole, false, false)
	return w.b.String(), least, most, ok
}

// length is how many characters all texts have that a part matches; -1 if that is not plain.
func (n *Node) length() int {
	switch n.op {
	case opClass:
		return 1
	case opCat:
		total := 0
		for _, sub := range n.subs {
			length := sub.length()
			if length < 0 {
				return -1
			}
			total += length
		}
		return total
	case opRepeat:
		if length := n.subs[0].length(); n.min == n.max && length >= 0 {
			return n.min * length
		}
	}
	return -1
}
