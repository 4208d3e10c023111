package labels

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// readings are formats of which the validator has another reading than the standards that JSON
// Schema names: it takes signs for digits of a time, lets a duration leave out units between others
// and a host name end in a dot, refuses escapes in a quoted mailbox, reads templates as addresses,
// and lets expressions pass that other languages have. It has none of international names. They are
// read here by hand.
var readings = []*jsonschema.Format{
	textFormat("time", time3339),
	textFormat("date-time", dateTime3339),
	textFormat("duration", duration3339),
	textFormat("hostname", hostname1123),
	textFormat("idn-hostname", hostname5890),
	textFormat("email", mailbox5321),
	textFormat("idn-email", mailbox6531),
	textFormat("ipv4", address791),
	textFormat("uri-template", template6570),
}

func textFormat(name string, check func(string) error) *jsonschema.Format {
	return &jsonschema.Format{Name: name, Validate: func(v any) error {
		if text, ok := v.(string); ok {
			return check(text)
		}
		return nil
	}}
}

var timeParts = regexp.MustCompile(`^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[zZ]|([+-])([0-9]{2}):([0-9]{2}))$`)

// time3339 checks a full-time of RFC 3339, section 5.6. A leap second is the last one of a day in
// UTC.
func time3339(text string) error {
	part := timeParts.FindStringSubmatch(text)
	if part == nil {
		return errors.New("not a time with an offset")
	}
	number := func(i int) int { n, _ := strconv.Atoi("0" + part[i]); return n }
	if number(1) > 23 || number(2) > 59 || number(3) > 60 || number(5) > 23 || number(6) > 59 {
		return errors.New("a part of the time is out of range")
	}
	offset := number(5)*60 + number(6)
	if part[4] == "-" {
		offset = -offset
	}
	const day = 24 * 60
	if utc := number(1)*60 + number(2) - offset; number(3) == 60 && (utc+day)%day != day-1 {
		return errors.New("no leap second can be at this time")
	}
	return nil
}

// dateTime3339 checks a date-time of RFC 3339, section 5.6.
func dateTime3339(text string) error {
	if len(text) < 11 || text[10]|' ' != 't' {
		return errors.New("no T after the date")
	}
	if _, err := time.Parse("2006-01-02", text[:10]); err != nil {
		return err
	}
	return time3339(text[11:])
}

// duration3339 checks a duration of RFC 3339, appendix A: weeks, or units of a date and of a time,
// none of them left out between two others.
func duration3339(text string) error {
	rest, ok := strings.CutPrefix(text, "P")
	if weeks, is := strings.CutSuffix(rest, "W"); ok && is {
		if weeks == "" || strings.Trim(weeks, "0123456789") != "" {
			return errors.New("no number of weeks")
		}
		return nil
	}
	date, clock, timed := strings.Cut(rest, "T")
	if !ok || rest == "" || timed && clock == "" {
		return errors.New("a duration has P, then units; with T, then more")
	}
	if err := units(date, "YMD"); err != nil {
		return err
	}
	return units(clock, "HMS")
}

// units checks numbers before consecutive letters of all.
func units(text, all string) error {
	last := -1
	for text != "" {
		rest := strings.TrimLeft(text, "0123456789")
		if rest == "" || rest == text {
			return errors.New("a number without a unit, or a unit without a number")
		}
		at := strings.IndexByte(all, rest[0])
		if at < 0 || last >= 0 && at != last+1 {
			return fmt.Errorf("the unit %q is not the next one", rest[0])
		}
		last, text = at, rest[1:]
	}
	return nil
}

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// labels1123 checks labels with dots between them, whatever they take together.
func labels1123(text string) error {
	for _, label := range strings.Split(text, ".") {
		switch {
		case label == "" || len(label) > 63:
			return errors.New("a label has no character, or more than 63")
		case strings.Trim(label, alphanumeric+"-") != "":
			return errors.New("a label has another character than letters, digits and hyphens")
		case label[0] == '-' || label[len(label)-1] == '-':
			return errors.New("a hyphen begins or ends a label")
		}
	}
	return nil
}

// address791 checks an address of IPv4: four numbers in decimal digits.
func address791(text string) error {
	if ip, err := netip.ParseAddr(text); err != nil || !ip.Is4() {
		return errors.New("not four numbers up to 255")
	}
	return nil
}

// mostOfLocalPart is how many characters a mailbox has before the @.
const mostOfLocalPart = 64

// mailbox5321 checks a Mailbox of RFC 5321, section 4.1.2, whose local part is as long as section
// 4.5.3.1.1 lets it.
func mailbox5321(text string) error {
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return errors.New("there is no @")
	}
	local, domain := text[:at], text[at+1:]
	if len(local) > mostOfLocalPart {
		return errors.New("more than 64 characters before the @")
	}
	if err := localPart5321(local); err != nil {
		return err
	}
	literal, bracketed := strings.CutPrefix(domain, "[")
	if !bracketed {
		return labels1123(domain)
	}
	literal, closed := strings.CutSuffix(literal, "]")
	if tag := "IPv6:"; len(literal) > len(tag) && strings.EqualFold(literal[:len(tag)], tag) {
		literal = literal[len(tag):]
		closed = closed && strings.Contains(literal, ":")
	} else {
		closed = closed && !strings.Contains(literal, ":")
	}
	if ip, err := netip.ParseAddr(literal); err != nil || ip.Zone() != "" || !closed {
		return errors.New("no address in the brackets")
	}
	return nil
}

// localPart5321 checks what is before the @: atoms with dots between them, or a quoted string.
func localPart5321(text string) error {
	quoted, ok := strings.CutPrefix(text, `"`)
	if !ok {
		for _, atom := range strings.Split(text, ".") {
			if atom == "" || strings.Trim(atom, alphanumeric+"!#$%&'*+-/=?^_`{|}~") != "" {
				return errors.New("an atom before the @ is empty, or has a character that must be quoted")
			}
		}
		return nil
	}
	for i := 0; i < len(quoted); i++ {
		switch c := quoted[i]; {
		case c == '"' && i == len(quoted)-1:
			return nil
		case c < ' ' || c > '~' || c == '"':
			return errors.New("a quoted string has a character that must not be in one")
		case c == '\\':
			i++
			if i == len(quoted) || quoted[i] < ' ' || quoted[i] > '~' {
				return errors.New("a backslash quotes nothing")
			}
		}
	}
	return errors.New("a quoted string does not end")
}

var expression = regexp.MustCompile(`^[+#./;?&=,!@|]?` + variable + `(?:,` + variable + `)*$`)

const (
	variable = `(?:` + varchar + `)(?:\.?(?:` + varchar + `))*(?:\*|:[1-9][0-9]{0,3})?`
	varchar  = `[A-Za-z0-9_]|%[0-9A-Fa-f]{2}`
)

// template6570 checks a template of RFC 6570: literals, and expressions in braces.
func template6570(text string) error {
	for text != "" {
		literal, rest, found := strings.Cut(text, "{")
		if strings.ContainsAny(literal, `"<>\^`+"`|}") {
			return errors.New("a literal has a character that must be escaped")
		}
		// The rest are characters of addresses: of a path, and those that may stand anywhere.
		if err := characters3986("a literal", escaped3987("?" + literal)[1:], ":@/?#[]"); err != nil {
			return err
		}
		inside, rest, closed := strings.Cut(rest, "}")
		if found && (!closed || !expression.MatchString(inside)) {
			return fmt.Errorf("%q is no expression", inside)
		}
		text = rest
	}
	return nil
}
