package plugin

import "time"

// Limits bound what one plugin may use. A zero field means the value of [DefaultLimits].
type Limits struct {
	Memory    int64         // memory of one instance, in bytes
	Fuel      int64         // fuel per call of a hook; package meter defines the costs
	Deadline  time.Duration // limit for the guest's own time in one call of a hook, without the time spent in next
	Input     int           // size of a document that a hook receives, in bytes
	Result    int           // size of a document that a guest writes, in bytes
	HostCalls int           // number of calls of host_call in one call of a hook and the tool calls that it makes
	Wait      time.Duration // limit for the time that one call of a hook waits for its operations; the last one is not cut off
	Next      int           // number of calls of next in one call of a hook
	Log       int           // size of the text that one call of a hook may log, in bytes
	Events    int           // size of the events that one call of a hook may emit, in bytes; an event counts as 512 and its data
	State     int64         // size of the results with which the plugin's hooks and tools may change one run, in bytes
	Instances int           // number of calls of the plugin's hooks that can run at once
}

// DefaultLimits are the limits of a plugin unless others are configured.
var DefaultLimits = Limits{
	Memory: 64 << 20, Fuel: 1_000_000_000, Deadline: 2 * time.Second, Input: 4 << 20, Result: 1 << 20, HostCalls: 10_000, Wait: 10 * time.Minute,
	Next: 10, Log: 64 << 10, Events: 1 << 20, State: 64 << 20, Instances: 8,
}

const pageSize = 64 << 10

func (l Limits) withDefaults() Limits {
	d := DefaultLimits
	l.Memory = orDefault(l.Memory, d.Memory)
	l.Fuel = orDefault(l.Fuel, d.Fuel)
	l.Deadline = orDefault(l.Deadline, d.Deadline)
	l.Input = orDefault(l.Input, d.Input)
	l.Result = orDefault(l.Result, d.Result)
	l.HostCalls = orDefault(l.HostCalls, d.HostCalls)
	l.Next = orDefault(l.Next, d.Next)
	l.Wait = orDefault(l.Wait, d.Wait)
	l.Log = orDefault(l.Log, d.Log)
	l.Events = orDefault(l.Events, d.Events)
	l.State = orDefault(l.State, d.State)
	l.Instances = orDefault(l.Instances, d.Instances)
	return l
}

func orDefault[T int | int64 | time.Duration](v, d T) T {
	if v <= 0 {
		return d
	}
	return v
}
