package tokenizers

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gcdbench/internal/seed"
)

// reference is byte-pair encoding by its definition: find the pair of lowest rank, the leftmost
// of equals, merge it, begin again. symbols are strings; ranks come from the list of rules.
func reference(symbols []string, rules []([2]string)) []string {
	for {
		best, at := len(rules), -1
		for i := range len(symbols) - 1 {
			for rank := len(rules) - 1; rank >= 0; rank-- { // the last rule for a pair counts
				if rules[rank] == [2]string{symbols[i], symbols[i+1]} {
					if rank < best {
						best, at = rank, i
					}
					break
				}
			}
		}
		if at < 0 {
			return symbols
		}
		symbols = slices.Replace(slices.Clone(symbols), at, at+2, symbols[at]+symbols[at+1])
	}
}

// randomModel makes a model over the given characters with random merges, and its rules as
// strings.
func randomModel(rng *rand.Rand, chars []string, merges int) (*model, [][2]string, []string) {
	tokens := slices.Clone(chars)
	var rules [][2]string
	m := &model{byteLevel: false, unknown: -1}
	for b := range m.fallback {
		m.fallback[b] = -1
	}
	for range merges {
		l, r := rng.Intn(len(tokens)), rng.Intn(len(tokens))
		joined := tokens[l] + tokens[r]
		result := slices.Index(tokens, joined)
		if len(joined) > 12 {
			continue
		}
		if result < 0 {
			result = len(tokens)
			tokens = append(tokens, joined)
		}
		rules = append(rules, [2]string{tokens[l], tokens[r]})
		m.rules = append(m.rules, merge{int32(l), int32(r), int32(result)})
	}
	m.offsets = []uint32{0}
	for _, t := range tokens {
		m.slab = append(m.slab, t...)
		m.offsets = append(m.offsets, uint32(len(m.slab)))
	}
	return m, rules, tokens
}

func encodeWith(m *model, text string) []int32 {
	m.prepare()
	return m.encode(nil, []byte(text), new(merger))
}

// For random merges and texts the encoder gives what the definition gives: by scan, by heap,
// with and without cuts.
func TestEncodeMatchesDefinition(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewSource(int64(seed)))
	chars := []string{"a", "b", "c", "▁", "é"}
	for round := range 400 {
		m, rules, tokens := randomModel(rng, chars, 1+rng.Intn(25))
		var symbols []string
		for range rng.Intn(2 * scanLimit) {
			symbols = append(symbols, chars[rng.Intn(len(chars))])
		}
		text := strings.Join(symbols, "")
		want := fmt.Sprint(reference(symbols, rules))
		show := func(ids []int32) string {
			var out []string
			for _, id := range ids {
				out = append(out, tokens[id])
			}
			return fmt.Sprint(out)
		}
		if got := show(encodeWith(m, text)); got != want {
			t.Fatalf("seed %d round %d: %q encodes to %s, want %s; rules %v", seed, round, text, got, want, rules)
		}
		cached := &merger{cache: newPieceCache()}
		for range 2 { // the second time from memory
			if got := show(m.encode(nil, []byte(text), cached)); got != want {
				t.Fatalf("seed %d round %d: with a cache %q encodes to %s, want %s; rules %v", seed, round, text, got, want, rules)
			}
		}
		m.cut = nil
		w := new(merger)
		m.symbols([]byte(text), w)
		if got := show(m.mergeHeap(nil, []byte(text), w)); len(symbols) > 0 && got != want {
			t.Fatalf("seed %d round %d: by heap %q encodes to %s, want %s; rules %v", seed, round, text, got, want, rules)
		}
	}
}

// tiktoken's rule, by rank of the joined bytes, against its definition.
func TestEncodeByRank(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewSource(int64(seed)))
	for range 200 {
		tokens := []string{"a", "b", "c"}
		for range rng.Intn(20) {
			joined := tokens[rng.Intn(len(tokens))] + tokens[rng.Intn(len(tokens))]
			if len(joined) < 9 && !slices.Contains(tokens, joined) {
				tokens = append(tokens, joined)
			}
		}
		m := &model{byteLevel: true, byRank: true, whole: true, unknown: -1, offsets: []uint32{0}}
		for _, token := range tokens {
			m.slab = append(m.slab, token...)
			m.offsets = append(m.offsets, uint32(len(m.slab)))
		}
		var symbols []string
		for range rng.Intn(100) {
			symbols = append(symbols, string("abc"[rng.Intn(3)]))
		}
		text := strings.Join(symbols, "")
		var got []string
		for _, id := range encodeWith(m, text) {
			got = append(got, tokens[id])
		}
		want := rankReference(symbols, tokens)
		if slices.Contains(tokens, text) {
			want = []string{text}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q encodes to %q, want %q; tokens %q", seed, text, got, want, tokens)
		}
	}
}

// rankReference merges the adjacent pair whose joined string is the earliest token.
func rankReference(symbols, tokens []string) []string {
	for {
		best, at := len(tokens), -1
		for i := range len(symbols) - 1 {
			if r := slices.Index(tokens, symbols[i]+symbols[i+1]); r >= 0 && r < best {
				best, at = r, i
			}
		}
		if at < 0 {
			return symbols
		}
		symbols = slices.Replace(slices.Clone(symbols), at, at+2, symbols[at]+symbols[at+1])
	}
}

// The pieces of a cutter put together are the text, and no token has the two characters of a
// cut side by side.
func TestCutter(t *testing.T) {
	rng := rand.New(rand.NewSource(int64(seed.New(t))))
	m, _, tokens := randomModel(rng, []string{"x", "y", "z", "▁", "日"}, 12)
	m.prepare()
	text := []byte(strings.Repeat("x▁yz日xx▁▁z\xffy", 20))
	var joined []byte
	for rest := text; len(rest) > 0; {
		n := m.cut.next(rest)
		if n < len(rest) {
			last, _ := utf8.DecodeLastRune(rest[:n])
			first, _ := utf8.DecodeRune(rest[n:])
			for _, token := range tokens {
				if strings.Contains(token, string([]rune{last, first})) {
					t.Fatalf("cut between %q and %q inside token %q", last, first, token)
				}
			}
		}
		joined = append(joined, rest[:n]...)
		rest = rest[n:]
	}
	if !bytes.Equal(joined, text) {
		t.Errorf("pieces join to %q", joined)
	}
}

// Characters without a symbol fall back to bytes, else to the unknown symbol, else vanish.
func TestFallback(t *testing.T) {
	build := func(fallback, unknown, fuse bool) *model {
		m := &model{unknown: -1, byteFallback: fallback, fuseUnknown: fuse}
		for b := range m.fallback {
			m.fallback[b] = -1
		}
		m.offsets = []uint32{0}
		for id, token := range []string{"a", "<0xC3>", "<0xA9>", "<unk>", "<0xFF>"} {
			if b, ok := byteToken([]byte(token)); ok {
				m.fallback[b] = int32(id)
			}
			m.slab = append(m.slab, token...)
			m.offsets = append(m.offsets, uint32(len(m.slab)))
		}
		if unknown {
			m.unknown = 3
		}
		return m
	}
	cases := []struct {
		fallback, unknown, fuse bool
		text                    string
		want                    []int32
	}{
		{true, true, true, "aéa", []int32{0, 1, 2, 0}},
		{true, true, true, "a日日a", []int32{0, 3, 0}},
		{true, true, false, "a日日a", []int32{0, 3, 3, 0}},
		{true, false, false, "a日a", []int32{0, 0}},
		{false, true, false, "aéa", []int32{0, 3, 0}},
		{true, true, false, "a\xffa", []int32{0, 4, 0}},
		{true, true, false, "\xc3", []int32{1}},
	}
	for _, c := range cases {
		if got := encodeWith(build(c.fallback, c.unknown, c.fuse), c.text); !slices.Equal(got, c.want) {
			t.Errorf("%+v: ids %v", c, got)
		}
	}
}

func TestRankHeap(t *testing.T) {
	rng := rand.New(rand.NewSource(int64(seed.New(t))))
	var h rankHeap
	var want []uint64
	for range 500 {
		x := uint64(rng.Intn(300))
		h.push(x)
		want = append(want, x)
	}
	slices.Sort(want)
	for i, x := range want {
		if got := h.pop(); got != x {
			t.Fatalf("pop %d: %d, want %d", i, got, x)
		}
	}
}

// The tables find everything that is in them and nothing else.
func TestTables(t *testing.T) {
	var slab []byte
	offsets := []uint32{0}
	for i := range 3000 {
		if i%7 != 0 {
			slab = fmt.Appendf(slab, "t%d", i%1500)
		}
		offsets = append(offsets, uint32(len(slab)))
	}
	table := newByteTable(slab, offsets)
	var rules []merge
	for i := range int32(3000) {
		want := i % 1500
		if want%7 == 0 && (want+1500)%7 != 0 {
			want += 1500
		}
		if got := table.find(fmt.Appendf(nil, "t%d", i)); i < 1500 && got != want || i >= 1500 && got != -1 {
			t.Fatalf("find(t%d) = %d", i, got)
		}
		rules = append(rules, merge{i % 1000, i % 999, i})
	}
	pairs := newPairTable(rules)
	for rank, r := range rules {
		if got, result := pairs.find(r.left, r.right); got != uint32(rank) || result != r.result {
			t.Fatalf("find(%d, %d) = %d, %d, want %d, %d", r.left, r.right, got, result, rank, r.result)
		}
	}
	if rank, _ := pairs.find(1000, 0); rank != noRank {
		t.Error("a pair that is not there is found")
	}
}
