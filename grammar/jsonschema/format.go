package jsonschema

import (
	"fmt"
	"strings"

	"gcdbench/automata"
)

// A format is a named language of strings: a regular expression, sometimes with a bound on the
// length. They are the productions of the RFCs, with ASCII letters.
type format struct {
	pattern  string
	longest  int                           // characters; 0 for no limit
	or       string                        // another pattern, whose length is not limited
	narrower string                        // what it leaves out, if anything
	wider    string                        // a pattern that leaves nothing out, but has too much; for negations
	build    func() (*automata.DFA, error) // how it is made, if not of a pattern
	alone    func() *automata.DFA          // its JSON text where no other keyword is about the string, if that leaves less out
}

const (
	fullDate = `(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))|` +
		`(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)`
	offset = `(?:[zZ]|[+-](?:[01]\d|2[0-3]):[0-5]\d)`
	// A leap second at any time of day.
	looseTime = `(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?` + offset
	anyTime   = `(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?` + offset

	label    = `[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?`
	hostname = label + `(?:\.` + label + `)*`
	// A host name has at most 253 characters. Counting them beside those of each label takes some
	// 30,000 states, so this counts only those of labels, 4 of which are short enough in any case, or 3
	// with a character more; shortHost, with its length bounded, is the others.
	fewLabels = label62 + `(?:\.` + label62 + `){0,3}|` + label + `(?:\.` + label + `){0,2}`
	label62   = `[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,60}[a-zA-Z0-9])?`
	shortHost = `[a-zA-Z0-9](?:-*[a-zA-Z0-9])*(?:\.[a-zA-Z0-9](?:-*[a-zA-Z0-9])*)*`

	octet = `(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`
	ipv4  = octet + `(?:\.` + octet + `){3}`
	group = `[0-9a-fA-F]{1,4}`
	tail  = `(?:` + group + `:` + group + `|` + ipv4 + `)`
	ipv6  = `(?:(?:` + group + `:){6}` + tail +
		`|::(?:` + group + `:){5}` + tail +
		`|(?:` + group + `)?::(?:` + group + `:){4}` + tail +
		`|(?:(?:` + group + `:){0,1}` + group + `)?::(?:` + group + `:){3}` + tail +
		`|(?:(?:` + group + `:){0,2}` + group + `)?::(?:` + group + `:){2}` + tail +
		`|(?:(?:` + group + `:){0,3}` + group + `)?::` + group + `:` + tail +
		`|(?:(?:` + group + `:){0,4}` + group + `)?::` + tail +
		`|(?:(?:` + group + `:){0,5}` + group + `)?::` + group +
		`|(?:(?:` + group + `:){0,6}` + group + `)?::)`

	atom      = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+"
	localPart = `(?:` + atom + `(?:\.` + atom + `)*|"(?:[ !#-\[\]-~]|\\[ -~])*")`
	domain    = `@(?:` + hostname + `|\[` + ipv4 + `\]|\[[iI][pP][vV]6:` + ipv6 + `\])`
	mostLocal = 64 // characters of a local part: RFC 5321, section 4.5.3.1.1

	varName = `(?:[A-Za-z0-9_]|` + pct + `)+(?:\.(?:[A-Za-z0-9_]|` + pct + `)+)*`
	varSpec = varName + `(?:\*|:[1-9]\d{0,3})?`
	durTime = `T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)`
	durDate = `(?:\d+D|\d+M(?:\d+D)?|\d+Y(?:\d+M(?:\d+D)?)?)`
	pointer = `(?:/(?:[^~/]|~[01])*)*`
)

// fullTime is any time of day: a leap second is the last one of a day in UTC, wherever that is by the offset.
// Of those this has the offsets of whole and half hours; clock.go has all.
var fullTime = func() string {
	times := []string{anyTime, `23:59:60(?:\.\d+)?[zZ]`}
	for away := 0; away < 24*60; away += 30 {
		ahead, behind := (24*60-1+away)%(24*60), 24*60-1-away
		for _, t := range []struct {
			minute int
			sign   string
		}{{ahead, `\+`}, {behind, `-`}} {
			times = append(times, fmt.Sprintf(`%02d:%02d:60(?:\.\d+)?%s%02d:%02d`, t.minute/60, t.minute%60, t.sign, away/60, away%60))
		}
	}
	return `(?:` + strings.Join(times, "|") + `)`
}()

const leapOffsets = "a leap second of an offset other than whole and half hours must be written without escapes, and is refused if other keywords are about the string"

// formats are those that are checked.
var formats = map[string]format{
	"date-time":             {pattern: fullDate + `[tT]` + fullTime, narrower: leapOffsets, wider: fullDate + `[tT]` + looseTime, alone: leapDateTime},
	"date":                  {pattern: fullDate},
	"time":                  {pattern: fullTime, narrower: leapOffsets, wider: looseTime, alone: leapTime},
	"duration":              {pattern: `P(?:` + durDate + `(?:` + durTime + `)?|` + durTime + `|\d+W)`},
	"email":                 {build: emailAutomaton},
	"hostname":              {pattern: shortHost, longest: 63, or: fewLabels, narrower: "either at most 63 characters, or at most 3 labels of at most 63, or 4 of at most 62", wider: hostname},
	"idn-email":             {build: idnEmail, narrower: "names have " + idnNarrower + "; at most 16 characters before the @, if one is above ASCII", wider: idnEmailWider},
	"idn-hostname":          {build: idnHostname, narrower: idnNarrower, wider: idnWider},
	"ipv4":                  {pattern: ipv4},
	"ipv6":                  {pattern: ipv6},
	"uri":                   {pattern: address(false, "", "")},
	"uri-reference":         {pattern: address(true, "", "")},
	"iri":                   {pattern: address(false, ucs, private)},
	"iri-reference":         {pattern: address(true, ucs, private)},
	"uri-template":          {pattern: `(?:[!#$&()*+,\-./0-9:;=?@A-Z\[\]_a-z~` + ucs + private + `]|` + pct + `|\{[+#./;?&=,!@|]?` + varSpec + `(?:,` + varSpec + `)*\})*`},
	"uuid":                  {pattern: `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`},
	"json-pointer":          {pattern: pointer},
	"relative-json-pointer": {pattern: `(?:0|[1-9]\d*)(?:#|` + pointer + `)`},
	"regex":                 {build: regexAutomaton, narrower: regexNarrower},
}

// formatLanguage is the language of a format.
func (c *compiler) formatLanguage(name string, f format) *language {
	l := &language{name: "format " + name, c: c, narrow: f.narrower != "", alone: f.alone, build: func() (*automata.DFA, error) {
		return c.kept.formats.get(name, f.automaton)
	}}
	if f.wider != "" {
		l.wide = &language{name: "at most format " + name, c: c, tight: l, build: func() (*automata.DFA, error) {
			return c.kept.formats.get("at most "+name, func() (*automata.DFA, error) { return compileASCII(f.wider) })
		}}
	}
	return l
}

// emailAutomaton is that of a mailbox.
func emailAutomaton() (*automata.DFA, error) {
	local, err := compileASCII(localPart)
	if err != nil {
		return nil, err
	}
	if local, err = local.WithLength(1, mostLocal, automatonLimits); err != nil {
		return nil, err
	}
	rest, err := compileASCII(domain)
	if err != nil {
		return nil, err
	}
	return local.Concat(rest, automatonLimits)
}

func (f format) automaton() (*automata.DFA, error) {
	if f.build != nil {
		return f.build()
	}
	d, err := compileASCII(f.pattern)
	if err != nil || f.longest == 0 {
		return d, err
	}
	bound, err := automata.Compile(automata.Repeat(automata.Range(0, 0x7f), 0, f.longest), automatonLimits)
	if err != nil {
		return nil, err
	}
	if d, err = d.Intersect(bound, automatonLimits); err != nil || f.or == "" {
		return d, err
	}
	other, err := compileASCII(f.or)
	if err != nil {
		return nil, err
	}
	return d.Union(other, automatonLimits)
}

func compileASCII(pattern string) (*automata.DFA, error) {
	e, err := automata.Parse(pattern, automata.ASCII)
	if err != nil {
		return nil, err
	}
	return automata.Compile(e, automatonLimits)
}
