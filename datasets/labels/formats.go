package labels

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// formats replaces some of the validator's formats: it reads addresses with net/url, which lets
// every character pass that can be escaped, where RFC 3986 has a closed list (a space is none of
// it), and refuses some right ones, such as a host with an escaped letter; and it takes an IRI
// for a URI.
var formats = []*jsonschema.Format{
	{Name: "uri", Validate: func(v any) error { return address3986(v, true, false) }},
	{Name: "uri-reference", Validate: func(v any) error { return address3986(v, false, false) }},
	{Name: "iri", Validate: func(v any) error { return address3986(v, true, true) }},
	{Name: "iri-reference", Validate: func(v any) error { return address3986(v, false, true) }},
}

// components splits an address as RFC 3986, appendix B, does: scheme, //authority, path, ?query and
// #fragment. Every text can be split so; whether the parts are right is asked of each.
var components = regexp.MustCompile(`^(?:([^:/?#]*):)?(?:(//)([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#((?s:.*)))?$`)

var (
	scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)
	port   = regexp.MustCompile(`^(?::[0-9]*)?$`)
	// future is an address of a version of IP that there is not yet.
	future = regexp.MustCompile(`^[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$`)
)

// address3986 checks a string, if v is one, as a URI or a reference to one. An international one
// is an IRI of RFC 3987: it is a URI once the characters above ASCII that it may have are
// escaped.
func address3986(v any, absolute, international bool) error {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	if international {
		text = escaped3987(text)
	}
	part := components.FindStringSubmatch(text)
	switch colon := strings.IndexAny(text, ":/?#"); {
	case part == nil:
		return errors.New("not an address")
	case absolute && (colon < 0 || text[colon] != ':'):
		return errors.New("a relative address")
	case colon >= 0 && text[colon] == ':' && !scheme.MatchString(part[1]):
		return fmt.Errorf("%q is no scheme", part[1])
	}
	if err := authority3986(part[3]); err != nil {
		return err
	}
	for _, p := range []struct{ what, text, more string }{{"the path", part[4], ":@/"}, {"the query", part[5], ":@/?"}, {"the fragment", part[6], ":@/?"}} {
		if err := characters3986(p.what, p.text, p.more); err != nil {
			return err
		}
	}
	return nil
}

// escaped3987 escapes the characters that an IRI has and a URI has not, where they may be: in the
// host of an IPv6 address or a scheme % is none that may be, and those for private use are for
// queries.
func escaped3987(text string) string {
	var b strings.Builder
	query, fragment := false, false
	for _, r := range text {
		fragment = fragment || r == '#'
		query = !fragment && (query || r == '?')
		private := r >= 0xe000 && r <= 0xf8ff || r >= 0xf0000
		noncharacter := r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef
		special := r < 0xa0 || r >= 0xfff0 && r <= 0xffff || r >= 0xe0000 && r < 0xe1000
		if noncharacter || special || private && !query {
			b.WriteRune(r)
		} else {
			b.WriteString("%C3%A9")
		}
	}
	return b.String()
}

// authority3986 checks user@host:port.
func authority3986(text string) error {
	user, host, named := strings.Cut(text, "@")
	if !named {
		user, host = "", text
	}
	if err := characters3986("the user", user, ":"); err != nil {
		return err
	}
	if inside, ok := strings.CutPrefix(host, "["); ok {
		address, rest, closed := strings.Cut(inside, "]")
		if !closed || !port.MatchString(rest) {
			return errors.New("a bracket in the host is not closed, or not its end")
		}
		if ip, err := netip.ParseAddr(address); (err != nil || !ip.Is6() || ip.Zone() != "") && !future.MatchString(address) {
			return fmt.Errorf("%q is no IPv6 address", address)
		}
		return nil
	}
	name, number, _ := strings.Cut(host, ":")
	if number != "" && !port.MatchString(":"+number) {
		return fmt.Errorf("%q is no port", number)
	}
	return characters3986("the host", name, "")
}

// characters3986 checks that a part has the characters that all parts may have, and more.
func characters3986(what, text, more string) error {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '%':
			if len(text) < i+3 || !isHex(text[i+1]) || !isHex(text[i+2]) {
				return errors.New("% must be followed by two hexadecimal digits")
			}
		case c >= '0' && c <= '9', c|' ' >= 'a' && c|' ' <= 'z', strings.IndexByte("-._~!$&'()*+,;=", c) >= 0, strings.IndexByte(more, c) >= 0:
		default:
			return fmt.Errorf("%s has the character %q, which must be escaped", what, c)
		}
	}
	return nil
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|' ' >= 'a' && c|' ' <= 'f' }
