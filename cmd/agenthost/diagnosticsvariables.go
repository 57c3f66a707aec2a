package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/internal/mask"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest"
)

// usedVariables collects the variables that a manifest uses. A nil *usedVariables collects nothing.
type usedVariables struct {
	mu     sync.Mutex
	values map[string]string   // by name; "" if a variable has no value
	file   map[string]struct{} // the names in files that env_file names
}

// watching returns options that also tell of variables.
func (v *usedVariables) watching(options manifest.Options) manifest.Options {
	if v == nil {
		return options
	}
	options.LookupEnv = func(name string) (string, bool) {
		value, ok := os.LookupEnv(name)
		v.add(name, value, false)
		return value, ok
	}
	options.EnvFile = func(values map[string]string) {
		for name, value := range values {
			v.add(name, value, true)
		}
	}
	return options
}

func (v *usedVariables) add(name, value string, inFile bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.values == nil {
		v.values, v.file = map[string]string{}, map[string]struct{}{}
	}
	if inFile {
		v.file[name] = struct{}{}
		name += "=" // the environment may have another value
	}
	v.values[name] = value
}

// minSecret is the minimum length in bytes of a hidden value, because shorter ones may be ordinary words.
const minSecret = 6

// short returns the variables named like a secret whose values are too short to be hidden.
func (v *usedVariables) short() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	names := map[string]bool{}
	note := func(name, value string) {
		if name = strings.TrimSuffix(name, "="); value != "" && len(value) < minSecret && mask.IsCredential(name) {
			names[name] = true
		}
	}
	for name, value := range v.values {
		note(name, value)
	}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		note(name, value)
	}
	return slices.Sorted(maps.Keys(names))
}

// mask hides the values of the variables, and of all variables of the environment that are named like a secret.
func (v *usedVariables) mask() *mask.Mask {
	v.mu.Lock()
	defer v.mu.Unlock()
	secrets := slices.Collect(maps.Values(v.values))
	for _, variable := range os.Environ() {
		if name, value, ok := strings.Cut(variable, "="); ok && mask.IsCredential(name) {
			secrets = append(secrets, value)
		}
	}
	return mask.Of(minSecret, secrets...)
}

// usual are variables that change what the command does, besides those of the manifest.
var usual = []string{
	"ANTHROPIC_API_KEY", "CARGO_HOME", "DOCKER_CONFIG", "EDITOR", "GEMINI_API_KEY", "GODEBUG", "GOMAXPROCS", "GOMEMLIMIT", "GOOGLE_API_KEY", "HOME",
	"HTTPS_PROXY", "HTTP_PROXY", "LANG", "NO_COLOR", "NO_PROXY", "OPENAI_API_KEY", "PATH", "RUSTC", "RUSTFLAGS", "SHELL", "SSL_CERT_DIR", "SSL_CERT_FILE",
	"TERM", "TINYGO", "TINYGOROOT", "TMPDIR", "VISUAL", "XDG_CACHE_HOME", "https_proxy", "http_proxy", "no_proxy",
}

// describe returns a line for each variable that matters: its name, and whether it has a value.
func (v *usedVariables) describe() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	names := slices.Clone(usual)
	for name := range v.values {
		names = append(names, strings.TrimSuffix(name, "="))
	}
	slices.Sort(names)
	var out strings.Builder
	for _, name := range slices.Compact(names) {
		state := "not set"
		switch value, ok := os.LookupEnv(name); {
		case value != "":
			state = "set"
		case ok:
			state = "empty"
		}
		if _, ok := v.file[name]; ok {
			state += ", in env_file"
		}
		fmt.Fprintf(&out, "%-20s %s\n", terminal.Line(name), state)
	}
	return out.String()
}
