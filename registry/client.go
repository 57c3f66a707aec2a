package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	orasregistry "oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"oras.land/oras-go/v2/registry/remote/retry"

	"github.com/agenthost/agenthost/internal/httptransport"
	"github.com/agenthost/agenthost/registry/reference"
)

// Limits of requests.
const (
	maxManifest    = 1 << 20          // bytes of a manifest
	maxConfig      = 64 << 10         // bytes of a configuration
	maxTries       = 3                // of a download that breaks off
	maxPages       = 8                // of referrers
	requestTime    = 10 * time.Minute // of one request with its body
	headerTime     = time.Minute      // until a response begins
	maxHeaderBytes = 64 << 10         // of a response's headers
)

// Options are options of a [Client].
type Options struct {
	// PlainHTTP permits registries on other machines without encryption. For one on this machine it is never needed.
	PlainHTTP bool
	// Login returns the user name and the password for a registry; both are empty if there are none. nil: what 'docker login' has kept.
	Login func(ctx context.Context, host string) (user, password string, err error)
	// Transport sends the requests; nil: one like the standard library's.
	Transport http.RoundTripper
	// UserAgent names the program to registries; "": agenthost.
	UserAgent string
}

// Client pushes and pulls. It is safe for concurrent use.
type Client struct {
	options Options
	base    http.RoundTripper
	docker  func() (auth.CredentialFunc, error)
}

// New makes a client. It reads Docker's configuration when a registry first asks for a login.
func New(options Options) *Client {
	c := &Client{options: options, base: options.Transport}
	if c.base == nil {
		transport := httptransport.New()
		transport.DisableCompression = true // what is signed and measured are the bytes as they are kept
		transport.ResponseHeaderTimeout, transport.MaxResponseHeaderBytes = headerTime, maxHeaderBytes
		c.base = transport
	}
	c.docker = sync.OnceValues(func() (auth.CredentialFunc, error) {
		store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
		if err != nil {
			return nil, fmt.Errorf("the logins of Docker: %w", err)
		}
		return credentials.Credential(store), nil
	})
	return c
}

// CloseIdleConnections closes connections that no request uses.
func (c *Client) CloseIdleConnections() {
	if closer, ok := c.base.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// http returns a client for requests about a host.
func (c *Client) http(host string) *http.Client {
	return &http.Client{
		Transport: &retry.Transport{Base: newGuard(c.base, host, c.options.PlainHTTP), Policy: func() retry.Policy { return patience }},
		Timeout:   requestTime, CheckRedirect: checkRedirect,
	}
}

// patience says how often a request is repeated that a registry is too busy for.
var patience = &retry.GenericPolicy{
	Retryable: retry.DefaultPredicate, Backoff: retry.DefaultBackoff, MinWait: 100 * time.Millisecond, MaxWait: 2 * time.Second, MaxRetry: 2,
}

// repository returns the repository of a reference.
func (c *Client) repository(ref reference.Reference) *repository {
	at := orasregistry.Reference{Registry: ref.Host, Repository: ref.Repository}
	host := at.Host() // Docker's registry has another host than its name says
	guarded := c.http(host)
	client := &auth.Client{
		Client: guarded, Cache: auth.NewCache(), Header: http.Header{"User-Agent": {cmp.Or(c.options.UserAgent, "agenthost")}},
		Credential: func(ctx context.Context, asking string) (auth.Credential, error) {
			if asking != host {
				return auth.EmptyCredential, nil
			}
			return c.credential(ctx, host)
		},
	}
	plain := newGuard(nil, host, c.options.PlainHTTP).plain
	return &repository{ref: ref, Repository: &remote.Repository{
		Client: client, Reference: at, PlainHTTP: plain, MaxMetadataBytes: maxManifest, ReferrerListMaxPages: maxPages,
		SkipReferrersGC: true, // many registries let nobody delete
	}}
}

func (c *Client) credential(ctx context.Context, host string) (auth.Credential, error) {
	if c.options.Login != nil {
		user, password, err := c.options.Login(ctx, host)
		return auth.Credential{Username: user, Password: password}, err
	}
	docker, err := c.docker()
	if err != nil {
		return auth.EmptyCredential, err
	}
	return docker(ctx, host)
}

// repository is the repository of a reference. Errors of its own methods are those of [explain].
type repository struct {
	*remote.Repository

	ref reference.Reference
}

func (r *repository) explain(err error) error {
	return explain(r.ref.String(), r.ref.Host, err)
}

// manifest fetches the manifest of a reference, by its tag or digest. raw are its bytes, which have the digest of the descriptor.
func (r *repository) manifest(ctx context.Context) (desc ocispec.Descriptor, m *ocispec.Manifest, raw []byte, err error) {
	desc, body, err := r.Manifests().FetchReference(ctx, r.ref.Version())
	if err != nil {
		return desc, nil, nil, r.explain(err)
	}
	defer func() { _ = body.Close() }() // it was only read
	switch {
	case desc.MediaType == ocispec.MediaTypeImageIndex:
		return desc, nil, nil, r.explain(layoutError("it is a list of manifests, such as that of an image for several platforms"))
	case desc.MediaType != ocispec.MediaTypeImageManifest:
		return desc, nil, nil, r.explain(layoutError("its manifest has the type %s", desc.MediaType))
	}
	if err := checkDescriptor("the manifest", desc, maxManifest); err != nil {
		return desc, nil, nil, r.explain(err)
	}
	if raw, err = content.ReadAll(body, desc); err != nil {
		return desc, nil, nil, r.explain(err)
	}
	m = &ocispec.Manifest{}
	if err := json.Unmarshal(raw, m); err != nil {
		return desc, nil, nil, r.explain(layoutError("its manifest is not valid JSON: %w", err))
	}
	return desc, m, raw, nil
}

// checkDescriptor checks what a registry says about a content before it is fetched.
func checkDescriptor(what string, desc ocispec.Descriptor, limit int64) error {
	switch {
	case !reference.IsDigest(desc.Digest.String()):
		return layoutError("%s has the digest %q, which is not a SHA-256", what, desc.Digest)
	case desc.Size < 0 || desc.Size > limit:
		return tooLarge(what, desc.Size, limit)
	default:
		return nil
	}
}

// blob fetches a content, whose size is at most the limit, and checks its size and digest. A download that breaks off begins anew.
func (r *repository) blob(ctx context.Context, what string, desc ocispec.Descriptor, limit int64) ([]byte, error) {
	if err := checkDescriptor(what, desc, limit); err != nil {
		return nil, r.explain(err)
	}
	for try := 1; ; try++ {
		data, err := content.FetchAll(ctx, r.Blobs(), desc)
		if err == nil || try == maxTries || ctx.Err() != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
			return data, r.explain(err)
		}
	}
}
