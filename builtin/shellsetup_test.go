//go:build linux || darwin

package builtin_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// patience is more time than anything here needs.
const patience = time.Minute

// onHost is a shell on this machine.
func onHost(change ...func(*builtin.Shell)) builtin.Shell {
	s := builtin.Shell{ExecutionPolicy: builtin.ShellPolicy{Type: "host", CommandTimeout: 60, StartupTimeout: 60, TerminationTimeout: 60}}
	for _, change := range change {
		change(&s)
	}
	return s
}

// command is an answer of the model that asks for commands. "restart" restarts the session.
func command(commands ...string) scripted.Turn {
	asked := make([]abi.ToolCall, len(commands))
	for i, text := range commands {
		args := map[string]any{"command": text}
		if text == "restart" {
			args = map[string]any{"restart": true}
		}
		asked[i] = abi.Call(fmt.Sprintf("%d of %s", i, text), "shell", args)
	}
	return scripted.CallTools(asked...)
}

func commands(list ...string) []scripted.Turn {
	turns := make([]scripted.Turn, 0, len(list)+1)
	for _, text := range list {
		turns = append(turns, command(text))
	}
	return append(turns, scripted.Say("done"))
}

// shellAgent is an agent whose model asks for what turns say.
func shellAgent(t *testing.T, turns []scripted.Turn, config host.Config, middleware ...host.Middleware) *host.Agent {
	t.Helper()
	config.Model, config.Middleware = &scripted.Turns{Script: turns, AfterEnd: scripted.EndRepeat}, middleware
	if config.ToolCalls.Parallel == 0 {
		config.ToolCalls.Parallel = 1
	}
	agent, err := host.New(config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent
}

// inShell runs commands in one run and returns their answers, "!" before the failed ones.
func inShell(t *testing.T, shell builtin.Shell, list ...string) []string {
	t.Helper()
	result, err := shellAgent(t, commands(list...), host.Config{}, shell).Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	return shellAnswers(result)
}

func shellAnswers(result *host.Result) []string {
	var out []string
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			out = append(out, map[bool]string{true: "!"}[m.Failed()]+m.Content.Text())
		}
	}
	return out
}

func goneProcess(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // nobody may reap orphans in a container
		return err == nil && strings.Contains(string(stat), ") Z ")
	}, patience, time.Millisecond)
}

// readPID waits for a file with the id of a process.
func readPID(t *testing.T, path string) (pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		text, _ := os.ReadFile(path)
		var err error
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	}, patience, time.Millisecond)
	return pid
}

const lostSession = "!Error: The command was not run. The shell session that it was meant for is gone: its working directory, variables and " +
	"background processes, and files of a temporary workspace. A new session starts with the next command."

// reviewedShell asks about commands that begin with "ask".
func reviewedShell() builtin.HumanInTheLoop {
	policy := builtin.AnyDecision()
	policy.When = &builtin.ArgCondition{Arg: "command", StartsWith: "ask"}
	return builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"shell": policy}}
}

// approved answers the questions of a run with yes.
func approved(t *testing.T, agent *host.Agent, result *host.Result, decisions ...builtin.Decision) *host.Result {
	t.Helper()
	require.Equal(t, host.Interrupted, result.Status)
	result, err := agent.Run(t.Context(), host.Input{
		Thread: "t", Resume: []host.Answer{{Interrupt: result.Interrupts[0].ID, Value: decide(decisions...)}},
	})
	require.NoError(t, err)
	return result
}

func startThread(t *testing.T, agent *host.Agent) *host.Result {
	t.Helper()
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	return result
}

// lineNumber is what shells say in other ways.
var lineNumber = regexp.MustCompile(`line \d+: `)
