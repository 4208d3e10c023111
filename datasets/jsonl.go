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

	"gcdbench/internal/files"
	"gcdbench/internal/jsontext"
)

// maxLineBytes is the longest line of a JSON Lines file: a document of the largest size with every
// byte written as a six-byte escape.
const maxLineBytes = 6*MaxDocumentBytes + 1024

// lineSource is a JSON Lines file, of which read makes the documents of an object; the fallback is
// an id for one that gives none, the line number. The whole file is kept in memory: a compressed
// one cannot be read from the middle.
type lineSource struct {
	info  Info
	path  string
	limit int64 // bytes of lines
	read  func(d *jsonText, fallback string) ([]Document, error)
}

func (s *lineSource) Info() Info { return s.info }

func (s *lineSource) Documents(ctx context.Context) ([]Document, error) {
	var docs []Document
	left := s.limit
	err := EachLine(s.path, func(line int, text []byte) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if left -= int64(len(text)); left < 0 {
			return tooLarge(s.path)
		}
		d := &jsonText{name: s.path, line: line, text: text}
		if err := d.check(); err != nil {
			return err
		}
		more, err := s.read(d, fmt.Sprintf("line %d", line))
		docs = append(docs, more...)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%s: the file has no lines", s.path)
	}
	return docs, nil
}

// documentRecord reads {"id","content"}. It may also say "valid": false for a negative. Other keys
// are allowed and ignored.
func documentRecord(d *jsonText, fallback string) ([]Document, error) {
	var id, content, valid *jsontext.Value
	object := d.whole
	if err := d.fields(object, "the line", map[string]**jsontext.Value{"id": &id, "content": &content, "valid": &valid}); err != nil {
		return nil, err
	}
	if content == nil || content.Kind == jsontext.Null {
		return nil, d.errorf(object.From, `the object has no "content"; each line must be {"id": ..., "content": ...}`)
	}
	text, err := d.str(content, `"content"`)
	if err != nil {
		return nil, err
	}
	if valid != nil && valid.Kind != jsontext.Null && valid.Kind != jsontext.Bool {
		return nil, d.errorf(valid.From, `"valid" must be true or false, is %s`, kind(valid))
	}
	doc := Document{Place: d.place(object.From), Size: int64(len(text)), Negative: valid != nil && valid.Kind == jsontext.Bool && !valid.Truth,
		Read: func() ([]byte, error) { return []byte(text), nil }}
	doc.ID, err = d.identifier(id, `"id"`, fallback)
	return []Document{doc}, err
}

// byteOrderMark is what some editors put before UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

// notUTF8 is the message that a text is not UTF-8. It names UTF-16, which some editors call
// Unicode, if the text begins with its byte order mark.
func notUTF8(what string, text []byte) string {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return what + " is not UTF-8 but UTF-16, by its byte order mark; save it as UTF-8"
	}
	return what + " is not UTF-8"
}

// EachLine calls f for every line of a file that is not blank, numbered from 1, without its line
// end and without a byte order mark before the first. text is valid until f returns. The file may
// be gzip-compressed, which its content tells. EachLine stops at the first error: of f, of the
// file, a line longer than a document can be, or a line that is not UTF-8. JSON is UTF-8, and
// decoding would silently replace other bytes.
func EachLine(path string, f func(line int, text []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return files.Named(err)
	}
	defer file.Close()
	if st, err := file.Stat(); err == nil && st.IsDir() {
		return fmt.Errorf("%s is a folder; expected a file of JSON lines", path)
	}
	packed := bufio.NewReaderSize(file, 1<<16)
	if magic, _ := packed.Peek(len(parquetMagic)); string(magic) == parquetMagic {
		return parquetError(path)
	}
	plain, err := decompress(packed)
	if err != nil {
		return readError(path, 1, err)
	}
	lines := lineReader{r: plain}
	for n := 1; ; n++ {
		text, err := lines.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return readError(path, n, err)
		}
		if n == 1 {
			text = bytes.TrimPrefix(text, byteOrderMark)
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if at := invalidUTF8(text); at >= 0 {
			return fmt.Errorf("%s:%d:%d: %s", path, n, 1+utf8.RuneCount(text[:at]), notUTF8("the line", text))
		}
		if err := f(n, text); err != nil {
			return err
		}
	}
}

// decompress reads through gzip if that is what r begins with.
func decompress(r *bufio.Reader) (*bufio.Reader, error) {
	if magic, _ := r.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return r, nil
	}
	z, err := gzip.NewReader(r)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // cut off in its header
	}
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, 1<<16), nil
}

var errLongLine = fmt.Errorf("the line is longer than %d bytes, which no document needs", maxLineBytes)

// readError places an error of reading a line.
func readError(path string, line int, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s:%d: the compressed file is cut off here; fetch or write it again", path, line)
	}
	return fmt.Errorf("%s:%d: %w", path, line, files.Cause(err))
}

// lineReader reads lines of bounded length. Unlike a bufio.Scanner it does not hand out the
// beginning of a line that an error interrupts.
type lineReader struct {
	r    *bufio.Reader
	long []byte // a line that the reader's buffer does not hold
}

// next is a line without its end, valid until the next call, or io.EOF after the last.
func (l *lineReader) next() ([]byte, error) {
	text, err := l.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		l.long = l.long[:0]
		for err == bufio.ErrBufferFull && len(l.long) <= maxLineBytes {
			l.long = append(l.long, text...)
			text, err = l.r.ReadSlice('\n')
		}
		l.long = append(l.long, text...)
		text = l.long
	}
	switch {
	case len(text) > maxLineBytes:
		return nil, errLongLine
	case err == io.EOF && len(text) > 0:
		return text, nil
	case err != nil:
		return nil, err
	}
	return bytes.TrimSuffix(text[:len(text)-1], []byte{'\r'}), nil
}

// invalidUTF8 is the offset of the first byte that does not belong to a character, -1 if all do.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) { // many times as fast
		return -1
	}
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// LineError places an error of json.Unmarshal in a file of JSON lines, at the character that is
// wrong, or at the value of the wrong type.
func LineError(path string, line int, text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input":
		return fmt.Errorf("%s:%d:%d: the line is not JSON: it ends too early", path, line, column(text, len(text)))
	case errors.As(err, &syntax) && bytes.HasPrefix(text[max(0, min(int(syntax.Offset)-1, len(text))):], byteOrderMark):
		return fmt.Errorf("%s:%d:%d: the line is not JSON: a byte order mark stands here; take it out", path, line, column(text, int(syntax.Offset)-1))
	case errors.As(err, &syntax):
		return fmt.Errorf("%s:%d:%d: the line is not JSON: %w", path, line, column(text, int(syntax.Offset)-1), err)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("%s:%d:%d: the line must be an object, is %s", path, line, column(text, valueStart(text, kind.Offset)),
			article(kind.Value))
	case errors.As(err, &kind):
		return fmt.Errorf("%s:%d:%d: %q must be %s, is %s", path, line, column(text, valueStart(text, kind.Offset)), kind.Field,
			article(kind.Type.String()), article(kind.Value))
	}
	return fmt.Errorf("%s:%d: %w", path, line, err)
}

// column is the character, from 1, at an offset in a line.
func column(text []byte, offset int) int {
	return 1 + utf8.RuneCount(text[:min(max(offset, 0), len(text))])
}

// valueStart is where the JSON value begins whose first token ends at an offset. A type error only
// knows the end.
func valueStart(text []byte, end int64) int {
	tokens := json.NewDecoder(bytes.NewReader(text))
	for before := int64(0); ; before = tokens.InputOffset() {
		_, err := tokens.Token()
		if err != nil {
			return int(end) - 1
		}
		if tokens.InputOffset() == end {
			between := text[before:end]
			return int(before) + len(between) - len(bytes.TrimLeft(between, " \t\r\n:,"))
		}
	}
}

// article puts the indefinite article before the name of a type.
func article(name string) string {
	if name[0] == 'a' || name[0] == 'o' {
		return "an " + name
	}
	return "a " + name
}
