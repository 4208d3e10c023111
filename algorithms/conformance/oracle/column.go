package oracle

import (
	"regexp"
	"strings"

	"gcdbench/grammar"
)

// counts is a column, counted with the tab width and with the alternate one.
type counts [2]int

// columnOf is the column of a newline lexeme: that of its last line, behind the line breaks that no
// join character takes away.
func columnOf(lexeme string, l *grammar.Layout) counts {
	blanks := `^[ \t\f]*`
	if l.Join != "" {
		blanks += `(` + regexp.QuoteMeta(l.Join) + `\r?\n[ \t\f]*)*`
	}
	beginning := regexp.MustCompile(blanks)
	for {
		line := beginning.FindString(lexeme)
		end := strings.IndexAny(lexeme[len(line):], "\r\n")
		if end < 0 {
			return count(line, l)
		}
		lexeme = lexeme[len(line)+end+1:]
	}
}

// count is the column behind the blanks and joined line breaks that a line begins with.
func count(line string, l *grammar.Layout) counts {
	tabs := counts{l.Tab, l.Alternate}
	if l.Alternate == 0 {
		tabs[1] = l.Tab
	}
	var c counts
	for _, r := range line {
		if l.Join == string(r) && c[0] > 0 {
			return counts{c[0], c[0]}
		}
		for i, tab := range tabs {
			switch r {
			case ' ':
				c[i]++
			case '\t':
				c[i] = (c[i]/tab + 1) * tab
			case '\f':
				c[i] = 0
			}
		}
	}
	return c
}
