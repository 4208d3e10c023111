package tokenizers

import (
	"testing"
	"unicode/utf8"

	"gcdbench/internal/must"
)

// TestCharacterState reads every character, and every sequence of up to three bytes: it is refused
// where no character goes on so, by package utf8.
func TestCharacterState(t *testing.T) {
	prefixes := map[string]bool{} // of all characters, and whole ones
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		text := utf8.AppendRune(nil, r)
		state := CharacterState(0)
		for i, b := range text {
			to, ok := state.Next(b)
			if !ok || (to == 0) != (i == len(text)-1) {
				t.Fatalf("%U: byte %d leads to state %d, %v", r, i, to, ok)
			}
			state = to
			prefixes[string(text[:i+1])] = true
		}
	}
	for n := range 1 << 24 {
		text := []byte{byte(n >> 16), byte(n >> 8), byte(n)}
		if text[0] < 0x80 {
			continue
		}
		state, ok := CharacterState(0), true
		for i := 0; i < 3 && ok; i++ {
			if state, ok = state.Next(text[i]); ok != prefixes[string(text[:i+1])] {
				t.Fatalf("% x: %v", text[:i+1], ok)
			}
			if state == 0 {
				break
			}
		}
	}
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
