package tokenizers

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Models that are not BPE. A continuation has the bytes of its text, which they are not made for:
//
//   - A Unigram model encodes each word with the space in front of it. Normalizers are left out,
//     since they change bytes.
//   - The tokens of the other models have a space in front of them or after them by the decoder.
//     The rule of WordPiece, the longest token first, is applied to those bytes: "a, b" is "##a",
//     "##,", "b".
//
// A text that has a byte which no token can write (a line break, in T5) is refused by
// EncodeContinuation, and a run with such a document before it measures anything.

// wordModel is a model other than BPE. encode appends the ids of a piece, and panics with an
// encodeError.
type wordModel interface {
	encode(ids []int32, piece []byte) []int32
}

// errUnknown is the reason why a text has no ids in a vocabulary without a token for what is
// unknown.
var errUnknown = errors.New("the text has a part that no token stands for, and the vocabulary has no unknown token")

// wordModel makes the model of a file that is not BPE. Text is never a control token, so its tokens
// are those that are legal.
func (f *tokenizerFile) wordModel(v *Vocabulary) wordModel {
	w := wordLevel{unknown: -1, table: f.table, legal: v}
	if f.unknown != "" {
		w.unknown = int32(f.find(f.unknown))
	}
	switch f.modelType {
	case "WordLevel":
		return &w
	case "WordPiece":
		return &wordPiece{w, []byte(f.prefix), f.longest}
	}
	if f.unknownID != nil {
		w.unknown = int32(*f.unknownID)
	}
	u := &unigram{wordLevel: w, scores: f.scores, byteFallback: f.byteFallback, least: slices.Min(f.scores)}
	for id := range len(f.offsets) - 1 {
		u.longest = max(u.longest, len(f.string(id)))
	}
	return u
}

// wordLevel is a WordLevel model: a piece is a token or unknown.
type wordLevel struct {
	table   *byteTable
	legal   *Vocabulary
	unknown int32 // -1 if there is none
}

// find is the id of a string that is a token of text, -1 if there is none.
func (w *wordLevel) find(text []byte) int32 {
	if id := w.table.find(text); id >= 0 && w.legal.Legal(int(id)) {
		return id
	}
	return -1
}

// giveUp appends the id of what is unknown.
func (w *wordLevel) giveUp(ids []int32, piece []byte) []int32 {
	if w.unknown < 0 {
		panic(encodeError{fmt.Errorf("%w: %q", errUnknown, excerpt(piece))})
	}
	return append(ids, w.unknown)
}

func (w *wordLevel) encode(ids []int32, piece []byte) []int32 {
	if id := w.find(piece); id >= 0 {
		return append(ids, id)
	}
	return w.giveUp(ids, piece)
}

// wordPiece takes the longest token again and again, behind the first with a prefix. A piece of
// which some part has no token, or that has too many characters, is unknown as a whole.
type wordPiece struct {
	wordLevel
	prefix  []byte
	longest int // characters of a piece
}

func (w *wordPiece) encode(ids []int32, piece []byte) []int32 {
	if utf8.RuneCount(piece) > w.longest {
		return w.giveUp(ids, piece)
	}
	from := len(ids)
	for start := 0; start < len(piece); {
		end, id := len(piece), int32(-1)
		for ; end > start; end -= lastRune(piece[start:end]) {
			text := piece[start:end]
			if start > 0 {
				text = slices.Concat(w.prefix, text)
			}
			if id = w.find(text); id >= 0 {
				break
			}
		}
		if id < 0 {
			return w.giveUp(ids[:from], piece)
		}
		ids, start = append(ids, id), end
	}
	return ids
}

// lastRune is the length of the last character.
func lastRune(text []byte) int {
	_, n := utf8.DecodeLastRune(text)
	return n
}

// unigram finds the tokens with the greatest sum of scores, by dynamic programming over the places
// of a piece (Kudo: Subword regularization, 2018; Viterbi). A character that no token is costs more
// than any.
type unigram struct {
	wordLevel
	scores       []float64
	least        float64 // of all scores
	longest      int     // bytes of a token
	byteFallback bool
}

// unknownPenalty is how much less than the least score an unknown character has, as in
// SentencePiece.
const unknownPenalty = 10

// An arrival is the best way to a place: its score, and the last token of it, with its start.
type arrival struct {
	score float64
	start int
	id    int32
}

func (u *unigram) encode(ids []int32, piece []byte) []int32 {
	best := u.best(piece)
	var ends []int // of the tokens, the last first
	for end := len(piece); end > 0; end = best[end].start {
		ends = append(ends, end)
	}
	for i := len(ends) - 1; i >= 0; i-- {
		a := best[ends[i]]
		start := a.start
		for a.id < 0 && i > 0 && best[ends[i-1]].id < 0 { // unknown characters side by side are one
			i--
		}
		if a.id >= 0 {
			ids = append(ids, a.id)
		} else {
			ids = u.fallBack(ids, piece[start:ends[i]])
		}
	}
	return ids
}

// best finds for each place of a piece the best way there.
func (u *unigram) best(piece []byte) []arrival {
	best := slices.Repeat([]arrival{{start: -1}}, len(piece)+1)
	reach := func(start, end int, score float64, id int32) {
		if score += best[start].score; best[end].start < 0 || score > best[end].score {
			best[end] = arrival{score, start, id}
		}
	}
	for start := 0; start < len(piece); {
		_, size := utf8.DecodeRune(piece[start:])
		single := false
		for end := start + 1; end <= min(len(piece), start+u.longest); end++ {
			if id := u.find(piece[start:end]); id >= 0 {
				reach(start, end, u.scores[id], id)
				single = single || end == start+size
			}
		}
		if !single {
			reach(start, start+size, u.least-unknownPenalty, -1)
		}
		start += size
	}
	return best
}

// fallBack appends the ids of unknown characters: of their bytes, if the model has all of these.
func (u *unigram) fallBack(ids []int32, text []byte) []int32 {
	from := len(ids)
	for _, b := range text {
		id := int32(-1)
		if u.byteFallback {
			id = u.find(fmt.Appendf(nil, "<0x%02X>", b))
		}
		if id < 0 {
			return u.giveUp(ids[:from], text)
		}
		ids = append(ids, id)
	}
	return ids
}

// byBytes are the tokens of a vocabulary that are text, by their bytes.
func byBytes(v *Vocabulary) (list []addedToken) {
	for id := range v.Len() {
		if v.Legal(id) {
			list = append(list, addedToken{ID: id, Content: string(v.Token(id))})
		}
	}
	return list
}
