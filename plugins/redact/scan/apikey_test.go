package scan_test

import (
	"strings"
	"testing"

	"github.com/agenthost/agenthost/plugins/redact/scan"
)

// example returns n bytes that look random to the scanner and like an example to everybody else. Keys are put together
// at run time, so that no scanner of repositories takes this file for a leak.
func example(n int) string {
	return strings.Repeat("EXAMPLEexample0", n/15+1)[:n]
}

func TestAPIKeyShapes(t *testing.T) {
	t.Parallel()
	var cases []testCase
	for _, shape := range []struct{ name, key string }{
		{"OpenAI", "sk-" + example(48)},
		{"OpenAI, project", "sk-proj-" + example(40) + "_-" + example(20)},
		{"OpenAI, service account", "sk-svcacct-" + example(40)},
		{"Anthropic", "sk-ant-" + "api03-" + example(80) + "-AA"},
		{"OpenRouter", "sk-or-v1-" + strings.Repeat("0a", 32)},
		{"AWS", "AKIA" + "IOSFODNN7EXAMPLE"},
		{"AWS, temporary", "ASIA" + "IOSFODNN7EXAMPLE"},
		{"GitHub, personal", "ghp_" + example(36)},
		{"GitHub, OAuth", "gho_" + example(36)},
		{"GitHub, user to server", "ghu_" + example(36)},
		{"GitHub, server to server", "ghs_" + example(36)},
		{"GitHub, refresh", "ghr_" + example(76)},
		{"GitHub, fine-grained", "github_" + "pat_" + example(22) + "_" + example(59)},
		{"Slack, bot", "xoxb-" + "000000000000-" + example(24)},
		{"Slack, user", "xoxp-" + "000000000000-" + example(24)},
		{"Slack, workspace", "xoxa-" + "2-" + example(24)},
		{"Slack, refresh", "xoxr-" + example(24)},
		{"Slack, session", "xoxs-" + example(24)},
		{"Slack, app", "xapp-" + "1-A000-" + example(24)},
		{"Google", "AIza" + example(35)},
		{"Stripe, secret", "sk_" + "live_" + example(24)},
		{"Stripe, publishable", "pk_" + "live_" + example(24)},
		{"Stripe, restricted", "rk_" + "live_" + example(24)},
		{"Stripe, test", "sk_" + "test_" + example(24)},
		{"Stripe, publishable test", "pk_" + "test_" + example(24)},
		{"Stripe, restricted test", "rk_" + "test_" + example(24)},
		{"Stripe, webhook", "whsec_" + example(32)},
		{"GitLab", "glpat-" + example(20)},
		{"GitLab, routable", "glpat-" + example(27) + ".01." + example(9)},
		{"npm", "npm_" + example(36)},
		{"Hugging Face", "hf_" + example(34)},
		{"JSON Web Token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + example(43)},
		{"encrypted JSON Web Token", "eyJhbGciOiJSU0EifQ." + example(20) + "." + example(16) + "." + example(30) + "." + example(22)},
		{"JSON Web Token without a signature", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0"},
	} {
		want := []string{shape.key}
		cases = append(cases,
			testCase{shape.name, shape.key, want},
			testCase{shape.name + " in a sentence", "The key " + shape.key + ".", want},
			testCase{shape.name + " in JSON", `{"k":"` + shape.key + `"}`, want},
			testCase{shape.name + " behind a dash", "-" + shape.key + "\n", want},
			testCase{shape.name + " in a word", "x" + shape.key, nil},
			testCase{shape.name + " cut off", shape.key[:len("sk-ant-")], nil},
		)
	}
	runCases(t, scan.APIKey, cases)
}

func TestAPIKeyNegatives(t *testing.T) {
	t.Parallel()
	runCases(t, scan.APIKey, []testCase{
		{"a CSS class", "sk-folding-cube-animation-delay", nil},
		{"a task", "task-0123456789012345678901234567", nil},
		{"a short one", "sk-0123456789", nil},
		{"AWS with a small letter", "AKIAIOSFODNN7EXAMPLe", nil},
		{"AWS, too long", "AKIAIOSFODNN7EXAMPLEX", nil},
		{"AWS, too short", "AKIAIOSFODNN7EXAMPL", nil},
		{"an npm variable", "npm_config_registry_is_set_to_default", nil},
		{"a Python package", "hf_transfer", nil},
		{"Google, too short", "AIza" + example(34), nil},
		{"Base64 of JSON without parts", "eyJhbGciOiJIUzI1NiJ9", nil},
		{"a file of Base64 name", "eyJhbGciOiJIUzI1NiJ9.json", nil},
		{"a Slack word", "xoxb-short", nil},
		{"a commit", "0123456789abcdef0123456789abcdef01234567", nil},
		{"a UUID", "6fa459ea-ee8a-4ca4-894e-db77e160355e", nil},
		{"nothing behind bearer", "Bearer ", nil},
		{"bearer in prose", "the bearer of good news", nil},
		{"bearer authentication", "Bearer authentication required", nil},
		{"bearer without a space", "Bearer0123456789abcdef", nil},
		{"forbearer", "forbearer 0123456789abcdef", nil},
		{"dots behind bearer", "Bearer ................................", nil},
	})
}

func TestBearer(t *testing.T) {
	t.Parallel()
	runCases(t, scan.APIKey, []testCase{
		{"a header", "Authorization: Bearer 0123456789abcdef", []string{"0123456789abcdef"}},
		{"small letters", "authorization: bearer 0123456789abcdef", []string{"0123456789abcdef"}},
		{"in a command", `curl -H "Authorization: Bearer 0123456789abcdef"`, []string{"0123456789abcdef"}},
		{"in JSON", `{"Authorization":"Bearer 0123456789abcdef"}`, []string{"0123456789abcdef"}},
		{"alone", "Bearer 0123-4567.89_ab~cd+ef/==", []string{"0123-4567.89_ab~cd+ef/=="}},
		{"long without a digit", "Bearer " + strings.Repeat("abcdef", 5), []string{strings.Repeat("abcdef", 5)}},
		{"a full stop behind it", "Bearer 0123456789abcdef.", []string{"0123456789abcdef"}},
		{"two spaces", "Bearer  0123456789abcdef", []string{"0123456789abcdef"}},
	})
}
