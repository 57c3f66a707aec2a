package scan_test

import (
	"strings"
	"testing"

	"github.com/agenthost/agenthost/plugins/redact/scan"
)

func TestEmail(t *testing.T) {
	t.Parallel()
	runCases(t, scan.Email, []testCase{
		{"alone", "ann@shop.example", []string{"ann@shop.example"}},
		{"in a sentence", "Write to ann@shop.example.", []string{"ann@shop.example"}},
		{"in angle brackets", "Ann <ann@shop.example>", []string{"ann@shop.example"}},
		{"in JSON", `{"mail":"ann@shop.example"}`, []string{"ann@shop.example"}},
		{"after an equals sign", "user=ann@shop.example ip=x", []string{"ann@shop.example"}},
		{"mailto", "mailto:ann@shop.example?subject=x", []string{"ann@shop.example"}},
		{"every local sign", "a.b_c%d+e-f@shop.example", []string{"a.b_c%d+e-f@shop.example"}},
		{"subdomains", "ann@mail.eu.shop.example", []string{"ann@mail.eu.shop.example"}},
		{"a domain with dashes and digits", "ann@my-shop24.co.uk", []string{"ann@my-shop24.co.uk"}},
		{"capitals", "ANN@SHOP.EXAMPLE", []string{"ANN@SHOP.EXAMPLE"}},
		{"several", "a@b.co,c@d.co;e@f.co", []string{"a@b.co", "c@d.co", "e@f.co"}},
		{"leading dots are no part", "..ann@shop.example", []string{"ann@shop.example"}},
		{"a plus before it is no part", "+ann@shop.example", []string{"ann@shop.example"}},
		{"a port behind it", "ann@shop.example:25", []string{"ann@shop.example"}},
		{"a dash behind it", "ann@shop.com-pany", []string{"ann@shop.com"}},
		{"text in another script around it", "请写信给ann@shop.example谢谢", []string{"ann@shop.example"}},
		{"a letter with an accent before it", "Renéann@shop.example", []string{"ann@shop.example"}},
		{"an internationalised domain", "ann@bücher.example", []string{"ann@bücher.example"}},
		{"a domain in Punycode", "ann@xn--bcher-kva.example", []string{"ann@xn--bcher-kva.example"}},
		{"a top-level domain in Punycode", "ann@shop.xn--p1ai!", []string{"ann@shop.xn--p1ai"}},
		{"a digit label in the middle", "ann@1.2.example", []string{"ann@1.2.example"}},
		{"the end of the name that is one", "ann@shop.example.123", []string{"ann@shop.example"}},
		{"long", strings.Repeat("a", 3000) + "@shop.example", []string{strings.Repeat("a", 3000) + "@shop.example"}},

		{"no top-level domain", "ann@localhost", nil},
		{"a top-level domain of one letter", "ann@shop.e", nil},
		{"a top-level domain with digits", "ann@shop.e2", nil},
		{"a number as host", "ann@10.1.2.3", nil},
		{"no local part", "@shop.example", nil},
		{"a local part of dots", "...@shop.example", nil},
		{"a space before the sign", "ann @shop.example", nil},
		{"a space behind the sign", "ann@ shop.example", nil},
		{"a handle", "thanks @ann.example", nil},
		{"an npm scope", "npm install @scope/package.name", nil},
		{"an npm version", "left-pad@1.3.0", nil},
		{"a Go module version", "golang.org/x/mod@v0.18.0", nil},
		{"an image digest", "app@sha256:0123456789abcdef", nil},
		{"a domain that begins with a dash", "ann@-shop.example", nil},
		{"two dots", "ann@shop..example", nil},
		{"an underscore behind the top-level domain", "ann@shop.com_x", nil},
		{"a masked one", "ann@****.example", nil},
		{"signs only", "@@@@@", nil},
	})
}
