package judges

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"unicode/utf8"

	"gcdbench/datasets/labels"
	"gcdbench/datasets/toolcalls"
	"gcdbench/grammar/tools"
	"gcdbench/internal/jsontext"
)

// Judges that are Go packages.

// schema judges instances of a JSON schema.
type schema struct {
	validator *labels.Validator
	// lax asserts no format; nil where the schema has none.
	lax *labels.Validator
}

// validatorModule is the validator that package labels calls. schemaJudge is the name of the judge:
// the module by itself gives other verdicts, since package labels reads some formats, patterns,
// numbers and the integers of draft 4 in its own way, and asserts formats in every draft.
const (
	validatorModule = "github.com/santhosh-tekuri/jsonschema/v6"
	schemaJudge     = "jsonschema/v6 with gcdbench's readings"
)

func newSchema(text []byte) (Judge, error) {
	v, err := labels.New(text)
	if err != nil {
		return nil, &MissingError{Judge: schemaJudge, Why: err.Error()}
	}
	lax, err := labels.NewWithoutFormats(text)
	if err != nil {
		return nil, &MissingError{Judge: schemaJudge, Why: err.Error()}
	}
	return schema{v, lax}, nil
}

// Name names the module and says that there are readings besides.
func (schema) Name() string { return schemaJudge }

// Version is the module's.
func (schema) Version() string { return moduleVersion(validatorModule) }

// Close does nothing.
func (schema) Close() {}

// Judge validates an instance. A text that is not JSON is invalid whatever the schema says. An
// instance that only a format makes invalid breaks the rule Format.
func (s schema) Judge(ctx context.Context, text []byte) (Verdict, error) {
	if v := judgeJSON(text); !v.Valid {
		return v, ctx.Err()
	}
	keyword, why, err := s.validator.Broken(text)
	v := Verdict{Valid: why == "", Rule: keyword, Why: line(why)}
	if err == nil && !v.Valid {
		if other, _, failed := s.lax.Broken(text); failed == nil {
			v.Rule = cmp.Or(other, Format)
		}
	}
	v.Note = notes(text)
	return v, errors.Join(err, ctx.Err())
}

// responses judges responses to a request with tools.
type responses struct{ checker *toolcalls.Checker }

func newTools(request []byte) (Judge, error) {
	r, err := tools.Read("the request", request)
	if err != nil {
		return nil, &MissingError{Judge: responsesJudge, Why: err.Error()}
	}
	return responses{toolcalls.NewChecker(r)}, nil
}

// responsesJudge is the name of the judge of responses, which gives arguments to that of schemas.
const responsesJudge = "gcdbench's reader of tool calls, " + schemaJudge

// Name says that arguments have another judge.
func (responses) Name() string { return responsesJudge }

// Version is that of the judge of arguments.
func (responses) Version() string { return moduleVersion(validatorModule) }

// Close does nothing.
func (responses) Close() {}

// Judge reads a response and validates its calls.
func (r responses) Judge(ctx context.Context, text []byte) (Verdict, error) {
	text = toolcalls.Shown(text)
	if !utf8.Valid(text) {
		return Verdict{Rule: "not UTF-8", Why: "the text is not UTF-8"}, ctx.Err()
	}
	v, err := r.checker.Check(text)
	if err != nil {
		return Verdict{}, errors.Join(err, ctx.Err())
	}
	return Verdict{Valid: v.Valid(), Rule: v.Kind, Why: line(v.Reason)}, ctx.Err()
}

// jsonText judges whether a text is JSON.
type jsonText struct{}

// Name is the package's.
func (jsonText) Name() string { return "encoding/json" }

// Version is Go's.
func (jsonText) Version() string { return runtime.Version() }

// Close does nothing.
func (jsonText) Close() {}

// Judge decides about a text.
func (jsonText) Judge(ctx context.Context, text []byte) (Verdict, error) {
	return judgeJSON(text), ctx.Err()
}

// judgeJSON is strict about UTF-8, which encoding/json is not.
func judgeJSON(text []byte) Verdict {
	if !utf8.Valid(text) {
		return Verdict{Rule: "not UTF-8", Why: "the text is not UTF-8"}
	}
	var value json.RawMessage
	if err := json.Unmarshal(text, &value); err != nil {
		return Verdict{Rule: "not JSON", Why: line(err.Error())}
	}
	return Verdict{Valid: true}
}

// notes name the oddities of a JSON text that the validator accepts.
func notes(text []byte) string {
	var list []string
	if jsontext.RepeatsKey(text) {
		list = append(list, RepeatedKey)
	}
	if loneSurrogate(text) {
		list = append(list, LoneSurrogate)
	}
	return strings.Join(list, ", ")
}

// loneSurrogate reports whether a JSON text has an escape that is half a character.
func loneSurrogate(text []byte) bool {
	high := -1 // where the low half has to begin
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		half := -1
		if n := min(i+6, len(text)); n == i+6 && text[i+1] == 'u' {
			if code, err := strconv.ParseUint(string(text[i+2:n]), 16, 16); err == nil && code&0xF800 == 0xD800 {
				half = int(code >> 10 & 1) // 0 for the high half
			}
		}
		switch {
		case half == 1 && high == i:
			high = -1
		case half == 1, high >= 0:
			return true
		case half == 0:
			high = i + 6
		}
		if i++; half >= 0 {
			i += 4
		}
	}
	return high >= 0
}

// moduleVersion is the version of a module that the program was built with; "unknown" in a test.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return strings.TrimPrefix(m.Version, "v")
		}
	}
	return "unknown"
}
