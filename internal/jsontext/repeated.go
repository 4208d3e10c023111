package jsontext

import "slices"

// HasKey reports whether an object of a JSON text, at any depth, has one of the keys.
func HasKey(text []byte, keys []string) bool {
	v, err := parseAll(text)
	return err == nil && v.hasKey(keys)
}

func (v *Value) hasKey(keys []string) bool {
	return slices.ContainsFunc(v.Keys, func(k string) bool { return slices.Contains(keys, k) }) ||
		slices.ContainsFunc(v.Items, func(x *Value) bool { return x.hasKey(keys) })
}

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
