package algorithms

import "context"

// progressKey is the key under which a context carries a progress function.
type progressKey struct{}

// WithProgress returns a context with which Compile tells report how far it is: the stage it is at,
// and how much of it is done. report is called often and from Compile's goroutine, so it should be
// quick.
func WithProgress(ctx context.Context, report func(stage string, done, total int)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// Step belongs into the loops of offline work: it reports progress to a listener and returns ctx's
// error, so that one call lets a compile be watched and cancelled. It takes some nanoseconds.
func Step(ctx context.Context, stage string, done, total int) error {
	if report, ok := ctx.Value(progressKey{}).(func(string, int, int)); ok {
		report(stage, done, total)
	}
	return ctx.Err()
}
