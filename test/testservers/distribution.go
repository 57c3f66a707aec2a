package testservers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The user of the registry that Distribution starts.
const (
	DistributionUser     = "ada"
	DistributionPassword = "secret"
)

// hashed is the line of a file htpasswd for that user.
const hashed = DistributionUser + ":$2a$04$lJpVbEMy3wplbkMsVnxPQ.lU797REs08uZdsG3ns6nYNOKM3QPCua"

// Distribution starts distribution, the registry for container images that most others are built on, and returns its host. It keeps
// everything in memory, and has one user. It has no API for referrers. make distribution installs it; make servers does not, so without it
// the test is skipped everywhere.
func Distribution(t *testing.T) string {
	t.Helper()
	found, err := find("distribution/registry", "go")
	if err != nil {
		t.Skip("distribution is not installed: run make distribution: ", err)
	}
	dir := t.TempDir()
	config, users := filepath.Join(dir, "config.yml"), filepath.Join(dir, "htpasswd")
	for path, text := range map[string]string{
		users: hashed + "\n",
		config: "version: 0.1\nstorage: {inmemory: {}, delete: {enabled: true}}\nhttp: {addr: '127.0.0.1:0', secret: x}\n" +
			fmt.Sprintf("auth: {htpasswd: {realm: test, path: %q}}\n", users),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return start(t, []string{found, "serve", config}, []string{"OTEL_TRACES_EXPORTER=none"}, func(line string) (string, bool) {
		_, host, ok := strings.Cut(line, "listening on ")
		host, _, _ = strings.Cut(host, `"`)
		return host, ok
	})
}
