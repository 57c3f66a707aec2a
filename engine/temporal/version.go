package temporal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/agenthost/agenthost/runs"
)

// Version returns the version of workers that have these agents: it names the programs of all of them, with the digests of their plugins. A run goes on only
// with the program that it began with.
func Version(agents map[string]runs.Agent) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		agent := agents[name]
		_, _ = fmt.Fprintf(sum, "%q %s\n", name, agent.Program().Digest)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// ErrNoVersion is the error of a version of which Temporal has seen no worker yet.
var ErrNoVersion = errors.New("no worker of this version has come to Temporal yet; start one, and try again")

// Current returns the version on which new threads begin; "": none yet.
func Current(ctx context.Context, config Config) (string, error) {
	handle := config.Client.WorkerDeploymentClient().GetHandle(config.queue())
	found, err := handle.Describe(ctx, client.WorkerDeploymentDescribeOptions{})
	var missing *serviceerror.NotFound
	switch {
	case errors.As(err, &missing):
		return "", nil
	case err != nil:
		return "", err
	}
	if current := found.Info.RoutingConfig.CurrentVersion; current != nil {
		return current.BuildID, nil
	}
	return "", nil
}

// Promote lets new threads begin on workers of a version. Threads that are under way stay on theirs. The error may be [ErrNoVersion].
func Promote(ctx context.Context, config Config, version string) error {
	handle := config.Client.WorkerDeploymentClient().GetHandle(config.queue())
	_, err := handle.SetCurrentVersion(ctx, client.WorkerDeploymentSetCurrentVersionOptions{BuildID: version})
	var missing *serviceerror.NotFound
	var early *serviceerror.FailedPrecondition
	if errors.As(err, &missing) || errors.As(err, &early) {
		return fmt.Errorf("%w: %s: %w", ErrNoVersion, version, err)
	}
	return err
}

// promoteFirst promotes the version of a worker if there is none yet: otherwise nothing would ever begin. Later versions are promoted by a person, or by
// whoever deploys them, because an old worker that restarts must not bring its version back.
func (w *Worker) promoteFirst(ctx context.Context) {
	version := Version(w.agents)
	for {
		current, err := Current(ctx, w.config)
		switch {
		case err == nil && current == version:
			return
		case err == nil && current != "":
			w.log.Info("new threads begin on another version until you promote this one", "version", version, "current", current)
			return
		case err == nil:
			if err = Promote(ctx, w.config, version); err == nil {
				w.log.Info("new threads begin on this version", "version", version)
				return
			}
		}
		if ctx.Err() != nil {
			return
		}
		if !errors.Is(err, ErrNoVersion) {
			w.log.Warn("the version cannot be promoted; trying again", "version", version, "error", err)
		}
		timer := time.NewTimer(time.Second) //nolint:forbidigo // Temporal answers in real time
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}
