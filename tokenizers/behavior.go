package tokenizers

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// behavior is what a split does with the matches of its pattern; the names are tokenizer.json's.
type behavior uint8

const (
	removed            behavior = iota // matches are dropped
	isolated                           // matches are pieces of their own
	mergedWithPrevious                 // a match goes to the piece before it
	mergedWithNext                     // a match goes to the piece after it
	contiguous                         // adjacent matches are one piece
)

// parseBehavior reads a name; the default is the commonest one.
func parseBehavior(name string) (behavior, error) {
	switch name {
	case "Removed":
		return removed, nil
	case "Isolated", "":
		return isolated, nil
	case "MergedWithPrevious":
		return mergedWithPrevious, nil
	case "MergedWithNext":
		return mergedWithNext, nil
	case "Contiguous":
		return contiguous, nil
	}
	return 0, &UnsupportedError{Feature: "split behavior", Value: name}
}

// span is a stretch text[start:end] that matches a pattern or lies between matches.
type span struct {
	start, end int
	match      bool
}

// appendSpans appends the pieces that behavior makes of spans, which cover text in order.
func appendSpans(dst [][]byte, text []byte, spans []span, b behavior, invert bool) [][]byte {
	if invert {
		for i := range spans {
			spans[i].match = !spans[i].match
		}
	}
	switch b {
	case mergedWithPrevious:
		spans = joinMatches(spans)
	case mergedWithNext:
		spans = joinNext(spans)
	case contiguous:
		spans = joinAlike(spans)
	}
	for _, s := range spans {
		if b != removed || !s.match {
			dst = appendPiece(dst, text[s.start:s.end])
		}
	}
	return dst
}

// joinMatches gives each match that follows text to that text; of matches in a row only the
// first is.
func joinMatches(spans []span) []span {
	out := spans[:0]
	after := false
	for _, s := range spans {
		if s.match && !after && len(out) > 0 {
			out[len(out)-1].end = s.end
		} else {
			out = append(out, s)
		}
		after = s.match
	}
	return out
}

// joinNext is joinMatches from the right.
func joinNext(spans []span) []span {
	slices.Reverse(spans)
	var out []span
	after := false
	for _, s := range spans {
		if s.match && !after && len(out) > 0 {
			out[len(out)-1].start = s.start
		} else {
			out = append(out, s)
		}
		after = s.match
	}
	slices.Reverse(out)
	return out
}

// joinAlike joins spans in a row that all match or all do not.
func joinAlike(spans []span) []span {
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && out[n-1].match == s.match {
			out[n-1].end = s.end
		} else {
			out = append(out, s)
		}
	}
	return out
}

// regexTimeout bounds one search of a pattern that a tokenizer file brings: such engines
// backtrack, and a bad pattern can take exponential time.
const regexTimeout = 10 * time.Second

// compileRegex compiles a pattern of a tokenizer file. Go's regexp lacks the look-ahead that
// nearly all of them have.
func compileRegex(pattern string) (*regexp2.Regexp, error) {
	plain, err := withoutWords(pattern)
	if err != nil {
		return nil, err
	}
	re, err := regexp2.Compile(plain, regexp2.Unicode)
	if err != nil {
		return nil, fmt.Errorf("regular expression %q: %w", pattern, err)
	}
	re.MatchTimeout = regexTimeout
	return re, nil
}

// wordClass is what \w stands for in Oniguruma, which reads the patterns of tokenizer files.
// Package regexp2 takes joiners (U+200C and U+200D) for word characters too.
const wordClass = `\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\u24b6-\u24e9`

// withoutWords writes \w and \W in a pattern as classes.
func withoutWords(pattern string) (string, error) {
	var b strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		if c != '\\' || i+1 == len(pattern) {
			class = c == '[' || class && c != ']'
			b.WriteByte(c)
			continue
		}
		i++
		switch next := pattern[i]; {
		case next == 'w' && class:
			b.WriteString(wordClass)
		case next == 'w':
			b.WriteString("[" + wordClass + "]")
		case next == 'W' && class:
			return "", &UnsupportedError{Feature: `\W inside a class of the regular expression`, Value: pattern}
		case next == 'W':
			b.WriteString("[^" + wordClass + "]")
		default:
			b.WriteByte('\\')
			b.WriteByte(next)
		}
	}
	return b.String(), nil
}

// regexSpans finds all matches of re in text, and what lies between. The engine works on
// characters; a byte that is not UTF-8 is one (U+FFFD), and positions are mapped back to bytes.
// A search that runs into the time limit panics with a encodeError.
func regexSpans(re *regexp2.Regexp, text []byte) []span {
	runes := make([]rune, 0, len(text))
	offsets := make([]int, 0, len(text)+1)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		runes, offsets = append(runes, r), append(offsets, i)
		i += n
	}
	offsets = append(offsets, len(text))
	var spans []span
	done := 0
	m, err := re.FindRunesMatch(runes)
	for ; m != nil && err == nil; m, err = re.FindNextMatch(m) {
		start, end := offsets[m.RuneIndex], offsets[m.RuneIndex+m.RuneLength]
		if start > done {
			spans = append(spans, span{done, start, false})
		}
		if end > start {
			spans = append(spans, span{start, end, true})
		}
		done = end
	}
	if err != nil {
		panic(encodeError{fmt.Errorf("regular expression %s: %w", re, err)})
	}
	if done < len(text) {
		spans = append(spans, span{done, len(text), false})
	}
	return spans
}

// encodeError carries an error of a search out of the pipeline, whose steps cannot fail
// otherwise; encoding recovers it.
type encodeError struct{ error }

// regexSplit splits by a regular expression.
type regexSplit struct {
	cutting
	re       *regexp2.Regexp
	invert   bool
	behavior behavior
}

func (r regexSplit) split(dst [][]byte, text []byte, _ bool) [][]byte {
	return appendSpans(dst, text, regexSpans(r.re, text), r.behavior, r.invert)
}
