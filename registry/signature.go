package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/registry/reference"
)

// maxSignatures is how many signatures of one artifact are looked at.
const maxSignatures = 32

// commentPrefix is how the trusted comment of a signature begins that says for which repository it was made.
const commentPrefix = "agenthost repository="

// Comment returns the trusted comment for the signature of a plugin or an agent. With it, a signature for one repository does not
// pass for another one: nobody can offer one plugin of an author as another.
func Comment(ref reference.Reference, name, version string) string {
	return fmt.Sprintf("%s%s name=%s version=%s", commentPrefix, ref.Name(), cleaned(name), cleaned(version))
}

// madeFor returns the repository that a trusted comment names; "": it names none, such as a comment of minisign itself.
func madeFor(comment string) string {
	rest, ok := strings.CutPrefix(comment, commentPrefix)
	if !ok {
		return ""
	}
	repository, _, _ := strings.Cut(rest, " ")
	return repository
}

// Signature is a signature that was checked.
type Signature struct {
	minisig.Signed

	Bytes []byte // the content of its file
}

// checkComment refuses a signature that was made for another repository.
func checkComment(ref reference.Reference, signed minisig.Signed) error {
	if other := madeFor(signed.Comment); other != "" && other != ref.Name() {
		return fmt.Errorf("%w: the key %s has signed it for %s, and not for %s", plugin.ErrSignature, signed.By.ID(), cleaned(other), ref.Name())
	}
	return nil
}

// signature returns a signature by one of the keys of what the descriptor describes. The signed bytes are given.
func (r *repository) signature(ctx context.Context, subject ocispec.Descriptor, signed []byte, keys []minisig.Key) (*Signature, error) {
	found := 0
	var valid *Signature
	var refused error
	err := r.Referrers(ctx, subject, SignatureType, func(referrers []ocispec.Descriptor) error {
		for _, desc := range referrers {
			found++
			if found > maxSignatures {
				return errEnough
			}
			signature, err := r.signatureOf(ctx, desc, subject)
			if err != nil {
				if ctx.Err() != nil {
					return err
				}
				continue // another one may be in order
			}
			by, ok := minisig.Verify(signed, signature, keys...)
			if !ok {
				continue
			}
			if err := checkComment(r.ref, by); err != nil {
				refused = err
				continue
			}
			valid = &Signature{by, signature}
			return errEnough
		}
		return nil
	})
	switch {
	case valid != nil:
		return valid, nil
	case err != nil && !errors.Is(err, errEnough):
		return nil, r.explain(err)
	case refused != nil:
		return nil, r.explain(&Error{Err: refused, Advice: "pull it from there, or ask its author for a signature"})
	case found == 0:
		return nil, r.explain(&Error{
			Err:    fmt.Errorf("%w: the registry has none for it", plugin.ErrSignature),
			Advice: "ask its author to push it with --sign, or remove the key minisign",
		})
	default:
		return nil, r.explain(&Error{Err: fmt.Errorf("%w of the wanted keys: it is signed by someone else, or was changed", plugin.ErrSignature)})
	}
}

// errEnough ends a listing.
var errEnough = errors.New("enough")

// signatureOf fetches the signature that a referrer holds.
func (r *repository) signatureOf(ctx context.Context, desc, subject ocispec.Descriptor) ([]byte, error) {
	if desc.MediaType != ocispec.MediaTypeImageManifest {
		return nil, layoutError("the signature has the type %s", desc.MediaType)
	}
	if err := checkDescriptor("the manifest of a signature", desc, maxConfig); err != nil {
		return nil, err
	}
	raw, err := content.FetchAll(ctx, r.Manifests(), desc)
	if err != nil {
		return nil, err
	}
	var m ocispec.Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	if m.Subject == nil || m.Subject.Digest != subject.Digest || len(m.Layers) != 1 || m.Layers[0].MediaType != SignatureType {
		return nil, layoutError("the signature is of something else")
	}
	return r.blob(ctx, "the signature", m.Layers[0], minisig.MaxSize)
}
