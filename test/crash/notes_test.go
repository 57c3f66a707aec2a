//go:build unix

package crash_test

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"syscall"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// report is a line that a child writes for its parent.
type report struct {
	Kind    string        `json:"kind"`
	Text    string        `json:"text,omitempty"`
	Head    checkpoint.ID `json:"head,omitempty"`
	Run     string        `json:"run,omitempty"`
	Journal []mark        `json:"journal,omitempty"`
	Asks    []ask         `json:"asks,omitempty"`
}

// The kinds of reports.
const (
	isPoint      = "point"      // it reached a place; Text says which
	isBusy       = "busy"       // another process has the thread
	isOpen       = "open"       // it has the thread
	isLoaded     = "loaded"     // its findings in the thread: Head, Journal
	isSaving     = "saving"     // it begins to save
	isSaved      = "saved"      // it has saved: Head
	isJournalled = "journalled" // it has recorded an execution: Journal
	isAsking     = "asking"     // it waits for answers: Asks, Run
	isLost       = "lost"       // the lease was lost
	isViolation  = "violation"  // something forbidden happened: Text
	isDone       = "done"       // nothing is left to do
)

// mark is an execution in the journal.
type mark struct {
	Execution string `json:"execution"`
	Ended     bool   `json:"ended"` // and not with a question, after which it runs again
}

func markOf(e *checkpoint.Execution) mark {
	return mark{fmt.Sprintf("%s %s %d", e.Message, e.CallID, e.N), e.Outcome != nil && !e.Outcome.Asked}
}

// ask is a question that waits for an answer.
type ask struct {
	ID         string `json:"id"`
	Unfinished string `json:"unfinished,omitempty"` // the name of the tool whose execution a crash interrupted
	N          int    `json:"n"`                    // the number of that execution
	effect
}

// reply is an answer that the parent writes for a child.
type reply struct {
	Interrupt string `json:"interrupt"`
	Value     any    `json:"value"`
	By        string `json:"by"`
}

// notes is the child's connection to its parent. It also kills the child at a given place. A nil notes does nothing.
type notes struct {
	to    io.Writer
	dieAt int // the line after which the process is killed; 0: none

	mu    sync.Mutex
	lines int
}

func (n *notes) report(r report) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	line, err := json.Marshal(r)
	if err == nil {
		_, err = n.to.Write(append(line, '\n'))
	}
	if err != nil {
		panic(err) // the parent is gone
	}
	n.lines++
	if n.lines == n.dieAt {
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func (n *notes) pointf(format string, args ...any) {
	n.report(report{Kind: isPoint, Text: fmt.Sprintf(format, args...)})
}

func (n *notes) violation(text string) { n.report(report{Kind: isViolation, Text: text}) }
