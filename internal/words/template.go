package words

import (
	"reflect"
	"strings"
	"text/template"
)

// Template is a text template for messages. Beside those of the package its functions are count,
// visible, lines (VisibleLines) and join.
func Template(text string) *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"count":   func(n any, what string) string { return Count(int(reflect.ValueOf(n).Int()), what) },
		"visible": Visible, "lines": VisibleLines, "join": strings.Join,
	}).Parse(text))
}
