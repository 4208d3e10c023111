package quoted

import (
	"encoding/binary"
	"slices"

	"gcdbench/grammar/automata"
)

// Keys of objects. The keys that an object does not declare are all strings but a few: an automaton
// that follows the declared keys as a trie and, from where a text leaves the trie on, does what the
// automaton of all strings does. It is written down directly, with equal subtries shared, and goes
// to the encoder as it is.

// OtherKeys is the automaton of the JSON texts of all strings but keys, which are sorted; there is
// one at least.
func OtherKeys(keys []string) *automata.DFA { return Encode(newKeySet(keys)) }

// A keySet is a Machine that accepts all strings but the given keys.
type keySet struct {
	keys []string      // sorted, each once
	text *automata.DFA // of all strings; its state s is the state s+1 here

	classOf   [256]uint8
	classes   int
	table     []int32 // by state and class
	accepting []bool
	known     map[string]int32 // tries by what they accept
}

// newKeySet builds the automaton of sorted keys.
func newKeySet(keys []string) *keySet {
	k := &keySet{keys: slices.Compact(slices.Clone(keys)), text: automata.AnyText(), known: map[string]int32{}}
	k.refineClasses()
	k.addState(false) // the root, whose number must be 0
	for s := range int32(k.text.NumStates()) {
		k.addText(s)
	}
	k.fill(0, k.text.Start())
	isKey, edges := k.children(0, len(k.keys), 0, k.text.Start())
	k.accepting[0] = !isKey
	k.setEdges(0, edges)
	return k
}

// A trieEdge is a byte of a key, and the trie after it.
type trieEdge struct {
	b  byte
	to int32
}

// children are the tries after the keys lo..hi-1, which begin with the same depth bytes and lead
// the automaton of all strings to state at; isKey tells whether one of them ends there.
func (k *keySet) children(lo, hi, depth int, at int32) (isKey bool, edges []trieEdge) {
	if len(k.keys[lo]) == depth {
		isKey = true
		lo++
	}
	for lo < hi {
		b := k.keys[lo][depth]
		end := lo + 1
		for end < hi && k.keys[end][depth] == b {
			end++
		}
		edges = append(edges, trieEdge{b, k.trie(lo, end, depth+1, k.text.Next(at, b))})
		lo = end
	}
	return isKey, edges
}

// trie is the state of the rest of the keys lo..hi-1.
func (k *keySet) trie(lo, hi, depth int, at int32) int32 {
	isKey, edges := k.children(lo, hi, depth, at)
	key := binary.AppendVarint(nil, int64(at))
	if isKey {
		key = append(key, 1)
	}
	for _, e := range edges {
		key = binary.AppendVarint(append(key, e.b), int64(e.to))
	}
	if id, ok := k.known[string(key)]; ok {
		return id
	}
	id := k.addState(isKey != k.text.Accepting(at))
	k.known[string(key)] = id
	k.fill(id, at)
	k.setEdges(id, edges)
	return id
}

// refineClasses puts every byte of a key into a class of its own.
func (k *keySet) refineClasses() {
	var used [256]bool
	for _, key := range k.keys {
		for i := range len(key) {
			used[key[i]] = true
		}
	}
	of, n := k.text.Classes()
	shared := slices.Repeat([]int{-1}, n)
	for b := range 256 {
		switch c := of[b]; {
		case used[b]:
			k.classOf[b] = uint8(k.classes)
			k.classes++
		case shared[c] >= 0:
			k.classOf[b] = uint8(shared[c])
		default:
			k.classOf[b], shared[c] = uint8(k.classes), k.classes
			k.classes++
		}
	}
}

func (k *keySet) addState(accepting bool) int32 {
	k.accepting = append(k.accepting, accepting)
	for range k.classes {
		k.table = append(k.table, -1)
	}
	return int32(len(k.accepting) - 1)
}

// addText adds state s of the automaton of all strings.
func (k *keySet) addText(s int32) {
	row := k.Row(k.addState(k.text.Accepting(s)))
	for b := range 256 {
		if to := k.text.Next(s, byte(b)); to >= 0 {
			row[k.classOf[b]] = to + 1
		}
	}
}

// fill gives state id the transitions that state s of the automaton of all strings has.
func (k *keySet) fill(id, s int32) { copy(k.Row(id), k.Row(s+1)) }

func (k *keySet) setEdges(id int32, edges []trieEdge) {
	row := k.Row(id)
	for _, e := range edges {
		row[k.classOf[e.b]] = e.to
	}
}

// Bound, Accepting, Row and Classes make it a Machine.
func (k *keySet) Bound() int { return len(k.accepting) }

func (k *keySet) Accepting(s int32) bool { return k.accepting[s] }

func (k *keySet) Row(s int32) []int32 {
	return k.table[int(s)*k.classes : (int(s)+1)*k.classes]
}

func (k *keySet) Classes() (classOf [256]uint8, n int) { return k.classOf, k.classes }
