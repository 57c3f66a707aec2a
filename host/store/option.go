package store

import "time"

// Option changes how a store works, when it is made.
type Option func(*Options)

// Options are what the options of a store set; its implementation looks at them.
type Options struct{ clock func() time.Time }

// Clock sets where the store takes the time from, in place of [time.Now]. It may be called from several goroutines at once.
// Where several processes have one store, their clocks should agree about as well as entries are to expire on time.
func Clock(now func() time.Time) Option { return func(o *Options) { o.clock = now } }

// NewOptions returns what options set.
func NewOptions(options ...Option) *Options {
	o := &Options{clock: time.Now} //nolint:forbidigo // the default, see Clock
	for _, set := range options {
		set(o)
	}
	return o
}

// Now returns the time by the store's clock, as [Moment] makes it.
func (o *Options) Now() time.Time { return Moment(o.clock()) }
