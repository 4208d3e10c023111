package datasets

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"
)

// maxLineBytes is the longest line of a JSON Lines file: a document of the largest size with every
// byte written as a six-byte escape.
const maxLineBytes = 6*MaxDocumentBytes + 1024

// jsonlSource is a JSON Lines file, one {"id","content"} object a line. A line may also say
// "valid": false for a negative. Other keys are allowed and ignored; a missing id becomes the line
// number.
type jsonlSource struct {
	info Info
	path string
}

func (s *jsonlSource) Info() Info { return s.info }

func (s *jsonlSource) Documents(ctx context.Context) ([]Document, error) {
	var docs []Document
	err := EachLine(s.path, func(line int, text []byte) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var record struct {
			ID      *string `json:"id"`
			Content *string `json:"content"`
			Valid   *bool   `json:"valid"`
		}
		if err := json.Unmarshal(text, &record); err != nil {
			return LineError(s.path, line, text, err)
		}
		if record.Content == nil {
			return fmt.Errorf("%s:%d:1: the object has no \"content\"; each line must be {\"id\": ..., \"content\": ...}", s.path, line)
		}
		id := fmt.Sprintf("line %d", line)
		if record.ID != nil {
			id = *record.ID
		}
		content := []byte(*record.Content)
		docs = append(docs, Document{ID: id, Size: int64(len(content)), Negative: record.Valid != nil && !*record.Valid,
			Read: func() ([]byte, error) { return content, nil }})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%s: the file has no lines", s.path)
	}
	return docs, nil
}

// EachLine calls f for every line of a file that is not blank, numbered from 1; the file may be
// gzip-compressed, which is recognised by its content. It stops at the first error.
func EachLine(path string, f func(line int, text []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return pathError(err)
	}
	defer file.Close()
	buffered := bufio.NewReaderSize(file, 1<<16)
	var r io.Reader = buffered
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		if r, err = gzip.NewReader(buffered); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 1<<16), maxLineBytes)
	n := 0
	for lines.Scan() {
		n++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := f(n, lines.Bytes()); err != nil {
			return err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%s:%d: the line is longer than %d bytes", path, n+1, maxLineBytes)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s:%d: the compressed file is cut off here; fetch or write it again", path, n+1)
	case err != nil:
		return fmt.Errorf("%s:%d: %w", path, n+1, err)
	}
	return nil
}

// LineError places a JSON error in a file of JSON lines.
func LineError(path string, line int, text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s:%d:%d: the line is not JSON: %w", path, line, column(text, syntax.Offset), err)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("%s:%d:1: expected an object with \"id\" and \"content\", found %s", path, line, kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%s:%d:%d: %q must be a %s, is a %s", path, line, column(text, kind.Offset), kind.Field, kind.Type, kind.Value)
	}
	return fmt.Errorf("%s:%d: %w", path, line, err)
}

// column is the character, from 1, that encoding/json's offset (bytes read) speaks of.
func column(text []byte, offset int64) int {
	n := min(max(int(offset)-1, 0), len(text))
	return 1 + utf8.RuneCount(text[:n])
}
