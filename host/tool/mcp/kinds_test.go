package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serverVariable says which kind of server a process of the test is.
const serverVariable = "AGENTHOST_TEST_MCP_SERVER"

// serveKind is a server on standard input and output: a good one of the SDK, or a hostile one by hand.
func serveKind(kind string) {
	serve := func(tools map[string]handler) { _ = serving(tools).Run(context.Background(), &sdk.StdioTransport{}) }
	switch kind {
	case "good":
		fmt.Fprintln(os.Stderr, "hello from \x1b[31mthe server, token="+os.Getenv("TOKEN"))
		serve(goodTools())
	case "dies":
		serve(map[string]handler{"die": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			fmt.Fprintln(os.Stderr, "cannot go on: "+os.Getenv("TOKEN"))
			note("ran")
			os.Exit(3)
			return nil, nil
		}})
	case "stubborn": // it ignores the end of its input and signals, and has a child that does too
		signal.Ignore(syscall.SIGTERM)
		child := exec.CommandContext(context.Background(), "sleep", "300")
		if err := child.Start(); err != nil {
			panic(err)
		}
		note(fmt.Sprint(os.Getpid(), " ", child.Process.Pid))
		serve(goodTools())
		select {}
	case "scattering": // its children have left its group; it ends when its input does
		var pids []any
		for _, attributes := range []syscall.SysProcAttr{{Setpgid: true}, {Setsid: true}} {
			child := exec.CommandContext(context.Background(), "sleep", "300")
			child.SysProcAttr = &attributes
			if err := child.Start(); err != nil {
				panic(err)
			}
			pids = append(pids, child.Process.Pid)
		}
		note(fmt.Sprintln(pids...))
		serve(goodTools())
	case "chatty": // greets, and says what is not a message
		fmt.Println("Welcome to the server!\n{\"level\": \n{}\n[]\n\x00\x01")
		serve(goodTools())
	case "babbling":
		for {
			if _, err := fmt.Println("bla"); err != nil {
				return
			}
		}
	case "endless": // one line that never ends
		for {
			if _, err := os.Stdout.WriteString(strings.Repeat("x", 1<<16)); err != nil {
				return
			}
		}
	case "silent":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "gone":
		fmt.Fprintln(os.Stderr, "there is no config; token "+os.Getenv("TOKEN"))
		os.Exit(1)
	case "flooding": // its standard error
		for range 5_000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 20))
		}
		serve(goodTools())
	default:
		byHand(kind)
	}
}

func goodTools() map[string]handler {
	return map[string]handler{
		"environment": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			directory, _ := os.Getwd()
			return text(strings.Join(os.Environ(), "\n") + "\nDIRECTORY=" + directory), nil
		},
		"echo": func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return text(string(req.Params.Arguments)), nil
		},
	}
}

// note writes a line to the file that the test looks at.
func note(line string) {
	f, err := os.OpenFile(os.Getenv("NOTES"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, line)
	_ = f.Close()
}

// byHand answers the protocol without the SDK, which would not say what these servers say.
func byHand(kind string) {
	in := bufio.NewReader(os.Stdin)
	page := 0
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		_ = json.Unmarshal(line, &req)
		reply := func(result string) {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", req.ID, result)
		}
		switch req.Method {
		case "server/discover":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`+"\n", req.ID)
		case "initialize":
			reply(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"x","version":"1"}}`)
		case "tools/list":
			page++
			switch kind {
			case "pages":
				reply(fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}],"nextCursor":"%d"}`, page, page))
			case "circle":
				reply(`{"tools":[],"nextCursor":"again"}`)
			case "many":
				tools := make([]string, 600)
				for i := range tools {
					tools[i] = fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"}}`, i)
				}
				reply(`{"tools":[` + strings.Join(tools, ",") + `]}`)
			case "heavy":
				reply(`{"tools":[{"name":"a","description":"` + strings.Repeat("x", 3<<20) + `","inputSchema":{"type":"object"}}],"nextCursor":"` + fmt.Sprint(page) + `"}`)
			case "liar":
				reply(liarTools)
			default:
				reply(`{"tools":[{"name":"go","inputSchema":{"type":"object"}}]}`)
			}
		case "tools/call":
			switch kind {
			case "huge":
				reply(`{"content":[{"type":"text","text":"` + strings.Repeat("x", 9<<20) + `"}]}`)
			case "deep":
				reply(`{"content":[],"structuredContent":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`)
			case "null":
				reply(`{"content":[null]}`)
			case "inputs":
				reply(`{"resultType":"input_required","inputRequests":{"a":null}}`)
			case "nothing":
				reply(`{"content":[]}`)
			case "elicits": // with parameters that are none, before it answers
				fmt.Println(`{"jsonrpc":"2.0","id":"e1","method":"elicitation/create"}`)
				fmt.Println(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete"}`)
				fmt.Println(`{"jsonrpc":"2.0","method":"notifications/resources/updated"}`)
				fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":null}}`)
				fmt.Println(`{"jsonrpc":"2.0","id":"e2","method":"sampling/createMessage","params":{}}`)
				_, _ = in.ReadBytes('\n')
				_, _ = in.ReadBytes('\n')
				reply(`{"content":[{"type":"text","text":"alive"}]}`)
			case "pings": // without reading what is answered
				for i := range 5_000 {
					if _, err := fmt.Printf(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`+"\n", i); err != nil {
						return
					}
				}
				select {}
			}
		}
	}
}

// liarTools are tools that are not what they should be.
var liarTools = `{"tools":[null,` + strings.Join([]string{
	`{"name":"fine","description":"it is \u001b[31mred","inputSchema":{"type":"object","properties":{"a":{"type":"string"}},"$schema":"http://json-schema.org/draft-07/schema#"},` +
		`"annotations":{"readOnlyHint":true}}`,
	`{"name":"fine","description":"another","inputSchema":{"type":"object"}}`,
	`{"name":"no schema"}`,
	`{"name":"a list","inputSchema":[]}`,
	`{"name":"a text","inputSchema":{"type":"string"}}`,
	`{"name":"a type of its own","inputSchema":{"type":"thing"}}`,
	`{"name":"null","inputSchema":{"type":"object","properties":{"a":null}}}`,
	`{"name":"","inputSchema":{"type":"object"}}`,
	`{"name":"deep","inputSchema":{"type":"object","properties":{"a":` + strings.Repeat(`{"items":`, 40) + `{}` + strings.Repeat(`}`, 40) + `}}}`,
	`{"name":"large","inputSchema":{"type":"object","description":"` + strings.Repeat("x", 70<<10) + `"}}`,
	`{"name":"pattern","inputSchema":{"type":"object","properties":{"a":{"pattern":"(a{1,1000}){1,1000}"},"b":{"type":"string","pattern":"(?=x)y"}}}}`,
	`{"name":"outside","inputSchema":{"type":"object","properties":{"a":{"$ref":"https://example.com/x"}}}}`,
	`{"name":"recursive","inputSchema":{"type":"object","properties":{"next":{"$ref":"#","description":"the next"},"leaf":{"$ref":"#/$defs/leaf"}},"$defs":{"leaf":{"type":"integer"}}}}`,
	`{"name":"bomb","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/a0"}},"$defs":{` + bomb(20) + `}}}`,
	`{"name":"` + strings.Repeat("long.", 20) + `","inputSchema":{"type":"object"}}`,
	`{"name":"dotted.name/of tool","inputSchema":{}}`,
	`{"name":"dotted_name_of_tool","inputSchema":{}}`,
}, ",") + `]}`

// bomb is a schema that doubles at each of n levels.
func bomb(n int) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"a%d":{"anyOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i, i+1, i+1))
	}
	return strings.Join(append(defs, fmt.Sprintf(`"a%d":{}`, n)), ",")
}
