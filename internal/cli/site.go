package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"gcdbench/reports/site"
)

// siteCommand makes a web site of results.
func (a *app) siteCommand() *cobra.Command {
	var out, address string
	cmd := newCommand("site", some("which results? a directory of 'gcdbench run', or a file of 'gcdbench report --format json'"), func(cmd *cobra.Command, args []string) error {
		if out == "" && address == "" {
			return errors.New("where to? --out SITE writes the site, --serve localhost:8080 shows it")
		}
		if address != "" {
			if err := loopback(address); err != nil {
				return err
			}
		}
		results, err := site.Load(args...)
		if err != nil {
			return err
		}
		if out == "" {
			if out, err = os.MkdirTemp("", "gcdbench-site"); err != nil {
				return err
			}
			defer os.RemoveAll(out)
		}
		files, err := site.Write(out, results)
		if err != nil {
			return err
		}
		a.note("%d pages and files of %d results", len(files), len(results))
		if address == "" {
			_, err := fmt.Fprintln(a.out, filepath.Join(out, "index.html"))
			return err
		}
		return a.serve(cmd.Context(), address, out)
	})
	cmd.Flags().StringVar(&out, "out", "", "write the site into this directory")
	cmd.Flags().StringVar(&address, "serve", "", "show the site on this address of this machine, such as localhost:8080 (port 0: any that is free)")
	return cmd
}

// loopback refuses an address that other machines can reach: results may name private documents.
func loopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--serve %s: expected HOST:PORT, such as localhost:8080", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--serve %s: only addresses of this machine are served, such as localhost:8080; for others put the files of --out on a web server", address)
	}
	return nil
}

// serve shows a directory until the context ends.
func (a *app) serve(ctx context.Context, address, dir string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("--serve %s: %w", address, err)
	}
	server := &http.Server{Handler: http.FileServer(http.Dir(dir)), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	fmt.Fprintf(a.out, "http://%s/\n", listener.Addr())
	a.note("until it is interrupted (Ctrl-C)")
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
