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
	"gcdbench/harness/judges"
)

// A valid text may be refused because of its part after the token, in every spelling of the token.
// That proves nothing about the token. So the spelling that was read furthest gets another end, one
// that the refusing side takes. Now there are two texts of one value, one with the token, which is
// refused, and one without it, which is taken: the token is a convention. The refusal after it is a
// separate fault.

// attempt is a spelling that was refused.
type attempt struct {
	cause string // the changes; conventionTokens for the text itself
	text  []byte
	// tokens are those that the engine took; nil for the grammar. read is how many bytes were taken.
	tokens []int32
	read   int
}

// found is a convention that was found after the token.
type found struct {
	settled
	at int // the byte at which the refused text is refused
}

// past looks for a convention in spellings that were read past the token; f is nil if there is
// none. passed is the byte at which such a spelling was refused; 0 if none was read past the token.
func (q *question) afterToken(ctx context.Context, whose string, text []byte, list []attempt) (f *found, passed int, err error) {
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
		if f, err = q.endedAgain(ctx, whose, text[:at], t); f != nil || err != nil {
			return f, passed, err
		}
	}
	return nil, passed, nil
}

// cut is how many bytes of the text correspond to the part of an attempt that was read; -1 if that
// part ends before the token does.
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

// farthest is how many bytes after the token cut searches.
const farthest = 1000

// endedAgain has a side end an attempt after the part that it read, and compares with the same end
// after the text's own spelling.
func (q *question) endedAgain(ctx context.Context, whose string, head []byte, t attempt) (*found, error) {
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

// end is an end of a text; ids are its tokens if an engine made it.
type end struct {
	text []byte
	ids  []int32
}

// endsBehind are ends of an attempt that the refusing side takes.
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
	q.until = time.Time{} // the whole time of the question is left for this
	defer func() { q.until = until }()
	for n := range most {
		state, err := q.engine.at(t.tokens)
		if err != nil {
			return nil, nil // it contradicts its earlier answers
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

// noteAt is the oddity of a text that the validator accepts, if it is at a byte: a repeated key, or
// half a character.
func noteAt(v judges.Verdict, text []byte, at int) string {
	if v.Note == "" || at > len(text) {
		return ""
	}
	if strings.Contains(v.Note, conventionTwice) {
		// Is the key at hand, completed by the text, one that the object already has?
		if o := readOpen(text[:at]); o.Quoted && o.top() != nil && o.top().key {
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

// nearSurrogate reports whether a byte is in an escape of half a character, or just after it.
func nearSurrogate(text []byte, at int) bool {
	const size = len(`\ud800`)
	for i := max(0, at-size); i <= at && i+size <= len(text); i++ {
		if text[i] == '\\' && text[i+1] == 'u' && (text[i+2]|' ') == 'd' && bytes.IndexByte([]byte("89abcdefABCDEF"), text[i+3]) >= 0 {
			return true
		}
	}
	return false
}
