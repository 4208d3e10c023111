package published

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

var update = flag.Bool("update", false, "write the table of docs/grammars/published.md anew; with GCDBENCH_FULL, all of it")

// A published grammar is a file of a package. Without a start rule it is start.
type published struct {
	pkg, file, start, imports string
	// larkRefuses and weRefuse say why Lark refuses it, and why we do; "" where it is taken.
	larkRefuses, weRefuse string
	// edits are what is replaced in the file, old and new in turn; about says what that leaves out.
	edits []string
	about string
	// long says that its tables take seconds, so that it is read with GCDBENCH_FULL only.
	long bool
	// accepted are texts that both accept: what once was refused here.
	accepted []string
	// differ are texts of which the verdicts differ, each with the class.
	differ map[string]string
}

var grammars = []published{
	{pkg: "bc-python-hcl2", file: "hcl2/hcl2.lark", weRefuse: "backreference (?P=...) is not regular"},
	{pkg: "beancount-parser", file: "beancount_parser/grammar/beancount.lark"},
	{pkg: "cel-python", file: "celpy/cel.lark", start: "expr", accepted: []string{`"a\"b"`, `'it\'s'`, "a // b\n+ c"}},
	{pkg: "circuitgraph", file: "circuitgraph/parsing/verilog.lark"},
	{pkg: "d20", file: "d20/grammar.lark", start: "commented_expr"},
	{pkg: "decaylanguage", file: "decaylanguage/data/ampgen.lark"},
	{pkg: "decaylanguage", file: "decaylanguage/data/decfile.lark"},
	{pkg: "eql", file: "eql/etc/eql.g", start: "definitions"},
	{pkg: "eql", file: "eql/etc/eql.g", start: "piped_query"},
	{pkg: "gdtoolkit", file: "gdtoolkit/parser/comments.lark"},
	{pkg: "gdtoolkit", file: "gdtoolkit/parser/gdscript.lark", larkRefuses: "Cannot compile token", weRefuse: "unknown Unicode property"},
	{pkg: "lammps-ast", file: "lammps_ast/grammar/lammps_grammar_20240829.lark"},
	{pkg: "lark", file: "lark/grammars/lark.lark"},
	{pkg: "lark", file: "lark/grammars/python.lark", start: "file_input"},
	{pkg: "lark-dbml", file: "lark_dbml/dbml.lark"},
	{pkg: "mappyfile", file: "mappyfile/mapfile.lark"},
	{pkg: "miniwdl", file: "WDL/_grammar.py", start: "document"},
	{pkg: "optimade", file: "optimade/grammar/v1.0.0.lark"},
	{pkg: "optimade", file: "optimade/grammar/v1.0.1.lark"},
	{pkg: "optimade", file: "optimade/grammar/v1.1.0.lark"},
	{pkg: "optimade", file: "optimade/grammar/v1.2.0.lark"},
	{pkg: "parsuricata", file: "parsuricata/_parser.py", start: "rules", weRefuse: "looks without bound past the end of the match"},
	{pkg: "parsuricata", file: "parsuricata/_parser.py", start: "rules", about: "no blank before a semicolon", edits: []string{`(?=\s*[;])`, "(?=;)"}},
	{pkg: "pddl", file: "pddl/parser/grammar.lark", start: "domain"},
	{pkg: "pddl", file: "pddl/parser/grammar.lark", start: "problem"},
	{pkg: "poetry-core", file: "poetry/core/version/grammars/markers.lark"},
	{pkg: "poetry-core", file: "poetry/core/version/grammars/pep508.lark"},
	{pkg: "pycep-parser", file: "pycep/bicep.lark", larkRefuses: "Cannot compile token", weRefuse: "unknown flag 'R'"},
	{pkg: "pygeofilter", file: "pygeofilter/parsers/cql2_text/grammar.lark", imports: "pygeofilter/parsers"},
	{pkg: "pygeofilter", file: "pygeofilter/parsers/ecql/grammar.lark", imports: "pygeofilter/parsers"},
	{pkg: "pylogics", file: "pylogics/parsers/ldl.lark", imports: "pylogics/parsers"},
	{pkg: "pylogics", file: "pylogics/parsers/ltl.lark", imports: "pylogics/parsers"},
	{pkg: "pylogics", file: "pylogics/parsers/pl.lark", imports: "pylogics/parsers", accepted: []string{"abc & !de_f"},
		differ: map[string]string{"true9": longestMatch}},
	{pkg: "pylogics", file: "pylogics/parsers/pltl.lark", imports: "pylogics/parsers"},
	{pkg: "python-hcl2", file: "hcl2/hcl2.lark", weRefuse: "backreference (?P=...) is not regular"},
	{pkg: "python-hcl2", file: "hcl2/hcl2.lark", about: "heredocs end at EOT", long: true, edits: []string{
		"(?P<heredoc>[a-zA-Z][a-zA-Z0-9._-]*)", "EOT", "(?P=heredoc)", "EOT",
		"(?P<heredoc_trim>[a-zA-Z][a-zA-Z0-9._-]*)", "EOT", "(?P=heredoc_trim)", "EOT",
	}},
	{pkg: "sympy", file: "sympy/parsing/latex/lark/grammar/latex.lark", start: "latex_string", larkRefuses: "Reduce/Reduce collision", weRefuse: "reduce/reduce conflict"},
	{pkg: "synapse", file: "synapse/data/lark/imap.lark", start: "input"},
	{pkg: "synapse", file: "synapse/data/lark/storm.lark", start: "query", larkRefuses: "Cannot compile token", weRefuse: "atomic group"},
	{pkg: "syncode", file: "syncode/parsers/grammars/c.lark", differ: map[string]string{"int f ( )\n{ }": literalOverIgnored}},
	{pkg: "syncode", file: "syncode/parsers/grammars/calc.lark"},
	{pkg: "syncode", file: "syncode/parsers/grammars/go.lark"},
	{pkg: "syncode", file: "syncode/parsers/grammars/invariants.lark"},
	{pkg: "syncode", file: "syncode/parsers/grammars/java.lark"},
	{pkg: "syncode", file: "syncode/parsers/grammars/json.lark"},
	{pkg: "syncode", file: "syncode/parsers/grammars/prover9.lark"},
	{pkg: "syncode", file: "syncode/parsers/grammars/python.lark"},
	{pkg: "syncode", file: "syncode/parsers/grammars/sql.lark", accepted: []string{"SELECT name , date FROM battle"}},
	{pkg: "syncode", file: "syncode/parsers/grammars/tiny.lark"},
	{pkg: "timefhuman", file: "timefhuman/grammar.lark"},
	{pkg: "tptp-lark-parser", file: "tptp_lark_parser/resources/TPTP.lark", start: "tptp_file"},
	{pkg: "vyper", file: "vyper/ast/grammar.lark", start: "module"},
}

// label names a grammar in the table and in tests.
func (p *published) label() string {
	label := p.pkg + " " + filepath.Base(filepath.Dir(p.file)) + "/" + filepath.Base(p.file)
	for _, more := range []string{p.start, p.about} {
		if more != "" {
			label += ", " + more
		}
	}
	return label
}

func (p *published) skip(t *testing.T, turn int) {
	if turn%seed.Rounds(6, 1, 1) != 0 {
		t.Skip("one in six with -short")
	}
	if p.long && !seed.Full() {
		t.Skip("its tables take seconds: GCDBENCH_FULL=1 reads it")
	}
}

// A row is what the table says of a grammar.
type row struct {
	*published
	licence            string
	states, larkStates int // 0: refused
	modes              int // of the contextual lexer
	tally, contextual  tally
}

// TestPublished compares Lark with what we make of each grammar.
func TestPublished(t *testing.T) {
	archives := need(t)
	l := startLark(t)
	versions := map[string]Package{}
	folders := map[string]string{}
	for _, p := range Packages() {
		versions[p.Name] = p
		folders[p.Name] = t.TempDir()
		if err := p.Unpack(archives, folders[p.Name]); errors.Is(err, fs.ErrNotExist) {
			folders[p.Name] = ""
			t.Logf("not downloaded: %s %s", p.Name, p.Version)
		} else if err != nil {
			t.Fatal(err)
		}
	}
	var rows []row
	random := seed.New(t)
	for i := range grammars {
		p := &grammars[i]
		t.Run(strings.ReplaceAll(p.label(), "/", " "), func(t *testing.T) {
			if folders[p.pkg] == "" {
				t.Skipf("%s is not downloaded", p.pkg)
			}
			p.skip(t, i)
			r := l.compare(t, p, folders[p.pkg], rand.New(rand.NewPCG(random, uint64(i))))
			r.licence = versions[p.pkg].Licence
			rows = append(rows, *r)
		})
	}
	if !t.Failed() && (!*update || len(rows) == len(grammars)) {
		checkPage(t, table(rows, l.version))
	}
}

// need is the folder of the archives; the test is skipped if it is not there.
func need(t *testing.T) string {
	t.Helper()
	folder, err := Folder()
	if err == nil {
		_, err = os.Stat(folder)
	}
	if err != nil {
		t.Skipf("the grammars are not downloaded (%v): pip download --no-deps --dest %s --requirement algorithms/conformance/published/testdata/packages.txt", err, folder)
	}
	return folder
}

// compare reads a grammar with both programs, and judges texts by both.
func (l *larkProcess) compare(t *testing.T, p *published, folder string, rng *rand.Rand) *row {
	t.Helper()
	path := p.edited(t, filepath.Join(folder, filepath.FromSlash(p.file)))
	options := lark.Options{Start: p.start, Context: t.Context()}
	if p.imports != "" {
		options.ImportPaths = []string{filepath.Join(folder, filepath.FromSlash(p.imports))}
	}
	theirs := l.read(t, path, options)
	out := &row{published: p, larkStates: theirs.States, tally: tally{classes: map[string]int{}}, contextual: tally{classes: map[string]int{}}}
	g, err := lark.Load(path, options)
	var r *recognizer.Recognizer
	if err == nil {
		r, err = recognizer.New(t.Context(), g, recognizer.Options{})
	}
	if p.larkRefuses != "" || p.weRefuse != "" {
		if (theirs.Error == "") != (p.larkRefuses == "") || !strings.Contains(theirs.Error, p.larkRefuses) {
			t.Errorf("Lark says %q, not %q", theirs.Error, p.larkRefuses)
		}
		if err == nil || !strings.Contains(err.Error(), p.weRefuse) {
			t.Errorf("we say %v, not %q", err, p.weRefuse)
		}
		return out
	}
	if err != nil || theirs.Error != "" {
		t.Fatalf("Lark says %q, we say %v", theirs.Error, err)
	}
	if out.states = r.Tables.NumStates(); out.states != theirs.States {
		t.Errorf("%d LR states, with Lark %d", out.states, theirs.States)
	}
	l.judge(t, r, p.accepted, &tally{classes: map[string]int{}}, true)
	for text, class := range p.differ {
		found := tally{classes: map[string]int{}}
		l.judge(t, r, []string{text}, &found, false)
		if found.classes[class] != 1 {
			t.Errorf("%q: %s, want %s", text, &found, class)
		}
	}
	l.judge(t, r, randomTexts(t, r, rng), &out.tally, false)
	t.Logf("%s", &out.tally)
	options.Lexer = new(grammar.LexContextual)
	if theirs = l.read(t, path, options); theirs.Error != "" {
		t.Fatalf("with its contextual lexer, Lark says %q", theirs.Error)
	}
	if g, err = lark.Load(path, options); err == nil {
		r, err = recognizer.New(t.Context(), g, recognizer.Options{})
	}
	if err != nil {
		t.Fatalf("with a contextual lexer: %v", err)
	}
	out.modes = max(1, len(r.Grammar.Modes))
	l.judge(t, r, randomTexts(t, r, rng), &out.contextual, false)
	t.Logf("contextual, %d modes, %d terminals, %d copies, %d lexer states: %s", out.modes, len(g.Terminals), len(r.Grammar.Terminals), r.Lexer.NumStates(), &out.contextual)
	return out
}

// edited is the file, or a copy beside it with the edits, of the grammar alone that a program has,
// or of a name that says that it is Lark's.
func (p *published) edited(t *testing.T, path string) string {
	t.Helper()
	before := programs[p.file]
	if len(p.edits) == 0 && before == "" && filepath.Ext(path) != ".ebnf" {
		return path
	}
	text := string(must.Get(os.ReadFile(path))(t))
	if before != "" {
		_, text, _ = strings.Cut(text, before)
		text, _, _ = strings.Cut(text, before[len(before)-3:])
	}
	for i := 0; i < len(p.edits); i += 2 {
		if !strings.Contains(text, p.edits[i]) {
			t.Errorf("%s has no %s", p.file, p.edits[i])
		}
	}
	path = strings.TrimSuffix(path, filepath.Ext(path)) + "_edited.lark"
	must.OK(t, os.WriteFile(path, []byte(strings.NewReplacer(p.edits...).Replace(text)), 0o644))
	return path
}

// randomTexts are texts of a grammar that Lark can be given: valid UTF-8.
func randomTexts(t *testing.T, r *recognizer.Recognizer, rng *rand.Rand) []string {
	t.Helper()
	x := must.Get(newGenerator(r, rng))(t)
	return slices.DeleteFunc(x.texts(seed.Rounds(5, 8, 100)), func(s string) bool { return !utf8.ValidString(s) })
}

// judge compares verdicts. known texts are accepted by both.
func (l *larkProcess) judge(t *testing.T, r *recognizer.Recognizer, texts []string, into *tally, known bool) {
	t.Helper()
	if len(texts) == 0 {
		return
	}
	shown := 0
	for i, verdict := range l.accepted(t, texts) {
		if verdict == nil {
			t.Logf("%q: %s", texts[i], noVerdict)
			into.add(false, false, noVerdict)
			continue
		}
		theirs, ours := *verdict, r.Check([]byte(texts[i]))
		if known && (!theirs || ours != nil) {
			t.Errorf("%q: accepted by Lark %t, we say %v", texts[i], theirs, ours)
		}
		if (ours == nil) == theirs {
			into.add(theirs, true, "")
			continue
		}
		class, detail := classify(r, texts[i], l.tokens(t, texts[i]))
		into.add(theirs, false, class)
		if !meant(class) {
			t.Errorf("%q: accepted by Lark %t, we say %v: %s: %s", texts[i], theirs, ours, class, detail)
		} else if shown++; shown <= 3 {
			t.Logf("%q: accepted by Lark %t, we say %v: %s: %s", texts[i], theirs, ours, class, detail)
		}
	}
}

// A larkProcess is Lark in a process of its own.
type larkProcess struct {
	version string
	in      io.Writer
	out     *bufio.Reader
}

// startLark starts Lark, or skips the test where it is not installed.
func startLark(t *testing.T) *larkProcess {
	t.Helper()
	python := must.Python(t, "lark")
	cmd := exec.CommandContext(t.Context(), python, "testdata/answers.py")
	in, err := cmd.StdinPipe()
	must.OK(t, err)
	out := must.Get(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Skipf("Lark is needed to compare with: %v", err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait() // it ends with its input
	})
	l := &larkProcess{in: in, out: bufio.NewReader(out)}
	line, err := l.out.ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &l.version) != nil {
		t.Skipf("Lark is needed to compare with: %s has no module lark", python)
	}
	return l
}

// ask asks a question.
func (l *larkProcess) ask(t *testing.T, question, answer any) {
	t.Helper()
	text, err := json.Marshal(question)
	must.OK(t, err)
	must.Get(l.in.Write(append(text, '\n')))(t)
	line, err := l.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, answer)
	}
	if err != nil {
		t.Fatalf("Lark ended: %v", err)
	}
}

// larkTables is what Lark says of a grammar.
type larkTables struct {
	Error  string
	States int
}

func (l *larkProcess) read(t *testing.T, path string, o lark.Options) (answer larkTables) {
	t.Helper()
	lexer := "basic"
	if o.Lexer != nil {
		lexer = o.Lexer.String()
	}
	l.ask(t, map[string]any{"path": path, "start": cmp.Or(o.Start, "start"), "import_paths": o.ImportPaths, "lexer": lexer}, &answer)
	return answer
}

// accepted are verdicts on texts, nil where there is none in time.
func (l *larkProcess) accepted(t *testing.T, texts []string) []*bool {
	t.Helper()
	var answer struct{ Accepted []*bool }
	l.ask(t, map[string]any{"texts": texts}, &answer)
	if len(answer.Accepted) != len(texts) {
		t.Fatalf("%d verdicts on %d texts", len(answer.Accepted), len(texts))
	}
	return answer.Accepted
}

// A token is a lexeme as Lark reads it.
type token struct {
	terminal string
	length   int // bytes
}

func (l *larkProcess) tokens(t *testing.T, text string) (list []token) {
	t.Helper()
	var answer struct{ Tokens [][2]any }
	l.ask(t, map[string]any{"lex": text}, &answer)
	for _, k := range answer.Tokens {
		list = append(list, token{fmt.Sprint(k[0]), int(k[1].(float64))})
	}
	return list
}
