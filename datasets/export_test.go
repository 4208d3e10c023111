package datasets

// LimitAll replaces MaxCorpusBytes until restore is called, so that a test need not read that much.
func LimitAll(bytes int64) (restore func()) {
	before := corpusLimit
	corpusLimit = bytes
	return func() { corpusLimit = before }
}

// LimitCorpus makes a source of schemas read less than MaxCorpusBytes, so that a test need not read
// that much.
func LimitCorpus(src Source, bytes int64) {
	switch s := src.(type) {
	case *schemaFiles:
		s.folder.left = bytes
	case *lineSource:
		s.limit = bytes
	}
}

// AddCorpus gives a corpus a name, as an entry of named.go does, until the returned function is
// called.
func AddCorpus(name string, schemas bool, src Source) (remove func()) {
	before := corpora
	corpora = append(corpora[:len(corpora):len(corpora)], corpus{name: name, schemas: schemas, find: func() Source { return src }})
	return func() { corpora = before }
}

// OneLine is appendOneLine for a text that need not be JSON; then dst is returned as it was, with
// an error.
func OneLine(dst, text []byte) ([]byte, error) {
	if err := CheckJSON(text); err != nil {
		return dst, err
	}
	return appendOneLine(dst, text), nil
}
