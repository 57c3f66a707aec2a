package telemetry

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
)

// settings is what the variables OTEL_* ask for. The exporters and the SDK read those that are not here by themselves: addresses, headers,
// certificates, timeouts, intervals, the sampler, limits and attributes of the resource.
type settings struct {
	traces, metrics, logs bool // exported by OTLP
	content               bool
	propagates            bool
	user                  bool // whose run it is
}

// The variables that are read here.
const (
	varDisabled    = "OTEL_SDK_DISABLED"
	varEndpoint    = "OTEL_EXPORTER_OTLP_ENDPOINT"
	varProtocol    = "OTEL_EXPORTER_OTLP_PROTOCOL"
	varPropagators = "OTEL_PROPAGATORS"
	varUser        = "AGENTHOST_TELEMETRY_USER"
	varContent     = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
)

func readSettings(lookup func(name string) (string, bool), endpoint string) (*settings, error) {
	if lookup == nil {
		lookup = os.LookupEnv
	}
	get := func(name string) string {
		value, _ := lookup(name)
		return strings.TrimSpace(value)
	}
	s := &settings{propagates: true}
	if strings.EqualFold(get(varDisabled), "true") {
		return s, nil
	}
	for _, signal := range []struct {
		name string
		on   *bool
	}{{"TRACES", &s.traces}, {"METRICS", &s.metrics}, {"LOGS", &s.logs}} {
		own := "OTEL_EXPORTER_OTLP_" + signal.name
		switch exporter := "OTEL_" + signal.name + "_EXPORTER"; get(exporter) {
		case "otlp":
			*signal.on = true
		case "none":
		case "":
			*signal.on = endpoint != "" || get(varEndpoint) != "" || get(own+"_ENDPOINT") != ""
		default:
			return nil, fmt.Errorf("telemetry: %s is %q; write otlp, or none to send nothing", exporter, get(exporter))
		}
		if *signal.on && endpoint == "" {
			name := varEndpoint
			if get(own+"_ENDPOINT") != "" {
				name = own + "_ENDPOINT"
			}
			if address := get(name); address != "" && !isURL(address) {
				return nil, fmt.Errorf("telemetry: %s is not a URL; write it with its scheme, such as http://localhost:4318", name)
			}
		}
		for _, name := range []string{varProtocol, own + "_PROTOCOL"} {
			if protocol := get(name); *signal.on && protocol != "" && protocol != "http/protobuf" {
				return nil, fmt.Errorf("telemetry: %s is %q; write http/protobuf, which collectors take at port 4318, or unset it", name, protocol)
			}
		}
	}
	switch user := strings.ToLower(get(varUser)); user {
	case "", "false":
	case "true":
		s.user = true
	default:
		return nil, fmt.Errorf("telemetry: %s is %q; write true or false", varUser, user)
	}
	var err error
	if s.propagates, err = propagates(get(varPropagators)); err != nil {
		return nil, err
	}
	s.content, err = wantsContent(get(varContent))
	return s, err
}

// isURL reports whether an exporter can send to an address. OpenTelemetry's exporters take "localhost:4318" for a URL without a host. Errors do not
// quote an address, because it may hold a password.
func isURL(address string) bool {
	parsed, err := url.Parse(address)
	return err == nil && (parsed.Scheme == "http" || parsed.Scheme == "https") && parsed.Host != ""
}

// propagates reads the names of propagators. Of those that most programs have by default, baggage is never passed on: models and the hosts
// of plugins need not know what a client wrote there.
func propagates(text string) (bool, error) {
	if text == "" {
		return true, nil
	}
	names := strings.Split(text, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
		if !slices.Contains([]string{"tracecontext", "baggage", "none"}, names[i]) {
			return false, fmt.Errorf("telemetry: %s names %q; write tracecontext, or none to pass nothing on", varPropagators, names[i])
		}
	}
	return slices.Contains(names, "tracecontext"), nil
}

// wantsContent reads whether content is recorded. The values are those of OpenTelemetry's instrumentations for Python; content goes into spans.
func wantsContent(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "", "false", "no_content":
		return false, nil
	case "true", "span_only":
		return true, nil
	default:
		return false, fmt.Errorf("telemetry: %s is %q; write true or false", varContent, text)
	}
}
