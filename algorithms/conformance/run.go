package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/grammar/recognizer"
)

// A Failure is a case that an algorithm got wrong.
type Failure struct {
	Suite, About string
	Build        string   // how the lexer was built
	After        []string // the prefix, by tokens
	Message      string
}

// String names the suite, the prefix and what was wrong.
func (f Failure) String() string {
	return fmt.Sprintf("%s (%s), lexer %s, after %q: %s", f.Suite, f.About, f.Build, f.After, f.Message)
}

// A Result is the outcome of running an algorithm through the suite.
type Result struct {
	Suites, Cases int // run, over both builds of the lexer
	// Unsupported lists the suites that the algorithm declined, with its reason.
	Unsupported []string
	Failures    []Failure
}

// Run holds an algorithm to every suite, with the lexer built ahead and on demand. Beside the masks
// it checks that Commit refuses exactly the tokens a mask leaves out, that a refused Commit changes
// nothing, that a Rollback restores the mask, that clones are independent, and that masks are
// delivered as they are returned.
func Run(ctx context.Context, alg algorithms.Algorithm, options algorithms.Options) Result {
	c, err := Compile(ctx)
	if err != nil {
		return Result{Failures: []Failure{{Message: err.Error()}}}
	}
	return c.Run(ctx, alg, options)
}

// Compiled are the suites with what does not change while they are run: their grammars and
// vocabularies, and the recognizers whose lexers are built ahead.
type Compiled struct {
	suites []Suite
	ahead  []*algorithms.Problem
}

// Compile compiles the suites, for whoever runs them more than once.
func Compile(ctx context.Context) (*Compiled, error) {
	suites, err := Suites()
	if err != nil {
		return nil, err
	}
	c := &Compiled{suites: suites}
	for i := range suites {
		g, v, err := suites[i].Build()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", suites[i].Name, err)
		}
		r, err := recognizer.New(ctx, g, recognizer.Options{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", suites[i].Name, err)
		}
		c.ahead = append(c.ahead, &algorithms.Problem{Recognizer: r, Vocabulary: v})
	}
	return c, nil
}

// Every has one suite of n, by turns from one on.
func (c *Compiled) Every(n, from int) *Compiled {
	part := new(Compiled)
	for i := from % n; i < len(c.suites); i += n {
		part.suites, part.ahead = append(part.suites, c.suites[i]), append(part.ahead, c.ahead[i])
	}
	return part
}

// Run is Run with these suites.
func (c *Compiled) Run(ctx context.Context, alg algorithms.Algorithm, options algorithms.Options) Result {
	var r Result
	full, err := algorithms.Resolve(alg, options)
	if err != nil {
		r.Failures = append(r.Failures, Failure{Message: err.Error()})
		return r
	}
	for i := range c.suites {
		for _, build := range []string{"ahead", "on demand"} {
			problem, err := c.problem(ctx, i, build)
			if err != nil {
				r.Failures = append(r.Failures, Failure{Suite: c.suites[i].Name, Message: err.Error()})
				continue
			}
			runSuite(ctx, &runner{result: &r, suite: &c.suites[i], build: build, problem: problem}, alg, full)
		}
	}
	return r
}

// problem is a suite's. A grammar that grows while it is used is compiled anew for each algorithm.
func (c *Compiled) problem(ctx context.Context, i int, build string) (*algorithms.Problem, error) {
	g, v := c.ahead[i].Grammar, c.ahead[i].Vocabulary
	if g.Demand != nil || g.Embedded != nil {
		var err error
		if g, v, err = c.suites[i].Build(); err != nil {
			return nil, err
		}
	} else if build == "ahead" {
		return c.ahead[i], nil
	}
	r, err := recognizer.New(ctx, g, recognizer.Options{OnDemand: build == "on demand"})
	return &algorithms.Problem{Recognizer: r, Vocabulary: v}, err
}

// runner is one suite being run with one algorithm.
type runner struct {
	result  *Result
	suite   *Suite
	build   string
	problem *algorithms.Problem
	engine  algorithms.Engine
}

func runSuite(ctx context.Context, r *runner, alg algorithms.Algorithm, o algorithms.Options) {
	var err error
	r.engine, err = alg.Compile(ctx, r.problem, o)
	var unsupported *algorithms.UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		r.result.Unsupported = append(r.result.Unsupported, r.suite.Name+": "+unsupported.Reason)
		return
	case err != nil:
		r.fail(nil, "compile: %v", err)
		return
	}
	r.result.Suites++
	for i := range r.suite.Cases {
		r.result.Cases++
		r.run(&r.suite.Cases[i])
	}
}

func (r *runner) fail(after []string, format string, args ...any) {
	r.result.Failures = append(r.result.Failures, Failure{r.suite.Name, r.suite.About, r.build, after, fmt.Sprintf(format, args...)})
}

func (r *runner) run(c *Case) {
	want, err := c.expected(r.problem.Vocabulary)
	if err != nil {
		r.fail(c.After, "%v", err)
		return
	}
	state := r.engine.Start()
	for _, text := range c.After {
		id, err := tokenOf(r.problem.Vocabulary, text)
		if err == nil {
			for len(c.After)%2 == 1 && algorithms.Idle(state) {
			}
			err = state.Commit(id)
		}
		if err != nil {
			r.fail(c.After, "%v", err)
			return
		}
	}
	if got := state.Mask().IDs(nil); !slices.Equal(got, want) {
		r.fail(c.After, "%s", r.difference(got, want))
		return
	}
	if message := Check(state, r.problem.Vocabulary.Len()); message != "" {
		r.fail(c.After, "%s", message)
	}
}

// difference lists the tokens in one of two masks only.
func (r *runner) difference(got, want []int) string {
	var parts []string
	list := func(what string, a, b []int) {
		var texts []string
		for _, id := range a {
			if !slices.Contains(b, id) {
				texts = append(texts, fmt.Sprintf("%d %q", id, r.problem.Vocabulary.Token(id)))
			}
		}
		if len(texts) > 0 {
			parts = append(parts, what+" "+strings.Join(texts, ", "))
		}
	}
	list("wrongly allowed:", got, want)
	list("wrongly masked:", want, got)
	return strings.Join(parts, "; ")
}

// Check is CheckDelivery and CheckCommits.
func Check(state algorithms.State, size int) string {
	if message := CheckDelivery(state); message != "" {
		return message
	}
	return CheckCommits(state, size)
}

// CheckCommits verifies that state commits exactly the tokens of its mask, each on a clone, that a
// refusal is a *algorithms.RefusedError and changes nothing, that a committed token can be taken
// back, and that state itself stays as it was. One id in four, others in each state, is looked at
// closer: by what is delivered before and after. It returns what is wrong, or "".
func CheckCommits(state algorithms.State, size int) string {
	mask := state.Mask().Clone()
	turn := mask.Count()
	for id := -1; id <= size; id++ {
		if message := checkCommit(state.Clone(), mask, id, (id+turn)%4 == 0); message != "" {
			return message
		}
	}
	if !state.Mask().Equal(mask) {
		return "commits on clones changed the mask of the state they were cloned from"
	}
	return ""
}

// checkCommit gives a token to a state with that mask: closely, rows that were delivered before
// must stay as they were, and those delivered afterwards be right.
func checkCommit(s algorithms.State, mask algorithms.Mask, id int, closely bool) (message string) {
	back, ok := s.(algorithms.Rewinder)
	if !ok {
		return fmt.Sprintf("%T cannot take back tokens", s)
	}
	var row delivery
	if closely {
		if row, message = deliver(s, mask); message != "" {
			return "a clone: " + message
		}
	}
	err := s.Commit(id)
	var refused *algorithms.RefusedError
	switch {
	case mask.Has(id) && err != nil:
		return fmt.Sprintf("token %d is in the mask, but Commit refused it: %v", id, err)
	case !mask.Has(id) && err == nil:
		return fmt.Sprintf("token %d is not in the mask, but Commit took it", id)
	case err != nil && !errors.As(err, &refused):
		return fmt.Sprintf("token %d: the refusal is a %T, not a *RefusedError", id, err)
	case closely && err != nil:
		message = checkSame(s, mask)
	case closely:
		message = checkRollback(s, mask, id)
	case err == nil && back.Rollback(1) != nil:
		message = "it was committed, but cannot be taken back"
	case !s.Mask().Equal(mask):
		message = "Mask is another one after it was refused or taken back"
	}
	if message != "" {
		return fmt.Sprintf("token %d (%v): %s", id, err, message)
	}
	if closely && !row.holds(mask) {
		return fmt.Sprintf("token %d was given to Commit, and a row delivered before changed", id)
	}
	return ""
}

// checkRollback takes back the token that was just committed, twice over: the mask must be the one
// before, the token must be taken again, and lead to the same mask again.
func checkRollback(s algorithms.State, before algorithms.Mask, token int) string {
	after := s.Mask().Clone()
	if message := checkSame(s, after); message != "" {
		return "committed: " + message
	}
	if err := s.(algorithms.Rewinder).Rollback(1); err != nil {
		return fmt.Sprintf("token %d was committed, but cannot be taken back: %v", token, err)
	}
	if !s.Mask().Equal(before) {
		return fmt.Sprintf("token %d was taken back, but the mask is not the one before", token)
	}
	if err := s.Commit(token); err != nil || !s.Mask().Equal(after) {
		return fmt.Sprintf("token %d was taken back and committed again (%v), but the mask is another", token, err)
	}
	return ""
}
