package registry_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/registry"
)

func TestAPluginIsPulledAsItWasPushed(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	c := client(t, registry.Options{})
	ref := s.ref("acme/redact:1.2")
	pushed, err := c.PushPlugin(t.Context(), ref, &registry.Module{Bytes: module, Name: "acme/redact", Version: "1.2"})
	require.NoError(t, err)
	require.Empty(t, pushed.Before)

	pulled, err := c.PullPlugin(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, module, pulled.Bytes)
	require.Equal(t, pushed.Digest, pulled.Manifest)
	require.Nil(t, pulled.Signature)
	pulled, err = c.PullPlugin(t.Context(), ref.At(pushed.Digest))
	require.NoError(t, err)
	require.Equal(t, module, pulled.Bytes)

	again, err := c.PushPlugin(t.Context(), ref, &registry.Module{Bytes: module, Name: "acme/redact", Version: "1.2"})
	require.NoError(t, err)
	require.Equal(t, pushed.Digest, again.Digest, "equal modules have equal digests")
	require.Equal(t, pushed.Digest, again.Before)
}

// TestTheLayout checks what other tools see.
func TestTheLayout(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	ref := s.ref("acme/redact:1.2")
	_, err := client(t, registry.Options{}).PushPlugin(t.Context(), ref, &registry.Module{Bytes: module, Name: "acme/redact", Version: "1.2"})
	require.NoError(t, err)
	response, err := http.Get("http://" + s.host + "/v2/acme/redact/manifests/1.2") //nolint:noctx // a test
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	var m ocispec.Manifest
	require.NoError(t, json.NewDecoder(response.Body).Decode(&m))
	require.Equal(t, "application/vnd.agenthost.plugin.v1", m.ArtifactType)
	require.Equal(t, "application/vnd.wasm.config.v0+json", m.Config.MediaType)
	require.Len(t, m.Layers, 1)
	require.Equal(t, "application/wasm", m.Layers[0].MediaType)
	require.Equal(t, int64(len(module)), m.Layers[0].Size)
	require.Equal(t, "redact.wasm", m.Layers[0].Annotations["org.opencontainers.image.title"])
	require.Equal(t, "acme/redact", m.Annotations["org.opencontainers.image.title"])
	http.DefaultClient.CloseIdleConnections()
}

// TestLayersOfOtherTools pulls what older tools have pushed.
func TestLayersOfOtherTools(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	for tag, layer := range map[string]string{"a": "application/vnd.wasm.content.layer.v1+wasm", "b": "application/vnd.module.wasm.content.layer.v1+wasm"} {
		s.putManifest("old", tag, imageManifest("", s.put("old", "application/vnd.wasm.config.v1+json", []byte("{}")), s.put("old", layer, module)))
		pulled, err := client(t, registry.Options{}).PullPlugin(t.Context(), s.ref("old:"+tag))
		require.NoError(t, err)
		require.Equal(t, module, pulled.Bytes)
	}
}

func TestATagThatMoved(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	c := client(t, registry.Options{})
	ref := s.ref("redact:1")
	first, err := c.PushPlugin(t.Context(), ref, &registry.Module{Bytes: module})
	require.NoError(t, err)
	second, err := c.PushPlugin(t.Context(), ref, &registry.Module{Bytes: append([]byte{}, "another"...)})
	require.NoError(t, err)
	require.Equal(t, first.Digest, second.Before)
	now, err := c.Resolve(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, second.Digest, now)
	pulled, err := c.PullPlugin(t.Context(), ref.At(first.Digest))
	require.NoError(t, err)
	require.Equal(t, module, pulled.Bytes, "the digest decides, not the tag")
}

func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	_, err := client(t, registry.Options{}).PullPlugin(t.Context(), s.ref("redact:1"))
	require.ErrorIs(t, err, registry.ErrNotFound)
	require.ErrorContains(t, err, s.host+"/redact:1: it does not exist, or you may not read it")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = client(t, registry.Options{}).PullPlugin(ctx, s.ref("redact:1"))
	require.ErrorIs(t, err, context.Canceled)
}

// basic lets a server demand a user and a password.
func basic(w http.ResponseWriter, r *http.Request) bool {
	if user, password, _ := r.BasicAuth(); user == "ada" && password == "secret" {
		return false
	}
	w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
	w.WriteHeader(http.StatusUnauthorized)
	return true
}

func TestLogin(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	s.answers(basic)
	ref := s.ref("redact:1")
	as := func(user, password string) *registry.Client {
		return client(t, registry.Options{Login: func(_ context.Context, host string) (string, string, error) {
			require.Equal(t, s.host, host)
			return user, password, nil
		}})
	}
	for _, c := range []*registry.Client{as("", ""), as("ada", "wrong")} {
		_, err := c.PushPlugin(t.Context(), ref, &registry.Module{Bytes: module})
		require.ErrorIs(t, err, registry.ErrUnauthorized)
		require.ErrorContains(t, err, "docker login "+s.host)
		_, err = c.PullPlugin(t.Context(), ref)
		require.ErrorIs(t, err, registry.ErrUnauthorized)
	}
	c := as("ada", "secret")
	_, err := c.PushPlugin(t.Context(), ref, &registry.Module{Bytes: module})
	require.NoError(t, err)
	pulled, err := c.PullPlugin(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, module, pulled.Bytes)
}

// TestLoginOfDocker takes the login from Docker's configuration, which a variable names.
func TestLoginOfDocker(t *testing.T) {
	s := serve(t, true)
	s.answers(basic)
	dir := t.TempDir()
	t.Setenv("DOCKER_CONFIG", dir)
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o600))
	}
	push := func() error {
		c := registry.New(registry.Options{})
		defer c.CloseIdleConnections()
		_, err := c.PushPlugin(t.Context(), s.ref("redact:1"), &registry.Module{Bytes: module})
		return err
	}
	require.ErrorIs(t, push(), registry.ErrUnauthorized, "there is no configuration")
	write(`{"auths": {"other.example": {"auth": "` + base64.StdEncoding.EncodeToString([]byte("ada:secret")) + `"}}}`)
	require.ErrorIs(t, push(), registry.ErrUnauthorized)
	write(`{"auths": {"` + s.host + `": {"auth": "` + base64.StdEncoding.EncodeToString([]byte("ada:secret")) + `"}}}`)
	require.NoError(t, push())
	// A credential helper, which is how most desktops keep logins.
	helper := "#!/bin/sh\n[ \"$1\" = get ] && echo '{\"Username\": \"ada\", \"Secret\": \"secret\"}'\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "docker-credential-test"), []byte(helper), 0o700))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	write(`{"credHelpers": {"` + s.host + `": "test"}}`)
	require.NoError(t, push())
	write(`{"auths`)
	require.ErrorContains(t, push(), "the logins of Docker")
}

// TestTokens lets a registry hand out tokens, and checks that they go nowhere else.
func TestTokens(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	const token = "Bearer the-token"
	storage := http.NewServeMux()
	leaked := make(chan string, 10)
	stranger := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "" {
			leaked <- got
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	storage.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "" {
			leaked <- got
		}
		_, _ = w.Write(module)
	})
	tokens := http.NewServeMux()
	tokens.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "ada" || password != "secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"token": "the-token"}`))
	})
	redirect := false
	front := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != token:
			w.Header().Set("WWW-Authenticate", `Bearer realm="https://auth.example/token",service="registry.example"`)
			w.WriteHeader(http.StatusUnauthorized)
		case strings.Contains(r.URL.Path, "/referrers/"):
			w.Header().Set("Link", `<https://stranger.example/v2/redact/referrers/x>; rel="next"`)
			w.Header().Set("Content-Type", ocispec.MediaTypeImageIndex)
			_, _ = w.Write([]byte(`{"schemaVersion": 2, "manifests": []}`))
		case redirect && strings.Contains(r.URL.Path, "/blobs/") && r.Method == http.MethodGet:
			http.Redirect(w, r, "https://storage.registry.example/layer", http.StatusTemporaryRedirect)
		default:
			r.URL.Scheme, r.URL.Host, r.RequestURI = "http", s.host, ""
			response, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			defer func() { _ = response.Body.Close() }()
			maps.Copy(w.Header(), response.Header)
			w.WriteHeader(response.StatusCode)
			_, _ = io.Copy(w, response.Body)
		}
	})
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	c := client(t, registry.Options{
		Transport: internet{"https://registry.example": front, "https://auth.example": tokens, "https://storage.registry.example": storage, "https://stranger.example": stranger},
		Login: func(_ context.Context, host string) (string, string, error) {
			require.Equal(t, "registry.example", host)
			return "ada", "secret", nil
		},
	})
	ref := parse(t, "registry.example/redact:1")
	_, err := c.PushPlugin(t.Context(), ref, &registry.Module{Bytes: module})
	require.NoError(t, err)
	redirect = true
	pulled, err := c.PullPlugin(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, module, pulled.Bytes)
	_, err = c.PullPlugin(t.Context(), ref, newKey(t).Public())
	require.Error(t, err, "the list of signatures goes on elsewhere")
	require.Empty(t, leaked, "the token went to another host")
}
