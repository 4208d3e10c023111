package judging

import (
	"slices"
	"time"

	"gcdbench/harness/judged"
)

// Several texts about one token may have different answers. The one that says most about the token is
// its answer; faults that the others show are counted beside it.

// behindToken marks the cause of a fault that was found behind the token.
const behindToken = ", behind the token"

// isLater notes a fault behind the token.
func (q *question) isLater(s settled) {
	s.Cause += behindToken
	q.later = append(q.later, &s)
}

// answers are those of several texts about one token.
type answers struct {
	best *settled // the one that says most about the token, the shortest text of it
	all  []*settled
}

// ask adds the answer that judge gives, as a question of its own.
func (a *answers) ask(q *question, judge func(one *question) error) error {
	one := *q
	one.found, one.later = settled{}, nil
	one.found.Document = q.document
	err := judge(&one)
	q.later = append(q.later, one.later...)
	if err != nil {
		return err
	}
	a.all = append(a.all, &one.found)
	if a.best == nil || one.found.better(a.best) {
		a.best = &one.found
	}
	if a.best.Class != judged.Undecided && q.until.IsZero() {
		q.until = time.Now().Add(q.opt.Timeout / forMore)
	}
	return nil
}

// forMore is the part of a question's time that is left for more answers once there is one.
const forMore = 8

// late reports whether there is an answer, and the time for more of them is over.
func (h *hearing) late() bool { return !h.until.IsZero() && time.Now().After(h.until) }

// is reports whether the best answer is of a class.
func (a *answers) is(class judged.Class) bool { return a.best != nil && a.best.Class == class }

// end makes the best answer the question's. If there is one, err, which ended the search for more,
// does not matter. A text that is invalid although another one with the token is valid has gone wrong
// behind the token.
func (a *answers) end(q *question, err error) error {
	if a.best == nil || err != nil && a.best.Class == judged.Undecided {
		return err
	}
	q.found = *a.best
	for _, s := range a.all {
		if s.Class == judged.AdmitsInvalid && q.found.Class != judged.AdmitsInvalid && q.found.Class != judged.Undecided {
			q.isLater(*s)
		}
	}
	return nil
}

// better orders answers about one token: a valid text says more about it than an invalid one,
// which may have gone wrong later, and one that others may call invalid says less than one that
// nobody does.
func (s *settled) better(o *settled) bool {
	rank := func(s *settled) int {
		order := []judged.Class{judged.Undecided, judged.AdmitsInvalid, judged.Convention, judged.ExcludesValid}
		n := 2 * slices.Index(order, s.Class)
		if s.Cause == conventionTwice || s.Cause == conventionSurrogate {
			n--
		}
		return n
	}
	if a, b := rank(s), rank(o); a != b {
		return a > b
	}
	return len(s.WitnessBytes) < len(o.WitnessBytes)
}
