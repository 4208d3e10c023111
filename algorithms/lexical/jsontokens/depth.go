package jsontokens

import (
	"gcdbench/grammar/automata"
	"gcdbench/tokenizers"
)

// A depth says how many plain characters can follow a state that is between two characters: any
// least of them leave it alive, and no most+1 of them do. quote tells whether a quote may follow
// each number of characters that leaves it alive, or none of them. All of it is said of texts that
// are as long as a token can be.
type depth struct {
	least, most int32
	quote       quoteAfter
}

type quoteAfter uint8

const (
	quoteSometimes quoteAfter = iota
	quoteAlways
	quoteNever
)

// endless is the depth of a state that as many characters can follow as a token has.
const endless = 1 << 30

// depth is the depth of a state. It is the length of the chain of states along which all plain
// characters lead to one state: a string of bounded length is such a chain. Where characters lead
// to different states, it is known if all of these stay alive.
func (p *Profile) depth(s int32) depth {
	switch {
	case p.l.without&Depths != 0:
		return depth{most: endless}
	case p.strict() && !p.alive(s).meets(ordinary):
		return depth{}
	case !p.between(s):
		return depth{most: endless}
	}
	known := &p.react().of(s).depth
	if d := known.Load(); d != nil {
		return *d
	}
	d := p.chain(s)
	if d.most == endless && d.least < p.longest() {
		if x := p.stays(s); x.kinds == allKinds && x.length >= p.longest() {
			d = depth{endless, endless, x.quote}
		}
	}
	known.Store(&d)
	return d
}

// longest is the most plain characters that matter.
func (p *Profile) longest() int32 {
	if p.l.longest == 0 {
		return tokenizers.MaxTokenLength
	}
	return p.l.longest
}

// chain is the depth by the chain alone.
func (p *Profile) chain(s int32) depth {
	always, never := true, true
	for length := range p.longest() + 1 {
		if p.alive(s).has('"') {
			never = false
		} else {
			always = false
		}
		to := p.follower(s)
		switch {
		case to == mixed:
			return depth{least: length, most: endless}
		case to == automata.Dead:
			return depth{length, length, quotesAfter(always, never)}
		case to == s:
			return depth{endless, endless, quotesAfter(always, never)}
		}
		s = to
	}
	return depth{endless, endless, quotesAfter(always, never)}
}

func quotesAfter(always, never bool) quoteAfter {
	switch {
	case always:
		return quoteAlways
	case never:
		return quoteNever
	}
	return quoteSometimes
}

// follower is the state that all plain characters lead to from s, automata.Dead if s refuses all of
// them, and mixed if there are several.
func (p *Profile) follower(s int32) int32 {
	r := p.react()
	known := &r.of(s).follower
	to := known.Load()
	if to == 0 {
		to = p.findFollower(r, s) + 3
		known.Store(to)
	}
	return to - 3
}

// findFollower is follower for the first time.
func (p *Profile) findFollower(r *reactions, s int32) int32 {
	to := p.d.Next(s, 'a')
	for c, x := range p.d.Row(s) {
		if r.kinds[c] != 0 && x != to {
			return mixed
		}
	}
	for kind := uint8(otherKind); kind <= lineKind; kind++ {
		if p.target(s, kind) != to {
			return mixed
		}
	}
	return to
}
