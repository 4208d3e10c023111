package datasets

import (
	"fmt"
	"slices"
)

// SchemaFormats lists the formats of schema corpora that Open understands; the others hold programs.
func SchemaFormats() []string {
	return []string{"maskbench"}
}

// IsSchemaFormat is whether a format is one of the SchemaFormats.
func IsSchemaFormat(format string) bool { return slices.Contains(SchemaFormats(), format) }

// openSchemas is Open for the SchemaFormats.
func openSchemas(format, path, glob string, info Info) (Source, error) {
	info.Description, info.Language = "JSON schemas given by the user", SchemaLanguage
	if glob != "" {
		return nil, fmt.Errorf("a file of JSON lines takes no glob, not even %q", glob)
	}
	if err := checkPath(path, false); err != nil {
		return nil, err
	}
	return &schemaLines{info, path, maskBenchRecord}, nil
}
