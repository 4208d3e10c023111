package document

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"gcdbench/harness/stats"
	"gcdbench/reports/show"
)

// Figures by their names in the JSON. Tables and CSV declare a figure by its path, so that what is
// measured has one name.

// Field is what a value has at a path of names of its JSON; invalid where there is no figure. It
// panics where a type has no field of a name.
func Field(of any, path string) reflect.Value {
	v := reflect.ValueOf(of)
	for _, name := range strings.Split(path, ".") {
		if v = behind(v); !v.IsValid() {
			return v
		}
		v = member(v, name)
	}
	if v = behind(v); v.Kind() == reflect.Float64 && math.IsNaN(v.Float()) {
		return reflect.Value{}
	}
	return v
}

// behind is what pointers lead to; invalid behind nil, and of an interval or a summary of nothing.
func behind(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.IsValid() && v.Type() == reflect.TypeFor[stats.Interval]() && v.IsZero() {
		return reflect.Value{}
	}
	return v
}

// member is the member of that name.
func member(v reflect.Value, name string) reflect.Value {
	if v.Kind() == reflect.Map {
		return v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key()))
	}
	if v.CanInterface() {
		if of, own := v.Interface().(interface{ Member(name string) float64 }); own {
			return reflect.ValueOf(of.Member(name))
		}
	}
	at := place(v.Type(), name)
	if n := v.FieldByName("N"); n.IsValid() && n.IsZero() && name != "n" { // of no values
		return reflect.Value{}
	}
	out, err := v.FieldByIndexErr(at)
	if err != nil { // in a part that is not there
		return reflect.Value{}
	}
	return out
}

// places are those of fields, by type and name: the same ones are asked for in every row.
var places sync.Map

// place is where a type has the field of a name.
func place(t reflect.Type, name string) []int {
	type key struct {
		of   reflect.Type
		name string
	}
	if at, known := places.Load(key{t, name}); known {
		return at.([]int)
	}
	at := placeOf(t, func(f reflect.StructField) bool { return tagOf(f) == name })
	if at == nil { // a type that has no JSON
		at = placeOf(t, func(f reflect.StructField) bool {
			return tagOf(f) == "" && !f.Anonymous && strings.ToLower(f.Name) == name
		})
	}
	if at == nil {
		panic(t.String() + " has no field " + name)
	}
	places.Store(key{t, name}, at)
	return at
}

// tagOf is the name of a field in the JSON; "" if it has none of its own, or is not there.
func tagOf(f reflect.StructField) string {
	tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.TrimPrefix(tag, "-")
}

// placeOf is where a type, or what is embedded in it, has a field; nil for nowhere.
func placeOf(t reflect.Type, is func(reflect.StructField) bool) []int {
	for i := range t.NumField() {
		if is(t.Field(i)) {
			return []int{i}
		}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type.Kind() == reflect.Pointer {
			f.Type = f.Type.Elem()
		}
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			if inside := placeOf(f.Type, is); inside != nil {
				return append([]int{i}, inside...)
			}
		}
	}
	return nil
}

// NumberIn is a figure as a number; NaN for none.
func NumberIn(v reflect.Value) float64 {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanFloat():
		return v.Float()
	}
	return math.NaN()
}

// Units write a number as tables do, by the name of the unit in tables.txt.
var Units = map[string]func(float64) string{
	"n": func(v float64) string { return show.Count(int(v)) }, "whole": show.Whole, "x": show.Significant, "%": show.Percent, "ns": show.Nanos, "µs": show.Micros, "ms": show.Millis,
	"MiB": func(v float64) string { return show.Megabytes(int64(v)) }, "MiB?": func(v float64) string { return show.MegabytesOrNone(int64(v)) },
}

// Declared is a figure that tables.txt declares: a path for words, a path and a unit, or two paths
// for a part of a whole.
func Declared[T any](head, from string) Figure[T] {
	path, unit, isNumber := strings.Cut(from, " ")
	if !isNumber {
		return Worded(head, func(row T) string {
			if v := Field(row, path); v.IsValid() {
				return v.String()
			}
			return show.None
		})
	}
	if part, all, is := strings.Cut(path, "/"); is {
		return Figure[T]{Head: head, Of: func(row T) string {
			return show.ShareOf(int(NumberIn(Field(row, part))), int(NumberIn(Field(row, all))))
		}}
	}
	write := Units[unit]
	return Figure[T]{Head: head, Of: func(row T) string { return show.NumberOrNone(NumberIn(Field(row, path)), write) }}
}

// Arranged are the columns of a table: those that tables.txt declares, with those of the code where
// it names them by their heads, the others at *, or else first.
func Arranged[T any](t *Table, coded []Figure[T]) (list []Figure[T]) {
	rest := slices.DeleteFunc(slices.Clone(coded), func(f Figure[T]) bool { return slices.Contains(t.declared, f.Head) })
	for _, column := range t.declared {
		head, from, is := strings.Cut(column, " = ")
		i := slices.IndexFunc(coded, func(f Figure[T]) bool { return f.Head == column })
		switch {
		case is:
			list = append(list, Declared[T](head, from))
		case column == "*":
			list, rest = append(list, rest...), nil
		case i >= 0:
			list = append(list, coded[i])
		}
	}
	t.declared = nil
	return append(rest, list...)
}
