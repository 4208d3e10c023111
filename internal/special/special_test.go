package special

import "testing"

func TestRead(t *testing.T) {
	names := []string{"<a>", "<a>b>"}
	for _, c := range []struct {
		text  string
		split bool
		want  string
	}{
		{"x<a>y", false, "x<a>y"},
		{"x<a>y", true, "x" + Text("<a>") + "y"},
		{"<a>b>", true, Text("<a>b>")},
		{Text("<a>"), false, "\xfe<a>\xfe"},
		{Text("<a>"), true, "\xfe" + Text("<a>") + "\xfe"},
	} {
		if got := string(Read([]byte(c.text), names, c.split)); got != c.want {
			t.Errorf("Read(%q, %v) = %q, want %q", c.text, c.split, got, c.want)
		}
	}
	if got := string(Read([]byte{Begin}, nil, true)); got != "\xff" {
		t.Errorf("without names a text is changed to %q", got)
	}
}

func TestShown(t *testing.T) {
	text := []byte("x" + Text("<a>") + "y")
	if got := string(Shown(text)); got != "x<a>y" || !In(text) || In([]byte("x<a>y")) {
		t.Errorf("shown as %q", got)
	}
	if !Is([]byte(Text("<a>"))) || Is(text) || Is([]byte{Begin}) || Is(nil) {
		t.Error("Is is wrong")
	}
	if NameAt(text, 0) != "" || NameAt(text, 1) != "<a>" {
		t.Errorf("names %q and %q", NameAt(text, 0), NameAt(text, 1))
	}
}
