package automata

import (
	"encoding/json"
	"fmt"
	"gcdbench/internal/seed"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// These tests ask Python's re module, the definition of the syntax. They are
// skipped where there is no python3, or one older than 3.11, whose parser differs.

// A pythonQuery is a pattern and texts for re.fullmatch.
type pythonQuery struct {
	Pattern string   `json:"pattern"`
	Flags   string   `json:"flags"`
	Texts   []string `json:"texts"`
}

// A pythonAnswer is the error of re.compile, or a verdict for each text, or where the match at its
// start ends.
type pythonAnswer struct {
	Error   string `json:"error"`
	Matches []bool `json:"matches"`
	Ends    []int  `json:"ends"` // of re.match, in characters; -1 for none
}

const pythonProgram = `
import json, re, sys, warnings
warnings.simplefilter("ignore")
if sys.version_info < (3, 11):
    sys.exit(3)
def answer(q):
    flags = 0
    for c in q["flags"]:
        flags |= getattr(re, c.upper())
    try:
        p = re.compile(q["pattern"], flags)
    except (re.error, ValueError, OverflowError, RecursionError) as e:
        return {"error": str(e) or "error"}
    if sys.argv[1] == "ends":
        return {"ends": [m.end() if m else -1 for m in map(p.match, q["texts"])]}
    return {"matches": [p.fullmatch(t) is not None for t in q["texts"]]}
json.dump([answer(q) for q in json.load(sys.stdin)], sys.stdout)
`

// askPython answers all queries in one process.
func askPython(t *testing.T, queries []pythonQuery) []pythonAnswer {
	t.Helper()
	return askPythonFor(t, "matches", queries)
}

func askPythonFor(t *testing.T, what string, queries []pythonQuery) []pythonAnswer {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 to compare with")
	}
	input, err := json.Marshal(queries)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", pythonProgram, what)
	cmd.Stdin = strings.NewReader(string(input))
	output, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == 3 {
		t.Skip("python3 is older than 3.11")
	}
	if err != nil {
		t.Fatal(err)
	}
	var answers []pythonAnswer
	if err := json.Unmarshal(output, &answers); err != nil || len(answers) != len(queries) {
		t.Fatalf("%d answers to %d queries: %v", len(answers), len(queries), err)
	}
	return answers
}

// TestCasesAgainstPython asks Python for the verdicts of patternCases.
func TestCasesAgainstPython(t *testing.T) {
	var queries []pythonQuery
	var cases []patternCase
	for _, c := range patternCases {
		if c.differs == "" {
			cases = append(cases, c)
			queries = append(queries, pythonQuery{c.pattern, c.flags, slices.Concat(c.yes, c.no)})
		}
	}
	for i, a := range askPython(t, queries) {
		c := cases[i]
		if (a.Error != "") != (c.err != "") {
			t.Errorf("/%s/: Python's error is %q, ours %q", c.pattern, a.Error, c.err)
			continue
		}
		for j, got := range a.Matches {
			if want := j < len(c.yes); got != want {
				t.Errorf("/%s/ on %q: %v, Python says %v", c.pattern, queries[i].Texts[j], want, got)
			}
		}
	}
}

// TestMatchesAgainstPython compares random patterns with assertions, flags and
// every kind of class.
func TestMatchesAgainstPython(t *testing.T) {
	g := &generator{Rand: newRand(t), looks: true, lazy: true, chars: []string{
		"a", "B", "é", ".", `\w`, `\W`, `\d`, `\s`, `[a-c]`, `[^b]`, `[\d_]`, `[^\s]`, "(?i:É)", "(?s:.)", `(?a:\w)`, `\n`, "\u017f", "İ", `\x42`}}
	texts := allStrings([]string{"a", "B", "é", "1", "\n", "s"}, 3)
	texts = append(texts, "K", "k", "\u00a0", "٣", "²", "ab1B", "aaaaaaa", "a\naé", "ſ", "ı", "i")
	var queries []pythonQuery
	for range seed.Rounds(50, 100, 2000) {
		flags := g.pick("", "", "i", "s", "a", "ia")
		queries = append(queries, pythonQuery{g.pattern(1 + g.IntN(4)), flags, texts})
	}
	blind := 0
	for i, a := range askPython(t, queries) {
		q := queries[i]
		if a.Error != "" {
			t.Fatalf("/%s/: Python says %s", q.Pattern, a.Error)
		}
		flags, err := ParseFlags(q.Flags)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Parse(q.Pattern, flags)
		if err != nil {
			t.Fatal(err)
		}
		d, err := compileGreedy(e)
		if err != nil {
			blind++
			continue
		}
		for j, want := range a.Matches {
			if got := d.MatchString(q.Texts[j]); got != want {
				t.Errorf("/%s/%s on %q: %v, Python says %v", q.Pattern, q.Flags, q.Texts[j], got, want)
			}
		}
	}
	t.Logf("%d patterns, of which %d look outside", len(queries), blind)
}

// TestSplitsAgainstPython asks Python whether random patterns with assertions and anchors match the
// first letters of a text, given the rest of it.
func TestSplitsAgainstPython(t *testing.T) {
	seed.Usual(t)
	g := &generator{Rand: newRand(t), looks: true, anchors: true, chars: []string{"a", "b", "é", "[ab]", "[^a]", "-", `\w`, `\n`, "."}}
	texts := allStrings([]string{"a", "b", "-", "é", "\n"}, 4)
	const length = 2
	texts = slices.DeleteFunc(texts, func(text string) bool { return utf8.RuneCountInString(text) < length })
	var queries []pythonQuery
	var dfas []*DFA
	blind := 0
	for len(queries) < 300 {
		pattern, flags := g.pattern(1+g.IntN(4)), g.flags()
		e, err := Parse(pattern, flags)
		if err != nil {
			t.Fatalf("/%s/: %v", pattern, err)
		}
		d, err := compileGreedy(e)
		if err != nil {
			blind++
			continue
		}
		dfas = append(dfas, d)
		queries = append(queries, pythonQuery{fmt.Sprintf(`(?:%s)(?<=\A[\s\S]{%d})[\s\S]*`, pattern, length), flags.String(), texts})
	}
	for i, a := range askPython(t, queries) {
		for j, want := range a.Matches {
			runes := []rune(texts[j])
			word, rest := string(runes[:length]), string(runes[length:])
			if got := matchesBefore(dfas[i], word, rest); got != want {
				t.Errorf("/%s/%s on %q before %q: %v, Python says %v", queries[i].Pattern, queries[i].Flags, word, rest, got, want)
			}
		}
		if a.Error != "" {
			t.Errorf("/%s/: %s", queries[i].Pattern, a.Error)
		}
	}
	t.Logf("%d patterns; %d others look in front of the match", len(queries), blind)
}

// TestSyntaxAgainstPython feeds both parsers with noise: what one takes, the
// other must take, but for the features that we refuse by name.
func TestSyntaxAgainstPython(t *testing.T) {
	rng := newRand(t)
	pieces := []string{"a", "b", "(", ")", "(?:", "(?i)", "(?s:", "(?-i:", "(?=", "(?!", "(?<=", "(?#", "(?P<n>", "$", `\b`, `\Z`, "[", "[^", "]", "-", "a-c", "|", "*", "+", "?", "{",
		"}", "{2}", "{1,", ",", "1", "{,3}", ".", `\`, `\d`, `\w`, `\x4`, `\x41`, `\u00e9`, `\07`, `\12`, `\101`, `\n`, `\.`, `\q`, "é", "#", " ", "\n", "(?x)", "(?i"}
	texts := []string{"", "a", "b", "aa", "ab", "1", "-", "{", "a{", "}", "]", "A", "é", "a b", ",", "(", ")"}
	var queries []pythonQuery
	for range seed.Rounds(500, 1000, 20000) {
		var b strings.Builder
		for range 1 + rng.IntN(8) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		queries = append(queries, pythonQuery{b.String(), []string{"", "", "x", "i"}[rng.IntN(4)], texts})
	}
	taken := 0
	for i, a := range askPython(t, queries) {
		q := queries[i]
		ours, err := greedyPattern(q)
		switch {
		case err != nil && a.Error == "" && !refusedByName(err):
			t.Errorf("/%s/%s: Python takes what we do not: %v", q.Pattern, q.Flags, err)
		case err == nil && strings.Contains(a.Error, "look-behind requires fixed-width"):
			// As in the regex module, the width may vary.
		case err == nil && a.Error != "":
			t.Errorf("/%s/%s: Python refuses what we take: %s", q.Pattern, q.Flags, a.Error)
		case err == nil:
			taken++
			for j, want := range a.Matches {
				if got := ours.MatchString(texts[j]); got != want {
					t.Errorf("/%s/%s on %q: %v, Python says %v", q.Pattern, q.Flags, texts[j], got, want)
				}
			}
		}
	}
	t.Logf("%d of %d patterns taken", taken, len(queries))
}

func greedyPattern(q pythonQuery) (*DFA, error) {
	flags, err := ParseFlags(q.Flags)
	if err != nil {
		return nil, err
	}
	e, err := Parse(q.Pattern, flags)
	if err != nil {
		return nil, err
	}
	return compileGreedy(e)
}

// refusedByName reports whether an error is about a feature that Python has and
// we have not.
func refusedByName(err error) bool {
	for _, words := range []string{"not supported", "not regular", "without bound", "in front of the match", "stands before"} {
		if strings.Contains(err.Error(), words) {
			return true
		}
	}
	return false
}

// TestEveryCharacterAgainstPython compares the predefined classes over all of
// Unicode; by default, over its beginning and a sample of the rest.
func TestEveryCharacterAgainstPython(t *testing.T) {
	var characters []string
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) && (seed.Full() || r < 0x3100 || r%101 == 0) {
			characters = append(characters, string(r))
		}
	}
	queries := []pythonQuery{{`\d`, "", characters}, {`\w`, "", characters}, {`\s`, "", characters}, {`[^\W\d_]`, "i", characters}, {`.`, "", characters}}
	for i, a := range askPython(t, queries) {
		d, err := greedyPattern(queries[i])
		if err != nil {
			t.Fatal(err)
		}
		differ := 0
		for j, want := range a.Matches {
			if d.MatchString(characters[j]) != want {
				differ++
			}
		}
		// The two may have different versions of Unicode; a version adds up to
		// some ten thousand characters.
		if limit := 10_000; differ > limit || i == 4 && differ > 0 {
			t.Errorf("/%s/ differs for %d characters", queries[i].Pattern, differ)
		}
	}
}

// TestFoldingAgainstPython compares case folding for every letter that has two
// cases, against every other one.
func TestFoldingAgainstPython(t *testing.T) {
	var letters []string
	for _, orbit := range folding().orbits {
		for _, r := range orbit {
			letters = append(letters, string(r))
		}
	}
	var queries []pythonQuery
	for _, orbit := range folding().orbits {
		queries = append(queries, pythonQuery{string(orbit[0]), "i", letters})
	}
	queries = queries[:min(len(queries), seed.Rounds(40, 100, len(queries)))] // the first letters have the exceptions
	for i, a := range askPython(t, queries) {
		d, err := greedyPattern(queries[i])
		if err != nil {
			t.Fatal(err)
		}
		for j, want := range a.Matches {
			if got := d.MatchString(letters[j]); got != want {
				t.Errorf("(?i)%s on %s: %v, Python says %v", queries[i].Pattern, letters[j], got, want)
			}
		}
	}
}
