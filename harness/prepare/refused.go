package prepare

import (
	"bytes"
	"unicode/utf8"

	"gcdbench/internal/special"
	"gcdbench/internal/words"
)

// MaxRefusedShown is how many refused documents of a group are shown in full during the run. They
// tend to have one cause.
const MaxRefusedShown = 3

// WholeCharacters extends a part of a text to whole characters: a token may begin or end inside
// one.
func WholeCharacters(text []byte, from, to int) (begin, end int) {
	for begin = from; begin > 0 && begin < len(text) && from-begin < utf8.UTFMax-1 && !utf8.RuneStart(text[begin]); begin-- {
	}
	for end = to; end < len(text) && end-to < utf8.UTFMax-1 && !utf8.RuneStart(text[end]); end++ {
	}
	return begin, end
}

// ExcerptSide is how many characters of a line are shown at most before a place, and from there on.
const ExcerptSide = 40

// ExcerptAt is the line in which a part of a text begins, in printable characters and cut on both
// sides if it is long. before counts its characters ahead of the part, marked those of the part, at
// least one.
func ExcerptAt(text []byte, from, to int) (line string, before, marked int) {
	begin := bytes.LastIndexByte(text[:from], '\n') + 1
	end := len(text)
	if n := bytes.IndexByte(text[from:], '\n'); n >= 0 {
		end = from + n
	}
	shown := func(part []byte) []rune { return []rune(words.Printable(string(special.Shown(part)))) }
	head, tail := shown(text[begin:from]), shown(text[from:end])
	marked = len(shown(text[from:min(to, end)]))
	if len(head) > ExcerptSide {
		head = append([]rune("..."), head[len(head)-ExcerptSide:]...)
	}
	if len(tail) > ExcerptSide {
		tail = append(tail[:ExcerptSide:ExcerptSide], []rune("...")...)
	}
	// A part that ends within a character is shown as bytes, which are more.
	return string(head) + string(tail), len(head), max(1, min(marked, ExcerptSide, len(tail)))
}
