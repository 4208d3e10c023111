package lark

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// endlessFS is a file system whose files named endless never end, as devices do not.
type endlessFS struct{ fstest.MapFS }

func (f endlessFS) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, "endless") {
		return endlessFile{}, nil
	}
	return f.MapFS.Open(name)
}

type endlessFile struct{}

func (endlessFile) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
func (endlessFile) Close() error               { return nil }
func (endlessFile) Stat() (fs.FileInfo, error) { return endlessInfo{}, nil }

// endlessInfo is what devices say of themselves: no size.
type endlessInfo struct{}

func (endlessInfo) Name() string       { return "endless" }
func (endlessInfo) Size() int64        { return 0 }
func (endlessInfo) Mode() fs.FileMode  { return fs.ModeDevice }
func (endlessInfo) ModTime() time.Time { return time.Time{} }
func (endlessInfo) IsDir() bool        { return false }
func (endlessInfo) Sys() any           { return nil }

// TestEndlessFile says that a grammar file without end is refused, also where it is imported.
func TestEndlessFile(t *testing.T) {
	files := endlessFS{fstest.MapFS{"main.lark": {Data: []byte("%import .endless.A\nstart: A\n")}}}
	for _, name := range []string{"endless.lark", "main.lark"} {
		_, err := Load(name, Options{FS: files})
		if err == nil || !strings.Contains(err.Error(), "endless") || !strings.Contains(err.Error(), "too large") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
