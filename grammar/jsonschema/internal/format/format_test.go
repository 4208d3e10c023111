package format

import (
	"testing"

	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/internal/must"
)

// TestFormats is a table of strings, decoded, that are of a format and that are not.
func TestFormats(t *testing.T) {
	for _, c := range []struct {
		name    string
		in, out []string
	}{
		{"date", []string{"2024-02-29", "2000-02-29", "1999-12-31", "0000-01-01"}, []string{"1900-02-29", "2023-02-29", "2024-04-31", "2024-13-01", "2024-1-1", "2024-01-32", "24-01-01"}},
		{"time", []string{"00:00:00Z", "23:59:59.999+05:30", "12:00:00z", "23:59:60Z", "00:29:60+00:30"}, []string{"24:00:00Z", "12:60:00Z", "12:00:00", "12:00:00.Z", "12:00:60Z", "12:00:00+24:00"}},
		{"date-time", []string{"2024-02-29T12:00:00Z", "2024-02-29t12:00:00.5-08:00", "2016-12-31T23:59:60Z"}, []string{"2024-02-30T12:00:00Z", "2024-02-29 12:00:00Z", "2024-02-29T12:00:00", "2024-02-29"}},
		{"duration", []string{"P1Y", "P1Y2M3D", "PT1H2M3S", "P1DT12H", "P4W", "PT0S"}, []string{"P", "PT", "1Y", "P1Y2D", "P1H", "PT1D", "P1W2D", "PT1H3S"}},
		{"email", []string{"a@b", "joe.b+x@example.com", `"a b"@c`, `"a\"b"@c`, "a@[127.0.0.1]", "a@[IPv6:::1]"}, []string{"", "a", "@b", "a@", ".a@b", "a..b@c", "a b@c", "a@b_c", "a@-b", "é@b"}},
		{"hostname", []string{"a", "localhost", "www.example.com", "a-b", "1.2.3", "a--b", "xn-a", "xn--bcher-kva", "a.XN--caf-dma.xn--fa-hia"}, []string{"", "xn--bcher-kvb", "xn--bcher-9999", "a.XN--a", "xn--a.b", "xn--al-0ea", "xn--", "-a", "a-", "a..b", "a.", "a_b", "é"}},
		{"ipv4", []string{"0.0.0.0", "255.255.255.255", "192.168.1.10"}, []string{"256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.a"}},
		{"ipv6", []string{"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "fe80::a:b", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4"},
			[]string{"", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "::1.2.3", "1.2.3.4::", "fe80::1%eth0"}},
		{"uri", []string{"http://a.b/c?d=e#f", "a:", "urn:isbn:1", "mailto:a@b", "http://[::1]:80/", "http://u:p@h/%20", "file:///x", "http://[v1.a]/"}, []string{"", "a", "/a", "//a", "1a:b", "a b:c", "http://[1]", "http://a/%2", "http://a:x/", "a:\\b", "a:é"}},
		{"uri-reference", []string{"", "a", "/a/b", "//h/p", "?q", "#f", "../x", "a:b", "./a:b"}, []string{"a b", "%", "#a#b", "\\", "1a:b", "é"}},
		{"iri", []string{"http://é/ü?ö#ß", "a:é", "x:?\ue000"}, []string{"é", "é:a", "a:\ue000", "a:#\ue000", "a:\ufdd0"}},
		{"iri-reference", []string{"é", "#é", "//é/ö", "é/b:c"}, []string{"é:a", "é é", "%é"}},
		{"uri-template", []string{"", "http://a/{b}", "{+x}{?a,b*}", "{&a:3}", "x{/p}{#f}"}, []string{"{", "}", "{a", "{}", "{a b}", "{?a,}", "{a:0}", "a b"}},
		{"uuid", []string{"2eb8aa08-aa98-11ea-b4aa-73b441d16380", "00000000-0000-0000-0000-000000000000"}, []string{"2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08-aa98-11ea-b4aa-73b441d1638g"}},
		{"json-pointer", []string{"", "/", "/a/0", "/a~0b/~1c", "//", "/é"}, []string{"a", "/~", "/~2", "#/a"}},
		{"relative-json-pointer", []string{"0", "1/a", "0#", "12/"}, []string{"", "/a", "01", "-1", "0##", "1a"}},
		{"regex", []string{"", "^a+$", "[a-z]{2,3}", "(a|b)?", `\d\w`, "(?=x)y"}, []string{"(", "[", "a**", "a{3,2}", `\q`, "[z-a]"}},
		{"idn-hostname", []string{"a", "münchen.de", "실례"}, []string{"", "a.", "-é", "É", "a b"}},
		{"idn-email", []string{"a@b", "é@münchen.de"}, []string{"é", "@é", "é@"}},
	} {
		f, known := All[c.name]
		if !known {
			t.Errorf("%s is no format", c.name)
			continue
		}
		d := f.Automaton()
		for _, text := range c.in {
			if !d.MatchString(text) {
				t.Errorf("%s: %q is refused", c.name, text)
			}
		}
		for _, text := range c.out {
			if d.MatchString(text) {
				t.Errorf("%s: %q is accepted", c.name, text)
			}
		}
		wider(t, c.name, f)
	}
	if len(All) != 19 {
		t.Errorf("%d formats, of which the table has not all", len(All))
	}
}

// wider checks that a wider pattern has all that the format has, and that a format that is narrower
// says so and is not complemented itself.
func wider(t *testing.T, name string, f Format) {
	t.Helper()
	if f.Wider == "" {
		return
	}
	if f.Narrower == "" {
		t.Errorf("%s has a wider pattern, and leaves nothing out", name)
	}
	d := must.Get(dfa.ASCII(f.Wider))(t)
	narrow := f.Automaton()
	if missing := must.Get(narrow.Difference(d, dfa.Limits))(t); !missing.IsEmpty() {
		t.Errorf("%s: the wider pattern lacks strings of the format", name)
	}
}
