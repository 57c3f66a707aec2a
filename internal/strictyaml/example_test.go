package strictyaml_test

import (
	"fmt"
	"time"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

func Example() {
	type Model struct {
		Provider string `yaml:"provider" strict:"required,enum=openai|anthropic|scripted"`
		Name     string `yaml:"name"`
	}
	type Manifest struct {
		Name    string          `yaml:"name" strict:"required"`
		Model   Model           `yaml:"model"`
		Timeout time.Duration   `yaml:"timeout" strict:"min=1s"`
		Memory  strictyaml.Size `yaml:"memory"`
	}
	file := []byte(`
name: assistant
model: {provider: open_ai, nmae: gpt-5.2}
timeout: 30
memory: 64M
`)
	var m Manifest
	fmt.Println(strictyaml.Decode("agenthost.yaml", file, &m))
	// Output:
	// agenthost.yaml:3:19: model.provider: must be openai, anthropic or scripted, found "open_ai"
	//   3 | model: {provider: open_ai, nmae: gpt-5.2}
	//     |                   ^
	//   did you mean "openai"?
	// agenthost.yaml:3:28: model: unknown key "nmae"
	//   3 | model: {provider: open_ai, nmae: gpt-5.2}
	//     |                            ^
	//   did you mean "name"?
	// agenthost.yaml:4:10: timeout: expected a duration with a unit, found integer 30
	//   4 | timeout: 30
	//     |          ^
	//   add a unit: 30s, or ms, m, h
	// agenthost.yaml:5:9: memory: expected a size, found string "64M"
	//   5 | memory: 64M
	//     |         ^
	//   write 64MiB or 64MB
}

// A value whose type is known only later stays a Node, and problems that are found later still show their place.
func ExampleNode() {
	var manifest struct {
		Middleware []map[string]strictyaml.Node `yaml:"middleware"`
	}
	file := []byte(`
middleware:
  - tool_call_limit:
      run_limit: ${LIMIT:-0}
`)
	environment := func(string) (string, bool) { return "", false }
	if err := strictyaml.Decode("agenthost.yaml", file, &manifest, strictyaml.WithEnv(environment)); err != nil {
		fmt.Println(err)
		return
	}
	node := manifest.Middleware[0]["tool_call_limit"]
	var config struct {
		RunLimit int `yaml:"run_limit"`
	}
	if err := node.Decode(&config); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(node.Errorf("a run_limit of %d lets no tool be called", config.RunLimit))
	// Output:
	// agenthost.yaml:4:7: middleware[0].tool_call_limit: a run_limit of 0 lets no tool be called
	//   4 |       run_limit: ${LIMIT:-0}
	//     |       ^
}
