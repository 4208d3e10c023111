// Package jsontext takes JSON texts apart without losing a byte, and puts the keys of objects into
// the order in which a schema declares them. It is for texts of one instance: the whole text stays
// in memory, and nesting is bounded as by encoding/json.
package jsontext

import "strings"

// Piece is a token of a JSON text: a string, a number, a name, punctuation, or white space.
type Piece []byte

func (p Piece) IsString() bool { return p[0] == '"' }
func (p Piece) IsNumber() bool { return p[0] == '-' || p[0] >= '0' && p[0] <= '9' }
func (p Piece) IsSpace() bool  { return strings.IndexByte(" \t\r\n", p[0]) >= 0 }

// Pieces cuts a valid JSON text.
func Pieces(text []byte) (list []Piece) {
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
		case Piece(text[at:]).IsSpace():
			for end < len(text) && Piece(text[end:]).IsSpace() {
				end++
			}
		case strings.IndexByte("{}[]:,", c) < 0:
			for end < len(text) && strings.IndexByte("{}[]:, \t\r\n", text[end]) < 0 {
				end++
			}
		}
		list = append(list, Piece(text[at:end]))
		at = end
	}
	return list
}
