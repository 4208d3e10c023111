package algorithms

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var registered = map[string]Algorithm{}

// Register makes an algorithm known by its name. It is called from init functions and panics if the
// name is taken: two packages that claim one name are a mistake in the program.
func Register(a Algorithm) {
	if _, ok := registered[a.Name()]; ok {
		panic("algorithms: " + a.Name() + " is registered twice")
	}
	registered[a.Name()] = a
}

// Lookup finds an algorithm by name.
func Lookup(name string) (Algorithm, error) {
	if a, ok := registered[name]; ok {
		return a, nil
	}
	return nil, fmt.Errorf("there is no algorithm %q; there are: %s", name, strings.Join(Names(), ", "))
}

// Names lists the registered algorithms: naive first, as the one the others are compared with, then
// the rest by name.
func Names() []string {
	names := make([]string, 0, len(registered))
	for name := range registered {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if (a == "naive") != (b == "naive") {
			if a == "naive" {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return names
}

// OptionInfo describes one option of an algorithm.
type OptionInfo struct {
	Name    string
	Default string
	// Values are the values allowed; empty means any that Check accepts.
	Values []string
	// Check validates a value when Values is empty; nil accepts everything.
	Check func(value string) error
	Help  string
}

// Options are the values given to an algorithm's options, by name. A nil map means all defaults.
type Options map[string]string

// FormOption is the option of algorithms that exist both as their paper publishes them and as they
// are engineered here. Its help says in a sentence how the forms differ. Both give the same masks.
const FormOption = "form"

// The values of FormOption.
const (
	FormEngineered = "engineered"
	FormPublished  = "published"
)

// FormInfo describes FormOption, whose default is FormEngineered. differ says how the forms differ.
func FormInfo(differ string) OptionInfo {
	return OptionInfo{Name: FormOption, Default: FormEngineered, Values: []string{FormEngineered, FormPublished}, Help: differ}
}

// CheckForm refuses options beside form=published that do not have their default, since that form
// has none of the ideas that they turn on or off; also lists those that it has all the same.
func CheckForm(a Algorithm, full Options, also ...string) error {
	if full[FormOption] != FormPublished {
		return nil
	}
	for _, info := range a.Options() {
		if info.Name != FormOption && full[info.Name] != info.Default && !slices.Contains(also, info.Name) {
			return fmt.Errorf("algorithm %s: the option %s=%s goes with %s=%s only", a.Name(), info.Name, full[info.Name], FormOption, FormEngineered)
		}
	}
	return nil
}

// Resolve checks options against an algorithm's description and fills in the defaults.
func Resolve(a Algorithm, given Options) (Options, error) {
	infos := a.Options()
	full := Options{}
	for _, info := range infos {
		full[info.Name] = info.Default
	}
	for name, value := range given {
		i := slices.IndexFunc(infos, func(info OptionInfo) bool { return info.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("algorithm %s has no option %q; it has: %s", a.Name(), name, optionNames(infos))
		}
		if err := infos[i].check(value); err != nil {
			return nil, fmt.Errorf("algorithm %s, option %s: %w", a.Name(), name, err)
		}
		full[name] = value
	}
	return full, nil
}

func (info *OptionInfo) check(value string) error {
	switch {
	case len(info.Values) > 0 && !slices.Contains(info.Values, value):
		return fmt.Errorf("%q is not one of %s", value, strings.Join(info.Values, ", "))
	case len(info.Values) == 0 && info.Check != nil:
		return info.Check(value)
	}
	return nil
}

// WholeNumber is the Check of an option that is a number, of MiB say, from low to 2^20.
func WholeNumber(low int) func(value string) error {
	const high = 1 << 20
	return func(value string) error {
		if n, err := strconv.Atoi(value); err != nil || n < low || n > high {
			return fmt.Errorf("%q is not a whole number from %d to %d", value, low, high)
		}
		return nil
	}
}

func optionNames(infos []OptionInfo) string {
	if len(infos) == 0 {
		return "none"
	}
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name
	}
	return strings.Join(names, ", ")
}

// Bool is the value of an on/off option.
func (o Options) Bool(name string) bool { return o[name] == "true" || o[name] == "on" }

// Int is the value of a numeric option, 0 if it is none; OptionInfo.Check should have refused it.
func (o Options) Int(name string) int {
	n, err := strconv.Atoi(o[name])
	if err != nil {
		return 0
	}
	return n
}
