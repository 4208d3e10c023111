package reports

import (
	"bytes"
	"html/template"
	"io"
)

// writeHTML writes one page that needs nothing else: tables, notes, and the
// figures as inline SVG. It has no scripts and loads nothing.
func writeHTML(w io.Writer, set *Set) error {
	page := struct {
		*Document
		Figures []figure
	}{Document: set.Document()}
	for _, f := range set.Figures() {
		svg, err := f.SVG()
		if err != nil {
			return err
		}
		// An SVG inside HTML begins at its element: the XML head is for files.
		if i := bytes.Index(svg, []byte("<svg")); i > 0 {
			svg = svg[i:]
		}
		page.Figures = append(page.Figures, figure{"figure-" + f.Name, f.YLabel + " over " + f.XLabel, template.HTML(svg)})
	}
	return htmlPage.Execute(w, page)
}

// figure is a plot on the page.
type figure struct {
	ID, Caption string        // the ID begins with "figure-", since tables have ids such as ttfm too
	SVG         template.HTML // made by package plots, which escapes the names in it
}

// htmlPage is the page: tables scroll sideways on a narrow screen instead of wrapping figures, and the sign of a warning is
// not its colour alone.
var htmlPage = template.Must(template.New("report").Funcs(template.FuncMap{"letter": letter}).Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 78rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; border-top: 2px solid #222; border-bottom: 2px solid #222; font-variant-numeric: tabular-nums; }
th { border-bottom: 1px solid #222; font-weight: 600; text-align: left; }
th, td { padding: .2rem .7rem; white-space: nowrap; }
.r { text-align: right; }
p { max-width: 62rem; } .note, .caption, .about { font-size: .88rem; color: #444; margin: .35rem 0; }
.warning { border-left: 4px solid #D55E00; padding-left: .7rem; }
figure { margin: 1.5rem 0; } figure svg { max-width: 100%; height: auto; }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
{{range .Warnings}}<p class="warning">{{.}}</p>
{{end}}{{range .Tables}}{{$columns := .Columns}}<h2 id="{{.ID}}">{{.Title}}</h2>
{{if .Rows}}<div class="scroll"><table>
<thead><tr>{{range .Columns}}<th{{if .Right}} class="r"{{end}}>{{.Head}}</th>{{end}}</tr></thead>
<tbody>
{{range .Rows}}<tr>{{range $i, $e := .}}<td{{if (index $columns $i).Right}} class="r"{{end}}>{{.Body}}{{with .Mark}}<sup>{{.}}</sup>{{end}}</td>{{end}}</tr>
{{end}}</tbody>
</table></div>{{end}}
{{range $i, $n := .Notes}}<p class="note"><sup>{{letter $i}}</sup> {{$n}}</p>
{{end}}<p class="caption">{{.Caption}}</p>
{{end}}{{range .Figures}}<figure id="{{.ID}}">
{{.SVG}}
<figcaption class="caption">{{.Caption}}</figcaption>
</figure>
{{end}}{{range .About}}<p class="about">{{.}}</p>
{{end}}</body>
</html>
`))
