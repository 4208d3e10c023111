package judging

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gcdbench/harness/judged"
	"gcdbench/judges"
)

// A valid text may be refused for what stands behind the token, in every spelling of the token. That
// says nothing about the token. So the spelling that is read furthest is gone on with in another way,
// one that whoever refused the text takes: now there are two texts of one value, with the token and
// without it, and the token is a convention. What was refused behind it is a fault of its own.

// attempt is a spelling that was refused.
type attempt struct {
	cause string // what was changed; conventionTokens for the text itself
	text  []byte
	// tokens are those that the engine read, read their bytes, or those that the grammar read.
	tokens []int32
	read   int
}

// found is a convention that was found behind the token.
type found struct {
	settled
	at int // the byte of the refused text that is refused in itself
}

// past looks for a convention in spellings that were read past the token. passed is the byte at which
// one of them is refused, 0 if there is none, although no convention may be found.
func (q *question) past(ctx context.Context, whose string, text []byte, list []attempt) (f *found, passed int, err error) {
	if q.vocabulary.IsEOS(int(q.token)) {
		return nil, 0, nil
	}
	const most = 3 // attempts
	slices.SortStableFunc(list, func(a, b attempt) int { return (len(a.text) - a.read) - (len(b.text) - b.read) })
	var seen []string
	for _, t := range list {
		head := string(t.text[:min(t.read, len(t.text))])
		if slices.Contains(seen, head) || len(seen) == most {
			continue
		}
		at, err := q.cut(ctx, text, t)
		if err != nil {
			return nil, 0, err
		}
		if at < 0 {
			continue
		}
		seen, passed = append(seen, head), max(passed, at)
		if f, err = q.goneOn(ctx, whose, text[:at], t); f != nil || err != nil {
			return f, passed, err
		}
	}
	return nil, passed, nil
}

// cut is how many bytes of the text, the token among them, an attempt has spelled as far as it was
// read; -1 if the token is not among them.
func (q *question) cut(ctx context.Context, text []byte, t attempt) (int, error) {
	least := len(q.text) + len(q.vocabulary.Token(int(q.token)))
	rest := t.text[min(t.read, len(t.text)):]
	if bytes.HasSuffix(text, rest) && len(text)-len(rest) >= least {
		return len(text) - len(rest), nil
	}
	if t.cause == conventionTokens {
		return -1, nil
	}
	same := q.same(text)
	for at := least; at <= min(len(text), least+farthest); at++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		spelled := slices.Concat(text[:at], rest)
		if (q.order == nil || json.Valid(spelled)) && q.same(spelled) == same {
			return at, nil
		}
	}
	return -1, nil
}

// farthest is how many bytes behind the token a respelled text is looked for a place to go on from.
const farthest = 1000

// goneOn has a side go on from where it read an attempt to, and compares with the same end behind the
// text's own spelling.
func (q *question) goneOn(ctx context.Context, whose string, head []byte, t attempt) (*found, error) {
	spelled := t.text[:min(t.read, len(t.text))]
	ends, err := q.endsBehind(ctx, whose, t)
	if err != nil {
		return nil, err
	}
	for _, end := range ends {
		text, other := slices.Concat(head, end.text), slices.Concat(spelled, end.text)
		if q.same(text) != q.same(other) {
			continue
		}
		one := *q
		one.found = settled{}
		one.found.Document = q.document
		one.witness(text)
		v, decided := one.ask(ctx, text)
		if !decided || !v.Valid || v.Note != "" {
			continue
		}
		ids, ok, err := one.otherTakes(ctx, whose, text)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		cause := t.cause
		if whose == judged.Engine {
			one.found.RespelledIDs = ints(slices.Concat(t.tokens, end.ids))
			if q.insideCharacter() {
				cause = conventionCharacter
			}
		} else {
			one.found.WitnessIDs = ints(ids)
		}
		one.found.Respelled, one.found.RespelledBytes = string(other), other
		one.is(whose, judged.Convention, cause)
		return &found{one.found, len(head)}, nil
	}
	return nil, nil
}

// otherTakes reports whether the side that allows the token takes a text, and in which tokens.
func (q *question) otherTakes(ctx context.Context, whose string, text []byte) (ids []int32, ok bool, err error) {
	if whose == judged.Engine {
		return nil, q.recognizer.Check(text) == nil, nil
	}
	begun := append(q.prefix[:len(q.prefix):len(q.prefix)], q.token)
	rest, err := q.tokenizer.EncodeContinuation(text[q.bytes(begun):])
	if err != nil {
		return nil, false, nil // this vocabulary cannot write it
	}
	ids = append(begun, rest...)
	read, err := q.reads(ctx, q.engine, q.engineMask, ids)
	return ids, read > len(ids), err
}

// end is an end of a text; ids are those of an engine.
type end struct {
	text []byte
	ids  []int32
}

// endsBehind are ends of a spelling that whoever refused it takes.
func (q *question) endsBehind(ctx context.Context, whose string, t attempt) (list []end, err error) {
	if whose == judged.Reference {
		s, ok := q.recognizer.Read(q.recognizer.Start(), t.text[:t.read])
		if !ok {
			return nil, nil
		}
		if text, err := q.shortest(ctx, s); err == nil {
			list = append(list, end{text: text})
		}
		for _, text := range q.otherEnds(ctx, s) {
			list = append(list, end{text: text})
		}
		return list, ctx.Err()
	}
	const most = 3
	until := q.until
	q.until = time.Time{} // what an answer rests on has the time of the question
	defer func() { q.until = until }()
	for n := range most {
		state, err := q.engine.at(t.tokens)
		if err != nil {
			return nil, nil // in other steps it takes less
		}
		d, err := q.steer(ctx, state, t.tokens, t.text[:t.read], rand.New(rand.NewPCG(q.seed, uint64(n))), n, driveSteps)
		if err != nil {
			return nil, err
		}
		if d.ended {
			list = append(list, end{q.textOf(d.ids[len(t.tokens):]), d.ids[len(t.tokens):]})
		}
	}
	return list, nil
}

// noteAt is what the validator does not mind of a text, if it is at the byte: a key that is there a
// second time, or half a character.
func noteAt(v judges.Verdict, text []byte, at int) string {
	if v.Note == "" || at > len(text) {
		return ""
	}
	if strings.Contains(v.Note, conventionTwice) {
		// The key at hand is one that the object has, if it is complete or could be no other.
		if o := readOpen(text[:at]); o.quoted && o.top() != nil && o.top().key {
			end := at + bytes.IndexByte(append(text[at:len(text):len(text)], '"'), '"')
			if slices.Contains(o.top().keys, keyOf(text[o.begin:min(end, len(text))])) {
				return conventionTwice
			}
		}
	}
	if strings.Contains(v.Note, conventionSurrogate) && nearSurrogate(text, at) {
		return conventionSurrogate
	}
	return ""
}

// nearSurrogate reports whether a byte is in an escape of half a character, or just behind it.
func nearSurrogate(text []byte, at int) bool {
	const size = len(`\ud800`)
	for i := max(0, at-size); i <= at && i+size <= len(text); i++ {
		if text[i] == '\\' && text[i+1] == 'u' && (text[i+2]|' ') == 'd' && bytes.IndexByte([]byte("89abcdefABCDEF"), text[i+3]) >= 0 {
			return true
		}
	}
	return false
}
