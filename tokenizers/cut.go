package tokenizers

import "fmt"

// Cut returns the tokenizer of the first n ids, for sweeps over vocabulary size. Text is
// encoded by exactly the merges that remain possible.
//
// Ids below n stay as they are. Behind them, in the order of their old ids, come the tokens
// without which a cut vocabulary could not be used: EOS, and every token of one byte, so that
// any text can still be written. So Len() is n plus the number of those at n and above: 1 for
// byte-level vocabularies (EOS), none to about a hundred for SentencePiece's, which have their
// single characters at the end. Other special and added tokens at n and above are gone.
//
// It fails if n is below 1 or above the number of ids, and for models other than BPE.
func (t *Tokenizer) Cut(n int) (*Tokenizer, error) {
	v := t.vocabulary
	if t.model == nil {
		return nil, fmt.Errorf("tokenizer %s: only BPE vocabularies can be cut", v.Name())
	}
	ids, err := newCut(v, n)
	if err != nil {
		return nil, err
	}
	d := &definition{vocabulary: ids.vocabulary(v), model: ids.model(t.model), Pipeline: t.pipeline}
	d.Pipeline.Added = nil
	for _, a := range t.pipeline.Added {
		if a.ID < len(ids.to) && ids.to[a.ID] >= 0 {
			a.ID = int(ids.to[a.ID])
			d.Pipeline.Added = append(d.Pipeline.Added, a)
		}
	}
	cut, err := newTokenizer(d)
	if err != nil {
		return nil, err
	}
	cut.source = t.source
	return cut, nil
}

// idCut maps ids of a vocabulary to those of a cut one.
type idCut struct {
	n    int
	to   []int32 // new id, -1 if gone
	from []int32 // old id
}

// newCut decides what stays.
func newCut(v *Vocabulary, n int) (*idCut, error) {
	if n < 1 || n > v.Len() {
		return nil, fmt.Errorf("vocabulary %s: cannot cut to %d ids: it has %d", v.Name(), n, v.Len())
	}
	c := &idCut{n: n, to: make([]int32, v.Len())}
	for id := range v.Len() {
		c.to[id] = -1
		if id < n || v.IsEOS(id) || v.Legal(id) && len(v.Token(id)) == 1 {
			c.to[id] = int32(len(c.from))
			c.from = append(c.from, int32(id))
		}
	}
	return c, nil
}

// vocabulary renumbers the tokens. Nothing in it needs checking again: it is a part of v.
func (c *idCut) vocabulary(v *Vocabulary) *Vocabulary {
	out := &Vocabulary{name: fmt.Sprintf("%s[:%d]", v.name, c.n), offsets: make([]uint32, 1, len(c.from)+1)}
	for _, id := range c.from {
		out.slab = append(out.slab, v.Token(int(id))...)
		out.offsets = append(out.offsets, uint32(len(out.slab)))
		out.kinds = append(out.kinds, v.kinds[id])
		if v.IsEOS(int(id)) {
			out.eos = append(out.eos, int(c.to[id]))
		}
	}
	return out
}

// without is the model of texts in which some ids do not occur, under the same ids.
func (m *model) without(ids map[int]string) *model {
	c, concerned := &idCut{n: len(m.offsets) - 1}, false
	for id := range int32(c.n) {
		to := id
		if ids[int(id)] != "" {
			to, concerned = -1, concerned || m.offsets[id] < m.offsets[id+1]
		}
		c.to, c.from = append(c.to, to), append(c.from, id)
	}
	if !concerned {
		return m
	}
	return c.model(m)
}

// model keeps the symbols and merges whose ids are all kept.
func (c *idCut) model(m *model) *model {
	out := &model{
		byRank: m.byRank, byteLevel: m.byteLevel, whole: m.whole,
		byteFallback: m.byteFallback, unknown: m.unknown, fuseUnknown: m.fuseUnknown,
		offsets: make([]uint32, 1, len(c.from)+1),
	}
	for _, id := range c.from {
		if c.to[id] >= 0 && int(id)+1 < len(m.offsets) {
			out.slab = append(out.slab, m.slab[m.offsets[id]:m.offsets[id+1]]...)
		}
		out.offsets = append(out.offsets, uint32(len(out.slab)))
	}
	for _, r := range m.rules {
		if l, r, res := c.to[r.left], c.to[r.right], c.to[r.result]; l >= 0 && r >= 0 && res >= 0 {
			out.rules = append(out.rules, merge{l, r, res})
		}
	}
	for b, id := range m.fallback {
		out.fallback[b] = id
		if id >= 0 {
			out.fallback[b] = c.to[id]
		}
	}
	if m.unknown >= 0 {
		out.unknown = c.to[m.unknown]
	}
	return out
}
