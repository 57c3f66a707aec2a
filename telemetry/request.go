//go:build !no_otel

package telemetry

import (
	"net/http"
	"slices"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/agenthost/agenthost/host/tracecontext"
)

// Observe records requests to a server. What happens in a request belongs to the trace that its headers name, or to a new one, and so do the runs
// that it asks for. route returns the pattern of a request, such as "/threads/{id}"; "" if there is none. A nil Telemetry returns next.
func (t *Telemetry) Observe(next http.Handler, route func(r *http.Request) string) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.tracer.request(w, r, next, route(r)) })
}

// methods are the methods that metrics name; each other one is _OTHER.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodOptions, http.MethodConnect, http.MethodTrace,
}

func (t *tracer) request(w http.ResponseWriter, r *http.Request, next http.Handler, route string) {
	method := r.Method
	if !slices.Contains(methods, method) {
		method = "_OTHER"
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	common := append([]attribute.KeyValue{attribute.String(attrMethod, method), attribute.String(attrScheme, scheme)}, named(attrRoute, route)...)
	ctx := tracecontext.With(r.Context(), tracecontext.OfHeader(r.Header))
	ctx, span := t.begin(ctx, spanName(method, route), trace.SpanKindServer, nil, append(named(attrPath, r.URL.Path), common...)...)
	noted := &statusWriter{ResponseWriter: w}
	defer func() {
		status := noted.answered()
		span.SetAttributes(attribute.Int(attrStatus, status))
		common = append(common, attribute.Int(attrStatus, status))
		if status >= http.StatusInternalServerError {
			kind := attribute.String(attrErrorType, strconv.Itoa(status))
			span.SetStatus(codes.Error, "")
			span.SetAttributes(kind)
			common = append(common, kind)
		}
		t.meters.request.Record(ctx, span.end(), with(common))
	}()
	next.ServeHTTP(noted, r.WithContext(ctx))
}

// statusWriter notes the status of an answer.
type statusWriter struct {
	http.ResponseWriter

	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK { // others are only on the way
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets [http.ResponseController] reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// answered returns the status. net/http answers 200 for a handler that names none.
func (w *statusWriter) answered() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}
