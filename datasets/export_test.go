package datasets

// LimitAll replaces MaxCorpusBytes until restore is called, so that a test need not read that much.
func LimitAll(bytes int64) (restore func()) {
	before := corpusLimit
	corpusLimit = bytes
	return func() { corpusLimit = before }
}

// LimitCorpus makes a source of schemas read less than MaxCorpusBytes, so that a test need not read that much.
func LimitCorpus(src Source, bytes int64) {
	switch s := src.(type) {
	case *schemaFiles:
		s.folder.left = bytes
	case *schemaLines:
		s.limit = bytes
	}
}
