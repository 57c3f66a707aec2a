package registry_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	inmemory "github.com/google/go-containerregistry/pkg/registry"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/registry"
	"github.com/agenthost/agenthost/registry/reference"
)

// module begins as a module does. A registry does not look into it.
var module = []byte("\x00asm\x01\x00\x00\x00 and more")

// server is a registry in memory.
type server struct {
	t      *testing.T
	host   string
	mu     sync.Mutex
	seen   []string                                               // methods, paths and whether there were credentials
	answer func(w http.ResponseWriter, r *http.Request) (ok bool) // answers in place of the registry; may be nil
}

// serve starts a registry, with or without an API for referrers.
func serve(t *testing.T, referrers bool) *server {
	t.Helper()
	inner := inmemory.New(inmemory.Logger(log.New(io.Discard, "", 0)), inmemory.WithReferrersSupport(referrers))
	s := &server{t: t}
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, fmt.Sprintf("%s %s %t", r.Method, r.URL.Path, r.Header.Get("Authorization") != ""))
		answer := s.answer
		s.mu.Unlock()
		if answer == nil || !answer(w, r) {
			inner.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(at.Close)
	s.host = strings.TrimPrefix(at.URL, "http://")
	return s
}

// answers lets a function answer from now on.
func (s *server) answers(answer func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// requests returns what was asked for since the last call.
func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	return seen
}

// ref returns a reference in the registry.
func (s *server) ref(name string) reference.Reference { return parse(s.t, s.host+"/"+name) }

func parse(t *testing.T, text string) reference.Reference {
	t.Helper()
	ref, err := reference.Parse(text)
	require.NoError(t, err)
	return ref
}

// client returns a client without logins.
func client(t *testing.T, options registry.Options) *registry.Client {
	t.Helper()
	if options.Login == nil {
		options.Login = func(context.Context, string) (string, string, error) { return "", "", nil }
	}
	c := registry.New(options)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// put puts a content into the registry as another tool would, and returns its descriptor.
func (s *server) put(repository, mediaType string, content []byte) ocispec.Descriptor {
	s.t.Helper()
	d := descriptor(mediaType, content)
	s.send(http.MethodPost, "/v2/"+repository+"/blobs/uploads/?digest="+d.Digest.String(), "application/octet-stream", content, http.StatusCreated)
	return d
}

// putManifest puts a manifest, and tags it.
func (s *server) putManifest(repository, tag string, manifest any) {
	s.t.Helper()
	raw, err := json.Marshal(manifest)
	require.NoError(s.t, err)
	var kind struct {
		MediaType string `json:"mediaType"`
	}
	require.NoError(s.t, json.Unmarshal(raw, &kind))
	s.send(http.MethodPut, "/v2/"+repository+"/manifests/"+tag, kind.MediaType, raw, http.StatusCreated)
}

func (s *server) send(method, path, mediaType string, content []byte, want int) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.host+path, strings.NewReader(string(content)))
	require.NoError(s.t, err)
	req.Header.Set("Content-Type", mediaType)
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(req)
	require.NoError(s.t, err)
	body, _ := io.ReadAll(response.Body)
	require.NoError(s.t, response.Body.Close())
	require.Equal(s.t, want, response.StatusCode, "%s", body)
}

func descriptor(mediaType string, content []byte) ocispec.Descriptor {
	sum := sha256.Sum256(content)
	var d ocispec.Descriptor
	_ = json.Unmarshal(fmt.Appendf(nil, `{"mediaType": %q, "digest": "sha256:%s", "size": %d}`, mediaType, hex.EncodeToString(sum[:]), len(content)), &d)
	return d
}

// internet connects hosts, such as https://registry.example, to handlers, without a network.
type internet map[string]http.Handler

// RoundTrip lets the handler of the host answer.
func (n internet) RoundTrip(req *http.Request) (*http.Response, error) {
	handler := n[req.URL.Scheme+"://"+req.URL.Host]
	if handler == nil {
		return nil, errors.New("there is no host " + req.URL.Scheme + "://" + req.URL.Host)
	}
	body := io.Reader(http.NoBody)
	if req.Body != nil {
		body = req.Body
	}
	got := httptest.NewRequestWithContext(req.Context(), req.Method, req.URL.String(), body)
	got.Header = req.Header.Clone()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, got)
	response := w.Result()
	response.Request = req
	return response, nil
}

// imageManifest returns a manifest as other tools write it.
func imageManifest(artifact string, config ocispec.Descriptor, layers ...ocispec.Descriptor) ocispec.Manifest {
	m := ocispec.Manifest{MediaType: ocispec.MediaTypeImageManifest, ArtifactType: artifact, Config: config, Layers: layers}
	m.SchemaVersion = 2
	return m
}
