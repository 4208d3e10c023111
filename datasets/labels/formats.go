package labels

import (
	"errors"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// formats replaces two of the validator's formats: it reads addresses with net/url, which lets every
// character pass that can be escaped, where RFC 3986 has a closed list (a space is none of it).
var formats = []*jsonschema.Format{
	{Name: "uri", Validate: func(v any) error { return address3986(v, true) }},
	{Name: "uri-reference", Validate: func(v any) error { return address3986(v, false) }},
}

// address3986 checks a string, if v is one, as a URI or a reference to one.
func address3986(v any, absolute bool) error {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '%':
			if len(text) < i+3 || !isHex(text[i+1]) || !isHex(text[i+2]) {
				return errors.New("% must be followed by two hexadecimal digits")
			}
		case c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0:
			return errors.New("a character that must be escaped")
		}
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return err
	case absolute && !u.IsAbs():
		return errors.New("a relative address")
	case strings.Count(text, "#") > 1:
		return errors.New("a second #")
	case strings.Count(text, "[") != strings.Count(u.Host, "["), strings.Count(text, "]") != strings.Count(u.Host, "]"):
		return errors.New("a bracket outside the host")
	case u.Host != "" && strings.Contains(u.Hostname(), ":") && !strings.Contains(u.Host, "["):
		return errors.New("an IPv6 address without brackets")
	}
	return nil
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|' ' >= 'a' && c|' ' <= 'f' }
