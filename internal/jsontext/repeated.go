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
	p := &parser{src: text}
	_, err := p.document()
	return err == nil && p.twice != nil
}

// ParseUnique is Parse for texts in which no object may have a key twice: that is a *SyntaxError.
func ParseUnique(file string, src []byte) (*Value, error) {
	p := &parser{file: file, src: src}
	v, err := p.document()
	if err == nil {
		err = p.twice
	}
	return v, err
}
