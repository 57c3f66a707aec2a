package httptool

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
)

// target is the URL of a tool, with places for arguments.
type target struct {
	scheme string
	host   template
	port   string // ":8443"; "" if there is none
	path   []segment
	query  []pair
}

// pair is a key of the query and its value. It is left out if an argument of the value is not given.
type pair struct {
	key   string // escaped
	value template
	bare  bool // without a value and its equals sign
}

// parseTarget reads the configured URL.
func parseTarget(text string) (*target, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	switch {
	case !ok || (scheme != "https" && scheme != "http"):
		return nil, errors.New("the URL must be absolute, and begin with https:// or http://")
	case strings.Contains(rest, "#"):
		return nil, errors.New("the URL has a fragment after #, which is never sent to a server; remove it")
	}
	t := &target{scheme: scheme}
	rest, query, hasQuery := strings.Cut(rest, "?")
	authority, path, hasPath := strings.Cut(rest, "/")
	if err := t.parseAuthority(authority); err != nil {
		return nil, err
	}
	if hasPath {
		for text := range strings.SplitSeq(path, "/") {
			s, err := parseSegment(text)
			if err != nil {
				return nil, err
			}
			t.path = append(t.path, s)
		}
	}
	if hasQuery {
		for text := range strings.SplitSeq(query, "&") {
			p, err := parsePair(text)
			if err != nil {
				return nil, err
			}
			t.query = append(t.query, p)
		}
	}
	return t, nil
}

// parseAuthority reads host[:port].
func (t *target) parseAuthority(text string) error {
	if strings.Contains(text, "@") {
		return errors.New("the URL contains a user; send credentials in a header, such as Authorization")
	}
	host, port, hasPort := strings.Cut(text, ":")
	if strings.HasPrefix(text, "[") {
		end := strings.Index(text, "]") + 1
		host, port, hasPort = text[:end], strings.TrimPrefix(text[end:], ":"), end < len(text)
	}
	if hasPort {
		t.port = ":" + port
	}
	var err error
	t.host, err = parseTemplate(host)
	if strings.ContainsAny(port, "{}") {
		err = errors.New("no argument can choose the port")
	}
	return err
}

func parsePair(text string) (pair, error) {
	key, value, ok := strings.Cut(text, "=")
	name, err := parseTemplate(key)
	if err != nil {
		return pair{}, err
	}
	p := pair{bare: !ok}
	if p.key, err = name.plain(); err != nil {
		return pair{}, err
	}
	p.value, err = parseTemplate(value)
	return p, err
}

// addQuery adds the configured query to that of the URL, sorted by key.
func (t *target) addQuery(query map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(query)) {
		value, err := parseTemplate(query[key])
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		t.query = append(t.query, pair{key: queryEscape(key), value: value.escaped(queryEscape)})
	}
	return nil
}

// queryEscape escapes a key or value of a query. A space becomes %20, which every server understands.
func queryEscape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// origin returns the scheme, host and port; false if an argument chooses the host.
func (t *target) origin() (string, bool) {
	host, err := t.host.plain()
	return t.scheme + "://" + host + t.port, err == nil
}

// needed returns the names of the arguments that the URL cannot do without.
func (t *target) needed() []string {
	names := t.host.names()
	for _, s := range t.path {
		names = append(names, s.text.names()...)
	}
	return names
}

// url makes the URL of a request.
func (t *target) url(args wire.Map) (string, error) {
	var out strings.Builder
	out.WriteString(t.scheme + "://")
	host, complete, err := t.host.fill(args, inHost)
	if err == nil && !complete {
		err = t.host.missing(args)
	}
	if err != nil {
		return "", err
	}
	out.WriteString(host + t.port)
	if len(t.path) == 0 {
		out.WriteByte('/')
	}
	for _, s := range t.path {
		text, err := s.fill(args)
		if err != nil {
			return "", err
		}
		out.WriteString("/" + text)
	}
	separator := byte('?')
	for _, p := range t.query {
		values, err := p.values(args)
		if err != nil {
			return "", err
		}
		for _, value := range values {
			out.WriteByte(separator)
			out.WriteString(value)
			separator = '&'
		}
	}
	return out.String(), nil
}

// values returns the pairs for a key: one, or one for each item if the whole value is a list.
func (p *pair) values(args wire.Map) ([]string, error) {
	if p.bare {
		return []string{p.key}, nil
	}
	if name, ok := p.value.only(); ok && args.Get(name).IsArray() {
		var out []string
		for item := range args.Get(name).Elements() {
			out = append(out, p.key+"="+queryEscape(textOf(item)))
		}
		return out, nil
	}
	text, complete, err := p.value.fill(args, func(_, value string) (string, error) { return queryEscape(value), nil })
	if err != nil || !complete {
		return nil, err
	}
	return []string{p.key + "=" + text}, nil
}

// inHost accepts what can be part of a host name. The request itself checks whether the whole host is allowed.
func inHost(name, value string) (string, error) {
	for i := range len(value) {
		c := value[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '.' {
			return "", &argumentError{name, "may have letters, digits, hyphens and dots"}
		}
	}
	return value, nil
}
