// Command example has a workflow of a shop, in which an agent checks an order. The agent is one of a fleet, see docs/fleet.md:
//
//	temporal server start-dev &
//	agenthost-fleet worker -f agent.yaml --config serve.yaml &
//	go run ./example --queue agenthost --agent helper --order 17
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/engine/temporal"
	"github.com/agenthost/agenthost/runs"
)

// Order is an order to check, and the agent that checks it.
type Order struct{ Queue, Agent, ID string }

// Check is a workflow. Its agent may take days: no process waits meanwhile.
func Check(ctx workflow.Context, o Order) (*temporal.Answer, error) {
	answer, err := temporal.Ask(ctx, temporal.Call{
		Queue: o.Queue, Owner: "shop", Agent: o.Agent, Thread: "order-" + o.ID,
		Task: runs.Task{Messages: []abi.Message{abi.Human("Check the order " + o.ID)}},
	})
	if err != nil {
		return nil, err
	}
	if answer.Failure != nil {
		return nil, fmt.Errorf("order %s: the run %s failed: %s", o.ID, answer.Run, answer.Failure.Message)
	}
	return answer, nil
}

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "example:", err)
		os.Exit(1)
	}
}

// run performs the workflow once.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("example", flag.ContinueOnError)
	address := flags.String("address", client.DefaultHostPort, "the `ADDRESS` of Temporal")
	var o Order
	flags.StringVar(&o.Queue, "queue", temporal.DefaultQueue, "the task `QUEUE` of the agents")
	flags.StringVar(&o.Agent, "agent", "helper", "the `NAME` of the agent")
	flags.StringVar(&o.ID, "order", "", "the `ID` of the order")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.ID == "" {
		return errors.New("--order: the id of the order is missing")
	}
	c, err := temporal.Dial(ctx, temporal.Server{Address: *address})
	if err != nil {
		return err
	}
	defer c.Close()
	const queue = "shop" // workflows of the shop have workers of their own
	shop := worker.New(c, queue, worker.Options{})
	shop.RegisterWorkflow(Check)
	if err := shop.Start(); err != nil {
		return err
	}
	defer shop.Stop()
	checking, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "check/" + o.ID, TaskQueue: queue}, Check, o)
	if err != nil {
		return err
	}
	var answer temporal.Answer
	if err := checking.Get(ctx, &answer); err != nil {
		return err
	}
	if len(answer.Waiting) > 0 {
		_, err = fmt.Fprintf(out, "%s: the agent asks a person in the thread %s\n", answer.Status, answer.Thread)
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %s\n", answer.Status, answer.Text)
	return err
}
