package jsontext

import "slices"

// RepeatsKey reports whether an object of a JSON text has a key twice. The keys "a" and "\u0061"
// are equal.
func RepeatsKey(text []byte) bool {
	v, err := parseAll(text)
	return err == nil && v.repeats()
}

// repeats reports whether an object in v has a key twice.
func (v *Value) repeats() bool {
	seen := map[string]bool{}
	for _, key := range v.Keys {
		if seen[key] {
			return true
		}
		seen[key] = true
	}
	return slices.ContainsFunc(v.Items, (*Value).repeats)
}
