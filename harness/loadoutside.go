package harness

import (
	"context"

	"gcdbench/harness/load"
)

// serveOutside has an engine from outside serve a load in its own process.
func (s *serving) serveOutside(ctx context.Context, e *entry, c *load.Cell, settings *load.Settings, requests []load.Request, w load.Window) error {
	return &failure{outcome: "unsupported", detail: "not yet"}
}
