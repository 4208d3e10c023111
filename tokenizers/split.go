package tokenizers

// The split patterns of the tokenizers that papers use, by hand. A backtracking engine runs
// them at 1 to 3 MB/s; these run at a hundred. A splitter is chosen by the exact text of the
// pattern, and TestSplittersAgree holds each one against dlclark/regexp2 on the same text.
//
// All of them cover their input: every character is in exactly one piece.

// splitter returns the end of the piece that begins at i, where i < len(text).
type splitter func(s *scanner, i int) int

const (
	patternGPT2 = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

	patternCL100K = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

	patternQwen2 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

	patternO200K = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// splitters finds a hand-written splitter by its pattern. Llama 3 has cl100k's.
var splitters = map[string]splitter{
	patternGPT2:   splitGPT2,
	patternCL100K: func(s *scanner, i int) int { return splitCL100K(s, i, 3) },
	patternQwen2:  func(s *scanner, i int) int { return splitCL100K(s, i, 1) },
	patternO200K:  splitO200K,
}

// contraction returns the end of an English contraction ('s 't 're 've 'm 'll 'd) at i, or i.
// With fold, case does not matter, and the long s (U+017F), which folds to s, counts as one.
func contraction(text []byte, i int, fold bool) int {
	if i+1 >= len(text) || text[i] != '\'' {
		return i
	}
	if fold && i+2 < len(text) && text[i+1] == 0xC5 && text[i+2] == 0xBF {
		return i + 3
	}
	lower := func(j int) byte {
		if j >= len(text) {
			return 0
		}
		if c := text[j]; fold && 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return text[j]
	}
	switch a, b := lower(i+1), lower(i+2); {
	case a == 's' || a == 't' || a == 'm' || a == 'd':
		return i + 2
	case a == 'r' && b == 'e', a == 'v' && b == 'e', a == 'l' && b == 'l':
		return i + 3
	}
	return i
}

// splitGPT2 is GPT-2's pattern (r50k_base, and ByteLevel with use_regex).
func splitGPT2(s *scanner, i int) int {
	if end := contraction(s.text, i, false); end > i {
		return end
	}
	start := i
	if s.text[i] == ' ' {
		start++
	}
	c, n := s.at(start)
	switch {
	case n == 0: // a space that ends the text
		return start
	case c&classLetter != 0:
		return s.run(start+n, classLetter)
	case c&classNumber != 0:
		return s.run(start+n, classNumber)
	case c&classSpace == 0:
		return s.runNot(start+n, classSpace|classLetter|classNumber)
	}
	return spaces(s, i)
}

// spaces is `\s+(?!\S)|\s+`: a run of white space, without its last character if text follows and
// something is left.
func spaces(s *scanner, i int) int {
	end, last := i, i
	for {
		c, n := s.at(end)
		if n == 0 {
			return end
		}
		if c&classSpace == 0 {
			break
		}
		last = end
		end += n
	}
	if last > i {
		return last
	}
	return end
}

// newlinesOrSpaces is `\s*[\r\n]+|\s+(?!\S)|\s+`: white space up to its last line break if it has
// one.
func newlinesOrSpaces(s *scanner, i int) int {
	end := 0
	for j := i; ; {
		c, n := s.at(j)
		if n == 0 || c&classSpace == 0 {
			break
		}
		j += n
		if c&classNewline != 0 {
			end = j
		}
	}
	if end > i {
		return end
	}
	return spaces(s, i)
}

// numbers returns the end of `\p{N}{1,limit}`.
func numbers(s *scanner, i, limit int) int {
	for range limit {
		c, n := s.at(i)
		if c&classNumber == 0 {
			break
		}
		i += n
	}
	return i
}

// symbols is ` ?[^\s\p{L}\p{N}]+` followed by a run of line breaks, and slashes if slash is
// set; i if there is none.
func symbols(s *scanner, i int, slash bool) int {
	start := i
	if s.text[i] == ' ' {
		start++
	}
	end := s.runNot(start, classSpace|classLetter|classNumber)
	if end == start {
		return i
	}
	for end < len(s.text) && (s.text[end] == '\r' || s.text[end] == '\n' || slash && s.text[end] == '/') {
		end++
	}
	return end
}

// splitCL100K is the pattern of cl100k_base and Llama 3 (digits in threes) and of Qwen 2
// (single digits).
func splitCL100K(s *scanner, i, digits int) int {
	if end := contraction(s.text, i, true); end > i {
		return end
	}
	c, n := s.at(i)
	switch {
	case c&classLetter != 0:
		return s.run(i+n, classLetter)
	case c&classNumber != 0:
		return numbers(s, i, digits)
	case c&classNewline == 0:
		if end := s.run(i+n, classLetter); end > i+n {
			return end
		}
	}
	if end := symbols(s, i, false); end > i {
		return end
	}
	return newlinesOrSpaces(s, i)
}

// splitO200K is the pattern of o200k_base: words may begin with one other character, change
// from upper to lower case once, and end in a contraction.
func splitO200K(s *scanner, i int) int {
	c, n := s.at(i)
	if c&(classLetter|classNumber|classNewline) == 0 {
		if end := wordO200K(s, i+n, i); end > i {
			return contraction(s.text, end, true)
		}
	} else if c&classLetter != 0 {
		if end := wordO200K(s, i, i); end > i {
			return contraction(s.text, end, true)
		}
	}
	if c&classNumber != 0 {
		return numbers(s, i, 3)
	}
	if end := symbols(s, i, true); end > i {
		return end
	}
	return newlinesOrSpaces(s, i)
}

// wordO200K tries the two word alternatives in the pattern's order, each with its optional
// first character (from is after it) and then without (at start), and returns the end, or
// start if there is no word.
func wordO200K(s *scanner, from, start int) int {
	if end := lowerWord(s, from); end > from {
		return end
	}
	if from > start {
		if end := lowerWord(s, start); end > start {
			return end
		}
	}
	if end := s.run(from, classWord); end > from {
		return s.run(end, classTail)
	}
	if from > start {
		if end := s.run(start, classWord); end > start {
			return s.run(end, classTail)
		}
	}
	return start
}

// lowerWord is `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+` from i, or i. The
// first run takes all it can; if nothing is left for the second, it gives back up to its last
// caseless letter or mark, which the second then takes.
func lowerWord(s *scanner, i int) int {
	end, caseless := i, i
	for {
		c, n := s.at(end)
		if n == 0 || c&classWord == 0 {
			break
		}
		end += n
		if c&classTail != 0 {
			caseless = end
		}
	}
	if tail := s.run(end, classTail); tail > end {
		return tail
	}
	return caseless
}
