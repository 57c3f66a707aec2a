// Package telemetry records runs with OpenTelemetry: traces, metrics and logs with the ids of traces.
//
// [Open] reads the variables OTEL_*, as every program with OpenTelemetry does, and sends what it records to a collector by OTLP over HTTP.
// If no variable asks for that, it returns nil, and all methods of a nil [Telemetry] do nothing: an agent without a tracer spends nothing
// on tracing.
//
// A Telemetry is used in four places. [Telemetry.Tracer] is the tracer of agents. [Telemetry.LogHandler] adds the ids of the present trace to
// records of a logger. [Telemetry.Observe] is about the requests to a server, whose traces runs continue. [Telemetry.Metrics] serves the metrics
// to Prometheus.
//
// What models and tools are told and say is content. It is recorded only if somebody asks for it, and only as it is after the hooks of
// middleware: a middleware that redacts a message redacts it here, too. Package host tells what middleware did through
// [host.Hooks.TracePolicy], and the texts of errors are never recorded, because they may quote content.
//
// The names of attributes and metrics are in one file, names.go. A test compares them with the registry of the semantic conventions.
package telemetry
