package plots

import (
	"bytes"
	"fmt"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// A PDF has its date and lists its parts in the order of a map by default. gonum's canvas cannot
// change that, so the defaults of the library below it are set here.
func init() {
	made := time.Unix(0, 0).UTC()
	fpdf.SetDefaultCreationDate(made)
	fpdf.SetDefaultModificationDate(made)
	fpdf.SetDefaultCatalogSort(true)
}

// PDF renders the figure as PDF, with the typeface inside and its text as text. A character that
// Windows' code page 1252 lacks becomes a question mark: the canvas knows no other. The error says
// why the font could not be prepared, which takes a file in the folder for temporary ones.
func (f *Figure) PDF() (out []byte, err error) {
	// The canvas has no error to return from drawing text, and panics.
	defer func() {
		if e := recover(); e != nil {
			out, err = nil, fmt.Errorf("figure %s: cannot be drawn as PDF: %v", f.Name, e)
		}
	}()
	wide, high := f.size()
	c := vgpdf.New(wide, high)
	if err := f.drawOn(encoded{c}); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	return b.Bytes(), nil
}

// encoded is a PDF canvas that is given text in the encoding of its fonts. vgpdf writes the bytes
// of a string as they are, and would show the two of a micro sign.
type encoded struct{ *vgpdf.Canvas }

// FillString implements vg.Canvas.
func (c encoded) FillString(face font.Face, at vg.Point, s string) {
	var list []byte
	for _, r := range s {
		b, ok := charmap.Windows1252.EncodeRune(r)
		if !ok {
			b = '?'
		}
		list = append(list, b)
	}
	c.Canvas.FillString(face, at, string(list))
}
