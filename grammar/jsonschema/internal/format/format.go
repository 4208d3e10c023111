// Package format has the formats of JSON Schema that are checked: named languages of strings. Most
// are a regular expression, the productions of the RFCs with ASCII letters, some with a bound on
// the length; a few are built of several automata (host.go, idn.go, regex.go, clock.go).
//
// Where a format is not regular, or its automaton would be too large, a part of it that people use
// is what is accepted, and Narrower says which.
package format

import (
	"fmt"
	"strings"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/internal/constants"
)

// A Format is a named language of strings.
type Format struct {
	// Narrower says what the automaton leaves out; "" if it leaves nothing out.
	Narrower string
	// Wider is a pattern that leaves nothing out, but has too much, for negations; "" if there is
	// none.
	Wider string
	// Alone is the JSON text of the format where no other keyword is about the string, if that
	// leaves less out; else nil.
	Alone func() *automata.DFA

	pattern   string
	build     func() (*automata.DFA, error) // makes the automaton, if it is not that of the pattern
	automaton func() *automata.DFA          // once it is made
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
	mostHost = 253 // characters of a host name

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
	// steps are how far a relative pointer goes up, or along an array.
	steps = `(?:0|[1-9]\d*)`
)

// fullTime is any time of day. A leap second is the last one of a day in UTC, whatever time the
// offset makes of it. The pattern has leap seconds with offsets of whole and half hours; clock.go
// has all.
var fullTime = func() string {
	times := []string{anyTime, `23:59:60(?:\.\d+)?[zZ]`}
	for away := 0; away < 24*60; away += 30 {
		ahead, before := (24*60-1+away)%(24*60), 24*60-1-away
		for _, t := range []struct {
			minute int
			sign   string
		}{{ahead, `\+`}, {before, `-`}} {
			times = append(times, fmt.Sprintf(`%02d:%02d:60(?:\.\d+)?%s%02d:%02d`, t.minute/60, t.minute%60, t.sign, away/60, away%60))
		}
	}
	return `(?:` + strings.Join(times, "|") + `)`
}()

const leapOffsets = "a leap second of an offset other than whole and half hours must be written without escapes, and is refused if other keywords are about the string"

// All has the formats by name.
var All = withAutomata(map[string]Format{
	"date-time":             {pattern: fullDate + `[tT]` + fullTime, Narrower: leapOffsets, Wider: fullDate + `[tT]` + looseTime, Alone: leapDateTime},
	"date":                  {pattern: fullDate},
	"time":                  {pattern: fullTime, Narrower: leapOffsets, Wider: looseTime, Alone: leapTime},
	"duration":              {pattern: `P(?:` + durDate + `(?:` + durTime + `)?|` + durTime + `|\d+W)`},
	"email":                 {build: emailAutomaton},
	"hostname":              {build: hostAutomaton, Narrower: hostNarrower, Wider: hostname},
	"idn-email":             {build: idnEmail, Narrower: "names have " + idnNarrower + "; at most 16 characters before the @, if one is above ASCII", Wider: idnEmailWider},
	"idn-hostname":          {build: idnHostname, Narrower: idnNarrower, Wider: idnWider},
	"ipv4":                  {pattern: ipv4},
	"ipv6":                  {pattern: ipv6},
	"uri":                   {pattern: address(false, "", "")},
	"uri-reference":         {pattern: address(true, "", "")},
	"iri":                   {pattern: address(false, ucs, private)},
	"iri-reference":         {pattern: address(true, ucs, private)},
	"uri-template":          {pattern: `(?:[!#$&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~` + ucs + private + `]|` + pct + `|\{[+#./;?&=,!@|]?` + varSpec + `(?:,` + varSpec + `)*\})*`},
	"uuid":                  {pattern: `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`},
	"json-pointer":          {pattern: pointer},
	"relative-json-pointer": {pattern: steps + `(?:#|` + pointer + `)`, Narrower: "without the index manipulation of draft 2020-12, as in 0+1/a", Wider: steps + `(?:[+\-]` + steps + `)?(?:#|` + pointer + `)`},
	"regex":                 {build: regexAutomaton, Narrower: regexNarrower},
})

// International has the automata of the formats whose names begin with idn-, each of which has some
// 36,000 states. Few schemas have them.
var International constants.Set

// withAutomata adds the automata of formats, which are the same for all schemas.
func withAutomata(formats map[string]Format) map[string]Format {
	for name, f := range formats {
		build := f.build
		if build == nil {
			build = func() (*automata.DFA, error) { return dfa.ASCII(f.pattern) }
		}
		set := &dfa.Constants
		if strings.HasPrefix(name, "idn-") {
			set = &International
		}
		f.automaton = constants.Of(set, func() *automata.DFA {
			d, err := build()
			if err != nil {
				panic(fmt.Sprintf("the format %s: %v", name, err))
			}
			return d
		})
		formats[name] = f
	}
	return formats
}

// Automaton is the automaton of the format over UTF-8. It may be one on demand.
func (f Format) Automaton() *automata.DFA { return f.automaton() }

// upTo is the automaton of the strings of a pattern that have at most so many characters, and one
// at least.
func upTo(most int, pattern string) (*automata.DFA, error) {
	d, err := dfa.ASCII(pattern)
	if err != nil {
		return nil, err
	}
	return d.WithLength(1, most)
}

// emailAutomaton is the automaton of mailboxes.
func emailAutomaton() (*automata.DFA, error) {
	local, err := upTo(mostLocal, localPart)
	if err != nil {
		return nil, err
	}
	rest, err := dfa.ASCII(domain)
	if err != nil {
		return nil, err
	}
	return local.Concat(rest, dfa.Limits)
}
