package must

import (
	"errors"
	"testing"
)

// tester is a test of which it is told how it ended.
type tester struct {
	testing.TB
	said []any
}

func (*tester) Helper()             {}
func (t *tester) Fatal(said ...any) { t.said = said }

// TestMust: an error ends the test with it, and without one there is the value.
func TestMust(t *testing.T) {
	wrong := errors.New("wrong")
	for _, err := range []error{nil, wrong} {
		var all tester
		OK(&all, err)
		if got := Get(7, err)(&all); got != 7 || (len(all.said) == 1 && all.said[0] == error(wrong)) != (err != nil) {
			t.Errorf("%v: %d, said %v", err, got, all.said)
		}
	}
}

// TestPatience: as many questions are answered with nothing as it has patience for.
func TestPatience(t *testing.T) {
	c := &Patience{Context: t.Context(), Left: 2}
	for i := range 4 {
		if err := c.Err(); (err != nil) != (i >= 2) || c.Asked != i+1 {
			t.Errorf("question %d: %v, %d asked", i+1, err, c.Asked)
		}
	}
}
