package provider

import (
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/model"
)

// untrusted returns the error for a request to a server whose certificate is not trusted; nil for any other error. A retry
// would meet the same certificate.
func untrusted(name string, err error) *model.Error {
	if refused := unwanted(name, err); refused != nil {
		return refused
	}
	wrong := certificateProblem(err)
	if wrong == "" {
		return nil
	}
	of := "the server"
	var operation *net.OpError
	if errors.As(err, &operation) && operation.Op == "proxyconnect" {
		of = "the proxy"
	} else if host := hostOf(err); host != "" {
		of = host
	}
	return &model.Error{
		Provider: name, Kind: model.ErrorCertificate, Err: &certificateError{problem: "the certificate of " + of + wrong, err: err},
	}
}

// unwanted returns the error for a server that does not accept the client's certificate, or wants one; nil for any other error.
func unwanted(name string, err error) *model.Error {
	var operation *net.OpError
	if !errors.As(err, &operation) || operation.Op != "remote error" {
		return nil
	}
	alert := strings.TrimPrefix(operation.Err.Error(), "tls: ")
	if !strings.Contains(alert, "certificate") { // such as "certificate required", "bad certificate" and "unknown certificate authority"
		return nil
	}
	return &model.Error{Provider: name, Kind: model.ErrorCertificate, Err: &certificateError{
		problem: "the server refuses the client's certificate, or its absence: " + alert + "; set client_cert and client_key of the model to " +
			"a certificate that the server accepts",
		err: err,
	}}
}

// certificateError says why the certificate of a server is not trusted, and what to do.
type certificateError struct {
	problem string
	err     error // of package crypto/x509
}

func (e *certificateError) Error() string { return short(e.problem) }

// Unwrap returns the cause.
func (e *certificateError) Unwrap() error { return e.err }

// certificateProblem says what is wrong with a certificate; "" if the error has another cause. Only the name is from the
// certificate, which anybody may have made.
func certificateProblem(err error) string {
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var hostname x509.HostnameError
	var roots x509.SystemRootsError
	switch {
	case errors.As(err, &authority):
		return " is signed by an unknown authority; set ca_file of the model to a PEM file with the authority's certificate, " +
			"or SSL_CERT_FILE to one with those of all authorities that you trust, or on macOS and Windows add the authority to the system's"
	case errors.As(err, &hostname):
		return " is for another name" + namesOf(hostname.Certificate) + "; correct the base URL, or give the server a certificate for this name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return " has expired or is not valid yet; renew it or, if the authority's own has expired, replace that in ca_file or SSL_CERT_FILE, " +
			"and check the clock of this machine"
	case errors.As(err, &invalid):
		return " is invalid: " + strings.TrimPrefix(invalid.Error(), "x509: ") + "; replace it, or the authority's own in ca_file or SSL_CERT_FILE"
	case errors.As(err, &roots):
		return " cannot be checked, because this machine has no certificates of authorities; install them (ca-certificates), or set " +
			"ca_file or SSL_CERT_FILE to a PEM file with those that you trust"
	default:
		return ""
	}
}

// namesOf lists the first names of a certificate.
func namesOf(c *x509.Certificate) string {
	if c == nil {
		return ""
	}
	names := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names[:min(len(names), 3)], ", ") + ")"
}

// hostOf returns the host of the request that failed; "" if the error does not say.
func hostOf(err error) string {
	request, ok := errors.AsType[*url.Error](err)
	if !ok {
		return ""
	}
	address, err := url.Parse(request.URL)
	if err != nil {
		return ""
	}
	return address.Host
}
