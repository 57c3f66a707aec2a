// Package reference reads the names of plugins and agents in OCI registries, such as ghcr.io/acme/redact:1.2. It uses no network.
package reference

import (
	"fmt"
	"path"
	"strings"

	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/text"
)

// Scheme is what a reference begins with where it could be mistaken for a file.
const Scheme = "oci://"

// Reference names a plugin or an agent in a registry. Its parts are valid.
type Reference struct {
	Host       string // the registry, such as ghcr.io or localhost:5000
	Repository string // such as acme/redact
	Tag        string // such as 1.2; it may be empty if there is a digest
	Digest     string // sha256:…, of the manifest in the registry; it decides if there is a tag as well
}

// Limits of the parts, in bytes.
const (
	maxHost       = 255
	maxRepository = 255
)

// label matches a part of a host's name.
const label = `[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?`

// The grammar of the OCI distribution specification.
var (
	host       = lazyregexp.New(`^(?:` + label + `(?:\.` + label + `)*|\[[0-9a-fA-F:]+\])(?::[0-9]{1,5})?$`)
	repository = lazyregexp.New(`^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$`)
	tag        = lazyregexp.New(`^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$`)
	digest     = lazyregexp.New(`^sha256:[0-9a-f]{64}$`)
)

// IsDigest reports whether a text is the digest of a manifest: sha256: and 64 hexadecimal digits.
func IsDigest(text string) bool { return digest().MatchString(text) }

// Parse reads a reference of the form HOST/NAME:TAG, HOST/NAME@DIGEST or HOST/NAME:TAG@DIGEST, with or without the [Scheme].
func Parse(given string) (Reference, error) {
	wrong := func(what string) (Reference, error) {
		return Reference{}, fmt.Errorf("%q: %s; a reference looks like ghcr.io/acme/redact:1.2", text.Cut(text.Clean(given), 200), what)
	}
	if scheme, _, found := strings.Cut(given, "://"); found && scheme+"://" != Scheme {
		return wrong("it begins with " + text.Cut(text.Clean(scheme), 20) + ":// in place of " + Scheme)
	}
	name, pinned, isPinned := strings.Cut(strings.TrimPrefix(given, Scheme), "@")
	if isPinned && !IsDigest(pinned) {
		return wrong("the part after @ must be sha256: and 64 hexadecimal digits")
	}
	registry, rest, found := strings.Cut(name, "/")
	if !found || !strings.ContainsAny(registry, ".:") && registry != "localhost" {
		return wrong("it does not begin with the host of a registry")
	}
	if len(registry) > maxHost || !host().MatchString(registry) {
		return wrong("the host of the registry is not valid")
	}
	rest, version, tagged := strings.Cut(rest, ":")
	switch {
	case len(rest) > maxRepository || !repository().MatchString(rest):
		return wrong("the name must consist of lower-case letters, digits, and '.', '_', '-' or '/' between them")
	case tagged && !tag().MatchString(version):
		return wrong("the tag must consist of at most 128 letters, digits, '_', '.' and '-'")
	case !tagged && !isPinned:
		return wrong("it has no tag")
	}
	return Reference{Host: registry, Repository: rest, Tag: version, Digest: pinned}, nil
}

// Name returns the reference without tag and digest.
func (r Reference) Name() string { return r.Host + "/" + r.Repository }

// Base returns the last part of the name.
func (r Reference) Base() string { return path.Base(r.Repository) }

// Version returns what is asked for: the digest or, without one, the tag.
func (r Reference) Version() string {
	if r.Digest != "" {
		return r.Digest
	}
	return r.Tag
}

// At returns the reference with another digest.
func (r Reference) At(digest string) Reference {
	r.Digest = digest
	return r
}

// String returns the reference as [Parse] reads it.
func (r Reference) String() string {
	out := r.Name()
	if r.Tag != "" {
		out += ":" + r.Tag
	}
	if r.Digest != "" {
		out += "@" + r.Digest
	}
	return out
}
