package tokenizers

import "math/bits"

// ByteKinds is a set of kinds of bytes, by what lexers tell apart: inside a name, a number or white
// space all bytes of some kinds lead a lexer back to where it is. Every byte is of one kind.
type ByteKinds uint16

// The kinds.
const (
	DigitBytes  ByteKinds = 1 << iota // 0 to 9
	LowerBytes                        // a to z
	UpperBytes                        // A to Z
	LowLine                           // _
	BlankBytes                        // spaces and tabs
	BreakBytes                        // line feeds and carriage returns
	QuoteBytes                        // " ' `
	AngleBytes                        // < >
	BraceBytes                        // { } [ ]
	SlashBytes                        // / and backslashes
	StarBytes                         // * #
	SignBytes                         // all other ASCII
	BeyondBytes                       // 128 to 255
)

// NumByteKinds is the number of kinds.
const NumByteKinds = 13

// byteKinds is the kind of each byte.
var byteKinds = func() (kinds [256]ByteKinds) {
	for i := range kinds {
		switch b := byte(i); {
		case '0' <= b && b <= '9':
			kinds[i] = DigitBytes
		case 'a' <= b && b <= 'z':
			kinds[i] = LowerBytes
		case 'A' <= b && b <= 'Z':
			kinds[i] = UpperBytes
		case b == '_':
			kinds[i] = LowLine
		case b == ' ' || b == '\t':
			kinds[i] = BlankBytes
		case b == '\n' || b == '\r':
			kinds[i] = BreakBytes
		case b == '"' || b == '\'' || b == '`':
			kinds[i] = QuoteBytes
		case b == '<' || b == '>':
			kinds[i] = AngleBytes
		case b == '{' || b == '}' || b == '[' || b == ']':
			kinds[i] = BraceBytes
		case b == '/' || b == '\\':
			kinds[i] = SlashBytes
		case b == '*' || b == '#':
			kinds[i] = StarBytes
		case b < 128:
			kinds[i] = SignBytes
		default:
			kinds[i] = BeyondBytes
		}
	}
	return kinds
}()

// bytesOf are the bytes of each kind, by its number.
var bytesOf = func() (list [NumByteKinds][]byte) {
	for b, kind := range byteKinds {
		n := bits.TrailingZeros16(uint16(kind))
		list[n] = append(list[n], byte(b))
	}
	return list
}()

// BytesOf are the bytes of one kind, ascending; read only.
func BytesOf(kind ByteKinds) []byte { return bytesOf[bits.TrailingZeros16(uint16(kind))] }

// KindOfByte is the kind of a byte, as a set.
func KindOfByte(b byte) ByteKinds { return byteKinds[b] }

// Below is the kinds of the bytes by which tokens go on below node i; none for a leaf.
func (t *Trie) Below(i int) ByteKinds { return t.below[i] }

// findBelow finds what Below says, for the last nodes first.
func (t *Trie) findBelow() {
	t.below = make([]ByteKinds, len(t.Nodes))
	for i := len(t.Nodes) - 1; i >= 0; i-- {
		end := i + t.Nodes[i].Size()
		for j := i + 1; j < end; j += t.Nodes[j].Size() {
			t.below[i] |= t.below[j] | byteKinds[t.Nodes[j].Byte()]
		}
	}
}
