package tokenizers

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gcdbench/internal/must"
	"gcdbench/internal/pinned"
	"gcdbench/internal/seed"
)

// testOrigin registers a tokenizer of a small file under the name "test-origin" for the
// duration of a test, and returns its files. A test that uses it cannot run in parallel with
// others.
func testOrigin(t *testing.T) (*origin, map[string][]byte) {
	t.Helper()
	files := map[string][]byte{
		"tokenizer.json":        marshal(t, spmFile()),
		"tokenizer_config.json": marshal(t, object{"eos_token": "</s>"}),
	}
	tok := build(t, files["tokenizer.json"], "</s>")
	o := origin{
		name: "test-origin", size: tok.Vocabulary().Len(), licence: "public domain", hub: "some/repo", gated: true,
		tokens: tokensSum(tok.Vocabulary()), merges: fileMerges(t, files["tokenizer.json"]),
		settings: settingsSum(tok.vocabulary, tok.model, tok.pipeline),
		npm: npmPackage{"@test/pack", "1.2.3", "MIT", []pinned.File{
			{Path: modelFile, SHA256: sha256Hex(files["tokenizer.json"])}, {Path: configFile, SHA256: sha256Hex(files["tokenizer_config.json"])},
		}},
	}
	saved, pause := origins, hubPause
	origins, hubPause = append(origins[:len(origins):len(origins)], o), time.Millisecond
	t.Cleanup(func() { origins, hubPause = saved, pause })
	return &origins[len(origins)-1], files
}

// fileMerges is the sum of the merges of a tokenizer.json.
func fileMerges(t *testing.T, data []byte) string {
	t.Helper()
	f := must.Get(parseTokenizerJSON("tokenizer.json", data))(t)
	return mergesSum(f.slab, f.offsets, f.merges)
}

// changed is a tokenizer.json with a change to its top members.
func changed(t *testing.T, data []byte, change func(file, model map[string]any)) []byte {
	t.Helper()
	var file map[string]any
	must.OK(t, json.Unmarshal(data, &file))
	change(file, file["model"].(map[string]any))
	return marshal(t, file)
}

// reversed has the merges in the reverse order: the same ids, and other tokens for most texts.
func reversed(_, model map[string]any) { slices.Reverse(model["merges"].([]any)) }

// archive makes a package archive.
func archive(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	w := tar.NewWriter(z)
	for name, data := range files {
		must.OK(t, w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o644}))
		must.Get(w.Write(data))(t)
	}
	must.OK(t, w.Close())
	must.OK(t, z.Close())
	return buf.Bytes()
}

// fakeNPM writes a command that stands for npm: it notes its arguments and copies an archive to
// where it is told, or runs the given lines of shell.
func fakeNPM(t *testing.T, tgz []byte, lines string) (command, log string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	dir := t.TempDir()
	command, log = filepath.Join(dir, "npm"), filepath.Join(dir, "log")
	must.OK(t, os.WriteFile(filepath.Join(dir, "pack.tgz"), tgz, 0o644))
	if lines == "" {
		lines = `cp "` + dir + `/pack.tgz" "$4/x-1.tgz"`
	}
	script := "#!/bin/sh\necho \"$@\" >> \"" + log + "\"\n" + lines + "\n"
	must.OK(t, os.WriteFile(command, []byte(script), 0o755))
	return command, log
}

func TestFetchNPM(t *testing.T) {
	o, files := testOrigin(t)
	tgz := archive(t, map[string][]byte{
		"package/" + modelFile: files["tokenizer.json"], "package/" + configFile: files["tokenizer_config.json"], "package/other": []byte("x"),
	})
	npm, log := fakeNPM(t, tgz, "")
	var progress strings.Builder
	opt := Options{CacheDir: t.TempDir(), NPM: npm, Progress: &progress}
	if _, err := Load(t.Context(), "test-origin", Options{CacheDir: opt.CacheDir, Offline: true}); err == nil || !strings.Contains(err.Error(), "gcdbench fetch test-origin") {
		t.Errorf("offline: %v", err)
	}
	for range 2 {
		tok := must.Get(Load(t.Context(), "test-origin[:265]", opt))(t)
		if p := tok.Provenance(); p.Source != "npm" || p.Origin != "@test/pack@1.2.3" || p.Licence != "public domain (package: MIT)" || len(p.Files) != 2 {
			t.Errorf("provenance %+v", p)
		}
	}
	calls, err := os.ReadFile(log)
	if err != nil || strings.Count(string(calls), "\n") != 1 || !strings.HasPrefix(string(calls), "pack @test/pack@1.2.3 --pack-destination ") {
		t.Errorf("npm was called with %s, %v", calls, err)
	}
	if progress.String() != "fetching test-origin: npm pack @test/pack@1.2.3\n" {
		t.Errorf("progress %q", progress.String())
	}
	list := NamesIn(opt.CacheDir)
	if last := list[len(list)-1]; last.Name != o.name || !last.Cached || last.Embedded {
		t.Errorf("info %+v", last)
	}
	if _, err := Fetch(t.Context(), "test-origin", Options{CacheDir: opt.CacheDir, NPM: npm, Refetch: true}); err != nil {
		t.Error(err)
	}
	if calls, _ := os.ReadFile(log); strings.Count(string(calls), "\n") != 2 {
		t.Errorf("after a refetch npm was called with %s", calls)
	}
}

// A damaged file in the cache is fetched again, once.
func TestDamagedCacheIsFetchedAgain(t *testing.T) {
	_, files := testOrigin(t)
	npm, log := fakeNPM(t, archive(t, map[string][]byte{
		"package/" + modelFile: files["tokenizer.json"], "package/" + configFile: files["tokenizer_config.json"],
	}), "")
	opt := Options{CacheDir: t.TempDir(), NPM: npm, From: "npm"}
	p := must.Get(Fetch(t.Context(), "test-origin", opt))(t)
	blob := filepath.Join(opt.CacheDir, "blobs", p.Files[0].SHA256)
	must.OK(t, os.WriteFile(blob, bytes.Repeat([]byte{'x'}, int(p.Files[0].Size)), 0o644))
	if _, err := Load(t.Context(), "test-origin", Options{CacheDir: opt.CacheDir, Offline: true}); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("offline: %v", err)
	}
	if _, err := Load(t.Context(), "test-origin", opt); err != nil {
		t.Error(err)
	}
	if calls, _ := os.ReadFile(log); strings.Count(string(calls), "\n") != 2 {
		t.Errorf("npm was called with %s", calls)
	}
}

func TestFetchNPMErrors(t *testing.T) {
	_, files := testOrigin(t)
	model, config := files["tokenizer.json"], files["tokenizer_config.json"]
	cases := []struct {
		name  string
		tgz   []byte
		lines string
		want  string
	}{
		{"wrong contents", archive(t, map[string][]byte{"package/" + modelFile: model[1:], "package/" + configFile: config}), "", "models/tokenizer.json has SHA-256"},
		{"missing file", archive(t, map[string][]byte{"package/" + modelFile: model}), "", "has no file models/tokenizer_config.json"},
		{"no archive", nil, "true", "left 0 files, not one archive"},
		{"not an archive", []byte("this is text, not an archive"), "", "gzip"},
		{"cut off", archive(t, map[string][]byte{"package/" + modelFile: model})[:300], "", "unexpected EOF"},
		{"npm fails", nil, "echo one >&2; echo npm error 404 >&2; exit 1", "exit status 1: one; npm error 404"},
	}
	for _, c := range cases {
		npm, _ := fakeNPM(t, c.tgz, c.lines)
		_, err := Fetch(t.Context(), "test-origin", Options{CacheDir: t.TempDir(), NPM: npm, From: "npm"})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "by hand") {
			t.Errorf("%s: error %v, want %q in it", c.name, err, c.want)
		}
	}
	_, err := Fetch(t.Context(), "test-origin", Options{CacheDir: t.TempDir(), NPM: "no-such-command", From: "npm"})
	if err == nil || !strings.Contains(err.Error(), "npm is not installed") {
		t.Errorf("without npm: %v", err)
	}
	_, err = Fetch(t.Context(), "test-origin", Options{CacheDir: t.TempDir(), From: "ftp"})
	if err == nil || !strings.Contains(err.Error(), `from auto, npm or hub, not "ftp"`) {
		t.Errorf("unknown source: %v", err)
	}
	npm, _ := fakeNPM(t, nil, "exec sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Fetch(ctx, "test-origin", Options{CacheDir: t.TempDir(), NPM: npm}); err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("cancelled: %v", err)
	}
}

// hubServer is a hub with one repository, whose large file lies behind a redirect to another host.
type hubServer struct {
	t       *testing.T
	files   map[string][]byte
	storage *httptest.Server
	// breakOff ends the first so many downloads in the middle; ignoreRange answers ranges with
	// the whole file.
	breakOff    int
	ignoreRange bool
	// contentRange replaces what answers to ranges say of themselves.
	contentRange func(from, size int) string
	sum          string // X-Linked-Etag
	log          []string
}

func (h *hubServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	file := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	h.log = append(h.log, strings.TrimSpace(fmt.Sprintf("%s %s %s", file, r.Header.Get("Authorization"), r.Header.Get("Range"))))
	switch {
	case strings.HasPrefix(r.URL.Path, "/storage/"):
		h.send(w, r, h.files[file])
	case r.Header.Get("Authorization") != "Bearer secret":
		w.WriteHeader(http.StatusUnauthorized)
	case r.URL.Path != "/some/repo/resolve/main/"+file || h.files[file] == nil:
		w.WriteHeader(http.StatusNotFound)
	case file == "tokenizer.json":
		w.Header().Set("X-Linked-Etag", strconv.Quote(h.sum))
		http.Redirect(w, r, h.storage.URL+"/storage/"+file, http.StatusFound)
	default:
		h.send(w, r, h.files[file])
	}
}

// send answers with the file, or its rest, or half of that and a broken connection.
func (h *hubServer) send(w http.ResponseWriter, r *http.Request, data []byte) {
	w.Header().Set("ETag", `"v1"`)
	var from int
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil && !h.ignoreRange && r.Header.Get("If-Range") == `"v1"` {
		says := fmt.Sprintf("bytes %d-%d/%d", from, len(data)-1, len(data))
		if h.contentRange != nil {
			says = h.contentRange(from, len(data))
		}
		w.Header().Set("Content-Range", says)
		data = data[from:]
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		w.WriteHeader(http.StatusPartialContent)
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	}
	if h.breakOff > 0 && len(data) > 100 {
		h.breakOff--
		_, _ = w.Write(data[:len(data)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(data)
}

func newHubServer(t *testing.T, files map[string][]byte) (*hubServer, Options) {
	h := &hubServer{t: t, files: files, sum: sha256Hex(files["tokenizer.json"])}
	h.storage = httptest.NewServer(h)
	hub := httptest.NewServer(h)
	t.Cleanup(func() { h.storage.Close(); hub.Close() })
	return h, Options{From: "hub", HubURL: hub.URL, HubToken: "secret", CacheDir: t.TempDir()}
}

func TestFetchHub(t *testing.T) {
	_, files := testOrigin(t)
	h, opt := newHubServer(t, files)
	tok := must.Get(Load(t.Context(), "test-origin", opt))(t)
	if p := tok.Provenance(); p.Source != "hub" || p.Origin != "some/repo@main" || p.Fetched.IsZero() {
		t.Errorf("provenance %+v", p)
	}
	// The token goes to the hub, and not to the storage host, which is another port.
	if got := strings.Join(h.log, ", "); got != "tokenizer.json Bearer secret, tokenizer.json, tokenizer_config.json Bearer secret" {
		t.Errorf("requests: %s", got)
	}
	if _, err := Load(t.Context(), "test-origin", Options{CacheDir: opt.CacheDir, Offline: true}); err != nil {
		t.Errorf("from the cache: %v", err)
	}
	if left, _ := os.ReadDir(filepath.Join(opt.CacheDir, "partial")); len(left) != 0 {
		t.Errorf("%d partial files stay", len(left))
	}
}

// HF_ENDPOINT and HF_TOKEN are what Hugging Face's own client uses.
func TestHubEnvironment(t *testing.T) {
	_, files := testOrigin(t)
	_, opt := newHubServer(t, files)
	t.Setenv("HF_ENDPOINT", opt.HubURL+"/")
	t.Setenv("HF_TOKEN", "secret")
	if _, err := Fetch(t.Context(), "test-origin", Options{From: "hub", CacheDir: opt.CacheDir}); err != nil {
		t.Error(err)
	}
}

// A file that the hub serializes in another way, with the same tokens, is taken; other tokens
// are not.
func TestHubContents(t *testing.T) {
	_, files := testOrigin(t)
	var indented bytes.Buffer
	must.OK(t, json.Indent(&indented, files["tokenizer.json"], "", "  "))
	h, opt := newHubServer(t, map[string][]byte{"tokenizer.json": indented.Bytes(), "tokenizer_config.json": files["tokenizer_config.json"]})
	if _, err := Fetch(t.Context(), "test-origin", opt); err != nil {
		t.Error(err)
	}
	h.files["tokenizer.json"] = bytes.Replace(files["tokenizer.json"], []byte(`"é"`), []byte(`"è"`), 1)
	h.sum = ""
	opt.CacheDir = t.TempDir()
	if _, err := Fetch(t.Context(), "test-origin", opt); err == nil || !strings.Contains(err.Error(), "another vocabulary") {
		t.Errorf("other tokens: %v", err)
	}
	h.files["tokenizer.json"] = changed(t, files["tokenizer.json"], reversed)
	if _, err := Fetch(t.Context(), "test-origin", opt); err == nil || !strings.Contains(err.Error(), "the merges have SHA-256") {
		t.Errorf("other merges: %v", err)
	}
	if _, err := Load(t.Context(), "test-origin", Options{CacheDir: opt.CacheDir, Offline: true}); err == nil {
		t.Error("a tokenizer with other merges is in the cache")
	}
}

// Settings that differ from the package's are said to be unchecked, by the fetch and in lists.
func TestHubUnchecked(t *testing.T) {
	_, files := testOrigin(t)
	h, opt := newHubServer(t, map[string][]byte{"tokenizer_config.json": files["tokenizer_config.json"]})
	h.sum = ""
	for name, c := range map[string]struct {
		change    func(file, model map[string]any)
		unchecked bool
	}{
		"the same":                {func(map[string]any, map[string]any) {}, false},
		"not read":                {func(file, _ map[string]any) { file["post_processor"] = nil }, false},
		"another split":           {func(file, _ map[string]any) { file["pre_tokenizer"] = object{"type": "WhitespaceSplit"} }, true},
		"another normalizer":      {func(file, _ map[string]any) { file["normalizer"] = object{"type": "NFC"} }, true},
		"whole words as they are": {func(_, model map[string]any) { model["ignore_merges"] = true }, true},
	} {
		opt.CacheDir = t.TempDir()
		h.files["tokenizer.json"] = changed(t, files["tokenizer.json"], c.change)
		p, err := Fetch(t.Context(), "test-origin", opt)
		if err != nil || (p.Unchecked != "") != c.unchecked {
			t.Errorf("%s: %v, unchecked: %q", name, err, p.Unchecked)
		}
		list := NamesIn(opt.CacheDir)
		if last := list[len(list)-1]; last.Unchecked != p.Unchecked || !last.Cached {
			t.Errorf("%s: listed as %+v", name, last)
		}
	}
}

// What an earlier version of the program took from a hub without checking it is fetched again.
func TestHubCacheOfBefore(t *testing.T) {
	o, files := testOrigin(t)
	h, opt := newHubServer(t, files)
	s := store{opt.CacheDir}
	before := Provenance{Name: o.name, Source: "hub", Origin: "some/repo@main"}
	model := changed(t, files["tokenizer.json"], reversed)
	must.Get(keep(s, before, []string{"tokenizer.json", "tokenizer_config.json"}, [][]byte{model, files["tokenizer_config.json"]}))(t)
	if _, err := Load(t.Context(), "test-origin", Options{CacheDir: opt.CacheDir, Offline: true}); err == nil {
		t.Error("taken without a check")
	}
	if _, err := Load(t.Context(), "test-origin", opt); err != nil || len(h.log) == 0 {
		t.Errorf("%v, requests %q", err, h.log)
	}
}

// TestIdentity: tokenizers that encode differently have different sums, also where their ids are
// the same.
func TestIdentity(t *testing.T) {
	data := marshal(t, spmFile())
	first := build(t, data, "</s>")
	for name, change := range map[string]func(file, model map[string]any){
		"merges":     reversed,
		"split":      func(file, _ map[string]any) { file["pre_tokenizer"] = object{"type": "WhitespaceSplit"} },
		"normalizer": func(file, _ map[string]any) { file["normalizer"] = object{"type": "NFC"} },
	} {
		other := build(t, changed(t, data, change), "</s>")
		if other.Vocabulary().SHA256() != first.Vocabulary().SHA256() {
			t.Errorf("%s: the ids differ", name)
		}
		if other.SHA256() == first.SHA256() {
			t.Errorf("%s: equal sums", name)
		}
	}
	if again := build(t, changed(t, data, func(map[string]any, map[string]any) {}), "</s>"); again.SHA256() != first.SHA256() {
		t.Error("the same contents have different sums")
	}
	cut, err := first.Cut(first.Vocabulary().Len() - 1)
	if err != nil || cut.SHA256() == first.SHA256() {
		t.Errorf("a cut has the sum of the whole, %v", err)
	}
}

// stalling makes downloads that are slow count as broken sooner.
func stalling(t *testing.T, after time.Duration) {
	saved := hubStall
	hubStall = after
	t.Cleanup(func() { hubStall = saved })
}

// TestHubTooSlow: a server that sends a byte now and then, or nothing at all, does not hold the
// program up.
func TestHubTooSlow(t *testing.T) {
	seed.Usual(t)
	testOrigin(t)
	stalling(t, 100*time.Millisecond)
	for want, every := range map[string]time.Duration{"the connection is too slow: ": 5 * time.Millisecond, "nothing came for 100ms": time.Hour} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for {
				select {
				case <-r.Context().Done():
					return
				case <-time.After(every):
				}
				_, _ = w.Write([]byte{'x'})
				_ = http.NewResponseController(w).Flush()
			}
		}))
		opt := Options{From: "hub", HubURL: server.URL, CacheDir: t.TempDir()}
		_, err := Fetch(t.Context(), "test-origin", opt)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a byte every %v: error %v, want %q", every, err, want)
		}
		if left, _ := os.ReadDir(filepath.Join(opt.CacheDir, "partial")); len(left) != 0 {
			t.Errorf("a byte every %v: %d partial files stay that cannot be continued", every, len(left))
		}
		server.CloseClientConnections()
		server.Close()
	}
}

// TestHubWrongRange: a part that does not begin where the last one ended is not put after it.
func TestHubWrongRange(t *testing.T) {
	_, files := testOrigin(t)
	for name, wrong := range map[string]func(from, size int) string{
		"another place":  func(_, size int) string { return fmt.Sprintf("bytes 1-%d/%d", size-1, size) },
		"not to the end": func(from, size int) string { return fmt.Sprintf("bytes %d-%d/%d", from, from, size) },
		"nothing":        func(int, int) string { return "" },
		"not bytes":      func(int, int) string { return "lines 1-2/3" },
	} {
		h, opt := newHubServer(t, files)
		h.breakOff, h.contentRange = 1, wrong
		if _, err := Fetch(t.Context(), "test-origin", opt); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if log := strings.Join(h.log, ", "); !strings.Contains(log, "bytes=") {
			t.Errorf("%s: the download was not continued: %s", name, log)
		}
	}
}

// TestHubLeavesNothing: a download that an answer ended for good leaves no part behind.
func TestHubLeavesNothing(t *testing.T) {
	_, files := testOrigin(t)
	h, opt := newHubServer(t, files)
	h.breakOff = 1
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked > 1 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	opt.HubURL = server.URL
	if _, err := Fetch(t.Context(), "test-origin", opt); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(filepath.Join(opt.CacheDir, "partial")); len(left) != 0 {
		t.Errorf("%d partial files stay", len(left))
	}
}

func TestHubResumes(t *testing.T) {
	_, files := testOrigin(t)
	size := len(files["tokenizer.json"])
	for _, c := range []struct {
		name        string
		breakOff    int
		ignoreRange bool
		ranges      string
	}{
		{"once", 1, false, fmt.Sprintf("bytes=%d-", size/2)},
		{"twice", 2, false, fmt.Sprintf("bytes=%d-", size/2+(size-size/2)/2)},
		{"no ranges", 1, true, fmt.Sprintf("bytes=%d-", size/2)},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, opt := newHubServer(t, files)
			h.breakOff, h.ignoreRange = c.breakOff, c.ignoreRange
			must.Get(Fetch(t.Context(), "test-origin", opt))(t)
			if log := strings.Join(h.log, ", "); !strings.Contains(log, c.ranges) {
				t.Errorf("requests: %s, want %s", log, c.ranges)
			}
		})
	}
	t.Run("in a later process", func(t *testing.T) {
		h, opt := newHubServer(t, files)
		h.breakOff = hubAttempts
		_, err := Fetch(t.Context(), "test-origin", opt)
		if err == nil || !strings.Contains(err.Error(), "broke off") && !strings.Contains(err.Error(), "unexpected EOF") || !strings.Contains(err.Error(), "run the command again") {
			t.Fatalf("error %v", err)
		}
		h.log = nil
		must.Get(Fetch(t.Context(), "test-origin", opt))(t)
		if !strings.Contains(h.log[0], "bytes=") {
			t.Errorf("requests: %v", h.log)
		}
	})
}

func TestHubErrors(t *testing.T) {
	_, files := testOrigin(t)
	cases := []struct {
		name   string
		change func(*hubServer, *Options)
		want   []string
	}{
		{"no token", func(_ *hubServer, o *Options) { o.HubToken = "" }, []string{"401", "some/repo is gated", "set HF_TOKEN"}},
		{"wrong token", func(_ *hubServer, o *Options) { o.HubToken = "other" }, []string{"401", "the account of HF_TOKEN has not"}},
		{"no file", func(h *hubServer, _ *Options) { delete(h.files, "tokenizer_config.json") }, []string{"404", "there is no such file"}},
		{"wrong sum", func(h *hubServer, _ *Options) { h.sum = strings.Repeat("ab", 32) }, []string{"the download has SHA-256", "the hub says abab"}},
		{"no server", func(h *hubServer, o *Options) { o.HubURL = "http://127.0.0.1:1" }, []string{"4 attempts", "connection refused"}},
		{"bad address", func(_ *hubServer, o *Options) { o.HubURL = "http://[" }, []string{"missing ']'"}},
		{"not a tokenizer", func(h *hubServer, _ *Options) { h.files["tokenizer.json"] = []byte("<html>"); h.sum = "" }, []string{"tokenizer.json:1:1: an object expected, found '<'"}},
	}
	t.Setenv("HF_TOKEN", "")
	for _, c := range cases {
		copied := map[string][]byte{}
		for name, data := range files {
			copied[name] = data
		}
		h, opt := newHubServer(t, copied)
		c.change(h, &opt)
		_, err := Fetch(t.Context(), "test-origin", opt)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q in it", c.name, err, want)
			}
		}
		if _, ok := originOf("test-origin").cached(store{opt.CacheDir}); ok {
			t.Errorf("%s: something is cached", c.name)
		}
	}
}

// Server errors are tried again, a wrong range is begun anew.
func TestHubRetries(t *testing.T) {
	_, files := testOrigin(t)
	h, opt := newHubServer(t, files)
	failures := 2
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if failures > 0 {
			failures--
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if r.Header.Get("Range") != "" {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return
		}
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	opt.HubURL = server.URL
	part := filepath.Join(opt.CacheDir, "partial", "some--repo--tokenizer.json")
	must.OK(t, os.MkdirAll(filepath.Dir(part), 0o755))
	for name, text := range map[string]string{part: "stale", part + ".etag": `"v0"`} {
		must.OK(t, os.WriteFile(name, []byte(text), 0o644))
	}
	if _, err := Fetch(t.Context(), "test-origin", opt); err != nil {
		t.Error(err)
	}
}

// npm first, then the hub; if both fail, both reasons are given.
func TestFetchOrder(t *testing.T) {
	_, files := testOrigin(t)
	_, opt := newHubServer(t, files)
	opt.From, opt.NPM = "auto", "no-such-command"
	p, err := Fetch(t.Context(), "test-origin", opt)
	if err != nil || p.Source != "hub" {
		t.Errorf("%+v, %v", p, err)
	}
	opt.CacheDir, opt.HubToken = t.TempDir(), ""
	t.Setenv("HF_TOKEN", "")
	_, err = Fetch(t.Context(), "test-origin", opt)
	if err == nil || !strings.Contains(err.Error(), "npm is not installed") || !strings.Contains(err.Error(), "is gated") {
		t.Errorf("error %v", err)
	}
}
