package registry

import (
	"bytes"
	"context"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// Pushed is what was pushed.
type Pushed struct {
	Digest string // of the manifest
	Before string // the digest that the tag had before; "": the tag is new
	Signed int    // the number of signatures that were pushed with it
}

// push pushes a manifest with its contents and signatures, and then lets the tag of the reference point to it. A reader that finds the
// tag finds the signatures, too.
func (r *repository) push(ctx context.Context, manifest blob, contents []blob, signatures [][]byte) (Pushed, error) {
	pushed := Pushed{Digest: manifest.Digest.String(), Signed: len(signatures)}
	for _, b := range contents {
		if err := r.put(ctx, b); err != nil {
			return pushed, r.explain(err)
		}
	}
	if err := r.Manifests().Push(ctx, manifest.Descriptor, bytes.NewReader(manifest.content)); err != nil {
		return pushed, r.explain(err)
	}
	for _, signature := range signatures {
		if err := r.sign(ctx, manifest.Descriptor, signature); err != nil {
			return pushed, r.explain(err)
		}
	}
	if r.ref.Tag == "" {
		return pushed, nil
	}
	if before, err := r.Manifests().Resolve(ctx, r.ref.Tag); err == nil {
		pushed.Before = before.Digest.String()
	}
	err := r.Manifests().PushReference(ctx, manifest.Descriptor, bytes.NewReader(manifest.content), r.ref.Tag)
	return pushed, r.explain(err)
}

// put pushes a content, unless the repository has it.
func (r *repository) put(ctx context.Context, b blob) error {
	if there, err := r.Blobs().Exists(ctx, b.Descriptor); err == nil && there {
		return nil
	}
	return r.Blobs().Push(ctx, b.Descriptor, bytes.NewReader(b.content))
}

// sign pushes a signature as a referrer of a manifest. A registry without referrers gets it as a list with a tag of its own.
func (r *repository) sign(ctx context.Context, subject ocispec.Descriptor, signature []byte) error {
	layer := newBlob(SignatureType, signature)
	config := newBlob(SignatureType, []byte("{}")) // a registry that knows no artifact types lists the type of the configuration
	manifest, err := newManifest(SignatureType, config, []blob{layer}, nil, &subject)
	if err != nil {
		return err
	}
	for _, b := range []blob{config, layer} {
		if err := r.put(ctx, b); err != nil {
			return err
		}
	}
	return r.Manifests().Push(ctx, manifest.Descriptor, bytes.NewReader(manifest.content))
}
