// Package storetest has the tests that every store must pass.
package storetest

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/store"
)

// Run tests the stores that open returns. Each of them must be empty, and must take the time from the function now.
func Run(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(c *check)
	}{
		{"an entry holds what was written", (*check).holds},
		{"what was written or read stays as it is", (*check).isolated},
		{"keys are any text", (*check).keys},
		{"values have any size", (*check).sizes},
		{"what there cannot be is refused", (*check).refuses},
		{"a context that has ended", (*check).ended},
		{"namespaces have nothing in common", (*check).namespaces},
		{"namespaces are listed", (*check).listsNamespaces},
		{"namespaces are listed in pages", (*check).pagesNamespaces},
		{"a namespace is dropped with all under it", (*check).drops},
		{"versions never come back", (*check).versions},
		{"a condition holds for a write", (*check).conditionalPut},
		{"a condition holds for a deletion", (*check).conditionalDelete},
		{"a list has all entries in order", (*check).lists},
		{"a list has pages", (*check).pages},
		{"pages go on while entries change", (*check).pagesUnderChange},
		{"a page with values is not too large", (*check).largePages},
		{"vectors are kept with the value", (*check).vectors},
		{"an entry expires", (*check).expires},
		{"an entry that expired counts for nothing", (*check).expiredIsAbsent},
		{"an entry that expired is replaced", (*check).replacesExpired},
		{"a write decides anew how long an entry lives", (*check).renews},
		{"the quota of bytes", (*check).quotaBytes},
		{"the quota of entries", (*check).quotaEntries},
		{"a lowered quota", (*check).loweredQuota},
		{"of many that write on one condition one does", (*check).race},
		{"many that write keep to the quota", (*check).quotaRace},
		{"namespaces are used at once", (*check).concurrent},
		{"a namespace is dropped while others write to it", (*check).dropRace},
		{"any sequence of operations", (*check).model},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			clock := &clock{now: start}
			test.run(&check{t, open(t, clock.Now), clock})
		})
	}
}

// start is the initial time of the clock.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// clock is a clock that moves only on request.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) wait(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// check is one test of one store.
type check struct {
	t     *testing.T
	store store.Store
	clock *clock
}

// user is the namespace of most tests.
var user = store.Namespace{"users", "42"}

// put writes unconditionally, without expiry.
func (c *check) put(ns store.Namespace, key, value string) uint64 {
	c.t.Helper()
	return c.putFor(ns, key, value, 0)
}

// putFor writes unconditionally.
func (c *check) putFor(ns store.Namespace, key, value string, ttl time.Duration) uint64 {
	c.t.Helper()
	version, err := c.store.Put(c.t.Context(), ns, key, []byte(value), store.PutOptions{TTL: ttl})
	require.NoError(c.t, err)
	return version
}

func (c *check) delete(ns store.Namespace, key string) {
	c.t.Helper()
	require.NoError(c.t, c.store.Delete(c.t.Context(), ns, key, nil))
}

// entry returns an entry that must exist.
func (c *check) entry(ns store.Namespace, key string) store.Entry {
	c.t.Helper()
	e, ok, err := c.store.Get(c.t.Context(), ns, key)
	require.NoError(c.t, err)
	require.True(c.t, ok)
	return e
}

// get returns a value, or "-" if there is no entry.
func (c *check) get(ns store.Namespace, key string) string {
	c.t.Helper()
	e, ok, err := c.store.Get(c.t.Context(), ns, key)
	require.NoError(c.t, err)
	if !ok {
		require.Zero(c.t, e)
		return "-"
	}
	return string(e.Value)
}

func (c *check) drop(ns store.Namespace) {
	c.t.Helper()
	require.NoError(c.t, c.store.Drop(c.t.Context(), ns))
}

func (c *check) list(ns store.Namespace, q store.Query) store.Page[store.Entry] {
	c.t.Helper()
	page, err := c.store.List(c.t.Context(), ns, q)
	require.NoError(c.t, err)
	return page
}

// listed returns the keys of a page.
func (c *check) listed(ns store.Namespace, q store.Query) []string {
	c.t.Helper()
	items := c.list(ns, q).Items
	keys := make([]string, 0, len(items))
	for _, item := range items {
		keys = append(keys, item.Key)
	}
	return keys
}

// spaces returns the first page of the namespaces under one.
func (c *check) spaces(under ...string) []store.Namespace {
	c.t.Helper()
	page, err := c.store.Namespaces(c.t.Context(), under, nil, 0)
	require.NoError(c.t, err)
	return page.Items
}
