package host

import (
	"context"

	"github.com/agenthost/agenthost/abi/wire"
)

// Store keeps values beyond threads: what an agent remembers of a user, for example. A namespace is a path such as
// {"users", "42"}. Its methods may be called from several goroutines at once.
type Store interface {
	Get(ctx context.Context, namespace []string, key string) (value wire.Raw, ok bool, err error)
	Put(ctx context.Context, namespace []string, key string, value wire.Raw) error
	Delete(ctx context.Context, namespace []string, key string) error
}
