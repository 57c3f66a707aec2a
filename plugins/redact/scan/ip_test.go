package scan_test

import (
	"testing"

	"github.com/agenthost/agenthost/plugins/redact/scan"
)

func TestIPv4(t *testing.T) {
	t.Parallel()
	runCases(t, scan.IP, []testCase{
		{"alone", "10.1.2.3", []string{"10.1.2.3"}},
		{"the lowest", "0.0.0.0", []string{"0.0.0.0"}},
		{"the highest", "255.255.255.255", []string{"255.255.255.255"}},
		{"with a port", "10.1.2.3:8080", []string{"10.1.2.3"}},
		{"with a prefix length", "10.1.2.0/24", []string{"10.1.2.0"}},
		{"in a URL", "http://10.1.2.3/x", []string{"10.1.2.3"}},
		{"after a user", "ssh root@10.1.2.3", []string{"10.1.2.3"}},
		{"at the end of a sentence", "It came from 10.1.2.3.", []string{"10.1.2.3"}},
		{"the end of a sentence before it", "Yes.10.1.2.3", []string{"10.1.2.3"}},
		{"in brackets", "(10.1.2.3)", []string{"10.1.2.3"}},
		{"after an equals sign", "ip=10.1.2.3,port=1", []string{"10.1.2.3"}},
		{"in JSON", `{"ip":"10.1.2.3"}`, []string{"10.1.2.3"}},
		{"Java's host and address", "db/10.1.2.3:5432", []string{"10.1.2.3"}},
		{"a range", "10.1.2.3-10.1.2.9", []string{"10.1.2.3", "10.1.2.9"}},
		{"two", "10.1.2.3, 10.1.2.4", []string{"10.1.2.3", "10.1.2.4"}},
		{"text in another script around it", "来自10.1.2.3的请求", []string{"10.1.2.3"}},

		{"a version of five numbers", "1.2.3.4.5", nil},
		{"a version of six numbers", "1.2.3.4.5.6", nil},
		{"a version of three numbers", "1.2.3", nil},
		{"a number over 255", "10.1.2.256", nil},
		{"a number of four digits", "Chrome/91.0.4472.124", nil},
		{"a browser's version", "Chrome/120.0.0.0 Safari/537.36", nil},
		{"leading zeros", "010.001.002.003", nil},
		{"a letter before it", "v1.2.3.4", nil},
		{"a letter behind it", "1.2.3.4a", nil},
		{"an underscore behind it", "1.2.3.4_5", nil},
		{"an empty number", "1..3.4", nil},
		{"dashes", "10-1-2-3", nil},
		{"an object identifier", "1.3.6.1.4.1.311", nil},
		{"masked", "*.*.*.4", nil},
		{"a date", "2024.01.15", nil},
	})
}

func TestIPv6(t *testing.T) {
	t.Parallel()
	runCases(t, scan.IP, []testCase{
		{"complete", "2001:0db8:0000:0000:0000:ff00:0042:8329", []string{"2001:0db8:0000:0000:0000:ff00:0042:8329"}},
		{"compressed", "2001:db8::ff00:42:8329", []string{"2001:db8::ff00:42:8329"}},
		{"loopback", "::1", []string{"::1"}},
		{"compressed at the end", "fe80:: ", []string{"fe80::"}},
		{"capitals", "2001:DB8::FF", []string{"2001:DB8::FF"}},
		{"with an IPv4 address", "::ffff:10.1.2.3", []string{"::ffff:10.1.2.3"}},
		{"with an IPv4 address, complete", "0:0:0:0:0:ffff:10.1.2.3", []string{"0:0:0:0:0:ffff:10.1.2.3"}},
		{"in brackets with a port", "[2001:db8::1]:8080", []string{"2001:db8::1"}},
		{"in a URL", "http://[::1]:8080/", []string{"::1"}},
		{"with a zone", "fe80::1%eth0", []string{"fe80::1"}},
		{"with a prefix length", "2001:db8::/32", []string{"2001:db8::"}},
		{"a colon behind it", "from fe80::1: refused", []string{"fe80::1"}},
		{"at the end of a sentence", "It came from fe80::1.", []string{"fe80::1"}},
		{"a comma behind it", "fe80::1, fe80::2", []string{"fe80::1", "fe80::2"}},
		{"after an equals sign", "ip=2001:db8::1", []string{"2001:db8::1"}},
		{"in JSON", `"2001:db8::1"`, []string{"2001:db8::1"}},
		{"bold", "**2001:db8::1**", []string{"2001:db8::1"}},
		{"text in another script around it", "来自2001:db8::1的请求", []string{"2001:db8::1"}},

		{"a time", "12:34:56", nil},
		{"a time with a date", "2024-01-15T12:34:56Z", nil},
		{"a time with frames", "12:34:56:12", nil},
		{"a hardware address", "aa:bb:cc:dd:ee:01", nil},
		{"a fingerprint", "43:51:43:a1:b5:fc:8b:b7:0a:3a:a9:b1:0f:66:73:a8", nil},
		{"nothing but colons", "::", nil},
		{"four colons", "::::", nil},
		{"three colons", "1:::2", nil},
		{"two gaps", "1::2::3", nil},
		{"seven groups", "1:2:3:4:5:6:7", nil},
		{"nine groups", "1:2:3:4:5:6:7:8:9", nil},
		{"a group of five", "2001:db8::12345", nil},
		{"C++", "std::dead", nil},
		{"Rust", "f64::consts::PI", nil},
		{"a path of hexadecimal letters", "dead::beef", nil},
		{"an ARN", "arn:aws:iam::123456789012:user/x", nil},
		{"a letter behind it", "fe80::1g", nil},
		{"a ratio", "16:9", nil},
		{"netstat's any address", ":::8080", nil},
	})
}
