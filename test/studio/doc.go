// Package studio tests the page of agenthost in Chromium, with a server and agents in the process of the test. Without a browser the tests are skipped;
// `make test-ui` fails without one.
package studio
