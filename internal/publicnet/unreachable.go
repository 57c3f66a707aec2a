package publicnet

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"syscall"
)

// Unreachable says in plain words why a request has not reached the server of an address that the operator named as url, and what the operator can
// do; "" for other errors.
func Unreachable(address *url.URL, err error) string {
	dialing, ok := errors.AsType[*net.OpError](err)
	if !ok || dialing.Op != "dial" { // a proxy has another
		return ""
	}
	if unknown, ok := errors.AsType[*net.DNSError](err); ok && unknown.IsNotFound {
		return fmt.Sprintf("cannot find %s: no such host; correct the url, or check the network connection", address.Hostname())
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Sprintf("no server listens at %s (connection refused); start the server, or correct the url if it runs elsewhere", address.Host)
	}
	return ""
}
