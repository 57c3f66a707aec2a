package plugin

import (
	"context"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/host/plugin/internal/contract"
	"github.com/agenthost/agenthost/host/plugin/meter"
)

// What a plugin may use in each of _initialize, describe and configure while it is loaded. This does not depend on its
// limits for hooks.
const (
	loadFuel     = 2_000_000_000
	loadDeadline = 10 * time.Second
)

// Fuel is handed out in slices, each of which should last this long: short enough that a guest stops soon after its
// deadline and does not hold up the host's garbage collector, and long enough that asking for the next slice costs nothing.
const (
	sliceShort = 200 * time.Microsecond
	sliceLong  = 800 * time.Microsecond
	sliceLeast = 4_000
	sliceFirst = 100_000
	sliceMost  = 1_000_000
)

// account is the fuel and the time of one call of a guest. The size of the slices changes nothing: a guest stops when it
// has used more than its limit, at a place in its code that depends on the limit alone.
type account struct {
	limit    int64
	given    int64
	slice    int64 // kept from call to call
	deadline time.Duration
	started  time.Time     // when the time was first checked; zero: not yet
	away     time.Duration // what the host used of the time since then
	last     time.Duration // the guest's own time when it last asked for fuel
	waited   time.Duration // for operations of the host
	work     int           // done by the host for the guest since the last time check, in bytes moved
}

// openAccount fills the account for a call.
func (i *instance) openAccount(limit int64, deadline time.Duration) {
	a := &i.account
	slice := a.slice
	if slice == 0 {
		slice = sliceFirst
	}
	*a = account{limit: limit, slice: slice, deadline: deadline}
	if i.fuel != nil { // not while the module is instantiated: it then starts with none
		a.given = min(slice, limit)
		i.fuel.Set(uint64(a.given))
	}
}

// loaded records what a call used while the plugin is loaded.
func (i *instance) loaded() {
	if i.plugin.specBytes == nil { // up to the first configured instance
		i.plugin.loadFuel += i.used()
	}
}

// used returns the fuel that the call has used so far. It may be slightly low while a loop runs.
func (i *instance) used() uint64 {
	if i.fuel == nil {
		return 0
	}
	return uint64(max(0, i.account.given-int64(i.fuel.Get())))
}

// tick is called by a guest that has run out of fuel. It returns the next slice, or ends the guest.
func (i *instance) tick(left int64) int64 {
	a := &i.account
	used := a.given - left
	a.given = used // reported if the guest ends here
	if i.fuel != nil {
		i.fuel.Set(0)
	}
	if used > a.limit {
		i.stop(KindFuel, fmt.Sprintf("it used up its fuel of %d; %s", a.limit, i.remedy("limits.fuel")))
	}
	if spent := i.checkTime(); spent > 0 {
		a.fit(spent)
	}
	next := min(a.slice, a.limit-used)
	a.given = used + next
	return next
}

// remedy says what the operator can do about a limit. What a plugin may use while it is loaded is fixed.
func (i *instance) remedy(limit string) string {
	if i.frame.rt == nil && i.frame.script == nil {
		return "this limit is fixed while a plugin is loaded, so the module must do less there"
	}
	return "raise " + limit + " if it needs more"
}

// checkTime ends a guest whose time is up or whose run has ended. It returns the time that the guest has had, or 0 if the
// clock starts now.
func (i *instance) checkTime() time.Duration {
	if i.frame.ctx.Err() != nil {
		i.frame.cancelled = fmt.Errorf("plugin %q: %s: %w", i.plugin.name, i.frame.export, context.Cause(i.frame.ctx))
		panic(i.frame.cancelled)
	}
	a := &i.account
	a.work = 0
	now := time.Now()
	if a.started.IsZero() {
		a.started = now
		return 0
	}
	spent := now.Sub(a.started) - a.away
	if spent > a.deadline {
		i.stop(KindDeadline, fmt.Sprintf("it took more than its %v of time; %s", a.deadline, i.remedy("limits.deadline")))
	}
	return spent
}

// workSlice is how much work of the host may pass between two time checks: some ten microseconds.
const workSlice = 256 << 10

// worked records host work for the guest that takes as long as moving this many bytes. It costs the guest time but no fuel:
// a guest that keeps the host busy ends like one that is busy itself.
func (i *instance) worked(bytes int) {
	if i.account.work += bytes; i.account.work > workSlice {
		i.checkTime()
	}
}

// fit adapts the slices to the guest's speed.
func (a *account) fit(spent time.Duration) {
	switch lasted := spent - a.last; {
	case lasted < sliceShort:
		a.slice = min(a.slice*2, sliceMost)
	case lasted > sliceLong:
		a.slice = max(a.slice/2, sliceLeast)
	}
	a.last = spent
}

// leave begins a time that does not count as the guest's, and resume ends it. They are a pair, not a function that calls another one:
// the frames of both would be on the stack of each layer of a chain.
func (i *instance) leave() (left time.Time) {
	if !i.account.started.IsZero() {
		left = time.Now()
	}
	return left
}

func (i *instance) resume(left time.Time) {
	if !left.IsZero() {
		i.account.away += time.Since(left)
	}
}

// encodingTime is how long a listener may take to encode a byte of an event.
const encodingTime = 20 * time.Nanosecond

// listen has listeners take an event with so many bytes of data. The time that they need to encode it counts as the guest's,
// since the guest causes that work; time beyond that is the listeners' own.
func (i *instance) listen(size int, f func()) {
	start := time.Now()
	left := i.leave()
	f()
	i.resume(left)
	if !i.account.started.IsZero() {
		i.account.away -= min(time.Since(start), time.Duration(size)*encodingTime)
	}
}

// waits runs an operation whose time counts against the limit for waiting, and not as the guest's own. It ends a guest that has
// waited longer than that before.
func (i *instance) waits(f func()) {
	if limit := i.plugin.limits.Wait; i.account.waited > limit {
		i.stop(KindDeadline, fmt.Sprintf("it waited more than %v for its operations; raise limits.wait if it needs more", limit))
	}
	start := time.Now()
	left := i.leave()
	f()
	i.resume(left)
	i.account.waited += time.Since(start)
}

// tickFunction returns the function that metered code calls when it has no fuel left.
func tickFunction() contract.Function {
	return contract.Function{
		Module: meter.Module, Name: meter.Tick, Params: []api.ValueType{i64}, Results: []api.ValueType{i64},
		Call: func(ctx context.Context, stack []uint64) { stack[0] = uint64(instanceOf(ctx).tick(int64(stack[0]))) },
	}
}
