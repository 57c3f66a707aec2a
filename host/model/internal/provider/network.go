package provider

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/httptransport"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// maxPEM is the maximum length of a file with certificates or a key, in bytes.
const maxPEM = 4 << 20

// proxySchemes are the schemes of proxies that package net/http supports.
var proxySchemes = []string{"http", "https", "socks5", "socks5h"}

// network returns the transport for a [model.Network], and the secrets in its proxy's address. The transport is nil if the network is
// that of the environment. The error is a [model.SettingError], which shows no address and no key.
func network(n *model.Network) (t *http.Transport, secrets []string, err error) {
	if *n == (model.Network{}) {
		return nil, nil, nil
	}
	t = httptransport.New()
	if t.TLSClientConfig == nil {
		t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if n.Proxy != "" {
		proxy, err := url.Parse(n.Proxy)
		if err != nil || proxy.Host == "" || !slices.Contains(proxySchemes, proxy.Scheme) {
			return nil, nil, &model.SettingError{
				Setting: "proxy", Problem: "must be an address such as http://proxy.example:3128; its scheme is http, https, socks5 or socks5h",
			}
		}
		t.Proxy = http.ProxyURL(proxy)
		if password, ok := proxy.User.Password(); ok {
			secrets = append(secrets, password, proxy.User.String())
		}
	}
	if roots, err := authorities(n.CAFile); err != nil {
		return nil, nil, err
	} else if roots != nil {
		t.TLSClientConfig.RootCAs = roots
	}
	if t.TLSClientConfig.Certificates, err = clientCertificate(n); err != nil {
		return nil, nil, err
	}
	return t, secrets, nil
}

// authorities returns the system's authorities and those of a file; nil if there is no file.
func authorities(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil //nolint:nilnil // the system's own
	}
	text, err := readPEM("ca_file", file)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil { // the machine has none
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, &model.SettingError{Setting: "ca_file", Problem: "names the file " + file + ", which contains no certificate in the PEM format"}
	}
	return pool, nil
}

// clientCertificate returns the certificate with which the model authenticates itself; none if there is none.
func clientCertificate(n *model.Network) ([]tls.Certificate, error) {
	if n.ClientCert == "" {
		if n.ClientKey != "" {
			return nil, &model.SettingError{Setting: "client_key", Problem: "needs client_cert, the certificate of the key"}
		}
		return nil, nil
	}
	certificate, err := readPEM("client_cert", n.ClientCert)
	if err != nil {
		return nil, err
	}
	key := certificate
	if n.ClientKey != "" {
		if key, err = readPEM("client_key", n.ClientKey); err != nil {
			return nil, err
		}
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, &model.SettingError{
			Setting: "client_cert", Problem: "and its key cannot be used: " + short(err.Error()) + "; client_cert and client_key must be PEM files that " +
				"belong together, and the key must not be encrypted",
		}
	}
	return []tls.Certificate{pair}, nil
}

// readPEM reads a file. The path is part of errors; it is short, and no key that somebody wrote in its place.
func readPEM(setting, file string) ([]byte, error) {
	if len(file) > maxPath || !isPath(file) {
		return nil, &model.SettingError{Setting: setting, Problem: "must be the path of a PEM file, and not its content"}
	}
	text, err := regularfile.Read(file, maxPEM)
	if err != nil {
		return nil, &model.SettingError{Setting: setting, Problem: "names a file that cannot be read: " + err.Error() + "; correct the path"}
	}
	return text, nil
}

// maxPath is the maximum length of a path, in bytes.
const maxPath = 4096

func isPath(text string) bool {
	return !slices.ContainsFunc([]byte(text), func(c byte) bool { return c < ' ' })
}

// errTwoClients means that a program sets both fields.
var errTwoClients = errors.New("HTTPClient and Network are both set; set the proxy and the certificates in HTTPClient's transport, or leave it nil")
