package mcp_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/mcp"
)

func TestACommandSeesACleanEnvironment(t *testing.T) {
	t.Setenv("AGENTHOST_TEST_SECRET", "sk-secret")
	config := command(t, "good")
	config.Env["TOKEN"] = "token-of-the-server"
	config.Dir = t.TempDir()
	var said logs
	config.Logger = said.logger()
	s := connect(t, config)

	environment := answered(t, s, "environment", nil)

	require.NotContains(t, environment, "sk-secret")
	require.Contains(t, environment, "PATH="+os.Getenv("PATH"))
	require.Contains(t, environment, "TOKEN=token-of-the-server")
	dir, err := filepath.EvalSymlinks(config.Dir)
	require.NoError(t, err)
	require.Contains(t, environment, "DIRECTORY="+dir)
	require.Eventually(t, func() bool { return strings.Contains(said.String(), "hello from  [31mthe server, token=***") },
		5*time.Second, time.Millisecond, "its standard error is logged, cleaned")
}

func TestAServerThatDiesIsStartedAgain(t *testing.T) {
	t.Parallel()
	notes := filepath.Join(t.TempDir(), "notes")
	config := command(t, "dies")
	config.Env["NOTES"], config.Env["TOKEN"] = notes, "hush-hush"
	s := connect(t, config)

	got := calls(t, s, "die", nil, nil, nil)

	require.Equal(t, `Error: the connection to the MCP server "dies" was lost during the call: the server has ended (exit status 3), and said: cannot go on: ***; `+
		`the call may or may not have run`, got[0].Content.Text())
	require.True(t, got[0].Failed())
	require.Contains(t, got[1].Content.Text(), "may or may not have run", "it was started again")
	require.Contains(t, got[2].Content.Text(), `the MCP server "dies" cannot be reached: the server is not available, and will be tried again in 1s; the call has not run`)
	ran, err := os.ReadFile(notes)
	require.NoError(t, err)
	require.Equal(t, "ran\nran\n", string(ran), "no call was made twice")
}

func TestAnIdempotentCallIsMadeAgainOnce(t *testing.T) {
	t.Parallel()
	notes := filepath.Join(t.TempDir(), "notes")
	config := command(t, "dies")
	config.Env["NOTES"], config.Idempotent = notes, []string{"d*"}
	s := connect(t, config)
	require.True(t, spec(t, s, "die").Idempotent)

	require.Contains(t, refused(t, s, "die"), "may or may not have run")

	ran, err := os.ReadFile(notes)
	require.NoError(t, err)
	require.Equal(t, "ran\nran\n", string(ran))
}

func TestAServerIsEndedWithItsChildren(t *testing.T) {
	t.Parallel()
	notes := filepath.Join(t.TempDir(), "notes")
	config := command(t, "stubborn")
	config.Env["NOTES"] = notes
	s, err := mcp.Connect(t.Context(), config)
	require.NoError(t, err)
	written, err := os.ReadFile(notes)
	require.NoError(t, err)

	s.Close()

	for pid := range strings.FieldsSeq(string(written)) {
		n, err := strconv.Atoi(pid)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return syscall.Kill(n, 0) != nil || isZombie(n) }, 5*time.Second, time.Millisecond, "process %d lives", n)
	}
}

// A child in a group or a session of its own ends with the server too, however the server ends.
func TestChildrenThatLeftTheGroupEndWithTheServer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux finds them")
	}
	notes := filepath.Join(t.TempDir(), "notes")
	config := command(t, "scattering")
	config.Env["NOTES"] = notes
	s, err := mcp.Connect(t.Context(), config)
	require.NoError(t, err)
	s.Close()
	written, err := os.ReadFile(notes)
	require.NoError(t, err)
	pids := strings.Fields(string(written))
	require.Len(t, pids, 2)
	for _, pid := range pids {
		n, err := strconv.Atoi(pid)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return syscall.Kill(n, 0) != nil || isZombie(n) }, 5*time.Second, time.Millisecond, "process %d lives", n)
	}
}

// isZombie reports whether a process has ended, and nobody has asked how.
func isZombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func TestLinesThatAreNoMessagesAreLeftOut(t *testing.T) {
	t.Parallel()
	var said logs
	config := command(t, "chatty")
	config.Logger = said.logger()
	s := connect(t, config)
	require.Equal(t, `{"a":1}`, answered(t, s, "echo", map[string]any{"a": 1}))
	require.Contains(t, said.String(), "Welcome to the server!")
}

func TestHostileServersAreNotConnected(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"babbling": "the server wrote more than 100 lines that are not messages",
		"endless":  "the server sent a message of more than 8388608 bytes",
		"gone":     "the server has ended (exit status 1), and said: there is no config; token ***",
		"pages":    "the server lists its tools in more than 32 pages",
		"circle":   "the server lists its tools in pages that refer back to each other",
		"many":     "the server has more than 512 tools",
		"heavy":    "the descriptions of the server's tools have more than 8388608 bytes",
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			config := command(t, kind)
			config.Env["TOKEN"] = "a-secret-token"
			_, err := mcp.Connect(t.Context(), config)
			require.ErrorContains(t, err, `MCP server "`+kind+`": `)
			require.ErrorContains(t, err, want)
			require.NotContains(t, err.Error(), "a-secret-token")
			var typed *mcp.ServerError
			require.ErrorAs(t, err, &typed)
			require.Equal(t, "mcp_error", typed.ErrorType())
		})
	}
}

func TestAServerThatDoesNotAnswerIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	config := command(t, "silent")
	config.ConnectTimeout = 200 * time.Millisecond
	_, err := mcp.Connect(t.Context(), config)
	require.EqualError(t, err, `MCP server "silent": the server did not answer within 200ms; raise connect_timeout if it needs more`)
}

func TestACommandThatIsNotThere(t *testing.T) {
	t.Parallel()
	_, err := mcp.Connect(t.Context(), mcp.Config{Command: []string{"no-such-program"}})
	require.ErrorContains(t, err, `MCP server "no-such-program": exec: "no-such-program": executable file not found`)
	require.ErrorContains(t, err, "; install the program, or correct the command")
}

func TestMessagesOfHostileServers(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"huge":    "the server sent a message of more than 8388608 bytes; the call may or may not have run",
		"deep":    "exceeded maximum nesting depth",
		"null":    "nil content",
		"inputs":  "the server sent a message that cannot be read",
		"unknown": "has not answered within 1s, and was told to stop; the call may or may not have run",
		"pings":   "the call may or may not have run",
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			config := command(t, kind)
			config.Timeout = time.Second
			if kind != "unknown" {
				config.Timeout = time.Minute
			}
			s := connect(t, config)
			require.Contains(t, refused(t, s, "go"), want)
		})
	}
}

func TestOddRequestsOfAServerHarmNothing(t *testing.T) {
	t.Parallel()
	config := command(t, "elicits")
	config.Elicitation = true
	s := connect(t, config)
	require.Equal(t, "alive", answered(t, s, "go", nil))
}

func TestAnEmptyResultIsEmpty(t *testing.T) {
	t.Parallel()
	require.Empty(t, answered(t, connect(t, command(t, "nothing")), "go", nil))
}

func TestTheLogIsBounded(t *testing.T) {
	t.Parallel()
	var said logs
	config := command(t, "flooding")
	config.Logger = said.logger()
	s := connect(t, config)
	require.Equal(t, "{}", answered(t, s, "echo", nil))
	require.Eventually(t, func() bool { return strings.Contains(said.String(), "logs too much") }, 5*time.Second, time.Millisecond)
	require.Less(t, len(said.String()), 1<<20)
}
