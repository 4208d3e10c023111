package jsontext

import (
	"bytes"
	"strings"
	"testing"
)

// TestSorted is a table of texts in another order than a schema's. What the order does not reach
// stays as it is, and no text is changed in place.
func TestSorted(t *testing.T) {
	order := DeclaredOrder([]byte(`{"properties": {"b": {"properties": {"x": true, "y": 1}}, "a": {}, "properties": {"type": "string"}}, "$defs": {"q": {"properties": {"m": 1, "n": 1, "o": 1}}}}`))
	for _, c := range [][2]string{
		{`{"a": 1, "b": {"y": 1 , "x":2}}`, `{"b": {"x":2 , "y": 1}, "a": 1}`}, {` [ {"n":1,"z":0 , "m":2} ] `, ` [ {"m":2,"n":1 , "z":0} ] `},
		{`{"z": 1, "q": 2}`, `{"z": 1, "q": 2}`}, {`{ }`, `{ }`}, {`[[],{}]`, `[[],{}]`}, {`{"properties" :1, "a" : [ 1 ,2]}`, `{"a" : [ 1 ,2], "properties" :1}`}, {`7`, `7`}, {`{"a:": 1, "a":2 ,"b": 3}`, `{"b": 3, "a":2 ,"a:": 1}`}} {
		before := strings.Clone(c[0])
		text := []byte(c[0])
		if got := string(order.Sorted(text)); got != c[1] || string(text) != before {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}

// TestTogether: keys that several lists declare are put into one order.
func TestTogether(t *testing.T) {
	order := DeclaredOrder([]byte(`{"allOf": [{"properties": {"b": 1, "c": 1}}, {"properties": {"a": 1, "b": 1, "d": 1}}]}`))
	text := []byte(`{"d": 4, "a": 1, "c": 3, "b": 2}`)
	if got := string(order.Together().Sorted(text)); got != `{"b": 2, "c": 3, "a": 1, "d": 4}` {
		t.Errorf("together: %s", got)
	}
	if got := order.Sorted(text); bytes.Equal(got, order.Together().Sorted(text)) {
		t.Errorf("one list alone: %s", got)
	}
	variants := DeclaredOrder([]byte(`{"oneOf": [{"properties": {"b": 1, "x": 1, "a": 1}}, {"properties": {"a": 1, "b": 1}}]}`))
	shortest := variants.ShortestFirst()
	for order, want := range map[*Order]string{&variants: `{"b": 2, "a": 1}`, &shortest: `{"a": 1, "b": 2}`} {
		if got := string(order.Sorted([]byte(`{"b": 2, "a": 1}`))); got != want {
			t.Errorf("variants: %s, want %s", got, want)
		}
	}
	if got := string(Order(nil).Together().Sorted(text)); got != string(text) {
		t.Errorf("no list: %s", got)
	}
}
