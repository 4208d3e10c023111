package jsonschema

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// The files of testdata/keywords say what each keyword means, draft by draft, in blocks with a
// schema and what is to be said of it:
//
//	draft 7                      the $schema that is added; 2020-12 if none is named
//	options any order, lenient   Options
//	schema {...}                 on one line
//	+ TEXT                       an instance, which is accepted
//	- TEXT                       a text that is no instance, and is refused
//	! TEXT                       an instance that is refused, as the documentation has it
//	= /POINTER STATUS REASON     an entry of the coverage; the reason may be a part of it
//	error TEXT                   part of the error of Compile
//	alone WHY                    the other validator is not asked about this block
//
// Lines that begin with # are comments. The other validator judges every text, too.

// A keywordBlock is one block.
type keywordBlock struct {
	place   string // file:line
	draft   string
	schema  string
	opt     Options
	alone   bool
	texts   []keywordText
	entries []string
	err     string
}

// A keywordText is an instance of a block, or a text that is none.
type keywordText struct {
	mark byte
	text string
}

var schemaURIs = map[string]string{
	"4": "http://json-schema.org/draft-04/schema#", "6": "http://json-schema.org/draft-06/schema#", "7": "http://json-schema.org/draft-07/schema#",
	"2019-09": "https://json-schema.org/draft/2019-09/schema", "2020-12": "https://json-schema.org/draft/2020-12/schema",
}

// line reads one line into the block.
func (b *keywordBlock) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "draft":
		if b.draft = schemaURIs[rest]; b.draft == "" {
			return fmt.Errorf("there is no draft %q", rest)
		}
	case "options":
		b.opt.AnyOrder = strings.Contains(rest, "any order")
		b.opt.Lenient = strings.Contains(rest, "lenient")
		if strings.Contains(rest, "any space") {
			b.opt.WhiteSpace = AnySpace
		}
	case "schema":
		b.schema = rest
		if b.draft != "" {
			b.schema = strings.TrimSuffix(fmt.Sprintf(`{"$schema": %q, %s`, b.draft, rest[1:]), ", }")
			if rest == "{}" {
				b.schema = fmt.Sprintf(`{"$schema": %q}`, b.draft)
			}
		}
	case "+", "-", "!":
		b.texts = append(b.texts, keywordText{word[0], rest})
	case "=":
		b.entries = append(b.entries, rest)
	case "error":
		b.err = rest
	case "alone":
		b.alone = true
	default:
		return fmt.Errorf("no line begins with %q", word)
	}
	return nil
}

// readBlocks reads a file of blocks, which empty lines separate.
func readBlocks(t *testing.T, file string) []*keywordBlock {
	t.Helper()
	f := must.Get(os.Open(file))(t)
	defer f.Close()
	var list []*keywordBlock
	var block *keywordBlock
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		line := in.Text()
		switch {
		case line == "":
			block = nil
			continue
		case strings.HasPrefix(line, "#"):
			continue
		case block == nil:
			block = &keywordBlock{place: fmt.Sprintf("%s:%d", filepath.Base(file), n)}
			list = append(list, block)
		}
		if err := block.line(line); err != nil {
			t.Fatalf("%s:%d: %v", file, n, err)
		}
	}
	must.OK(t, in.Err())
	return list
}

// TestKeywords holds the compiler, and the other validator, to the files.
func TestKeywords(t *testing.T) {
	files, err := filepath.Glob("testdata/keywords/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			for _, b := range readBlocks(t, file) {
				b.check(t)
				if !b.alone {
					b.judge(t)
				}
			}
		})
	}
}

// check compiles the schema of a block.
func (b *keywordBlock) check(t *testing.T) {
	t.Helper()
	accepts, result, err := acceptance(b.schema, b.opt)
	switch {
	case b.err != "":
		if err == nil || !strings.Contains(err.Error(), b.err) {
			t.Errorf("%s: the error is %v, want %q", b.place, err, b.err)
		}
	case err != nil:
		t.Errorf("%s: %v", b.place, err)
		return
	}
	for _, x := range b.texts {
		if accepts == nil {
			break
		}
		if got, want := accepts(x.text), x.mark == '+'; got != want {
			t.Errorf("%s: %s is accepted: %v, want %v", b.place, x.text, got, want)
		}
	}
	for _, entry := range b.entries {
		b.checkEntry(t, result, entry)
	}
}

// checkEntry looks for an entry of the coverage.
func (b *keywordBlock) checkEntry(t *testing.T, result *Result, entry string) {
	t.Helper()
	pointer, rest, _ := strings.Cut(entry, " ")
	status, reason, _ := strings.Cut(rest, " ")
	if result == nil {
		t.Errorf("%s: there is no coverage", b.place)
		return
	}
	for _, c := range result.Coverage {
		if c.Pointer != pointer {
			continue
		}
		if string(c.Status) != status || !strings.Contains(c.Reason, reason) || status == string(Enforced) && c.Reason != "" {
			t.Errorf("%s: %s is %s (%s), want %s (%s)", b.place, pointer, c.Status, c.Reason, status, reason)
		}
		return
	}
	t.Errorf("%s: the coverage says nothing of %s", b.place, pointer)
}

// judge asks the other validator.
func (b *keywordBlock) judge(t *testing.T) {
	t.Helper()
	valid, err := judge(b.schema)
	if err != nil {
		if b.err == "" {
			t.Errorf("%s: the other validator: %v", b.place, err)
		}
		return
	}
	for _, x := range b.texts {
		if got, want := valid(x.text), x.mark != '-'; got != want {
			t.Errorf("%s: %s is valid to the other validator: %v, want %v", b.place, x.text, got, want)
		}
	}
}
