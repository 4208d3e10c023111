package load

import (
	"fmt"
	"runtime"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

// step makes a step of the batch: the model's, and the masks beside it.
func (l *Loop) step() (err error) {
	begin := l.now()
	tokens, prompts := l.tokens()
	model := int64(l.ModelNS(l.live, prompts))
	var masks int64
	if l.Masks == config.After {
		err = l.during(begin + model)
	}
	if !l.None && err == nil {
		masks, err = l.mask(tokens)
	}
	switch {
	case err != nil:
		return err
	case l.Masks == config.Overlapped:
		err = l.during(begin + model)
	case l.Masks == config.Before:
		err = l.during(l.now() + model)
	}
	l.give(model, masks)
	return err
}

// ModelNS is how long the model takes for a step of n generations that reads so many prompts.
func (s *Settings) ModelNS(n int, prompts float64) float64 {
	return s.StepNS[n-1] + max(0, prompts*s.PrefillNS-s.SlackNS[n-1])
}

// mask commits the last tokens and makes the masks of the batch. The error is an engine's panic.
func (l *Loop) mask(tokens []int32) (took int64, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked(v)
		}
	}()
	return int64(l.slots.Step(tokens)), nil
}

// panicked is the error of a panic.
func panicked(v any) error { return fmt.Errorf("panic: %v", v) }

// tokens are what the places do in a step, and how many prompts are read, with pieces of them. As
// in vLLM, generations come first, and prompts get what is left of the step's tokens; here one at
// least.
func (l *Loop) tokens() (tokens []int32, prompts float64) {
	tokens = make([]int32, len(l.places))
	left := l.StepTokens - l.live
	for i := range l.places {
		p := &l.places[i]
		if p.request >= 0 && p.position == 0 && p.unread > 0 {
			piece := min(p.unread, max(1, left))
			p.unread, left = p.unread-piece, left-piece
			prompts += float64(piece) / float64(l.Prompt)
		}
		switch {
		case p.request < 0 || p.unread > 0:
			tokens[i] = measure.Empty
		case p.position == 0:
			if p.compiled != nil && !l.slots.Busy(i) {
				l.slots.Hold(i, p.compiled.Engine)
			}
			tokens[i] = measure.Begins
		default:
			tokens[i] = l.Requests[p.request].Tokens[p.position-1]
		}
	}
	return tokens, prompts
}

// early is how long before a deadline the server is awake: sleeps end some 60 us late.
const early = 80 * time.Microsecond

// short is the time before the end of a step in which nothing is begun.
const short = time.Millisecond

// during is what the server does while the model computes: it weighs engines, has them build what
// the next masks need, and sleeps.
func (l *Loop) during(until int64) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked(v)
		}
	}()
	busy := until - short.Nanoseconds()
	for first := true; len(l.grown) > 0 && (first || l.now() < busy); first = false {
		l.weighOne()
	}
	if !l.None {
		l.slots.Idle(func() bool { return l.now() < busy })
	}
	deadline := l.begin + time.Duration(until)
	if wait := deadline - environment.Now() - early; wait > 0 {
		environment.Nap(wait) // no timer of Go, for which whoever computes lets others wait
	}
	for environment.Now() < deadline {
		runtime.Gosched()
	}
	return nil
}

// weighOne weighs an engine of those that have grown.
func (l *Loop) weighOne() {
	at := len(l.grown) - 1
	grammar, made := l.Requests[l.grown[at].request].Grammar, l.grown[at].compiled
	l.grown[at] = place{}
	l.grown = l.grown[:at]
	bytes := made.Bytes()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cache.Weigh(grammar, bytes)
}

// give gives each generation its token, and notes the step.
func (l *Loop) give(model, masks int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	gap, later, live := now-l.last, 0, 0
	for i := range l.places {
		p := &l.places[i]
		if p.request < 0 {
			continue
		}
		r, s := &l.Requests[p.request], &l.ledger.Requests[p.request]
		if p.position == 0 {
			s.ModelNS += model
		}
		there, refusal := l.slots.Take(i)
		if p.unread > 0 || !there && !l.None {
			continue
		}
		live++
		token := int(r.Tokens[p.position])
		if refusal != nil || p.compiled != nil && !algorithms.MaskOf(l.slots.Row(i), l.Size).Has(token) {
			l.leave(i, Refused, fmt.Sprintf("token %d at position %d", token, p.position))
			continue
		}
		if r.Check == p.position && p.compiled != nil && l.Checked != nil {
			l.Checked(p.request, l.slots.Row(i))
		}
		if p.position == 0 {
			s.First = now
		} else {
			own := now - s.Last
			if own > gap { // it took no part in steps before
				l.ledger.Steps = append(l.ledger.Steps, [5]int64{now, 0, 1, own, 0})
			} else {
				later++
			}
			s.Late += toInt(own > l.ITLNS)
		}
		s.Last = now
		s.Tokens++
		if p.position++; p.position == len(r.Tokens) {
			l.leave(i, OK, "")
		}
	}
	l.last = now
	l.ledger.Steps = append(l.ledger.Steps, [5]int64{now, int64(live), int64(later), gap, masks})
}

// leave ends the generation of a place; l.mu is held.
func (l *Loop) leave(at int, outcome, detail string) {
	p := l.places[at]
	if p.compiled != nil {
		l.grown = append(l.grown, p)
	}
	l.end(p.request, outcome, detail)
	l.places[at] = place{request: -1}
	l.live--
}
