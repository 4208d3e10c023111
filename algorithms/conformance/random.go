package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Random makes a spec from a seed: a grammar of a few overlapping terminals and a few rules, in
// any lexing mode and with conflicts resolved or kept, now and then with contexts or modes, and a
// vocabulary of all letters, some longer strings, equal tokens and empty ones. Special tokens that
// are given stand in rules as terminals do. Many seeds give a grammar that cannot be used; Walk
// says so.
func Random(seed uint64, special ...string) Spec {
	rng := rand.New(rand.NewPCG(seed, 1))
	also := rand.New(rand.NewPCG(seed, 3))
	var b strings.Builder
	if rng.IntN(3) == 0 {
		b.WriteString("%lexer all\n")
	}
	if rng.IntN(2) == 0 {
		b.WriteString("%conflicts keep\n")
	}
	terminals := randomTerminals(rng, &b)
	text, names := b.String(), append(terminals, special...)
	if also.IntN(3) == 0 {
		text = withPatterns(also, text, askingPatterns)
	}
	if beyond := rand.New(rand.NewPCG(seed, 5)); beyond.IntN(5) == 0 {
		text = withPatterns(beyond, text, beyondPatterns)
		if !strings.HasPrefix(text, "%lexer all") {
			text += "lazy[lazy]: " + patterns[beyond.IntN(len(patterns))] + " " + patterns[beyond.IntN(len(patterns))] + "\n"
			names = append(names, "lazy", "lazy")
		}
	}
	switch contextual := rand.New(rand.NewPCG(seed, 4)); {
	case also.IntN(4) == 0 && len(terminals) > 1:
		text += randomMode(also, terminals)
	case contextual.IntN(5) == 0:
		text = strings.TrimPrefix(text, "%lexer all\n")
		text = "%lexer contextual\n" + text
	case contextual.IntN(5) == 0:
		text = strings.TrimPrefix(text, "%lexer all\n")
		text = "%lexer dynamic\n" + text
	}
	steps, walks := 6, 3
	if strings.HasPrefix(text, "%lexer dynamic") { // texts are ambiguous
		steps, walks = 4, 2
	}
	b.Reset()
	b.WriteString(text)
	randomRules(rng, &b, names)
	return Spec{
		Grammar: b.String(), Vocabulary: RandomVocabulary(rng, "abc ", 4, 6+rng.IntN(10)), Special: special,
		Steps: steps, Walks: walks, Seed: seed, OnDemand: rng.IntN(2) == 0,
	}
}

// patterns are the pieces of random terminals. They overlap in every way that the contract
// mentions: keywords and identifiers, prefixes of each other, lazy ones, ones that never win.
var patterns = []string{
	`"a"`, `"b"`, `"c"`, `"ab"`, `"abc"`, `"ba"`, `"aab"`, `"ca"`,
	`/a+/`, `/[ab]+/`, `/[a-c]+/`, `/a*b/`, `/(ab)+/`, `/a(b|c)*a/`, `/b[ac]?/`, `/c+b?/`,
	`/a[^a]*?a/`, `/bb+?/`, `/a{2,3}/`, `/(a|bc){1,2}/`,
}

// askingPatterns ask what follows them.
var askingPatterns = []string{
	`/a(?!b)/`, `/b+(?=a|c)/`, `/c$/`, `/ab?\b/`, `/[ab](?!ab)/`, `/a(?=bc)|b/`, `/[a-c]+(?! )/`, `/a(?!a?b)/`,
	`/(?<!a)b+/`, `/(?<=b)a|c/`, `/\ba[bc]*/`, `/\B[ab]/`, `/(?<!c)[abc]+(?!b)/`, `/(?<! )a+/`,
	`/ab(?=c)|b|c+(?!a)/`, `/b(?=c ?a)/`, `/(a|ab)(?!c)/`, `/c(?=ab|ba)/`,
}

// beyondPatterns are no regular expressions.
var beyondPatterns = []string{
	`/[a-c]+/ & ~/.*bb.*/`, `/[ab]*/ & /.*b.*/ & ~"ab"`, `~/[ab]*|.* .*/`, `/a.*/ & ~/.*[^a-c].*/`, `/[a-c]{1,3}/ & ~(/a.*/ | "b")`,
}

// withPatterns puts other patterns in the place of some.
func withPatterns(rng *rand.Rand, grammar string, patterns []string) string {
	lines := strings.Split(grammar, "\n")
	for i, line := range lines {
		if head, _, ok := strings.Cut(line, ": "); ok && rng.IntN(2) == 0 {
			lines[i] = head + ": " + patterns[rng.IntN(len(patterns))]
		}
	}
	return strings.Join(lines, "\n")
}

// randomMode puts some terminals into a mode of their own, and one of them or others before it.
func randomMode(rng *rand.Rand, terminals []string) string {
	pick := func() string {
		var names []string
		for _, t := range terminals {
			if rng.IntN(2) == 0 {
				names = append(names, t)
			}
		}
		if len(names) == 0 {
			names = []string{terminals[rng.IntN(len(terminals))]}
		}
		return strings.Join(names, ",")
	}
	text := fmt.Sprintf("%%mode m in=%s after=%s\n", pick(), pick())
	if rng.IntN(2) == 0 {
		text += fmt.Sprintf("%%mode default in=%s\n", pick())
	}
	return text
}

func randomTerminals(rng *rand.Rand, b *strings.Builder) []string {
	var names []string
	for i := range 2 + rng.IntN(4) {
		name := fmt.Sprintf("T%d", i)
		priority := ""
		if rng.IntN(4) == 0 {
			priority = fmt.Sprintf(".%d", rng.IntN(3))
		}
		fmt.Fprintf(b, "%s%s: %s\n", name, priority, patterns[rng.IntN(len(patterns))])
		names = append(names, name)
	}
	switch rng.IntN(4) {
	case 0, 1:
		b.WriteString("%ignore \" \"\n")
	case 2:
		fmt.Fprintf(b, "%%ignore %s\n", names[len(names)-1])
		names = names[:len(names)-1]
	}
	return names
}

func randomRules(rng *rand.Rand, b *strings.Builder, terminals []string) {
	rules := []string{"start", "x", "y", "z"}[:1+rng.IntN(4)]
	for i, rule := range rules {
		var alternatives []string
		for range 1 + rng.IntN(3) {
			var symbols []string
			for range rng.IntN(4) {
				if rng.IntN(5) < 2 && len(rules) > 1 {
					symbols = append(symbols, rules[rng.IntN(len(rules))])
				} else {
					symbols = append(symbols, terminals[rng.IntN(len(terminals))])
				}
			}
			if i == 0 && len(alternatives) == 0 && len(rules) > 1 {
				symbols = append(symbols, rules[1:]...) // so that no rule is left unused
			}
			alternatives = append(alternatives, strings.Join(symbols, " "))
		}
		slices.Sort(alternatives)
		fmt.Fprintf(b, "%s: %s\n", rule, strings.Join(slices.Compact(alternatives), " | "))
	}
}

// RandomVocabulary is every character of the alphabet, then n strings of 2 to longest characters of
// it, with now and then an empty token or one equal to an earlier one.
func RandomVocabulary(rng *rand.Rand, alphabet string, longest, n int) []string {
	tokens := strings.Split(alphabet, "")
	for range n {
		switch rng.IntN(10) {
		case 0:
			tokens = append(tokens, tokens[rng.IntN(len(tokens))])
		case 1:
			tokens = append(tokens, "")
		default:
			var b strings.Builder
			for range 2 + rng.IntN(longest-1) {
				b.WriteByte(alphabet[rng.IntN(len(alphabet))])
			}
			tokens = append(tokens, b.String())
		}
	}
	rng.Shuffle(len(tokens), func(i, j int) { tokens[i], tokens[j] = tokens[j], tokens[i] })
	return tokens
}

// maxShrinks bounds the attempts to make a spec smaller.
const maxShrinks = 2000

// Shrink makes the spec of a difference smaller, as long as some difference remains, and returns
// the difference that the smallest spec found shows: fewer lines and alternatives in the grammar,
// fewer tokens, fewer and shorter walks.
func Shrink(ctx context.Context, d *Difference, entries ...Entry) *Difference {
	left := maxShrinks
	try := func(spec Spec) bool {
		if left--; left < 0 || ctx.Err() != nil {
			return false
		}
		var smaller *Difference
		if _, err := Walk(ctx, spec, entries...); errors.As(err, &smaller) {
			d = smaller
			return true
		}
		return false
	}
	for again := true; again; {
		again = false
		for i := 0; i < len(d.Spec.Vocabulary); {
			spec := d.Spec
			spec.Vocabulary = slices.Delete(slices.Clone(spec.Vocabulary), i, i+1)
			if try(spec) {
				again = true
			} else {
				i++
			}
		}
		for _, text := range smallerGrammars(d.Spec.Grammar) {
			spec := d.Spec
			if spec.Grammar = text; try(spec) {
				again = true
				break
			}
		}
		for spec := d.Spec; spec.Walks > 1 || spec.Steps > len(d.Prefix); {
			spec.Walks, spec.Steps = max(spec.Walks-1, 1), max(spec.Steps-1, len(d.Prefix))
			if !try(spec) {
				break
			}
			again = true
		}
	}
	return d
}

// smallerGrammars lists grammars with one line, one alternative or one symbol less.
func smallerGrammars(text string) []string {
	var list []string
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	replace := func(i int, with ...string) {
		list = append(list, strings.Join(slices.Replace(slices.Clone(lines), i, i+1, with...), "\n")+"\n")
	}
	for i, line := range lines {
		replace(i)
		head, body, ok := strings.Cut(line, ": ")
		if !ok {
			continue
		}
		alternatives := strings.Split(body, " | ")
		for j, alternative := range alternatives {
			if len(alternatives) > 1 {
				replace(i, head+": "+strings.Join(slices.Delete(slices.Clone(alternatives), j, j+1), " | "))
			}
			symbols := strings.Fields(alternative)
			for k := range symbols {
				fewer := slices.Clone(alternatives)
				fewer[j] = strings.Join(slices.Delete(slices.Clone(symbols), k, k+1), " ")
				replace(i, head+": "+strings.Join(fewer, " | "))
			}
		}
	}
	return list
}

// RandomCFG is a random grammar over the terminals a, b, c, in Lark's language.
func RandomCFG(rng *rand.Rand, keep bool) string {
	var b strings.Builder
	if keep {
		b.WriteString("%conflicts keep\n")
	}
	names := []string{"start", "x", "y"}[:1+rng.IntN(3)]
	for i, name := range names {
		var alternatives []string
		for range 1 + rng.IntN(3) {
			var symbols []string
			for range rng.IntN(4) {
				if rng.IntN(5) < 2 {
					symbols = append(symbols, names[rng.IntN(len(names))])
				} else {
					symbols = append(symbols, fmt.Sprintf("%q", "abc"[rng.IntN(3):][:1]))
				}
			}
			alternatives = append(alternatives, strings.Join(symbols, " "))
		}
		if i == 0 {
			alternatives[0] += " " + strings.Join(names[1:], " ")
		}
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(alternatives, " | "))
	}
	return b.String()
}
