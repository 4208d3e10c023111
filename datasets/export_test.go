package datasets

// LimitCorpus makes a source of schemas read less than MaxCorpusBytes, so that a test need not read that much.
func LimitCorpus(src Source, bytes int64) {
	switch s := src.(type) {
	case *schemaFiles:
		s.folder.left = bytes
	case *schemaLines:
		s.limit = bytes
	}
}
