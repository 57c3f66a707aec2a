package store

import "time"

// Option changes how a store works when it is made.
type Option func(*Options)

// Options holds the values of a store's options, for its implementation.
type Options struct{ clock func() time.Time }

// Clock sets the store's source of time, instead of [time.Now]. It may be called concurrently. If several processes share a
// store, their clocks must agree as closely as expiry needs to be accurate.
func Clock(now func() time.Time) Option { return func(o *Options) { o.clock = now } }

// NewOptions applies options to the defaults.
func NewOptions(options ...Option) *Options {
	o := &Options{clock: time.Now} //nolint:forbidigo // the default, see Clock
	for _, set := range options {
		set(o)
	}
	return o
}

// Now returns the time by the store's clock, as [Moment] rounds it.
func (o *Options) Now() time.Time { return Moment(o.clock()) }
