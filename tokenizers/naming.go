package tokenizers

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gcdbench/internal/special"
	"gcdbench/internal/words"
)

// What a grammar makes of a vocabulary by naming tokens of it. Special tokens are legal where rules
// name them, and nowhere else; a token that has bytes and is named is that token and no text.

// Naming is the vocabulary of a grammar that names tokens: those have the texts that stand for them
// (package special) in place of their bytes, and are Legal. Tokens with bytes that occur in no text
// stand for nothing then. It is v itself without names. It fails, with a *NameError, on a name that
// v does not have.
func (v *Vocabulary) Naming(names []string) (*Vocabulary, error) {
	if len(names) == 0 {
		return v, nil
	}
	v.namingLock.Lock()
	defer v.namingLock.Unlock()
	key := strings.Join(slices.Sorted(slices.Values(names)), " ")
	if known := v.naming[key]; known != nil {
		return known, nil
	}
	ids, err := v.named(names)
	if err != nil {
		return nil, err
	}
	named := v.withNames(ids)
	if err := checkTrieLimits(named); err != nil {
		return nil, err
	}
	if v.naming == nil {
		v.naming = map[string]*Vocabulary{}
	}
	v.naming[key] = named
	return named, nil
}

// withNames is a copy of v in which ids have names.
func (v *Vocabulary) withNames(names map[int]string) *Vocabulary {
	n := &Vocabulary{name: v.name, offsets: make([]uint32, 1, v.Len()+1), kinds: slices.Clone(v.kinds), eos: v.eos, names: names}
	for id := range v.Len() {
		text := v.Token(id)
		if name, ok := names[id]; ok {
			n.kinds[id], text = AddedToken, []byte(special.Text(name))
		} else if v.Legal(id) && special.In(text) {
			n.kinds[id] = Unused
		}
		n.slab = append(n.slab, text...)
		n.offsets = append(n.offsets, uint32(len(n.slab)))
	}
	return n
}

// named finds the ids of names.
func (v *Vocabulary) named(names []string) (map[int]string, error) {
	ids := map[int]string{}
	for _, name := range names {
		found, err := v.find(name)
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			if other, ok := ids[id]; ok && other != name {
				return nil, &NameError{v.name, name, fmt.Sprintf("is token %d, as %s is; a grammar names a token in one way", id, other)}
			}
			ids[id] = name
		}
	}
	return ids, nil
}

// find is the ids of a name: <[id]>, of one or more ids and ranges of ids, as in <[5,7-9]>, or the
// text of a token, added ones first, that may do without the angle brackets: <|eot|> is the token
// of this text, and <[TOOL_CALLS]> that of [TOOL_CALLS].
func (v *Vocabulary) find(name string) ([]int, error) {
	inner := name[1 : len(name)-1]
	if list, ok := strings.CutPrefix(strings.TrimSuffix(inner, "]"), "["); ok && strings.HasSuffix(inner, "]") {
		if ids, ok := idsOf(list, v.Len()); ok {
			if len(ids) == 0 || ids[len(ids)-1] >= v.Len() {
				return nil, &NameError{v.name, name, fmt.Sprintf("is no token of it; its ids are 0 to %d", v.Len()-1)}
			}
			return ids, nil
		}
	}
	for _, text := range []string{name, inner} {
		if id := v.idOf(text, func(k Kind) bool { return k == SpecialToken || k == AddedToken }); id >= 0 {
			return []int{id}, nil
		}
	}
	if id := v.idOf(name, func(k Kind) bool { return k == Ordinary }); id >= 0 {
		return []int{id}, nil
	}
	return nil, &NameError{v.name, name, "is no token" + v.others(name) + "; text is written in quotes, and a token may be named by its id: <[id]>"}
}

// idsOf reads ids and ranges of ids with commas between them. ok is false if it is another text.
// Above a number of ids there is at most one in the list.
func idsOf(list string, n int) (ids []int, ok bool) {
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil || from < 0 {
			return nil, false
		}
		for id := from; id <= min(to, n); id++ {
			ids = append(ids, id)
		}
		if from > n || from > to {
			ids = append(ids, n)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), true
}

// Added are those of some texts that are special or added tokens of v.
func (v *Vocabulary) Added(texts []string) (list []string) {
	for _, text := range texts {
		if v.idOf(text, func(k Kind) bool { return k == SpecialToken || k == AddedToken }) >= 0 {
			list = append(list, text)
		}
	}
	return list
}

// idOf is the first id of some kinds with the bytes of a text, -1 if there is none.
func (v *Vocabulary) idOf(text string, of func(Kind) bool) int {
	for id, kind := range v.kinds {
		if of(kind) && string(v.Token(id)) == text {
			return id
		}
	}
	return -1
}

// others says which names there are that begin like one that there is not.
func (v *Vocabulary) others(name string) string {
	var near, all []string
	for id, kind := range v.kinds {
		text := v.Token(id)
		if kind != SpecialToken && kind != AddedToken || len(text) < 2 || bytes.ContainsAny(text, " \n\t") {
			continue
		}
		all = append(all, string(text))
		if n := commonPrefix(text, []byte(name)); n > 2 {
			near = append(near, string(text))
		}
	}
	if len(near) == 0 {
		near = all
	}
	if len(near) == 0 {
		return " (it has no added tokens)"
	}
	slices.SortStableFunc(near, func(a, b string) int {
		return commonPrefix([]byte(b), []byte(name)) - commonPrefix([]byte(a), []byte(name))
	})
	shown := near[:min(len(near), namesShown)]
	return fmt.Sprintf(" (it has %s such as %s)", words.Count(len(all), "added token"), strings.Join(shown, ", "))
}

// namesShown is how many names an error lists.
const namesShown = 5

// A NameError says that a vocabulary lacks a token that a grammar names.
type NameError struct {
	Vocabulary, Name string
	Reason           string
}

// Error names the token and the vocabulary.
func (e *NameError) Error() string {
	return fmt.Sprintf("the grammar names the token %s, which in vocabulary %s %s", e.Name, e.Vocabulary, e.Reason)
}

// Naming is the tokenizer of a grammar that names tokens: one of Vocabulary.Naming, which encodes
// the text that stands for a token (package special) as that token, and other text by other tokens.
// It is t itself without names.
func (t *Tokenizer) Naming(names []string) (*Tokenizer, error) {
	v, err := t.vocabulary.Naming(names)
	if err != nil || v == t.vocabulary {
		return t, err
	}
	n := *t
	n.vocabulary, n.pipeline.Added = v, nil
	for _, a := range t.pipeline.Added {
		if v.names[a.ID] == "" {
			n.pipeline.Added = append(n.pipeline.Added, a)
		}
	}
	texts := map[string]bool{} // one name may be that of several tokens: the first is encoded
	for id := range v.Len() {
		if name := v.names[id]; name != "" && !texts[name] {
			texts[name] = true
			n.pipeline.Added = append(n.pipeline.Added, addedToken{ID: id, Content: string(v.Token(id))})
		}
	}
	if t.model != nil {
		n.model = t.model.without(v.names)
	}
	return &n, n.prepareSteps()
}
