package labels

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

var english = message.NewPrinter(language.English)

// reason is an error of the validator in one line: of what is wrong with an instance or a schema,
// the first that is no consequence of another, by JSON pointer, and how many more there are.
func reason(err error) string {
	var schema *jsonschema.SchemaValidationError
	if errors.As(err, &schema) {
		return "not a valid schema: " + reason(schema.Err)
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		text := strings.ReplaceAll(err.Error(), address, "")
		return strings.Join(strings.Fields(text), " ")
	}
	leaves := leavesOf(nil, invalid)
	first := leaves[0]
	text := fmt.Sprintf("at %q: %s", pointer(first.InstanceLocation), first.ErrorKind.LocalizedString(english))
	if more := len(leaves) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// keywordOf is the keyword of the first error that has no cause.
func keywordOf(e *jsonschema.ValidationError) string {
	path := leavesOf(nil, e)[0].ErrorKind.KeywordPath()
	if len(path) == 0 {
		return "false"
	}
	return path[0]
}

// leavesOf appends the errors that have no cause.
func leavesOf(to []*jsonschema.ValidationError, e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return append(to, e)
	}
	for _, cause := range e.Causes {
		to = leavesOf(to, cause)
	}
	return to
}

// pointer is the JSON pointer of a path.
func pointer(path []string) string {
	var b strings.Builder
	for _, name := range path {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return b.String()
}
