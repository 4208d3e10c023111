package lark

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"sort"
	"unicode/utf8"

	"gcdbench/grammar"
)

// A source is the text of one grammar file.
type source struct {
	name string // as messages should call it
	// text ends in a line break that the file need not have: a definition ends at one.
	text []byte
	// lines are the offsets at which lines start.
	lines []int
	// runes counts the characters before each multiple of runeStep.
	runes []int
	// dialect is set where the text has something that Lark does not have, and llguidance and XGrammar
	// have: a terminal may then match the empty text, which stands for nothing.
	dialect bool
	// contextual is set where the text has attributes or options, which ask for a contextual lexer.
	contextual bool
}

// runeStep bounds how much of a line is counted for a column, since a file may be one line.
const runeStep = 1 << 7

// byteOrderMark may open a file that an editor saved as "UTF-8 with BOM".
var byteOrderMark = []byte("\xef\xbb\xbf")

// newSource prepares a text for reading and for the places in messages. It must be UTF-8, or
// columns could not be counted and terminals could not be compared with anything.
func newSource(name string, text []byte) (*source, error) {
	text = bytes.TrimPrefix(text, byteOrderMark)
	s := &source{name: name, text: append(bytes.Clone(text), '\n'), lines: []int{0}, runes: make([]int, 0, len(text)/runeStep+1)}
	if len(text) > maxText {
		return nil, s.tooLarge(maxText)
	}
	count := 0
	for off := 0; off < len(s.text); off += runeStep {
		s.runes = append(s.runes, count)
		count += starts(s.text[off:min(off+runeStep, len(s.text))])
	}
	for off := 0; off < len(s.text); off = s.lines[len(s.lines)-1] {
		s.lines = append(s.lines, off+bytes.IndexByte(s.text[off:], '\n')+1)
	}
	if !utf8.Valid(s.text) {
		off := 0
		for r, n := utf8.DecodeRune(s.text); r != utf8.RuneError || n != 1; r, n = utf8.DecodeRune(s.text[off:]) {
			off += n
		}
		return nil, s.at(off).errorf("save the file as UTF-8", "byte 0x%02x is not UTF-8", s.text[off])
	}
	s.lines = s.lines[:len(s.lines)-1] // what follows the last line break is no line
	return s, nil
}

// tooLarge is the error of a text above a limit.
func (s *source) tooLarge(limit int) error {
	return &grammar.Error{
		Pos:     grammar.Position{File: s.name},
		Message: fmt.Sprintf("the file is too large; the limit is %d bytes", limit),
		Hint:    fmt.Sprintf("%d without the schemas of %%json", maxSource),
	}
}

// starts counts the bytes at which a character starts: all but those that have the upper bits 10.
func starts(text []byte) int {
	n := len(text)
	for ; len(text) >= 8; text = text[8:] {
		word := binary.LittleEndian.Uint64(text)
		n -= bits.OnesCount64(word >> 7 &^ (word >> 6) & 0x0101010101010101)
	}
	for _, c := range text {
		if !utf8.RuneStart(c) {
			n--
		}
	}
	return n
}

// runesBefore counts the characters before offset off.
func (s *source) runesBefore(off int) int {
	step := off / runeStep
	return s.runes[step] + starts(s.text[step*runeStep:off])
}

// at is the place at a byte offset.
func (s *source) at(off int) place { return place{s, int32(off)} }

// number is the number of the line that holds offset off, from 0.
func (s *source) number(off int) int { return sort.SearchInts(s.lines, off+1) - 1 }

// line is the text of the line that holds offset off, without the break.
func (s *source) line(off int) []byte {
	text := s.text[s.lines[s.number(off)]:]
	text = text[:bytes.IndexByte(text, '\n')]
	return bytes.TrimSuffix(text, []byte("\r"))
}

// A place is a byte offset in a source. The zero place is nowhere.
type place struct {
	src *source
	off int32
}

// position is p as line and column.
func (p place) position() grammar.Position {
	if p.src == nil {
		return grammar.Position{}
	}
	off := min(int(p.off), len(p.src.text)-1)
	number := p.src.number(off)
	column := p.src.runesBefore(off) - p.src.runesBefore(p.src.lines[number]) + 1
	return grammar.Position{File: p.src.name, Line: number + 1, Column: column}
}

// errorf is an error at p. The hint says what to do about it and may be empty.
func (p place) errorf(hint, format string, args ...any) *grammar.Error {
	e := &grammar.Error{Pos: p.position(), Message: fmt.Sprintf(format, args...), Hint: hint}
	if p.src != nil {
		e.Line = string(p.src.line(int(p.off)))
	}
	return e
}
