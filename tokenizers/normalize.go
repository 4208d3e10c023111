package tokenizers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"golang.org/x/text/unicode/norm"
)

// normalizer changes text before it is split. Implementations may return their argument; they
// do not write to it.
type normalizer interface {
	normalize(text []byte) []byte
	// undone tells whether decoding the tokens undoes the change, so that their bytes are those of
	// the text. Of what is in use that is SentencePiece's mark for spaces, and not a space put in
	// front, a Unicode form, or lower case.
	undone() bool
}

// pattern is tokenizer.json's {"String": ...} or {"Regex": ...}; sometimes a bare string.
type pattern struct {
	String *string
	Regex  *string
}

func (p *pattern) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		p.String = &s
		return nil
	}
	type plain pattern
	return json.Unmarshal(data, (*plain)(p))
}

// normalizerSpec is a normalizer as tokenizer.json writes it, all types in one.
type normalizerSpec struct {
	Type        string
	Normalizers []json.RawMessage
	Prepend     string
	Pattern     pattern
	Content     string
	StripLeft   *bool `json:"strip_left"`
	StripRight  *bool `json:"strip_right"`
	// Of BertNormalizer; without StripMarks, marks are dropped if letters are lowered.
	CleanText    *bool `json:"clean_text"`
	ChineseChars *bool `json:"handle_chinese_chars"`
	StripMarks   *bool `json:"strip_accents"`
	Lowercase    *bool `json:"lowercase"`
}

// parseNormalizer reads a normalizer; nil for JSON null. An unknown type is an *UnsupportedError.
func parseNormalizer(raw json.RawMessage) (normalizer, error) {
	if isNull(raw) {
		return nil, nil
	}
	var s normalizerSpec
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("normalizer: %w", err)
	}
	switch s.Type {
	case "Sequence":
		var seq sequence
		for _, r := range s.Normalizers {
			n, err := parseNormalizer(r)
			if err != nil {
				return nil, err
			}
			if n != nil {
				seq = append(seq, n)
			}
		}
		return seq, nil
	case "Prepend":
		return prepend(s.Prepend), nil
	case "Replace":
		return parseReplace(s)
	case "NFC":
		return unicodeForm(norm.NFC), nil
	case "NFD":
		return unicodeForm(norm.NFD), nil
	case "NFKC":
		return unicodeForm(norm.NFKC), nil
	case "NFKD":
		return unicodeForm(norm.NFKD), nil
	case "Lowercase":
		return mapping(toLower), nil
	case "StripAccents":
		return mapping(stripAccents), nil
	case "Strip":
		left, right := s.StripLeft == nil || *s.StripLeft, s.StripRight == nil || *s.StripRight
		return mapping(func(t []byte) []byte { return strip(t, left, right) }), nil
	case "BertNormalizer":
		return s.bert(), nil
	}
	return nil, &UnsupportedError{Feature: "normalizer", Value: s.Type}
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// sequence applies normalizers in order.
type sequence []normalizer

func (s sequence) normalize(text []byte) []byte {
	for _, n := range s {
		text = n.normalize(text)
	}
	return text
}

// undone is true of the sequence as such; continuing looks into it.
func (s sequence) undone() bool { return true }

// continuing drops from n what belongs to the beginning of a text or does not keep its bytes;
// see Tokenizer.EncodeContinuation.
func continuing(n normalizer) normalizer {
	if seq, ok := n.(sequence); ok {
		var kept sequence
		for _, m := range seq {
			if c := continuing(m); c != nil {
				kept = append(kept, c)
			}
		}
		return kept
	}
	if n == nil || !n.undone() {
		return nil
	}
	return n
}

// prepend puts a string in front of text that is not empty.
type prepend string

func (p prepend) normalize(text []byte) []byte {
	if len(text) == 0 {
		return text
	}
	return append([]byte(p), text...)
}

func (p prepend) undone() bool { return false }

// replace puts one string for another; with re, for what matches.
type replace struct {
	old, new []byte
	re       *regexp2.Regexp
}

// parseReplace reads a replacement; a pattern is for the regular expression engine only if it says
// so.
func parseReplace(s normalizerSpec) (normalizer, error) {
	switch {
	case s.Pattern.String != nil && *s.Pattern.String != "":
		return replace{old: []byte(*s.Pattern.String), new: []byte(s.Content)}, nil
	case s.Pattern.Regex != nil:
		re, err := compileRegex(*s.Pattern.Regex)
		if err != nil {
			return nil, fmt.Errorf("normalizer Replace: %w", err)
		}
		return replace{new: []byte(s.Content), re: re}, nil
	}
	return nil, fmt.Errorf("normalizer Replace: pattern is empty")
}

func (r replace) normalize(text []byte) []byte {
	if r.re == nil {
		return bytes.ReplaceAll(text, r.old, r.new)
	}
	var out []byte
	for _, s := range regexSpans(r.re, text) {
		if s.match {
			out = append(out, r.new...)
		} else {
			out = append(out, text[s.start:s.end]...)
		}
	}
	return out
}

func (r replace) undone() bool { return string(r.old) == " " }

// unicodeForm is a Unicode normalization form. Invalid UTF-8 passes unchanged.
type unicodeForm norm.Form

func (f unicodeForm) normalize(text []byte) []byte {
	form := norm.Form(f)
	if form.IsNormal(text) {
		return text
	}
	return normalizeLongRuns(form, text)
}

func (f unicodeForm) undone() bool { return false }

// mapping is any other change.
type mapping func([]byte) []byte

func (m mapping) normalize(text []byte) []byte { return m(text) }
func (m mapping) undone() bool                 { return false }

// bert is the normalizer of BERT's models, in the order of its parts.
func (s *normalizerSpec) bert() normalizer {
	isSet := func(b *bool) bool { return b == nil || *b }
	var seq sequence
	if isSet(s.CleanText) {
		seq = append(seq, mapping(cleanText))
	}
	if isSet(s.ChineseChars) {
		seq = append(seq, mapping(spaceIdeographs))
	}
	if s.StripMarks != nil && *s.StripMarks || s.StripMarks == nil && isSet(s.Lowercase) {
		seq = append(seq, unicodeForm(norm.NFD), mapping(stripAccents))
	}
	if isSet(s.Lowercase) {
		seq = append(seq, mapping(toLower))
	}
	return seq
}

// cleanText drops control characters and has a space for all white space.
func cleanText(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case r == 0 || r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, text)
}

// spaceIdeographs puts a space on both sides of Chinese characters.
func spaceIdeographs(text []byte) []byte {
	var out []byte
	for _, r := range string(text) {
		if unicode.Is(ideographs, r) {
			out = append(utf8.AppendRune(append(out, ' '), r), ' ')
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// ideographs are the blocks that BERT's normalizer takes for Chinese characters.
var ideographs = &unicode.RangeTable{
	R16: []unicode.Range16{{0x3400, 0x4DBF, 1}, {0x4E00, 0x9FFF, 1}, {0xF900, 0xFAFF, 1}},
	R32: []unicode.Range32{{0x20000, 0x2A6DF, 1}, {0x2A700, 0x2B73F, 1}, {0x2B740, 0x2B81F, 1}, {0x2B920, 0x2CEAF, 1}, {0x2F800, 0x2FA1F, 1}},
}

// toLower lowers letters. One of them becomes two characters.
func toLower(text []byte) []byte {
	return bytes.ToLower(bytes.ReplaceAll(text, []byte("İ"), []byte("i\u0307")))
}

// stripAccents drops nonspacing marks.
func stripAccents(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, text)
}

// strip removes white space from the ends.
func strip(text []byte, left, right bool) []byte {
	if left {
		text = text[skipSpace(text, 0):]
	}
	if right {
		text = text[:trimSpaceRight(text, 0, len(text))]
	}
	return text
}

// streamSafe is the number of combining marks in a row up to which x/text follows the Unicode
// standard. Behind the 30th it inserts U+034F, to bound the memory of a stream (UAX 15, section
// 13); tokenizers do not.
const streamSafe = 30

// normalizeLongRuns normalizes text, and longer runs of marks than x/text can take by the
// definition.
func normalizeLongRuns(form norm.Form, text []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(text); {
		end, marks := markedRun(form, text, i)
		if marks > streamSafe {
			out = append(out, form.Bytes(text[done:i])...)
			out = append(out, normalizeRun(form, text[i:end])...)
			done = end
		}
		i = end
	}
	return append(out, form.Bytes(text[done:])...)
}

// markedRun returns the end of the character at i with the marks after it, and their number
// after decomposition.
func markedRun(form norm.Form, text []byte, i int) (end, marks int) {
	end = i
	for end < len(text) {
		p := form.Properties(text[end:])
		if end > i && p.CCC() == 0 && p.BoundaryBefore() {
			break
		}
		marks += utf8.RuneCount(p.Decomposition())
		if p.CCC() > 0 {
			marks++
		}
		end += max(p.Size(), 1)
	}
	return end, marks
}

// normalizeRun applies the definition to one run: decompose every character, sort marks by
// combining class without swapping equals, then, in the composed forms, join each mark with the
// last starter unless a mark of the same or a higher class stands between (Unicode standard,
// section 3.11).
func normalizeRun(form norm.Form, run []byte) []byte {
	chars := decompose(form, run)
	for i := 1; i < len(chars); i++ {
		for j := i; j > 0 && chars[j].class != 0 && chars[j-1].class > chars[j].class; j-- {
			chars[j], chars[j-1] = chars[j-1], chars[j]
		}
	}
	if form == norm.NFC || form == norm.NFKC {
		chars = compose(chars)
	}
	var out []byte
	for _, c := range chars {
		out = append(out, c.bytes...)
	}
	return out
}

// marked is one character with its combining class.
type marked struct {
	bytes []byte
	class uint8
}

// decompose takes the characters of run apart, by the form's kind of equivalence.
func decompose(form norm.Form, run []byte) []marked {
	decomposed := norm.NFD
	if form == norm.NFKC || form == norm.NFKD {
		decomposed = norm.NFKD
	}
	var chars []marked
	for len(run) > 0 {
		_, n := utf8.DecodeRune(run)
		for d := decomposed.Bytes(run[:n]); len(d) > 0; {
			_, m := utf8.DecodeRune(d)
			chars = append(chars, marked{d[:m], decomposed.Properties(d).CCC()})
			d = d[m:]
		}
		run = run[n:]
	}
	return chars
}

// compose joins marks with their starters. Whether two characters have a composition is asked of
// x/text, pair by pair.
func compose(chars []marked) []marked {
	starter, last := -1, -1 // last: class of the character before, -1 if it is the starter
	out := chars[:0:0]
	for _, c := range chars {
		if starter >= 0 && (last < int(c.class) || last < 0) {
			pair := append(append([]byte(nil), out[starter].bytes...), c.bytes...)
			if joined := norm.NFC.Bytes(pair); utf8.RuneCount(joined) == 1 {
				out[starter].bytes = joined
				continue
			}
		}
		out = append(out, c)
		last = int(c.class)
		if c.class == 0 {
			starter, last = len(out)-1, -1
		}
	}
	return out
}
