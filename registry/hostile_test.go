package registry_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/registry"
)

// TestUnknownLayouts pulls what is not a plugin.
func TestUnknownLayouts(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	config := s.put("x", "application/vnd.wasm.config.v0+json", []byte("{}"))
	layer := s.put("x", "application/wasm", module)
	other := s.put("x", "application/vnd.oci.image.layer.v1.tar+gzip", []byte("tar"))
	huge := layer
	huge.Size = plugin.MaxModuleSize + 1
	negative := layer
	negative.Size = -1
	sha512 := layer
	sha512.Digest = digest.Digest("sha512:" + strings.Repeat("0", 128))
	index := ocispec.Index{MediaType: ocispec.MediaTypeImageIndex}
	index.SchemaVersion = 2
	for tag, test := range map[string]struct {
		manifest any
		kind     error
		says     string
	}{
		"index":      {index, registry.ErrLayout, "it is a list of manifests"},
		"none":       {imageManifest("", config), registry.ErrLayout, "it has 0 layers; a plugin has one"},
		"two":        {imageManifest("", config, layer, layer), registry.ErrLayout, "it has 2 layers; a plugin has one"},
		"image":      {imageManifest("", config, other), registry.ErrLayout, `its layer has the type "application/vnd.oci.image.layer.v1.tar+gzip"`},
		"agent":      {imageManifest(registry.AgentType, config, layer), registry.ErrLayout, "use 'agenthost agent pull'"},
		"huge":       {imageManifest("", config, huge), registry.ErrTooLarge, "the module has 33554433 bytes, the limit is 33554432"},
		"negative":   {imageManifest("", config, negative), registry.ErrTooLarge, "the module has -1 bytes"},
		"sha512":     {imageManifest("", config, sha512), registry.ErrLayout, "which is not a SHA-256"},
		"notmanifes": {map[string]any{"mediaType": ocispec.MediaTypeImageManifest, "schemaVersion": 2, "layers": "x"}, registry.ErrLayout, "not valid JSON"},
	} {
		s.putManifest("x", tag, test.manifest)
		_, err := client(t, registry.Options{}).PullPlugin(t.Context(), s.ref("x:"+tag))
		require.ErrorIs(t, err, test.kind, tag)
		require.ErrorContains(t, err, test.says, tag)
	}
	for _, request := range s.requests() {
		require.NotContains(t, request, "GET /v2/x/blobs/", "nothing is fetched that will not be used")
	}
}

// TestWrongContents lets the registry send other bytes than it promised.
func TestWrongContents(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	ref := s.ref("redact:1")
	pushed, err := client(t, registry.Options{}).PushPlugin(t.Context(), ref, &registry.Module{Bytes: module})
	require.NoError(t, err)
	blob := "/v2/redact/blobs/" + descriptor("", module).Digest.String()
	send := func(path string, content string, header ...string) {
		s.answers(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != path || r.Method != http.MethodGet {
				return false
			}
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			_, _ = w.Write([]byte(content))
			return true
		})
	}
	changed := strings.ToUpper(string(module))
	for name, test := range map[string]struct {
		path, content string
		header        []string
		kind          error
		says          string
	}{
		"other bytes": {blob, changed, nil, registry.ErrDigest, "the content does not have the digest that names it"},
		"more bytes":  {blob, string(module) + "x", []string{"Transfer-Encoding", "chunked"}, registry.ErrDigest, ""},
		"another digest in a header": {
			blob, string(module), []string{"Docker-Content-Digest", "sha256:" + strings.Repeat("0", 64)}, registry.ErrDigest, "digest mismatch",
		},
		"another manifest": {
			"/v2/redact/manifests/1", "{}",
			[]string{"Content-Type", ocispec.MediaTypeImageManifest, "Docker-Content-Digest", pushed.Digest},
			registry.ErrDigest, "",
		},
		"a huge manifest": {
			"/v2/redact/manifests/1", strings.Repeat(" ", 2<<20),
			[]string{"Content-Type", ocispec.MediaTypeImageManifest, "Docker-Content-Digest", pushed.Digest, "Content-Length", "2097152"},
			registry.ErrTooLarge, "the manifest has 2097152 bytes",
		},
		"a page": {"/v2/redact/manifests/1", "<html>", []string{"Content-Type", "text/html", "Docker-Content-Digest", pushed.Digest}, registry.ErrLayout, "text/html"},
	} {
		send(test.path, test.content, test.header...)
		_, err := client(t, registry.Options{}).PullPlugin(t.Context(), ref)
		require.ErrorContains(t, err, test.says, name)
		require.ErrorIs(t, err, test.kind, name)
	}
	// The tag names another manifest than the digest: the digest decides.
	send("/v2/redact/manifests/"+pushed.Digest, "{}", "Content-Type", ocispec.MediaTypeImageManifest)
	_, err = client(t, registry.Options{}).PullPlugin(t.Context(), ref.At(pushed.Digest))
	require.ErrorIs(t, err, registry.ErrDigest)
}

// TestInterruptedPulls cuts connections in the middle of a layer.
func TestInterruptedPulls(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	ref := s.ref("redact:1")
	_, err := client(t, registry.Options{}).PushPlugin(t.Context(), ref, &registry.Module{Bytes: module})
	require.NoError(t, err)
	cuts := 0
	cut := func(most int) func(w http.ResponseWriter, r *http.Request) bool {
		cuts = 0
		return func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(r.URL.Path, "/blobs/") || cuts == most {
				return false
			}
			cuts++
			w.Header().Set("Content-Length", strconv.Itoa(len(module)))
			_, _ = w.Write(module[:5])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}
	s.answers(cut(2))
	pulled, err := client(t, registry.Options{}).PullPlugin(t.Context(), ref)
	require.NoError(t, err, "it begins anew")
	require.Equal(t, module, pulled.Bytes)
	require.Equal(t, 2, cuts)
	s.answers(cut(-1))
	_, err = client(t, registry.Options{}).PullPlugin(t.Context(), ref)
	require.ErrorContains(t, err, "unexpected EOF")
	require.Equal(t, 3, cuts)
}

// TestABusyRegistry is asked again.
func TestABusyRegistry(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	ref := s.ref("redact:1")
	busy := 1
	s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
		if busy == 0 {
			return false
		}
		busy--
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	_, err := client(t, registry.Options{}).PushPlugin(t.Context(), ref, &registry.Module{Bytes: module})
	require.NoError(t, err)
}

// TestInsecureConnections checks where a client goes without encryption.
func TestInsecureConnections(t *testing.T) {
	t.Parallel()
	to := func(address string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, address, http.StatusTemporaryRedirect)
		})
	}
	reached := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	realm := func(address string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer realm=%q,service=x", address))
			w.WriteHeader(http.StatusUnauthorized)
		})
	}
	pull := func(host string, n internet, plain bool) error {
		_, err := client(t, registry.Options{Transport: n, PlainHTTP: plain}).PullPlugin(t.Context(), parse(t, host+"/redact:1"))
		require.Error(t, err)
		return err
	}
	const teapot = "response status code 418"
	// By itself, a registry on another machine is reached by HTTPS, and one on this machine without.
	require.ErrorContains(t, pull("registry.example", internet{"https://registry.example": reached}, false), teapot)
	require.ErrorContains(t, pull("registry.example", internet{"http://registry.example": reached}, true), teapot)
	require.ErrorContains(t, pull("localhost:5000", internet{"http://localhost:5000": reached}, false), teapot)
	require.ErrorContains(t, pull("[::1]:5000", internet{"http://[::1]:5000": reached}, false), teapot)

	plainServer := serve(t, true)
	_, port, _ := strings.Cut(plainServer.host, ":")
	dial := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", plainServer.host)
	}}
	_, err := client(t, registry.Options{Transport: dial}).PullPlugin(t.Context(), parse(t, "registry.example:"+port+"/redact:1"))
	require.ErrorIs(t, err, registry.ErrInsecure)
	require.ErrorContains(t, err, "it has no HTTPS; if you trust the network, permit it with --plain-http")

	// A redirect may lead to other servers, but only by HTTPS.
	require.ErrorContains(t, pull("registry.example", internet{"https://registry.example": to("https://other.example/x"), "https://other.example": reached}, false), teapot)
	for says, err := range map[string]error{
		"other.example is not reached by HTTPS":                         pull("registry.example", internet{"https://registry.example": to("http://other.example/x"), "http://other.example": reached}, false),
		"points to other.example without encryption":                    pull("registry.example", internet{"http://registry.example": to("http://other.example/x"), "http://other.example": reached}, true),
		"points to 127.0.0.1:99, which is on this machine":              pull("registry.example", internet{"https://registry.example": to("https://127.0.0.1:99/x"), "https://127.0.0.1:99": reached}, false),
		"registry.example points to localhost, which is on this machin": pull("registry.example", internet{"http://registry.example": to("http://localhost/x"), "http://localhost": reached}, true),
		`with the scheme "ftp"`:                                         pull("registry.example", internet{"https://registry.example": to("ftp://other.example/x")}, false),
	} {
		require.ErrorIs(t, err, registry.ErrInsecure)
		require.ErrorContains(t, err, says)
	}
	require.ErrorContains(t, pull("registry.example", internet{"https://registry.example": to("https://registry.example/again")}, false), "it redirects too often")

	// So may the server that hands out tokens.
	for _, address := range []string{"http://auth.example/token", "https://127.0.0.1/token", "file:///etc/passwd"} {
		err := pull("registry.example", internet{"https://registry.example": realm(address), address[:strings.LastIndex(address, "/")]: reached}, false)
		require.NotContains(t, err.Error(), "418", address)
	}
}

// TestHostileWords checks that what a registry says cannot steer a terminal.
func TestHostileWords(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"errors": [{"code": "UNKNOWN", "message": "\u001b[31m` + strings.Repeat("long ", 1000) + `"}]}`))
		return true
	})
	_, err := client(t, registry.Options{}).PullPlugin(t.Context(), s.ref("redact:1"))
	require.Error(t, err)
	require.NotContains(t, err.Error(), "\x1b")
	require.Less(t, len(err.Error()), 1000)
}
