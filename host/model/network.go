package model

// Network says how a model of a provider reaches its server. The zero Network uses the proxies and certificates of the environment:
// HTTP_PROXY, HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE and SSL_CERT_DIR.
type Network struct {
	// Proxy is the address of a proxy for all requests, such as "http://user:password@proxy.example:3128". Its scheme is http, https,
	// socks5 or socks5h, which lets the proxy look names up. NO_PROXY does not apply. "": the environment says.
	Proxy string
	// CAFile is a PEM file with certificates of authorities that are trusted as well as those of the system.
	CAFile string
	// ClientCert is a PEM file with the certificate with which the model authenticates itself to the server, and those of its authorities.
	ClientCert string
	ClientKey  string // a PEM file with its private key; "": it is in ClientCert
}
