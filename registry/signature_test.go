package registry_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/registry"
	"github.com/agenthost/agenthost/registry/reference"
)

func newKey(t *testing.T) minisig.PrivateKey {
	t.Helper()
	key, err := minisig.Generate()
	require.NoError(t, err)
	return key
}

func sign(t *testing.T, key minisig.PrivateKey, content []byte, comment string) []byte {
	t.Helper()
	signature, err := key.Sign(content, comment)
	require.NoError(t, err)
	return signature
}

// TestSignatures pushes and pulls signed plugins, with a registry that knows referrers and with one that does not.
func TestSignatures(t *testing.T) {
	t.Parallel()
	for name, referrers := range map[string]bool{"referrers": true, "tags": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, referrers)
			c := client(t, registry.Options{})
			author, other := newKey(t), newKey(t)
			ref := s.ref("acme/redact:1")
			comment := registry.Comment(ref, "acme/redact", "1.0")
			push := func(ref reference.Reference, signatures ...[]byte) {
				t.Helper()
				pushed, err := c.PushPlugin(t.Context(), ref, &registry.Module{Bytes: module, Name: ref.Repository}, signatures...)
				require.NoError(t, err)
				require.Equal(t, len(signatures), pushed.Signed)
			}
			pull := func(ref reference.Reference, keys ...minisig.Key) (*registry.Pulled, error) {
				return c.PullPlugin(t.Context(), ref, keys...)
			}
			push(ref)
			_, err := pull(ref, author.Public())
			require.ErrorIs(t, err, plugin.ErrSignature)
			require.ErrorContains(t, err, "the registry has none for it")

			push(ref, sign(t, other, module, comment))
			_, err = pull(ref, author.Public())
			require.ErrorIs(t, err, plugin.ErrSignature)
			require.ErrorContains(t, err, "it is signed by someone else, or was changed")

			signature := sign(t, author, module, comment)
			push(ref, signature)
			for _, keys := range [][]minisig.Key{{author.Public()}, {newKey(t).Public(), author.Public()}} {
				pulled, err := pull(ref, keys...)
				require.NoError(t, err, "another signature does no harm")
				require.Equal(t, author.Public().String(), pulled.Signature.By.String())
				require.Equal(t, signature, pulled.Signature.Bytes)
				require.Equal(t, "agenthost repository="+s.host+"/acme/redact name=acme/redact version=1.0", pulled.Signature.Comment)
			}
			pulled, err := pull(ref)
			require.NoError(t, err)
			require.Nil(t, pulled.Signature, "nobody asked")

			// A signature of another module, and one that was made for another repository.
			changed := s.ref("acme/changed:1")
			push(changed, sign(t, author, []byte("other"), registry.Comment(changed, "", "")))
			_, err = pull(changed, author.Public())
			require.ErrorIs(t, err, plugin.ErrSignature)
			moved := s.ref("acme/moved:1")
			push(moved, signature)
			_, err = pull(moved, author.Public())
			require.ErrorIs(t, err, plugin.ErrSignature)
			require.ErrorContains(t, err, "has signed it for "+s.host+"/acme/redact, and not for "+s.host+"/acme/moved")

			// One of minisign itself names no repository.
			plain := s.ref("acme/plain:1")
			push(plain, sign(t, author, module, "timestamp:1700000000	file:redact.wasm	hashed"))
			_, err = pull(plain, author.Public())
			require.NoError(t, err)
		})
	}
}

// TestHostileSignatures lets the registry send nonsense in place of signatures.
func TestHostileSignatures(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	key := newKey(t)
	ref := s.ref("redact:1")
	c := client(t, registry.Options{})
	pushed, err := c.PushPlugin(t.Context(), ref, &registry.Module{Bytes: module}, []byte("no signature"), []byte(strings.Repeat("x", minisig.MaxSize)))
	require.NoError(t, err)
	subject := descriptor("application/vnd.oci.image.manifest.v1+json", nil)
	for tag, artifact := range map[string]string{"a": registry.SignatureType, "b": registry.PluginType} {
		layer := s.put("redact", registry.SignatureType, sign(t, key, module, "for another module"))
		m := imageManifest(artifact, s.put("redact", "application/vnd.oci.empty.v1+json", []byte("{}")), layer)
		m.Subject = &subject
		s.putManifest("redact", tag, m)
	}
	_, err = c.PullPlugin(t.Context(), ref, key.Public())
	require.ErrorIs(t, err, plugin.ErrSignature)
	require.ErrorContains(t, err, "it is signed by someone else, or was changed")

	for says, answer := range map[string]func(w http.ResponseWriter){
		"500": func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) },
		"": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/vnd.oci.image.index.v1+json")
			_, _ = w.Write([]byte(`{"manifests": [` + strings.Repeat(`{"artifactType": "`+registry.SignatureType+`", "digest": "`+pushed.Digest+`", "size": 1},`, 100) + `{}]}`))
		},
	} {
		s.answers(func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(r.URL.Path, "/referrers/") {
				return false
			}
			answer(w)
			return true
		})
		_, err := c.PullPlugin(t.Context(), ref, key.Public())
		require.ErrorContains(t, err, says, "a signature that cannot be fetched is not in order")
	}
}
