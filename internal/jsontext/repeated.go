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
func RepeatsKey(text []byte) bool { return RepeatedKey(text) >= 0 }

// RepeatedKey is where in a JSON text a key begins that its object had before; -1 for nowhere.
func RepeatedKey(text []byte) (at int) {
	v, err := parseAll(text)
	if err != nil {
		return -1
	}
	return v.repeated(text)
}

// repeated is RepeatedKey of a value of the text.
func (v *Value) repeated(text []byte) (at int) {
	seen := map[string]bool{}
	at = v.From
	for i, x := range v.Items {
		if v.Kind == Object {
			if seen[v.Keys[i]] {
				return SkipSpace(text, SkipSpace(text, at)+1) // behind a comma
			}
			seen[v.Keys[i]] = true
		}
		if inside := x.repeated(text); inside >= 0 {
			return inside
		}
		at = x.To
	}
	return -1
}
