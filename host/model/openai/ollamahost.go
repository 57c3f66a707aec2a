package openai

import (
	"net"
	"net/url"
	"strconv"
	"strings"
)

// ollamaURL returns the address of the API for a value of OLLAMA_HOST: a host, a port, both, or a URL. It reads them as Ollama does
// (https://github.com/ollama/ollama/blob/main/envconfig/config.go): the port is 11434, or that of the scheme if there is one. The variable
// also tells a server where to listen; an address that stands for all of the machine's is that of this machine.
func ollamaURL(value string) string {
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	scheme, rest, found := strings.Cut(value, "://")
	port := "11434"
	switch {
	case !found && value == "ollama.com":
		scheme, rest, port = "https", value, "443"
	case !found:
		scheme, rest = "http", value
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	}
	hostPort, path, _ := strings.Cut(rest, "/")
	host, given, err := net.SplitHostPort(hostPort)
	if err != nil {
		host, given = strings.Trim(hostPort, "[]"), port
	}
	if n, err := strconv.ParseUint(given, 10, 16); err != nil || n == 0 {
		given = port
	}
	switch ip := net.ParseIP(host); {
	case host == "", ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		host = "::1"
	}
	address := url.URL{Scheme: scheme, Host: net.JoinHostPort(host, given), Path: strings.TrimSuffix("/"+path, "/") + "/v1"}
	return address.String()
}
