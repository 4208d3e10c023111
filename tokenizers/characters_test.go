package tokenizers

import (
	"testing"
	"unicode/utf8"

	"gcdbench/internal/must"
)

// TestCharacterState reads every character, and every sequence of up to three bytes: it is refused
// where no character goes on so, by package utf8.
func TestCharacterState(t *testing.T) {
	prefixes := make([]bool, 1<<24) // of all characters, of up to three bytes, as numbers
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		text := utf8.AppendRune(nil, r)
		state, number := CharacterState(0), 0
		for i, b := range text {
			to, ok := state.Next(b)
			if !ok || (to == 0) != (i == len(text)-1) {
				t.Fatalf("%U: byte %d leads to state %d, %v", r, i, to, ok)
			}
			state = to
			if number = number<<8 | int(b); i < 3 {
				prefixes[number] = true
			}
		}
	}
	var check func(state CharacterState, before, length int)
	check = func(state CharacterState, before, length int) {
		for b := range 256 {
			number := before<<8 | b
			to, ok := state.Next(byte(b))
			if ok != prefixes[number] {
				t.Fatalf("%x: %v", number, ok)
			}
			if ok && to != 0 && length < 2 {
				check(to, number, length+1)
			}
		}
	}
	check(0, 0, 0)
}

// TestWellFormed compares WellFormed with reading the tokens below each node.
func TestWellFormed(t *testing.T) {
	var list [][]byte
	for b := range 256 {
		list = append(list, []byte{byte(b)}, []byte{'x', byte(b)}, []byte{0xE4, byte(b)}, []byte{0xE4, 0xB8, byte(b), 'x'},
			[]byte{0xF4, 0x8F, byte(b)}, []byte{0xC3, 0xA9, byte(b)}, []byte{0xED, byte(b), 0x80})
	}
	for _, text := range []string{"é", "日本", "日本語", "ab日", "ab日本", "😀", "😀x"} {
		list = append(list, []byte(text))
	}
	v := must.Get(NewVocabulary("characters", list, nil, nil))(t)
	trie := v.Trie()
	yes := 0
	for i := range trie.Nodes {
		for from := range CharacterState(NumCharacterStates) {
			got := trie.WellFormed(i, from)
			if want := wellFormedBelow(trie, i, from); got != want {
				t.Fatalf("node %d from state %d: %v, want %v", i, from, got, want)
			}
			if got && trie.Nodes[i].Size() > 1 {
				yes++
			}
		}
	}
	if yes == 0 {
		t.Error("no subtree is well-formed")
	}
}

// wellFormedBelow reads each path below a node.
func wellFormedBelow(trie *Trie, i int, from CharacterState) bool {
	for j := i + 1; j < i+trie.Nodes[i].Size(); j += trie.Nodes[j].Size() {
		to, ok := from.Next(trie.Nodes[j].Byte())
		if !ok || !wellFormedBelow(trie, j, to) {
			return false
		}
	}
	return true
}
