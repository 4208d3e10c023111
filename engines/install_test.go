package engines

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/internal/files"
	"gcdbench/internal/must"
)

// fakePython stands for Python: it makes "environments", notes what pip is asked, and is an
// engine when it is given an adapter. What it is to get wrong is in GCDBENCH_FAKE.
const fakePython = `#!/bin/sh
case "$1 $2" in
"-c "*)
	[ "$GCDBENCH_FAKE" = novenv ] && { echo "Traceback" >&2; echo "ModuleNotFoundError: No module named 'ensurepip'" >&2; exit 1; }
	[ "$GCDBENCH_FAKE" = old ] && { echo False; exit 0; }
	echo True ;;
"-m venv")
	mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;
"-m pip")
	echo "$@" >> "$GCDBENCH_FAKE_LOG"
	case "$GCDBENCH_FAKE $*" in
	offline*install*)
		echo "WARNING: Retrying after connection broken" >&2
		echo "ERROR: Could not find a version that satisfies the requirement llguidance==1.9.1" >&2
		echo "ERROR: No matching distribution found for llguidance==1.9.1" >&2
		echo "[notice] a new release of pip is there" >&2
		exit 1 ;;
	slow*install*) sleep 60 ;;
	*freeze*) printf 'llguidance==1.9.1\nnumpy==2.0.0\n' ;;
	esac ;;
"-s "*)
	[ "$GCDBENCH_FAKE" = broken ] && { echo "ImportError: libfoo.so.1 is missing" >&2; exit 1; }
	[ "$PYTHONPATH" ] && { echo "PYTHONPATH is $PYTHONPATH" >&2; exit 1; }
	case "$GCDBENCH_FAKE $2" in other*) v=1.8.0 ;; *xgrammar*) v=0.2.8 ;; *) v=1.9.1 ;; esac
	while read -r line; do
		case "$line" in
		*hello*) echo '{"id":1,"ok":true,"protocol":2,"name":"fake","version":"'$v'","build":"fake 3.12","takes":["regex"],"clock_pair_ns":2,"clock_empty_ns":1}' ;;
		*) exit 0 ;;
		esac
	done ;;
esac
`

// faked prepares an installation with a Python that is none, and returns where pip's calls are
// noted.
func faked(t *testing.T, fault string) (log string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("it takes a shell")
	}
	dir := t.TempDir()
	python := filepath.Join(dir, "python")
	must.OK(t, os.WriteFile(python, []byte(fakePython), 0o755))
	log = filepath.Join(dir, "log")
	t.Setenv("GCDBENCH_CACHE", filepath.Join(dir, "cache"))
	t.Setenv(PythonEnv, python)
	t.Setenv("GCDBENCH_FAKE", fault)
	t.Setenv("GCDBENCH_FAKE_LOG", log)
	return log
}

// calls are the calls of pip that were noted.
func calls(t *testing.T, log string) []string {
	t.Helper()
	text, err := os.ReadFile(log)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	must.OK(t, err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func quiet(string) {}

// TestInstall: the pinned packages are asked for, the marker says what is there, and a second
// time nothing is done.
func TestInstall(t *testing.T) {
	log := faked(t, "")
	t.Setenv("PYTHONPATH", t.TempDir()) // another one than the environment's
	e := Find("llguidance")
	alg := must.Get(algorithms.Lookup("llguidance"))(t)
	if err := alg.(algorithms.Outside).Ready(nil); err == nil || err.Error() != "llguidance is not installed: gcdbench engines install llguidance" {
		t.Errorf("before: %v", err)
	}
	var lines []string
	i := must.Get(Install(t.Context(), e, func(line string) { lines = append(lines, line) }))(t)
	if i.Version != "1.9.1" || i.Python != "fake 3.12" || !slices.Equal(i.Packages, []string{"llguidance==1.9.1", "numpy==2.0.0"}) {
		t.Errorf("%+v", i)
	}
	if len(lines) < 3 || !strings.Contains(strings.Join(lines, "\n"), "llguidance: pip install llguidance==1.9.1") {
		t.Errorf("progress: %q", lines)
	}
	first := calls(t, log)
	if len(first) != 2 || !strings.HasSuffix(first[0], "install llguidance==1.9.1 "+numpy) {
		t.Errorf("pip: %q", first)
	}
	if _, err := Install(t.Context(), e, quiet); err != nil || len(calls(t, log)) != len(first) {
		t.Errorf("a second time: %v, %q", err, calls(t, log))
	}
	if err := alg.(algorithms.Outside).Ready(nil); err != nil {
		t.Error(err)
	}
	if _, err := e.Command(); err != nil {
		t.Error(err)
	}
}

// TestVersionOfInstallation: another package or another Python is another version, another day is
// not.
func TestVersionOfInstallation(t *testing.T) {
	one := Installation{Packages: []string{"a==1", "numpy==2.0.0"}, Python: "Python 3.11", Date: time.Unix(1, 0)}
	same, numpy, python := one, one, one
	same.Date = time.Unix(2, 0)
	numpy.Packages = []string{"a==1", "numpy==2.0.1"}
	python.Python = "Python 3.12"
	if one.sum() != same.sum() || one.sum() == numpy.sum() || one.sum() == python.sum() {
		t.Error(one.sum(), same.sum(), numpy.sum(), python.sum())
	}
	faked(t, "")
	if before := (catalogued{Find("llguidance")}).Version(nil); strings.Contains(before, "packages") {
		t.Error(before)
	}
	i := must.Get(Install(t.Context(), Find("llguidance"), quiet))(t)
	if v := (catalogued{Find("llguidance")}).Version(nil); !strings.HasSuffix(v, " packages "+i.sum()) {
		t.Error(v)
	}
}

// TestOldAdapters: what programs of long ago have left is removed, what is young is not.
func TestOldAdapters(t *testing.T) {
	t.Setenv("GCDBENCH_CACHE", t.TempDir())
	for name, age := range map[string]time.Duration{"adapters-old": 31, "adapters-young": 1, "llguidance": 100} {
		dir, err := cacheFolder(name)
		if err == nil {
			err = os.MkdirAll(dir, 0o755)
		}
		if err == nil {
			when := time.Now().Add(-age * 24 * time.Hour)
			err = os.Chtimes(dir, when, when)
		}
		must.OK(t, err)
	}
	dir := must.Get(writeAdapters())(t)
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*"))
	if len(left) != 3 || slices.ContainsFunc(left, func(d string) bool { return strings.HasSuffix(d, "old") }) {
		t.Errorf("%q", left)
	}
}

// TestBarePackages: what is to come without what it depends on comes so, and first.
func TestBarePackages(t *testing.T) {
	log := faked(t, "")
	must.Get(Install(t.Context(), Find("xgrammar"), quiet))(t)
	got := calls(t, log)
	if len(got) != 3 || !strings.HasSuffix(got[0], "install --no-deps xgrammar==0.2.8") || strings.Contains(got[1], "--no-deps") {
		t.Errorf("pip: %q", got)
	}
}

// TestOtherVersion: what was installed by another version of the program is not taken for what
// this one wants, and half an installation is made anew.
func TestOtherVersion(t *testing.T) {
	log := faked(t, "")
	e := Find("llguidance")
	must.Get(Install(t.Context(), e, quiet))(t)
	dir := must.Get(e.folder())(t)
	rewrite := func(change func(i *Installation)) {
		var i Installation
		text, err := os.ReadFile(filepath.Join(dir, marker))
		if err == nil {
			err = json.Unmarshal(text, &i)
		}
		must.OK(t, err)
		change(&i)
		if text, err = json.Marshal(i); err == nil {
			err = files.Write(filepath.Join(dir, marker), text)
		}
		must.OK(t, err)
	}
	rewrite(func(i *Installation) { i.Version = "1.0" })
	if _, err := e.Installed(); err == nil || !strings.Contains(err.Error(), "installed as version 1.0, and this program wants 1.9.1: gcdbench engines install llguidance") {
		t.Error(err)
	}
	must.OK(t, os.WriteFile(filepath.Join(dir, "rest"), nil, 0o644))
	must.Get(Install(t.Context(), e, quiet))(t)
	if _, err := os.Stat(filepath.Join(dir, "rest")); err == nil {
		t.Error("what was there before is still there")
	}
	if n := len(calls(t, log)); n != 4 {
		t.Errorf("%d calls of pip", n)
	}
	if err := os.Remove(filepath.Join(dir, marker)); err != nil { // as if it was interrupted
		t.Fatal(err)
	}
	if _, err := e.Installed(); err == nil {
		t.Error("half an installation is ready")
	}
	must.OK(t, os.Remove(interpreter(dir)))
	if _, err := Install(t.Context(), e, quiet); err != nil {
		t.Error(err)
	}
}

// TestInstallFails: each failure is one line that says what was wrong, and leaves nothing that
// looks ready.
func TestInstallFails(t *testing.T) {
	for fault, want := range map[string]string{
		"novenv":  "cannot make virtual environments (ModuleNotFoundError: No module named 'ensurepip')",
		"old":     "is older than 3.10",
		"offline": "ERROR: No matching distribution found for llguidance==1.9.1",
		"other":   `llguidance: it says that it is version "1.8.0", and 1.9.1 was installed`,
		"broken":  "it is installed and does not start: its process ended: exit status 1; its last words: ImportError: libfoo.so.1 is missing",
	} {
		t.Run(fault, func(t *testing.T) {
			faked(t, fault)
			_, err := Install(t.Context(), Find("llguidance"), quiet)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
			if _, err := Find("llguidance").Installed(); err == nil {
				t.Error("it looks installed")
			}
		})
	}
}

// TestInstallInterrupted: a cancelled installation ends soon.
func TestInstallInterrupted(t *testing.T) {
	faked(t, "slow")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if _, err := Install(ctx, Find("llguidance"), quiet); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("after %v", took)
	}
}

// TestTogether: of two installations at once one does the work.
func TestTogether(t *testing.T) {
	log := faked(t, "")
	done := make(chan error)
	for range 3 {
		go func() {
			_, err := Install(t.Context(), Find("llguidance"), quiet)
			done <- err
		}()
	}
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := calls(t, log); len(got) != 2 {
		t.Errorf("pip: %q", got)
	}
}

// TestCatalogue: names are unique, packages have versions, adapters are there.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Catalogue {
		if seen[e.Name] || e.Summary == "" || e.Licence == "" || len(e.Takes) == 0 {
			t.Errorf("%+v", e)
		}
		seen[e.Name] = true
		pinned := false
		for _, p := range e.asked() {
			pinned = pinned || strings.HasSuffix(p, "=="+e.Version)
		}
		if !pinned {
			t.Errorf("%s: no package of version %s among %q", e.Name, e.Version, e.asked())
		}
		if e.adapterSum() == "none" {
			t.Errorf("%s: there is no adapter %s", e.Name, e.Adapter)
		}
		checkOptions(t, &e)
	}
}

// checkOptions compares the options of an entry with those that its adapter has, as far as its
// text shows them.
func checkOptions(t *testing.T, e *Entry) {
	text, err := python.ReadFile("python/" + e.Adapter)
	if err != nil {
		return
	}
	for _, o := range e.Options {
		if o.Name != mostTools && !strings.Contains(string(text), o.Name) {
			t.Errorf("%s: its adapter does not know the option %s", e.Name, o.Name)
		}
		for _, value := range append([]string{o.Default}, o.Values...) {
			if _, err := algorithms.Resolve(catalogued{e}, algorithms.Options{o.Name: value}); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestAdapters: what children find is what is embedded, without tests, and written once.
func TestAdapters(t *testing.T) {
	t.Setenv("GCDBENCH_CACHE", t.TempDir())
	dir := must.Get(writeAdapters())(t)
	if again, err := writeAdapters(); err != nil || again != dir {
		t.Errorf("%s and %s, %v", dir, again, err)
	}
	files := must.Get(os.ReadDir(dir))(t)
	names := map[string]bool{}
	for _, f := range files {
		names[f.Name()] = true
		if strings.Contains(f.Name(), "test") {
			t.Errorf("%s is written", f.Name())
		}
	}
	if !names["gcdbench_engine.py"] || !names["llguidance_engine.py"] {
		t.Errorf("%v", names)
	}
}

// TestSplitCommand: words are split at white space, unless quotes hold them together.
func TestSplitCommand(t *testing.T) {
	for command, want := range map[string][]string{
		`python3 my.py`:               {"python3", "my.py"},
		`  a   "b c" 'd "e"'  f""g  `: {"a", "b c", `d "e"`, "fg"},
		`C:\python\python.exe x`:      {`C:\python\python.exe`, "x"},
		`a ""`:                        {"a", ""},
	} {
		if got, err := SplitCommand(command); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", command, got, err)
		}
	}
	for _, command := range []string{"", "  ", `a "b`, `'`} {
		if got, err := SplitCommand(command); err == nil {
			t.Errorf("%q: %q", command, got)
		}
	}
}
