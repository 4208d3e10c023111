package judging

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"gcdbench/algorithms"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/judged"
	"gcdbench/internal/jsontext"
	"gcdbench/tokenizers"
)

// The tokens that differ at a position are put into groups, and a few tokens of a group are judged
// for all of it: a difference inside a string is often about 100,000 tokens, and the next string
// has a hundred similar positions.
//
// The key of a group is the side that allows its tokens, the place in the grammar where the other
// side stops reading them, and the byte that it does not take there. For a token that only the
// engine allows the recognizer knows where the reference stops. For a token that only the reference
// allows the engine's mask tells: the engine stops after the longest prefix of the token that is a
// token in its mask. The place ignores counts inside a lexeme: two characters into a string of at
// most ten are the same place as seven.

// roughly is a place in the grammar, without counts inside a lexeme.
type roughly struct {
	stacks  uint64 // lr.Stacks.Key
	reach   lexer.ReachID
	accepts string // lexer.Automaton.Ends
	layout  string // whether in brackets, and the columns; "" without layout
}

// rough is the place of a state.
func rough(r *recognizer.Recognizer, s recognizer.State) roughly {
	out := roughly{stacks: s.Stacks.Key(), reach: r.Lexer.Reach(s.Lexer), accepts: fmt.Sprint(r.Lexer.Ends(s.Lexer))}
	if r.Layout != nil {
		out.layout = fmt.Sprint(s.Layout.Depth() > 0, s.Layout.Columns())
	}
	return out
}

// Tokens that can be no part of UTF-8 are a class of their own. In a JSON string all signs are one
// class, and so are all characters beyond ASCII. Of such a class several tokens with different
// bytes are judged, and it is split if their answers differ.

// groupKey has the properties that the tokens of a group share.
type groupKey struct {
	allows string // judged.Engine or judged.Reference
	place  roughly
	class  byteClass
	first  bool // that byte is the token's first
	// after is the place after that byte, for tokens that the reference allows.
	after roughly
}

// group is the tokens of a position that are expected to have one answer.
type group struct {
	key    groupKey
	tokens []difference
}

// difference is a token that one mask has and the other has not.
type difference struct {
	token int32
	at    int // index of the byte that is not taken; the token's length for EOS and tokens without bytes
}

// byteClass is a byte as far as most grammars tell bytes apart: all letters are one class, and so
// are the digits 1 to 9, and the bytes of tokens that cannot be UTF-8.
type byteClass int16

// Classes beyond the bytes themselves.
const (
	classLetter byteClass = 256 + iota
	classDigit
	classSign      // in a JSON string, any that ends or escapes nothing
	classCharacter // of two bytes and more: its first byte
	classInside    // of a character: a further byte
	classBlank     // a space or a tab
	classLine      // a line break
	classNotUTF8   // any byte of what is no UTF-8
	classEOS
	classControl // a token that stands for no text
)

// classOf is the class of a byte.
func classOf(b byte) byteClass {
	switch {
	case b|' ' >= 'a' && b|' ' <= 'z':
		return classLetter
	case b >= '1' && b <= '9':
		return classDigit
	case b == ' ', b == '\t':
		return classBlank
	case b == '\n', b == '\r':
		return classLine
	case b >= 0xC0:
		return classCharacter
	case b >= 0x80:
		return classInside
	}
	return byteClass(b)
}

// wide reports whether grammars often tell the bytes of a class apart.
func (c byteClass) wide() bool { return c == classSign || c == classCharacter || c == classInside }

// String names the class in causes.
func (c byteClass) String() string {
	switch c {
	case classLetter:
		return "a letter"
	case classDigit:
		return "a digit"
	case classSign:
		return "a sign"
	case classCharacter:
		return "a character beyond ASCII"
	case classInside:
		return "a byte inside a character"
	case classNotUTF8:
		return "what is no UTF-8"
	case classEOS:
		return "the end"
	case classControl:
		return "a control token"
	case classBlank:
		return "a blank"
	case classLine:
		return "a line break"
	case '0':
		return "the digit 0"
	}
	if c < ' ' || c == 0x7F {
		return fmt.Sprintf("the byte %02X", int(c))
	}
	return string(rune(c))
}

// comparer finds the groups of positions on a vocabulary. It must not be used by two goroutines at
// once.
type comparer struct {
	r          *recognizer.Recognizer
	vocabulary *tokenizers.Vocabulary
	controls   []int // ids that are no text, EOS among them

	// The path to a node of the trie: its bytes, the states after the first known bytes, and
	// whether the reference refuses the next byte.
	states [tokenizers.MaxTokenLength + 1]recognizer.State
	bytes  [tokenizers.MaxTokenLength]byte
	known  int
	stuck  bool
	before []byte          // the bytes of an incomplete character at the end of the text
	json   bool            // texts are JSON
	cursor jsontext.Cursor // the end of the text
}

func newComparer(r *recognizer.Recognizer, v *tokenizers.Vocabulary, json bool) *comparer {
	c := &comparer{r: r, vocabulary: v, json: json}
	for id := range v.Len() {
		if !v.Legal(id) {
			c.controls = append(c.controls, id)
		}
	}
	return c
}

// groups are the differences of two masks at a state after a text, in the order of the trie.
func (c *comparer) groups(s recognizer.State, text []byte, reference, engine algorithms.Mask) []*group {
	var list []*group
	byKey := map[groupKey]*group{}
	add := func(k groupKey, d difference) {
		g := byKey[k]
		if g == nil {
			g = &group{key: k}
			byKey[k] = g
			list = append(list, g)
		}
		g.tokens = append(g.tokens, d)
	}
	c.states[0], c.known, c.stuck, c.before = s, 0, false, begunCharacter(text)
	c.cursor = jsontext.Cursor{}.After(text)
	trie := c.vocabulary.Trie()
	var allowed [tokenizers.MaxTokenLength + 1]int // by depth: the longest prefix that the engine allows
	for i, node := range trie.Nodes {
		depth := trie.Depth(i)
		c.path(depth, node.Byte())
		allowed[depth+1] = allowed[depth]
		first := node.Token()
		if first < 0 {
			continue
		}
		for n, same := 0, trie.Same(first); n <= len(same); n++ {
			token := first
			if n > 0 {
				token = same[n-1]
			}
			inReference, inEngine := reference.Has(int(token)), engine.Has(int(token))
			switch {
			case inReference && !inEngine:
				at := allowed[depth]
				add(c.excluded(at, depth+1), difference{token, at})
			case inEngine && !inReference:
				k := c.admitted(depth + 1)
				add(k, difference{token, c.known})
			}
			if inEngine {
				allowed[depth+1] = depth + 1
			}
		}
	}
	for _, id := range c.controls {
		if reference.Has(id) == engine.Has(id) {
			continue
		}
		k := groupKey{allows: judged.Engine, place: rough(c.r, s), class: classControl}
		if reference.Has(id) {
			k.allows = judged.Reference
		}
		if c.vocabulary.IsEOS(id) {
			k.class = classEOS
		}
		add(k, difference{int32(id), len(c.vocabulary.Token(id))})
	}
	return list
}

// path goes to a node of the trie. The states of its ancestors stay.
func (c *comparer) path(depth int, b byte) {
	c.bytes[depth] = b
	if depth <= c.known {
		c.known, c.stuck = depth, false
	}
}

// read finds the states after the first n bytes of the path, as far as the reference takes them.
func (c *comparer) read(n int) {
	for c.known < n && !c.stuck {
		next, ok := c.r.Step(c.states[c.known], c.bytes[c.known])
		if !ok || !c.r.Legal(next) {
			c.stuck = true
			return
		}
		c.known++
		c.states[c.known] = next
	}
}

// excluded is the key of a token that the reference allows and the engine refuses at a byte.
func (c *comparer) excluded(at, length int) groupKey {
	c.read(length)
	k := groupKey{allows: judged.Reference, class: c.class(at, length), first: at == 0}
	if at < c.known { // else the mask contradicts the recognizer, and the place is unknown
		k.place, k.after = rough(c.r, c.states[at]), rough(c.r, c.states[at+1])
	}
	return k
}

// admitted is the key of a token that the engine allows; the reference stops after c.known bytes.
func (c *comparer) admitted(length int) groupKey {
	c.read(length)
	k := groupKey{allows: judged.Engine, place: rough(c.r, c.states[c.known]), first: c.known == 0}
	if c.known < length {
		k.class = c.class(c.known, length)
	}
	return k
}

// class is the class of a byte of the token at hand.
func (c *comparer) class(at, length int) byteClass {
	b := c.bytes[at]
	switch {
	case b >= utf8.RuneSelf && !canBeUTF8(c.before, c.bytes[:length]):
		return classNotUTF8
	case b > ' ' && b < 0x7F && b != '"' && b != '\\' && c.json && classOf(b) == byteClass(b) && b != '0':
		if place := c.cursor.After(c.bytes[:at]); place.Quoted && !place.Escape {
			return classSign
		}
	}
	return classOf(b)
}

// begunCharacter has the bytes of an incomplete character at the end of a text; nil if it is
// complete.
func begunCharacter(text []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return nil
			}
			return tail
		}
	}
	return nil
}

// canBeUTF8 reports whether a token, after the bytes of an incomplete character, may be part of
// UTF-8.
func canBeUTF8(before, token []byte) bool {
	text := slices.Concat(before, token)
	return utf8.Valid(text[:len(text)-len(begunCharacter(text))])
}
