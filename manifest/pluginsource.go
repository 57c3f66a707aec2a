package manifest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/registry/reference"
)

// pluginSource says where a plugin's module is: a path, or a mapping that names one place and what the module must be.
type pluginSource struct {
	// the path of the module, or of a script (.ts, .mts, .js, .mjs, .py, or a directory with a package.json or an __init__.py), relative to the manifest
	Path string `yaml:"path"`
	// the plugin's reference in a registry of container images, such as ghcr.io/acme/redact:1.2. agenthost.lock says which module that is
	OCI ociReference `yaml:"oci"`
	// the URL of the module, which begins with https://; it needs sha256
	HTTPS    moduleURL  `yaml:"https"`
	SHA256   digest     `yaml:"sha256"`   // the SHA-256 digest that the module must have, in hexadecimal
	Minisign publicKeys `yaml:"minisign"` // a minisign public key, or several; one of them must have signed the module
}

// UnmarshalStrict decodes either form.
func (s *pluginSource) UnmarshalStrict(n strictyaml.Node) error {
	if n.Kind() != strictyaml.KindMap {
		return n.Decode(&s.Path)
	}
	type fields pluginSource
	if err := n.Decode((*fields)(s)); err != nil {
		return err
	}
	places := 0
	for _, place := range []string{s.Path, string(s.OCI), string(s.HTTPS)} {
		if place != "" {
			places++
		}
	}
	switch {
	case places != 1:
		return n.Errorf("a plugin needs exactly one of the keys path, oci and https; this one has %d", places)
	case s.HTTPS != "" && s.SHA256 == "":
		return n.Errorf("a plugin with https needs sha256, the digest of its module; 'sha256sum FILE' prints it")
	}
	return nil
}

// source returns what the lock file calls the source; "": the plugin is a file.
func (s *pluginSource) source() string { return cmp.Or(string(s.OCI), string(s.HTTPS)) }

// base returns the name of a plugin that is not a file, if its entry gives it none.
func (s *pluginSource) base() string {
	if s.OCI != "" {
		ref, _ := reference.Parse(string(s.OCI)) // was checked when it was read
		return ref.Base()
	}
	address, _, _ := strings.Cut(string(s.HTTPS), "?")
	name := path.Base(address)
	return strings.TrimSuffix(name, path.Ext(name))
}

// ociReference is the reference of a plugin in a registry.
type ociReference string

// CheckStrict requires a registry, a name, and a tag or digest.
func (r *ociReference) CheckStrict(n strictyaml.Node) error {
	if strings.HasPrefix(string(*r), reference.Scheme) {
		return n.Errorf("leave out %s, because the key says it", reference.Scheme)
	}
	if _, err := reference.Parse(string(*r)); err != nil {
		return n.Errorf("%w", err)
	}
	return nil
}

// moduleURL is the URL of a module.
type moduleURL string

// CheckStrict requires a URL that may be fetched.
func (u *moduleURL) CheckStrict(n strictyaml.Node) error {
	if _, err := reference.ParseURL(string(*u)); err != nil {
		return n.Errorf("%w", err)
	}
	return nil
}

// digest is a SHA-256 digest in hexadecimal.
type digest string

// CheckStrict requires 64 digits.
func (d *digest) CheckStrict(n strictyaml.Node) error {
	if b, err := hex.DecodeString(string(*d)); err != nil || len(b) != sha256.Size {
		return n.Errorf("must be a SHA-256: 64 hexadecimal digits, as sha256sum prints them")
	}
	return nil
}

// publicKeys are public keys of minisign: one key, or a list of keys.
type publicKeys []string

// UnmarshalStrict decodes either form.
func (k *publicKeys) UnmarshalStrict(n strictyaml.Node) error {
	if n.Kind() == strictyaml.KindList {
		return n.Decode((*[]string)(k))
	}
	*k = make(publicKeys, 1)
	return n.Decode(&(*k)[0])
}

// CheckStrict requires at least one key.
func (k *publicKeys) CheckStrict(n strictyaml.Node) error {
	for _, key := range *k {
		if err := plugin.ParseKey(key); err != nil {
			return n.Errorf("%w", err)
		}
	}
	return nil
}
