package tokenizers

import (
	"unicode"
	"unicode/utf8"
)

// addedToken is one entry of tokenizer.json's added_tokens: text that is found before the model
// sees it.
type addedToken struct {
	ID         int    `json:"id"`
	Content    string `json:"content"`
	Special    bool   `json:"special"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
}

// addedMatcher finds added tokens in text: at the leftmost place the longest one, from left to
// right. The tokens are a Trie; first leads from a byte to the root's child, so that most
// positions cost one look-up.
type addedMatcher struct {
	tokens []addedToken
	trie   *Trie
	first  [256]int32 // node of a first byte, -1 if none
}

// newAddedMatcher returns nil if there is nothing to find.
func newAddedMatcher(tokens []addedToken) (*addedMatcher, error) {
	var contents [][]byte
	var kept []addedToken
	for _, t := range tokens {
		if t.Content != "" {
			contents = append(contents, []byte(t.Content))
			kept = append(kept, t)
		}
	}
	if len(kept) == 0 {
		return nil, nil
	}
	v, err := NewVocabulary("added tokens", contents, nil, nil)
	if err != nil {
		return nil, err
	}
	m := &addedMatcher{tokens: kept, trie: v.Trie()}
	for b := range m.first {
		m.first[b] = -1
	}
	for i := 0; i < len(m.trie.Nodes); i += m.trie.Nodes[i].Size() {
		m.first[m.trie.Nodes[i].Byte()] = int32(i)
	}
	return m, nil
}

// longest returns the longest token that text has at i, and its length in bytes, 0 if there is
// none.
func (m *addedMatcher) longest(text []byte, i int) (token *addedToken, length int) {
	node := int(m.first[text[i]])
	if node < 0 {
		return nil, 0
	}
	nodes := m.trie.Nodes
	for depth := 1; ; depth++ {
		if id := nodes[node].Token(); id >= 0 {
			token, length = &m.tokens[id], depth
		}
		if i+depth >= len(text) {
			return token, length
		}
		child, end := node+1, node+nodes[node].Size()
		for child < end && nodes[child].Byte() != text[i+depth] {
			child += nodes[child].Size()
		}
		if child >= end {
			return token, length
		}
		node = child
	}
}

// section is a stretch of text: either an added token (id) or text for the model (id -1).
type section struct {
	text []byte
	id   int32
}

// split cuts text at the added tokens in it. A token with LStrip or RStrip takes the white
// space beside it along.
func (m *addedMatcher) split(dst []section, text []byte) []section {
	done := 0
	for i := 0; i < len(text); {
		token, n := m.longest(text, i)
		if n == 0 {
			i++
			continue
		}
		if token.SingleWord && !standsAlone(text, i, i+n) {
			i += n // what begins inside it is not looked for either
			continue
		}
		start, end := i, i+n
		if token.LStrip {
			start = trimSpaceRight(text, done, start)
		}
		if token.RStrip {
			end = skipSpace(text, end)
		}
		if start > done {
			dst = append(dst, section{text[done:start], -1})
		}
		dst = append(dst, section{text[start:end], int32(token.ID)})
		i, done = end, end
	}
	if done < len(text) {
		dst = append(dst, section{text[done:], -1})
	}
	return dst
}

// standsAlone tells whether no word character touches text[i:j].
func standsAlone(text []byte, i, j int) bool {
	before, _ := utf8.DecodeLastRune(text[:i])
	after, _ := utf8.DecodeRune(text[j:])
	return !(i > 0 && isWord(before)) && !(j < len(text) && isWord(after))
}

// isWord is \w: letters, marks, decimal digits, connector punctuation.
func isWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Pc, unicode.Nl, unicode.Other_Alphabetic)
}

// trimSpaceRight moves end back over white space, not beyond low.
func trimSpaceRight(text []byte, low, end int) int {
	for end > low {
		r, n := utf8.DecodeLastRune(text[low:end])
		if !unicode.IsSpace(r) {
			break
		}
		end -= n
	}
	return end
}

// skipSpace moves i forward over white space.
func skipSpace(text []byte, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRune(text[i:])
		if !unicode.IsSpace(r) {
			break
		}
		i += n
	}
	return i
}
