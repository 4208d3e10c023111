package judging

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Spellings of a JSON value: white space, escapes in strings, ways to write a number, the order of
// keys. All functions take and return valid JSON and change one thing only; what is not JSON is
// returned as it is.

// jsonPiece is a token of a JSON text: a string, a number, a name, punctuation, or white space.
type jsonPiece []byte

func (p jsonPiece) isString() bool { return p[0] == '"' }
func (p jsonPiece) isNumber() bool { return p[0] == '-' || p[0] >= '0' && p[0] <= '9' }
func (p jsonPiece) isSpace() bool  { return strings.IndexByte(" \t\r\n", p[0]) >= 0 }

// jsonPieces cuts a valid JSON text.
func jsonPieces(text []byte) (list []jsonPiece) {
	for at := 0; at < len(text); {
		end := at + 1
		switch c := text[at]; {
		case c == '"':
			for text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end++
		case jsonPiece(text[at:]).isSpace():
			for end < len(text) && jsonPiece(text[end:]).isSpace() {
				end++
			}
		case strings.IndexByte("{}[]:,", c) < 0:
			for end < len(text) && strings.IndexByte("{}[]:, \t\r\n", text[end]) < 0 {
				end++
			}
		}
		list = append(list, jsonPiece(text[at:end]))
		at = end
	}
	return list
}

// spaced writes a text with other white space: after each comma and colon, and with an indent,
// before each member and item.
func spaced(text []byte, comma, colon, indent string) []byte {
	if !json.Valid(text) {
		return text
	}
	if indent != "" {
		var b bytes.Buffer
		if json.Indent(&b, bytes.TrimSpace(text), "", indent) != nil {
			return text
		}
		return b.Bytes()
	}
	var out []byte
	for _, p := range jsonPieces(text) {
		switch {
		case p.isSpace():
		case p[0] == ',':
			out = append(out, comma...)
		case p[0] == ':':
			out = append(out, colon...)
		default:
			out = append(out, p...)
		}
	}
	return out
}

// spaces are the ways to write white space that programs have: none, Python's, one after commas or
// colons only, and lines.
var spaces = []func([]byte) []byte{
	func(t []byte) []byte { return spaced(t, ",", ":", "") },
	func(t []byte) []byte { return spaced(t, ", ", ": ", "") },
	func(t []byte) []byte { return spaced(t, ",", ": ", "") },
	func(t []byte) []byte { return spaced(t, ", ", ":", "") },
	func(t []byte) []byte { return spaced(t, "", "", "  ") },
	func(t []byte) []byte { return spaced(t, "", "", "    ") },
}

// behind has a way change only what stands behind the first n bytes of a text. The way must keep the
// pieces that are no white space, one for one. Of a string that begins before, what was written stays;
// of a number nothing does.
func behind(n int, way func([]byte) []byte) func([]byte) []byte {
	return func(text []byte) []byte {
		if !json.Valid(text) {
			return text
		}
		head, begun := text[:min(n, len(text))], 0
		at := 0
		for _, p := range jsonPieces(text) {
			if at >= n {
				break
			}
			if !p.isSpace() {
				begun++
				if at+len(p) > n {
					head = slices.Concat(text[:at], splitPiece(p, n-at, way))
				}
			}
			at += len(p)
		}
		rest := way(text)
		for _, p := range jsonPieces(rest) {
			if begun == 0 {
				break
			}
			if rest = rest[len(p):]; !p.isSpace() {
				begun--
			}
		}
		written := head[len(bytes.TrimRight(head, jsonSpace)):]
		space := rest[:len(rest)-len(bytes.TrimLeft(rest, jsonSpace))]
		return slices.Concat(head, bytes.TrimPrefix(space, space[:shared(space, written)]), rest[len(space):])
	}
}

const jsonSpace = " \t\r\n"

// shared is how much of white space is written already: all of it, if it is not what was begun.
func shared(space, written []byte) int {
	if len(written) == 0 || bytes.HasPrefix(space, written) {
		return len(written)
	}
	return len(space)
}

// splitPiece changes a piece behind its first n bytes if it is a string, and else as a whole. A
// character or an escape that begins before n is changed.
func splitPiece(p jsonPiece, n int, way func([]byte) []byte) []byte {
	if !p.isString() {
		return way(p)
	}
	at := 1
	for {
		size := 1
		switch {
		case p[at] == '\\' && p[at+1] == 'u':
			size = len(`\u0000`)
			if next := p[at+size:]; bytes.HasPrefix(next, []byte(`\u`)) && len(next) > size {
				if high, err := strconv.ParseUint(string(p[at+2:at+size]), 16, 16); err == nil && high>>10 == 0xD800>>10 {
					size *= 2 // the other half of the character
				}
			}
		case p[at] == '\\':
			size = 2
		default:
			_, size = utf8.DecodeRune(p[at:])
		}
		if at+size > n || at+size >= len(p) {
			break
		}
		at += size
	}
	return slices.Concat(p[:at], way(slices.Concat([]byte{'"'}, p[at:]))[1:])
}

// rewritten changes pieces of a text one by one.
func rewritten(text []byte, change func(p jsonPiece) []byte) []byte {
	if !json.Valid(text) {
		return text
	}
	var out []byte
	for _, p := range jsonPieces(text) {
		out = append(out, change(p)...)
	}
	return out
}

// plainStrings writes strings with those escapes alone that JSON demands.
func plainStrings(text []byte) []byte {
	return rewritten(text, func(p jsonPiece) []byte {
		return respell(p, func(b *strings.Builder, r rune) { b.WriteRune(r) })
	})
}

// asciiStrings writes strings with what is not printable ASCII as escapes.
func asciiStrings(text []byte) []byte {
	return rewritten(text, func(p jsonPiece) []byte {
		return respell(p, func(b *strings.Builder, r rune) {
			if r >= ' ' && r <= '~' {
				b.WriteRune(r)
				return
			}
			if r > 0xFFFF {
				high, low := utf16.EncodeRune(r)
				b.WriteString(unicodeEscape(high) + unicodeEscape(low))
				return
			}
			b.WriteString(unicodeEscape(r))
		})
	})
}

// unicodeEscape is \uXXXX.
func unicodeEscape(r rune) string {
	hex := strconv.FormatUint(uint64(r), 16)
	return `\u` + strings.Repeat("0", 4-len(hex)) + hex
}

// shortEscapes are the escapes of one letter.
var shortEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

// respell writes a string anew; other pieces, and strings with half a character, stay as they are.
func respell(p jsonPiece, plain func(b *strings.Builder, r rune)) []byte {
	if !p.isString() {
		return p
	}
	var value string
	if json.Unmarshal(p, &value) != nil || strings.ContainsRune(value, utf8.RuneError) {
		return p // a lone surrogate has no other spelling
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range value {
		short, escaped := shortEscapes[r]
		switch {
		case escaped:
			b.WriteString(short)
		case r < ' ':
			b.WriteString(unicodeEscape(r))
		default:
			plain(&b, r)
		}
	}
	b.WriteByte('"')
	return []byte(b.String())
}

// longestNumber is how many digits a number written out may have: more is clearer with an exponent.
const longestNumber = 40

// plainNumbers writes numbers without exponent, without zeros that say nothing, and zero without a
// sign.
func plainNumbers(text []byte) []byte {
	return rewritten(text, func(p jsonPiece) []byte {
		if !p.isNumber() {
			return p
		}
		return plainNumber(p)
	})
}

// plainNumber writes one number.
func plainNumber(p jsonPiece) []byte {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(string(p)), "e")
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	point := len(whole)
	if exponent != "" {
		e, err := strconv.Atoi(exponent)
		if err != nil || e > longestNumber || e < -longestNumber {
			return p
		}
		point += e
	}
	digits := whole + fraction
	if point < 0 {
		digits, point = strings.Repeat("0", -point)+digits, 0
	}
	if point > len(digits) {
		digits += strings.Repeat("0", point-len(digits))
	}
	whole, fraction = strings.TrimLeft(digits[:point], "0"), strings.TrimRight(digits[point:], "0")
	out := whole
	if out == "" {
		out = "0"
	}
	if fraction != "" {
		out += "." + fraction
	}
	if negative && out != "0" {
		out = "-" + out
	}
	if len(out) > longestNumber+len(p) {
		return p
	}
	return []byte(out)
}

// keyOrder is the order in which a schema names keys: every list of "properties" in it.
type keyOrder [][]string

// declaredOrder reads the lists of keys of a schema, wherever they stand.
func declaredOrder(schema []byte) (order keyOrder) {
	var visit func(text []byte, properties bool)
	visit = func(text []byte, properties bool) {
		n, ok := parseJSON(text)
		if !ok {
			return
		}
		var keys []string
		var required []string
		for _, m := range n.parts {
			keys = append(keys, m.key)
			visit(m.value, n.object && m.key == "properties")
			if n.object && m.key == "required" && json.Unmarshal(m.value, &required) != nil {
				required = nil // a property of that name
			}
		}
		if properties && n.object {
			order = append(order, keys)
		}
		if !properties {
			order.require(n, required)
		}
	}
	visit(schema, false)
	return order
}

// require adds the keys that an object has to have behind those that it declares.
func (o *keyOrder) require(n jsonNode, required []string) {
	var list []string
	for _, m := range n.parts {
		if m.key == "properties" {
			if properties, ok := parseJSON(m.value); ok && properties.object {
				for _, p := range properties.parts {
					list = append(list, p.key)
				}
			}
		}
	}
	declared := len(list)
	for _, k := range required {
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	if len(list) > declared {
		*o = append(keyOrder{list}, *o...) // before the shorter list of the same keys
	}
}

// of is the list that most keys of an object are in.
func (o keyOrder) of(keys []string) (best []string) {
	most := 0
	for _, list := range o {
		n := 0
		for _, k := range keys {
			if slices.Contains(list, k) {
				n++
			}
		}
		if n > most {
			best, most = list, n
		}
	}
	return best
}

// sorted writes objects with their keys in the order of the schema, and others behind them. White
// space stays where it was: members change places, and what stands between them does not.
func (o keyOrder) sorted(text []byte) []byte {
	return sortedBy(text, new(int), func(_ int, keys []string) []string { return o.of(keys) })
}

// sortedFor is sorted, but each object has that list of keys with which a reader gets furthest. reads
// says how far it gets.
func (o keyOrder) sortedFor(text []byte, reads func([]byte) int) []byte {
	chosen := map[int][]string{}
	choose := func(n int, keys []string) []string {
		if list, ok := chosen[n]; ok {
			return list
		}
		return o.of(keys)
	}
	objects := new(int)
	best := sortedBy(text, objects, choose)
	most := reads(best)
	for n := range *objects {
		before, had := chosen[n]
		for _, list := range o {
			chosen[n] = list
			if t := sortedBy(text, new(int), choose); reads(t) > most {
				best, most, before, had = t, reads(t), list, true
			}
		}
		if delete(chosen, n); had {
			chosen[n] = before
		}
	}
	return best
}

// sortedBy sorts each object by the list that is chosen for it; nil leaves it as it is. Objects are
// counted as they come.
func sortedBy(text []byte, count *int, choose func(n int, keys []string) []string) []byte {
	if !json.Valid(text) {
		return text
	}
	n, ok := parseJSON(text)
	if !ok {
		return text
	}
	at := *count
	if n.object {
		*count++
	}
	var keys []string
	members := make([][]byte, len(n.parts))
	for i, m := range n.parts {
		keys = append(keys, m.key)
		members[i] = slices.Concat(m.head, sortedBy(m.value, count, choose))
	}
	order := make([]int, len(members))
	for i := range order {
		order[i] = i
	}
	if list := choose(at, keys); n.object && list != nil {
		slices.SortStableFunc(order, func(a, b int) int { return place(list, keys[a]) - place(list, keys[b]) })
	}
	out := slices.Clone(n.before)
	for i, m := range n.parts {
		out = append(append(out, members[order[i]]...), m.behind...)
	}
	return out
}

// place is where a key stands in a list, its end if it does not.
func place(list []string, key string) int {
	if i := slices.Index(list, key); i >= 0 {
		return i
	}
	return len(list)
}

// jsonNode is an object or an array, taken apart so that its parts put together are its text.
type jsonNode struct {
	object bool
	before []byte // up to the first part
	parts  []jsonPart
}

// jsonPart is a member or an item.
type jsonPart struct {
	key    string
	head   []byte // key and colon, with the white space there
	value  []byte
	behind []byte // up to the next part, or to the end
}

// parseJSON takes an object or an array apart; ok is false for other values, and for what is not
// JSON.
func parseJSON(text []byte) (n jsonNode, ok bool) {
	if !json.Valid(text) {
		return n, false
	}
	depth, at, end, from, colon := 0, 0, 0, 0, -1 // end: of the last piece that is no space
	part := func() {                              // what was read since from is a part, up to end
		p := jsonPart{value: text[from:end]}
		if colon >= 0 {
			p.head, p.value = text[from:colon], text[colon:end]
			json.Unmarshal(bytes.TrimRight(p.head, " \t\r\n:"), &p.key) // a string, since the text is valid
		}
		n.parts, from, colon = append(n.parts, p), end, -1
	}
	for _, p := range jsonPieces(text) {
		begin := at
		at += len(p)
		opens, closes := p[0] == '{' || p[0] == '[', p[0] == '}' || p[0] == ']'
		switch {
		case p.isSpace():
			continue
		case depth == 0 && opens:
			n.object, n.before, ok, from = p[0] == '{', slices.Clone(text[:at]), true, at
		case depth == 1 && (closes || p[0] == ','):
			if end > from {
				part()
			}
		case depth == 1 && p[0] == ':' && n.object:
			colon = at
		case depth == 1 && len(bytes.Trim(text[from:begin], ", \t\r\n")) == 0: // a part begins
			n.between(text[from:begin])
			from = begin
		}
		if opens {
			depth++
		}
		if closes {
			depth--
		}
		end = at
	}
	n.between(text[from:])
	return n, ok
}

// between adds what stands between two parts, before the first, or behind the last.
func (n *jsonNode) between(text []byte) {
	if len(n.parts) == 0 {
		n.before = append(n.before, text...)
		return
	}
	n.parts[len(n.parts)-1].behind = text
}
