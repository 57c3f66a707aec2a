package kv

import (
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/store"
)

// The errors that every store may return: those of the host's stores.
var (
	ErrInvalid  = store.ErrInvalid
	ErrConflict = store.ErrConflict
	ErrQuota    = store.ErrQuota
)

// Status returns how a host answers a guest. An error from elsewhere becomes [abi.StatusFailed].
func Status(err error) abi.Status {
	switch {
	case err == nil:
		return abi.StatusOK
	case errors.Is(err, ErrInvalid):
		return abi.EINVAL
	case errors.Is(err, ErrConflict):
		return abi.ECONFLICT
	case errors.Is(err, ErrQuota):
		return abi.ELIMIT
	default:
		return abi.StatusFailed
	}
}

// Limits that no quota changes, in bytes.
const (
	MaxKey   = store.MaxKey
	MaxValue = 1 << 20
)

// Check reports an invalid namespace. Every method of a store calls it first.
func (n Namespace) Check() error {
	if n.Plugin == "" {
		return fmt.Errorf("%w: the namespace names no plugin", ErrInvalid)
	}
	if n.Scope == abi.ScopePlugin {
		if n.ID != "" {
			return fmt.Errorf("%w: a namespace with the scope plugin has no id", ErrInvalid)
		}
		return nil
	}
	return checkOwner(n.Scope, n.ID)
}

// checkOwner reports a scope and id that do not identify a run or thread.
func checkOwner(scope abi.Scope, id string) error {
	switch {
	case scope != abi.ScopeRun && scope != abi.ScopeThread:
		return fmt.Errorf("%w: the scope is %q; use run or thread", ErrInvalid, scope)
	case id == "":
		return fmt.Errorf("%w: the scope %s needs an id", ErrInvalid, scope)
	default:
		return nil
	}
}

// checkPut reports an invalid namespace, or a value that is too large for any quota.
func checkPut(ns Namespace, value []byte) error {
	if err := ns.Check(); err != nil {
		return err
	}
	if len(value) > MaxValue {
		return fmt.Errorf("%w: the value has %d bytes; the limit is %d", ErrQuota, len(value), MaxValue)
	}
	return nil
}
