// Package must is for tests: what a test needs before it can say anything, or ends.
//
//	g := must.Get(lark.Parse(text, lark.Options{}))(t)
//	must.OK(t, os.WriteFile(path, text, 0o644))
package must

import "testing"

// OK ends a test with an error.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get is a value for a test, which ends if there is an error in its place.
func Get[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		OK(t, err)
		return value
	}
}
