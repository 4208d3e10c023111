package tokenizers

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/special"
)

// namingVocabulary has an ordinary token with the bytes of a special one, and byte tokens that
// occur in no text.
func namingVocabulary(t *testing.T) *Vocabulary {
	t.Helper()
	v := must.Get(NewVocabulary("small", [][]byte{[]byte("a"), []byte("<x>"), {0xff}, {0xfe, 'a'}, []byte("</s>"), []byte("<x>"), []byte("[CALL]"), nil}, []int{4}, []int{5, 6}))(t)
	return v
}

func TestNaming(t *testing.T) {
	v := namingVocabulary(t)
	if same, err := v.Naming(nil); err != nil || same != v {
		t.Errorf("without names it is another vocabulary: %v", err)
	}
	n := must.Get(v.Naming([]string{"<x>", "<[CALL]>", "<[7]>"}))(t)
	for id, want := range map[int]string{0: "a", 1: "<x>", 5: special.Text("<x>"), 6: special.Text("<[CALL]>"), 7: special.Text("<[7]>")} {
		if string(n.Token(id)) != want || !n.Legal(id) {
			t.Errorf("token %d is %q, legal %v, want %q", id, n.Token(id), n.Legal(id), want)
		}
	}
	for _, id := range []int{2, 3, 4} {
		if n.Legal(id) {
			t.Errorf("token %d %q is legal", id, n.Token(id))
		}
	}
	if again, _ := v.Naming([]string{"<[7]>", "<x>", "<[CALL]>"}); again != n {
		t.Error("the same names make another vocabulary")
	}
	if v.Legal(5) || string(v.Token(5)) != "<x>" || v.SHA256() == n.SHA256() {
		t.Error("the vocabulary itself has changed")
	}
}

// One name may be that of several tokens.
func TestNamingOfSeveral(t *testing.T) {
	n, err := namingVocabulary(t).Naming([]string{"<[7,1,4-5,5]>", "<[0]>"})
	if err != nil {
		t.Fatal(err)
	}
	for id := range n.Len() {
		want := slices.Contains([]int{1, 4, 5, 7}, id)
		if got := string(n.Token(id)) == special.Text("<[7,1,4-5,5]>"); got != want || want && !n.Legal(id) {
			t.Errorf("token %d is %q, legal %v", id, n.Token(id), n.Legal(id))
		}
	}
}

func TestNamingFails(t *testing.T) {
	v := namingVocabulary(t)
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"<y>"}, `names the token <y>, which in vocabulary small is no token (it has 3 added tokens such as </s>, <x>, [CALL])`},
		{[]string{"<[8]>"}, "<[8]>, which in vocabulary small is no token of it; its ids are 0 to 7"},
		{[]string{"<[2,6-8]>"}, "<[2,6-8]>, which in vocabulary small is no token of it; its ids are 0 to 7"},
		{[]string{"<[3-2]>"}, "its ids are 0 to 7"},
		{[]string{"<[1-2,x]>"}, "names the token <[1-2,x]>"},
		{[]string{"<[1-2,]>"}, "names the token <[1-2,]>"},
		{[]string{"<[9999999999-99999999999]>"}, "its ids are 0 to 7"},
		{[]string{"<x>", "<[1,4-6]>"}, "is token 5, as <x> is; a grammar names a token in one way"},
		{[]string{"<x>", "<[5]>"}, "is token 5, as <x> is; a grammar names a token in one way"},
	} {
		_, err := v.Naming(c.names)
		var name *NameError
		if !errors.As(err, &name) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.names, err, c.want)
		}
	}
}

// A tokenizer with names encodes the text that stands for a token as that token, and text that
// reads like it by others.
func TestNamingEncodes(t *testing.T) {
	tok := build(t, byteLevelFile("h e"), "<|end|>")
	plain, err := tok.EncodeContinuation([]byte("he<tool>"))
	if err != nil || len(plain) != 2 {
		t.Fatalf("an added token is not found in a text: %v, %v", plain, err)
	}
	named := must.Get(tok.Naming([]string{"<tool>", "<|end|>"}))(t)
	text := "he" + special.Text("<tool>") + "<tool>" + special.Text("<|end|>")
	ids, err := named.EncodeContinuation([]byte(text))
	want := []int32{plain[0], plain[1]}
	if err != nil || len(ids) != 2+len("<tool>")+1 || !slices.Equal(ids[:2], want) || int(ids[len(ids)-1]) != tok.Vocabulary().EOS()[0] {
		t.Errorf("%v, %v, want %v, the letters of <tool> and EOS", ids, err, want)
	}
}

// An ordinary token that a grammar names by its id is no text any more.
func TestNamingOfOrdinaryToken(t *testing.T) {
	tok := build(t, byteLevelFile("h e"), "<|end|>")
	ids, err := tok.Encode([]byte("he"))
	if err != nil || len(ids) != 1 {
		t.Fatal(ids, err)
	}
	named := must.Get(tok.Naming([]string{fmt.Sprintf("<[%d]>", ids[0])}))(t)
	if other, err := named.EncodeContinuation([]byte("he")); err != nil || len(other) != 2 {
		t.Errorf("%v, %v, want two letters", other, err)
	}
}
