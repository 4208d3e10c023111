package tokenizers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// preTokenizer cuts a piece of text into smaller ones, which are appended to dst; no token
// crosses a cut. first tells that text is the beginning of the input. Pieces are never empty.
type preTokenizer interface {
	split(dst [][]byte, text []byte, first bool) [][]byte
	// keepsStart tells whether piece, the first that came of text, has the beginning of text.
	// It does not where a split removed what it begins with.
	keepsStart(text, piece []byte) bool
}

// cutting is the keepsStart of steps whose pieces are parts of the text, and adding that of
// steps that put something in front and remove nothing.
type (
	cutting struct{}
	adding  struct{}
)

func (cutting) keepsStart(text, piece []byte) bool { return &text[0] == &piece[0] }
func (adding) keepsStart([]byte, []byte) bool      { return true }

// preTokenizerSpec is a pre-tokenizer as tokenizer.json writes it, all types in one.
type preTokenizerSpec struct {
	Type             string
	PreTokenizers    []json.RawMessage `json:"pretokenizers"`
	Pattern          pattern
	Behavior         string
	Invert           bool
	AddPrefixSpace   *bool   `json:"add_prefix_space"`
	UseRegex         *bool   `json:"use_regex"`
	IndividualDigits bool    `json:"individual_digits"`
	Replacement      string  `json:"replacement"`
	PrependScheme    *string `json:"prepend_scheme"`
	Split            *bool   `json:"split"`
	Delimiter        string  `json:"delimiter"`
}

// preTokens is a parsed pre-tokenizer.
type preTokens struct {
	steps []preTokenizer
	// byteLevel: the pieces are read as bytes (the step ByteLevel, which must be the last).
	byteLevel bool
}

// parsePreTokenizer adds the steps of raw to p. An unknown type is an *UnsupportedError.
func parsePreTokenizer(raw json.RawMessage, p *preTokens) error {
	if isNull(raw) {
		return nil
	}
	var s preTokenizerSpec
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("pre_tokenizer: %w", err)
	}
	if p.byteLevel {
		return &UnsupportedError{Feature: "pre_tokenizer behind ByteLevel", Value: s.Type}
	}
	isSet := func(b *bool) bool { return b == nil || *b }
	add := func(step preTokenizer) error { p.steps = append(p.steps, step); return nil }
	switch s.Type {
	case "Sequence":
		for _, r := range s.PreTokenizers {
			if err := parsePreTokenizer(r, p); err != nil {
				return err
			}
		}
		return nil
	case "ByteLevel":
		if isSet(s.AddPrefixSpace) {
			add(prefixSpace{})
		}
		if isSet(s.UseRegex) {
			add(handSplit{next: splitGPT2})
		}
		p.byteLevel = true
		return nil
	case "Split":
		step, err := parseSplit(s)
		if err != nil {
			return err
		}
		return add(step)
	case "Metaspace":
		return add(newMetaspace(s))
	case "Digits":
		if s.IndividualDigits {
			return add(charSplit{is: isNumeric, behavior: isolated})
		}
		return add(charSplit{is: isNumeric, behavior: contiguous})
	case "Punctuation":
		b, err := parseBehavior(s.Behavior)
		if err != nil {
			return err
		}
		return add(charSplit{is: isPunctuation, behavior: b})
	case "WhitespaceSplit":
		return add(charSplit{is: unicode.IsSpace, behavior: removed})
	case "Whitespace":
		re, err := compileRegex(`[\w\u200c\u200d]+|[^\w\s\u200c\u200d]+`)
		if err != nil {
			return err
		}
		return add(regexSplit{re: re, invert: true, behavior: removed})
	case "CharDelimiterSplit":
		d, size := utf8.DecodeRuneInString(s.Delimiter)
		if size == 0 || size != len(s.Delimiter) {
			return fmt.Errorf("pre_tokenizer CharDelimiterSplit: its delimiter is one character, not %q", s.Delimiter)
		}
		return add(charSplit{is: func(r rune) bool { return r == d }, behavior: removed})
	case "BertPreTokenizer":
		add(charSplit{is: unicode.IsSpace, behavior: removed})
		return add(charSplit{is: isPunctuation, behavior: isolated})
	}
	return &UnsupportedError{Feature: "pre_tokenizer", Value: s.Type}
}

// continuingSplits drops from splits what puts something in front of a text. Characters that
// a split removes, such as white space, go to the piece after them.
func continuingSplits(splits []preTokenizer) []preTokenizer {
	var out []preTokenizer
	for _, step := range splits {
		switch s := step.(type) {
		case prefixSpace:
			continue
		case metaspace:
			s.scheme = "never"
			step = s
		case charSplit:
			if s.behavior == removed {
				s.behavior = mergedWithNext
			}
			step = s
		}
		out = append(out, step)
	}
	return out
}

func isNumeric(r rune) bool { return unicode.Is(unicode.N, r) }

// isPunctuation is ASCII's, symbols included, and Unicode's category P.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < 0x7F && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return unicode.Is(unicode.P, r)
}

// parseSplit prefers a hand-written splitter. That one gives every match as a piece, which is
// what Isolated means, and Removed with invert too, for patterns that leave nothing between
// matches.
func parseSplit(s preTokenizerSpec) (preTokenizer, error) {
	b, err := parseBehavior(s.Behavior)
	if err != nil {
		return nil, err
	}
	switch {
	case s.Pattern.String != nil && *s.Pattern.String != "":
		return stringSplit{sep: []byte(*s.Pattern.String), invert: s.Invert, behavior: b}, nil
	case s.Pattern.Regex == nil:
		return nil, fmt.Errorf("pre_tokenizer Split: pattern is empty")
	}
	if f := splitters[*s.Pattern.Regex]; f != nil && (b == isolated && !s.Invert || b == removed && s.Invert) {
		return handSplit{next: f}, nil
	}
	re, err := compileRegex(*s.Pattern.Regex)
	if err != nil {
		return nil, fmt.Errorf("pre_tokenizer Split: %w", err)
	}
	return regexSplit{re: re, invert: s.Invert, behavior: b}, nil
}

// prefixSpace puts a space in front of text that has none (ByteLevel's add_prefix_space).
type prefixSpace struct{ adding }

func (prefixSpace) split(dst [][]byte, text []byte, _ bool) [][]byte {
	if len(text) == 0 || text[0] == ' ' {
		return appendPiece(dst, text)
	}
	return append(dst, append([]byte{' '}, text...))
}

// appendPiece keeps empty pieces out.
func appendPiece(dst [][]byte, p []byte) [][]byte {
	if len(p) == 0 {
		return dst
	}
	return append(dst, p)
}

// handSplit runs a hand-written splitter.
type handSplit struct {
	cutting
	next splitter
}

func (h handSplit) split(dst [][]byte, text []byte, _ bool) [][]byte {
	s := &scanner{text, classTable()}
	for i := 0; i < len(text); {
		end := h.next(s, i)
		dst = append(dst, text[i:end])
		i = end
	}
	return dst
}

// stringSplit splits at every occurrence of a string.
type stringSplit struct {
	cutting
	sep      []byte
	invert   bool
	behavior behavior
}

func (s stringSplit) split(dst [][]byte, text []byte, _ bool) [][]byte {
	var spans []span
	for i := 0; i < len(text); {
		n := bytes.Index(text[i:], s.sep)
		if n < 0 {
			spans = append(spans, span{i, len(text), false})
			break
		}
		if n > 0 {
			spans = append(spans, span{i, i + n, false})
		}
		spans = append(spans, span{i + n, i + n + len(s.sep), true})
		i += n + len(s.sep)
	}
	return appendSpans(dst, text, spans, s.behavior, s.invert)
}

// charSplit splits at every character with a property.
type charSplit struct {
	cutting
	is       func(rune) bool
	behavior behavior
}

func (c charSplit) split(dst [][]byte, text []byte, _ bool) [][]byte {
	var spans []span
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		match := (r != utf8.RuneError || n > 1) && c.is(r)
		if last := len(spans) - 1; !match && last >= 0 && !spans[last].match {
			spans[last].end = i + n
		} else {
			spans = append(spans, span{i, i + n, match})
		}
		i += n
	}
	return appendSpans(dst, text, spans, c.behavior, false)
}

// metaspace is SentencePiece's treatment of spaces as a pre-tokenizer: mark them, put one in
// front, and cut before each mark. What "first" means is where the normalized text begins;
// Hugging Face's tokenizers look at the text before normalization, which differs if a Strip
// normalizer took something away there.
type metaspace struct {
	adding
	mark   []byte
	scheme string // always, first or never: when a mark is put in front
	cut    bool
}

// newMetaspace reads both ways of saying when a mark is put in front; the older one is a flag.
func newMetaspace(s preTokenizerSpec) metaspace {
	m := metaspace{mark: []byte(s.Replacement), scheme: "always", cut: s.Split == nil || *s.Split}
	if len(m.mark) == 0 {
		m.mark = []byte("▁")
	}
	if s.PrependScheme != nil {
		m.scheme = *s.PrependScheme
	} else if s.AddPrefixSpace != nil && !*s.AddPrefixSpace {
		m.scheme = "never"
	}
	return m
}

// split marks before it cuts, so that a mark put in front counts as one.
func (m metaspace) split(dst [][]byte, text []byte, first bool) [][]byte {
	text = bytes.ReplaceAll(text, []byte(" "), m.mark)
	if (m.scheme == "always" || m.scheme == "first" && first) && !bytes.HasPrefix(text, m.mark) {
		text = append(append([]byte(nil), m.mark...), text...)
	}
	if !m.cut {
		return appendPiece(dst, text)
	}
	return stringSplit{sep: m.mark, behavior: mergedWithNext}.split(dst, text, first)
}
