package latex

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Text for LaTeX: only ASCII, so that it means the same in any input encoding, and only characters
// of the old text fonts (OT1) of a plain article.

// latexSigns are the characters that LaTeX reads as commands, joins to others, or has only as
// commands.
var latexSigns = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '%': `\%`, '_': `\_`,
	'^': `\textasciicircum{}`, '~': `$\sim$`, '<': `\textless{}`, '>': `\textgreater{}`, '|': `\textbar{}`, '`': "\\`{}", '\n': " ",
	'µ': `$\mu$`, 'μ': `$\mu$`, '×': `$\times$`, '÷': `$\div$`, '·': `$\cdot$`, '±': `$\pm$`, '−': `$-$`, '≤': `$\le$`, '≥': `$\ge$`, '≠': `$\ne$`, '≈': `$\approx$`,
	'→': `$\to$`, '∞': `$\infty$`, '√': `$\surd$`, '°': `$^\circ$`, '–': `--`, '—': `---`, '…': `\ldots{}`, '‘': "`{}", '’': `'{}`, '“': "``{}", '”': `''{}`, '\u00a0': `~`,
	'ß': `\ss{}`, 'æ': `\ae{}`, 'Æ': `\AE{}`, 'œ': `\oe{}`, 'Œ': `\OE{}`, 'ø': `\o{}`, 'Ø': `\O{}`, 'ł': `\l{}`, 'Ł': `\L{}`, 'ı': `\i{}`, '¡': "!`", '¿': "?`", '§': `\S{}`, '¶': `\P{}`, '©': `\copyright{}`, '£': `\pounds{}`,
}

// latexAccents are the combining accents, as the commands that put them over a letter.
var latexAccents = map[rune]string{
	'\u0300': "\\`", '\u0301': `\'`, '\u0302': `\^`, '\u0303': `\~`, '\u0304': `\=`, '\u0306': `\u`, '\u0307': `\.`, '\u0308': `\"`, '\u030a': `\r`, '\u030b': `\H`, '\u030c': `\v`, '\u0327': `\c`,
}

// Escape keeps text from being read as commands. Two equal signs that LaTeX would join, such
// as the hyphens of Github_easy---o1, are kept apart. A character that a plain article cannot show
// is written as an escape, such as \u4e2d.
func Escape(s string) string {
	var b strings.Builder
	last, quoted := rune(0), false
	for _, r := range s {
		sign, known := latexSigns[r]
		switch {
		case r == '"':
			opens := last == 0 || unicode.IsSpace(last) || strings.ContainsRune("([{/=,:", last)
			if quoted = opens || last == '"' && !quoted; quoted {
				b.WriteString("``{}")
			} else {
				b.WriteString("''{}")
			}
		case known:
			b.WriteString(sign)
		case r < unicode.MaxASCII:
			if r == last && strings.ContainsRune(`-',`, r) || r == '`' && strings.ContainsRune("!?", last) {
				b.WriteString("{}")
			}
			b.WriteRune(r)
		default:
			b.WriteString(latexLetter(r))
		}
		last = r
	}
	return b.String()
}

// latexLetter is a letter with its accent, or an escape.
func latexLetter(r rune) string {
	if parts := []rune(norm.NFD.String(string(r))); len(parts) == 2 && parts[0] < unicode.MaxASCII {
		if accent, ok := latexAccents[parts[1]]; ok {
			letter := string(parts[0])
			if strings.ContainsAny(letter, "ij") && accent != `\c` {
				letter = `\` + letter // without its dot
			}
			return fmt.Sprintf("%s{%s}", accent, letter)
		}
	}
	return fmt.Sprintf(`\textbackslash{}u%04x`, r)
}

const (
	// longWord is how many letters of a word always fit into a line of notes, longEntry into a line
	// of the narrowest column.
	longWord, longEntry = 30, 9
	// breakEvery is after how many letters a word that is too long may be broken where it has no
	// other signs.
	breakEvery = 8
	// breakAtSign and breakAnywhere are places to break a word, with the highest penalties below
	// "never": LaTeX breaks there only if a word is longer than a line, and prefers breakAtSign.
	breakAtSign   = `\penalty5000{}`
	breakAnywhere = `\penalty9000{}`
)

// breakable is escaped text for several lines: words with more letters than fit into one, such as
// ids, paths and sums, may be broken.
func breakable(s string, fit int) string {
	parts := strings.Split(s, " ")
	for i, word := range parts {
		if letters := []rune(word); len(letters) > fit {
			parts[i] = breakableWord(letters)
		} else {
			parts[i] = Escape(word)
		}
	}
	return strings.Join(parts, " ")
}

// breakableWord puts places to break a word after its signs, and where it has none for long.
func breakableWord(letters []rune) string {
	var b strings.Builder
	start := 0
	for i, r := range letters {
		if i+1 == len(letters) || letters[i+1] == r || letters[i+1] == '"' {
			continue
		}
		place := ""
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && i > start {
			place = breakAtSign
		} else if i+1-start >= breakEvery {
			place = breakAnywhere
		}
		if place != "" {
			b.WriteString(Escape(string(letters[start:i+1])) + place)
			start = i + 1
		}
	}
	return b.String() + Escape(string(letters[start:]))
}
