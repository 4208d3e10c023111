package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/reports/result"
)

// fieldsPage lists the fields of a cell's JSON with what their comments say.
var fieldsPage = filepath.Join("..", "docs", "fields.md")

// comments has the comments of a package's types and their fields, by "Type" and "Type.Field".
var comments = map[string]map[string]string{}

// comment is what the source says of a type, or of a field of it.
func comment(t reflect.Type, field string) string {
	dir, ours := strings.CutPrefix(t.PkgPath(), "gcdbench/")
	if !ours {
		return ""
	}
	if comments[dir] == nil {
		comments[dir] = commentsOf(filepath.Join("..", filepath.FromSlash(dir)))
	}
	return comments[dir][t.Name()+field]
}

// described is the comment of a field, or else of its type, with the names of the JSON.
func described(t reflect.Type, field reflect.StructField) string {
	text := cmp.Or(comment(t, "."+field.Name), comment(elem(field.Type), ""))
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && len(f.Name) > 2 {
			text = regexp.MustCompile(`\b`+f.Name+`\b`).ReplaceAllLiteralString(text, name)
		}
	}
	return text
}

// commentsOf reads the comments of the fields of a folder's structs. A field without one, right
// below others, has theirs if it names the field.
func commentsOf(dir string) map[string]string {
	found := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		panic(err)
	}
	docs := map[*ast.TypeSpec]*ast.CommentGroup{}
	for _, name := range files {
		p, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			panic(err)
		}
		ast.Inspect(p, func(n ast.Node) bool {
			if d, ok := n.(*ast.GenDecl); ok && len(d.Specs) == 1 {
				if spec, ok := d.Specs[0].(*ast.TypeSpec); ok {
					docs[spec] = d.Doc
				}
			}
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			found[spec.Name.Name] = strings.Join(strings.Fields(docs[spec].Text()), " ")
			s, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			above := ""
			for _, f := range s.Fields.List {
				if f.Doc != nil {
					above = f.Doc.Text()
				}
				for _, name := range f.Names {
					text := f.Comment.Text()
					if f.Doc != nil || regexp.MustCompile(`\b`+name.Name+`\b`).MatchString(above) {
						text = above + " " + text
					}
					found[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(text), " ")
				}
			}
			return true
		})
	}
	return found
}

// elem is the type of what a field points to or lists.
func elem(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// fieldPage writes the rows of the page: fields with the same comment share one, and a type is
// shown once.
type fieldPage struct {
	rows  [][]string // names of fields
	texts []string
	seen  []reflect.Type
}

func (p *fieldPage) add(t reflect.Type, path string) {
	if t = elem(t); t.Kind() != reflect.Struct || slices.Contains(p.seen, t) {
		return
	}
	p.seen = append(p.seen, t)
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			p.add(f.Type, path)
			continue
		}
		if !f.IsExported() || name == "" || name == "-" {
			continue
		}
		if text := described(t, f); text != "" {
			p.row("`"+path+name+"`", text)
		}
		p.add(f.Type, path+name+".")
	}
}

func (p *fieldPage) row(name, text string) {
	if n := len(p.texts); n > 0 && p.texts[n-1] == text {
		p.rows[n-1] = append(p.rows[n-1], name)
		return
	}
	p.rows, p.texts = append(p.rows, []string{name}), append(p.texts, text)
}

// meaning is the text of a row: what stands above is not said again, and the name of the only field
// is not repeated.
func (p *fieldPage) meaning(row int) string {
	text, names := p.texts[row], p.rows[row]
	if first := slices.Index(p.texts, text); first < row && len(text) > 40 {
		return "as " + p.rows[first][0]
	}
	if len(names) == 1 {
		bare := strings.Trim(names[0][strings.LastIndex(names[0], ".")+1:], "`")
		text = regexp.MustCompile(`^`+bare+` ((is|are|has|have|says) )?`).ReplaceAllLiteralString(text, "")
	}
	return strings.TrimSuffix(strings.ReplaceAll(text, "|", `\|`), ".")
}

func (p *fieldPage) String() string {
	var b strings.Builder
	b.WriteString("# Fields of a cell\n\nA cell of `report --format json`, from the comments of the types; [reference](reference.md#a-cell) has the rules.\n\n| field | meaning |\n|---|---|\n")
	for i, names := range p.rows {
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(names, ", "), p.meaning(i))
	}
	return b.String()
}

// TestFieldsAreDocumented: every field of a cell and of its batches has a comment, which the page
// of fields repeats.
func TestFieldsAreDocumented(t *testing.T) {
	var p fieldPage
	p.add(reflect.TypeFor[result.Cell](), "")
	page := p.String()
	if *update {
		must.OK(t, os.WriteFile(fieldsPage, []byte(page), 0o644))
	}
	if kept, err := os.ReadFile(fieldsPage); err != nil || !bytes.Equal(kept, []byte(page)) {
		t.Errorf("%s is not today's; run: go test ./reports -run Documented -update", fieldsPage)
	}
	fields := map[string]any{}
	addFields(fields, reflect.TypeFor[result.Cell]())
	addFields(fields, reflect.TypeFor[result.Throughput]())
	for name := range fields {
		if !strings.Contains(page, "`"+name+"`") && !strings.Contains(page, "`throughput."+name+"`") {
			t.Errorf("the field %s has no comment", name)
		}
	}
}
