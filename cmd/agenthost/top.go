//go:build !no_serve

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/live"
	"github.com/agenthost/agenthost/internal/httptransport"
)

// topFlags say what is shown, and how often.
type topFlags struct {
	interval time.Duration
	count    int
	hooks    int
	output   string
}

func (a *app) topCommand() *cobra.Command {
	f := &topFlags{}
	c := &cobra.Command{
		Use:   "top [URL] [flags]",
		Short: "Show what a server does at the moment",
		Long: `Show, every two seconds, how many runs a server performs, how many model calls, tool calls and tokens that is
a second, and which hooks take the most time, with the fuel and the faults of plugins. URL is the address
of metrics.listen in the server's serve.yaml; default: http://127.0.0.1:9464. TIME is the share of one
processor or of waiting; the hooks around a call count with the call. Ctrl-C ends it.

If standard output is not a terminal, one sample is written.`,
		Example: `  agenthost top
  agenthost top http://10.0.0.7:9464 --interval 10s
  agenthost top --output json --count 1`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return arguments("[URL]")(c, args)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			address := "http://127.0.0.1:9464"
			if len(args) > 0 {
				address = args[0]
			}
			return a.top(c, f, address)
		},
	}
	c.Flags().DurationVar(&f.interval, "interval", 2*time.Second, "the `DURATION` between two readings of the metrics")
	c.Flags().IntVar(&f.count, "count", 0, "end after this `NUMBER` of samples")
	c.Flags().IntVar(&f.hooks, "hooks", 20, "the `NUMBER` of hooks to show")
	c.Flags().StringVarP(&f.output, "output", "o", "text", "the output `FORMAT`: text, or json with a line for each sample")
	return c
}

func (f *topFlags) check() error {
	switch {
	case f.interval < 100*time.Millisecond:
		return fmt.Errorf("--interval %v: the duration must be at least 100ms", f.interval)
	case f.count < 0:
		return fmt.Errorf("--count %d: the number must not be negative", f.count)
	case f.hooks < 1:
		return fmt.Errorf("--hooks %d: the number must be at least 1", f.hooks)
	case f.output != "text" && f.output != "json":
		return fmt.Errorf("--output %q: the formats are text and json", f.output)
	}
	return nil
}

func (a *app) top(c *cobra.Command, f *topFlags, address string) error {
	at, err := url.Parse(address)
	if err == nil && (at.Host == "" || at.Scheme != "http" && at.Scheme != "https") {
		err = fmt.Errorf("%q is not an address; write it as http://127.0.0.1:9464", address)
	}
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if strings.Trim(at.Path, "/") == "" {
		at.Path = "/metrics"
	}
	transport := httptransport.New()
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 10 * time.Second}
	if f.count == 0 && !a.watched {
		f.count = 1
	}
	ctx := c.Context()
	before, err := readMetrics(ctx, client, at.String())
	ticker := time.NewTicker(f.interval)
	defer ticker.Stop()
	for n := 0; err == nil && (f.count == 0 || n < f.count); n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		var now *live.Reading
		if now, err = readMetrics(ctx, client, at.String()); err == nil {
			err = a.showSample(f, now.Since(before))
			before = now
		}
	}
	if err != nil && ctx.Err() == nil {
		return &exitError{exitFailed, fmt.Errorf("top: %w", err)}
	}
	return nil
}

func readMetrics(ctx context.Context, client *http.Client, address string) (_ *live.Reading, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%w; is metrics.listen set in serve.yaml?", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s; name the address in metrics.listen of serve.yaml", address, resp.Status)
	}
	return live.Read(http.MaxBytesReader(nil, resp.Body, 64<<20), time.Now())
}

func (a *app) showSample(f *topFlags, s *live.Sample) error {
	if f.output == "json" {
		return json.NewEncoder(a.out).Encode(s)
	}
	var page bytes.Buffer
	if a.watched {
		page.WriteString("\x1b[H\x1b[2J") // the top of an empty screen
	}
	if err := live.Draw(&page, s, f.hooks); err != nil {
		return err
	}
	_, err := a.out.Write(page.Bytes())
	return err
}
