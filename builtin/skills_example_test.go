package builtin_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// The model, which repeats what it was asked, is told of the one skill that there is.
func ExampleSkills() {
	root, err := os.MkdirTemp("", "agent")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	skill := filepath.Join(root, "skills", "invoices")
	_ = os.MkdirAll(skill, 0o750)
	_ = os.WriteFile(filepath.Join(skill, "SKILL.md"), []byte(`---
name: invoices
description: How we write invoices. Use it for all that has to do with money.
---
1. Look up the customer's number.
`), 0o600)
	agent, err := host.New(host.Config{
		Model:      &scripted.Echo{},
		Middleware: []host.Middleware{builtin.Skills{Sources: []builtin.SkillSource{{Path: "/skills"}}, Root: root, SystemPrompt: new("{skills_list}")}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Bill Ann.")}})
	fmt.Println(result.Text())
	fmt.Println(err)
	// Output:
	// - **invoices**: How we write invoices. Use it for all that has to do with money.
	//   -> Read `/skills/invoices/SKILL.md` for full instructions-Bill Ann.
	// <nil>
}
