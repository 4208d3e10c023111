package harness

import (
	"context"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/load"
	"gcdbench/harness/prepare"
)

// serveOutside has an engine from outside serve a load in its own process, from which nobody takes
// a core.
func (s *serving) serveOutside(ctx context.Context, e *prepare.Entry, c *load.Cell, settings *load.Settings, requests []load.Request, w load.Window) error {
	server, ok := e.Maker.(algorithms.Server)
	if !ok {
		return &bounds.Failure{Outcome: cell.Unsupported, Detail: "its process has no loop that serves requests under load"}
	}
	var problems []*algorithms.Problem
	for grammar := range s.schemas {
		p, err := s.problem(ctx, e, grammar, nil)
		if err != nil {
			return err
		}
		problems = append(problems, p)
	}
	job := &algorithms.Job{Settings: settings, Ledger: new(load.Ledger)}
	for i := range requests {
		job.Requests = append(job.Requests, &requests[i])
	}
	guard := prepare.Of(s.opt.NewGuard(s.cfg), e)
	guard.Timeout = time.Duration(settings.EndNS) + ask.PrepareTime
	err := guard.Call(ctx, e.Label+" under load", func(ctx context.Context) error { return server.Serve(ctx, problems, e.Options, job) })
	if err != nil {
		return err
	}
	ledger := job.Ledger.(*load.Ledger)
	if len(ledger.Requests) != len(requests) {
		return &bounds.Failure{Outcome: cell.Crash, Detail: "its ledger has another number of requests"}
	}
	c.Figures = load.Summarize(ledger, requests, w, &c.Limits)
	return nil
}
