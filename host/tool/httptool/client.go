package httptool

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/fetch" //nolint:depguard // an HTTP client that knows nothing of plugins or Wasm
)

// client makes the requests of a tool. Hosts that the operator gave as an address, and localhost, may be private; a name that
// resolves to a private address needs an entry in Private. So the two kinds have separate clients: no name in one list reaches
// an address that only the other one allows.
type client struct {
	named, literal *fetch.Policy // nil: there are no such hosts
	kept           map[*fetch.Policy]*fetch.Client
	closed         atomic.Bool
}

// connect makes the client. It returns an error with the configuration key that is wrong.
func (t *Tool) connect() (key string, err error) {
	c := &t.config
	origin, fixed := t.target.origin()
	hosts := slices.Clone(c.Allow)
	if fixed {
		hosts = append(hosts, origin)
	}
	for i, host := range hosts {
		if err := check(&fetch.Policy{Hosts: []string{host}, Private: privateOf(host)}); err != nil {
			if i == len(c.Allow) {
				return "url", err
			}
			return "allow", err
		}
	}
	if len(hosts) == 0 {
		return "url", errors.New("an argument chooses the host; list the possible hosts in allow")
	}
	methods := []string{c.Method, http.MethodGet} // a redirect may turn the method into GET
	if err := check(&fetch.Policy{Hosts: []string{"example.com"}, Methods: methods}); err != nil {
		return "method", err
	}
	if key, err := t.probe(); err != nil {
		return key, err
	}
	policy := fetch.Policy{Methods: methods, Private: c.Private, MaxResponse: c.MaxResponse, Timeout: c.Timeout, MaxRedirects: -1}
	if t.client, err = newClient(&policy, hosts); err != nil {
		return "private", err
	}
	return "", nil
}

// newClient makes a client for these hosts under the given policy.
func newClient(policy *fetch.Policy, hosts []string) (*client, error) {
	c := &client{kept: map[*fetch.Policy]*fetch.Client{}}
	for _, host := range hosts {
		of := &c.named
		if isLiteral(hostOf(host)) {
			of = &c.literal
		}
		if *of == nil {
			*of = new(*policy)
		}
		(*of).Hosts = append((*of).Hosts, host)
		(*of).Private = append(slices.Clone((*of).Private), privateOf(host)...)
	}
	for _, policy := range []*fetch.Policy{c.named, c.literal} {
		if policy == nil {
			continue
		}
		made, err := fetch.New(*policy)
		if err != nil {
			return nil, errors.Join(errors.New(withoutPrefix(err)), c.close())
		}
		c.kept[policy] = made
	}
	return c, nil
}

// check reports an invalid policy.
func check(p *fetch.Policy) error {
	c, err := fetch.New(*p)
	if err != nil {
		return errors.New(withoutPrefix(err))
	}
	return c.Close()
}

// probe has a client check the URL and the headers with harmless arguments. It does not send them: their host is not granted.
func (t *Tool) probe() (key string, err error) {
	judge, err := fetch.New(fetch.Policy{Hosts: []string{"judge.invalid"}, Methods: []string{"NONE"}})
	if err != nil {
		return "url", err
	}
	defer func() { _ = judge.Close() }()
	var args wire.Map
	for _, name := range t.places() {
		args.Set(name, wire.String("x"))
	}
	address, err := t.target.url(args)
	if err != nil {
		return "url", err
	}
	headers, err := t.requestHeaders(args, "")
	if err != nil {
		return "headers", err
	}
	for key, r := range map[string]*abi.FetchRequest{
		"url": {URL: address}, "headers": {URL: "https://example.com", Headers: headers},
	} {
		_, err = judge.Do(context.Background(), r)
		if failure, ok := errors.AsType[*fetch.Error](err); ok && failure.Kind != fetch.KindDenied {
			return key, errors.New(failure.Text)
		}
	}
	return "", nil
}

// do makes one request and follows no redirect. A request that must not be repeated gets a new connection: on a reused one,
// net/http may resend a request that the server has already received.
func (t *Tool) do(ctx context.Context, r *abi.FetchRequest) (*abi.FetchResponse, error) {
	policy := t.client.named
	if isLiteral(hostOf(r.URL)) {
		policy = t.client.literal
	}
	switch {
	case policy == nil:
		return nil, &fetch.Error{Kind: fetch.KindDenied, Text: "the host is not granted"}
	case t.client.closed.Load():
		return nil, &fetch.Error{Kind: fetch.KindNetwork, Text: "the client is closed"}
	}
	made := t.client.kept[policy]
	if !t.spec.Idempotent {
		own, err := fetch.New(*policy)
		if err != nil {
			return nil, err
		}
		defer func() { _ = own.Close() }()
		made = own
	}
	return made.Do(ctx, r)
}

func (c *client) close() error {
	c.closed.Store(true)
	errs := make([]error, 0, len(c.kept))
	for _, made := range c.kept {
		errs = append(errs, made.Close())
	}
	return errors.Join(errs...)
}

// hostOf returns the host of a URL or of an entry of Allow, precisely enough to tell an address from a name.
func hostOf(text string) string {
	if _, rest, ok := strings.Cut(text, "://"); ok {
		text = rest
	}
	if end := strings.IndexAny(text, "/?#"); end >= 0 {
		text = text[:end]
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		host, _, _ := strings.Cut(inner, "]")
		return host
	}
	host, _, _ := strings.Cut(text, ":")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

const localhost = "localhost"

// isLiteral reports whether a host is an address or localhost.
func isLiteral(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || host == localhost
}

// privateOf returns the private networks that an entry grants by itself.
func privateOf(entry string) []netip.Prefix {
	host := hostOf(entry)
	if host == localhost {
		return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.Is4In6() || addr.Zone() != "" {
		return nil
	}
	return []netip.Prefix{netip.PrefixFrom(addr, addr.BitLen())}
}
