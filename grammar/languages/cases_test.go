package languages_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gcdbench/harness/judges"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// A smallText is a line of testdata/LANGUAGE.txt, in the frame of its topic. The files have
//
//	== TOPIC | FRAME    small texts stand for the dots of the frame; without one, for a file
//	+ TEXT              of the language, and taken by the grammar
//	- TEXT              neither
//	> TEXT              no text of the language, but taken, as the head of the grammar says
//	< TEXT              of the language, but refused, as the head of the grammar says
//
// In a text ¶ is a line break. Behind a q it is a string of Go.
type smallText struct {
	topic, text   string
	taken, judged bool
}

// smallTexts reads the texts of a language.
func smallTexts(t testing.TB, language string) (list []smallText) {
	t.Helper()
	file := filepath.Join("testdata", language+".txt")
	topic, frame := "", ""
	for i, line := range strings.Split(string(must.Get(os.ReadFile(file))(t)), "\n") {
		mark, text, _ := strings.Cut(line, " ")
		text = strings.ReplaceAll(text, "¶", "\n")
		switch {
		case mark == "" || mark == "#":
			continue
		case mark == "==":
			var framed bool
			if topic, frame, framed = strings.Cut(text, " | "); !framed {
				frame = "..."
			}
			continue
		case len(mark) == 2 && mark[1] == 'q':
			text = must.Get(strconv.Unquote(line[3:]))(t)
		}
		if !strings.Contains("+-<>", mark[:1]) {
			t.Fatalf("%s:%d: a line that begins with %q", file, i+1, mark)
		}
		list = append(list, smallText{topic, strings.Replace(frame, "...", text, 1), mark[0] == '+' || mark[0] == '>', mark[0] == '+' || mark[0] == '<'})
	}
	return list
}

// TestCases: each grammar takes and refuses the small texts of its language as their file says.
func TestCases(t *testing.T) {
	for _, language := range []string{"go", "java", "json", "python", "sql"} {
		list, refused := smallTexts(t, language), 0
		for _, c := range list {
			err := embedded(t, language).Check([]byte(c.text))
			if (err == nil) != c.taken {
				t.Errorf("%s, %s: %q: %v, want taken: %v", language, c.topic, c.text, err, c.taken)
			}
			if !c.taken {
				refused++
			}
		}
		if refused < 50 || len(list) < refused+50 {
			t.Errorf("%s: %d texts, %d to be refused", language, len(list), refused)
		}
	}
}

// TestCasesByJudges asks the parsers of the languages: they give the verdicts that stand there.
// javac's parser leaves some of what is wrong to the compiler: it is asked about what it must take.
func TestCasesByJudges(t *testing.T) {
	seed.Usual(t)
	for language, versions := range map[string]string{"go": "go1.", "json": "go1.", "java": "25", "python": "3.14.", "sql": "18."} {
		t.Run(language, func(t *testing.T) {
			judge := must.Get(judges.OfLanguage(language, judges.Options{}))(t)
			defer judge.Close()
			for _, c := range smallTexts(t, language) {
				if language == "java" && !(c.taken && c.judged) {
					continue
				}
				v, err := judge.Judge(t.Context(), []byte(c.text))
				var missing *judges.MissingError
				if errors.As(err, &missing) {
					t.Skip(err)
				}
				if !strings.HasPrefix(judge.Version(), versions) && err == nil {
					t.Skipf("the parser is of version %s; the texts are about %s", judge.Version(), versions)
				}
				if err != nil || v.Valid != c.judged {
					t.Errorf("%s: %q: %v %v, %v; want %v", c.topic, c.text, v.Valid, v.Why, err, c.judged)
				}
			}
		})
	}
}

// TestSamples: each grammar takes the valid samples of its language, and refuses the faulty ones
// where their list says.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		language, pattern string
		atLeast           int
	}{{"go", "*.go.txt", 12}, {"java", "*.java", 12}, {"json", "*.json", 60}, {"python", "*.py", 12}, {"sql", "*.sql", 60}} {
		folder := "../../datasets/samples/" + c.language
		t.Run(c.language, func(t *testing.T) {
			checkSamples(t, embedded(t, c.language), folder, c.pattern, c.atLeast)
			checkMistakes(t, embedded(t, c.language), folder, c.pattern, 12)
		})
	}
}

// TestCorpora: each grammar takes every document of the development corpus of its language.
func TestCorpora(t *testing.T) {
	for _, language := range []string{"go", "java", "python", "sql"} {
		t.Run(language, func(t *testing.T) {
			checkCorpus(t, embedded(t, language), "../../../shared/data/"+language+"-dev.jsonl.gz")
		})
	}
}
