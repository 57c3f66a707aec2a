//go:build !no_serve

package served

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/notify"
)

// Ready tells systemd that the process does its work, and when ctx ends, it tells systemd and the log that the process stops. The function that it returns
// ends that.
func Ready(ctx context.Context, drain time.Duration, log *slog.Logger) (stop func() bool) {
	tell := func(state string) {
		if err := notify.Send(os.Getenv("NOTIFY_SOCKET"), state); err != nil {
			log.Warn(err.Error())
		}
	}
	tell(notify.Ready)
	return context.AfterFunc(ctx, func() {
		log.Info("stopping: runs stop after their present step", "at most", drain.String())
		tell(notify.Stopping)
	})
}
