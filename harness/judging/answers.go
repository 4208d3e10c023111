package judging

import (
	"slices"
	"time"

	"gcdbench/harness/judged"
)

// Several texts about one token may have different answers. The answer that says most about the
// token counts; faults in the other texts are counted beside it.

// behindToken marks the cause of a fault that was found after the token.
const behindToken = ", behind the token"

// isLater notes a fault after the token.
func (q *question) isLater(s settled) {
	s.Cause += behindToken
	q.later = append(q.later, &s)
}

// answers are those of several texts about one token.
type answers struct {
	best *settled // says most about the token, with the shortest text
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

// forMore: after the first answer, a question has 1/forMore of its time for more answers.
const forMore = 8

// late reports whether there is an answer, and the time for more is over.
func (h *comparison) late() bool { return !h.until.IsZero() && time.Now().After(h.until) }

// is reports whether the best answer has a class.
func (a *answers) is(class judged.Class) bool { return a.best != nil && a.best.Class == class }

// end makes the best answer the question's. With an answer, the err that ended the search for more
// does not matter. If one text with the token is valid, the fault of an invalid one is after the
// token.
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

// better orders answers about one token. A valid text says more than an invalid one, whose fault
// may be a later token. A text that other judges may call invalid says less.
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
