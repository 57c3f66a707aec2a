package studio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strconv"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
)

type none struct{}

var weather = tool.Func("get_weather", "Tells the weather of a city.", func(_ context.Context, in struct {
	City string `json:"city"`
},
) (string, error) {
	return "sunny in " + in.City, nil
})

// tools returns what the agents of the tests can do.
func tools(g *gate) []host.Tool {
	return []host.Tool{
		tool.Func("write_file", "Writes a file.", func(_ context.Context, in struct {
			Path    string `json:"path"`
			Content string `json:"content"`
			Append  bool   `json:"append"`
			Mode    int    `json:"mode,omitempty"`
		},
		) (string, error) {
			return fmt.Sprintf("wrote %q to %s", in.Content, in.Path), nil
		}),
		tool.Func("block", "Waits, and may not run twice.", func(ctx context.Context, _ none) (string, error) { return "it is done", g.wait(ctx) }),
		tool.Func("wait", "Waits.", func(ctx context.Context, _ none) (string, error) { return "it is done", g.wait(ctx) }, tool.Idempotent()),
		tool.Func("hostile", "Returns what an attacker wrote.", func(context.Context, struct {
			X string `json:"x"`
		},
		) (string, error) {
			return hostile, nil
		}),
		tool.Func("fail", "Fails.", func(context.Context, none) (string, error) { return "", errors.New("the disk is full") }),
		tool.Func("draw", "Draws a picture.", func(context.Context, none) (abi.Content, error) {
			return abi.Blocks(abi.TextBlock("Here it is."), abi.ImageBlock("image/png", picture()), abi.FileBlock("plan.txt", "text/plain", []byte("Buy milk."))), nil
		}),
		tool.Func("count_down", "Returns one less.", func(_ context.Context, in struct {
			From string `json:"from"`
		},
		) (string, error) {
			n, err := strconv.Atoi(in.From)
			return strconv.Itoa(n - 1), err
		}),
	}
}

// picture is a small picture in the format PNG.
func picture() []byte {
	m := image.NewRGBA(image.Rect(0, 0, 96, 48))
	for x := range 96 {
		for y := range 48 {
			m.Set(x, y, color.RGBA{uint8(x * 2), uint8(y * 4), 160, 255})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		panic(err)
	}
	return out.Bytes()
}
