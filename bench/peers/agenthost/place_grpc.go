package main

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// serveGRPC makes this program a plugin of go-plugin's.
const serveGRPC = "serve-grpc"

var handshake = plugin.HandshakeConfig{ProtocolVersion: 1, MagicCookieKey: "AGENTHOST_BENCH", MagicCookieValue: "hook"}

// hookPlugin is the hook as a service of gRPC, whose request and response are bytes: the documents.
type hookPlugin struct{ plugin.NetRPCUnsupportedPlugin }

const (
	serviceName = "agenthost.bench.Hook"
	methodName  = "BeforeModel"
)

func (hookPlugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: serviceName,
		HandlerType: (*any)(nil),
		Methods:     []grpc.MethodDesc{{MethodName: methodName, Handler: handle}},
	}, struct{}{})
	return nil
}

func handle(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	in := &wrapperspb.BytesValue{}
	if err := decode(in); err != nil {
		return nil, err
	}
	out, err := answered(in.Value)
	return wrapperspb.Bytes(out), err
}

// GRPCClient returns the hook as a carry.
func (hookPlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, connection *grpc.ClientConn) (any, error) {
	return carry(func(ctx context.Context, document []byte) ([]byte, error) {
		out := &wrapperspb.BytesValue{}
		err := connection.Invoke(ctx, "/"+serviceName+"/"+methodName, wrapperspb.Bytes(document), out)
		return out.Value, err
	}), nil
}

func serveGoPlugin() {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: handshake,
		Plugins:         plugin.PluginSet{"hook": hookPlugin{}},
		GRPCServer:      plugin.DefaultGRPCServer,
		Logger:          hclog.NewNullLogger(),
	})
}

// goPlugin calls the hook in another process, this program, by go-plugin and gRPC.
func goPlugin() (carry, func(), error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  handshake,
		Plugins:          plugin.PluginSet{"hook": hookPlugin{}},
		Cmd:              exec.Command(self, serveGRPC),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Logger:           hclog.NewNullLogger(),
	})
	protocol, err := client.Client()
	if err != nil {
		client.Kill()
		return nil, nil, err
	}
	dispensed, err := protocol.Dispense("hook")
	call, ok := dispensed.(carry)
	if err != nil || !ok {
		client.Kill()
		return nil, nil, errors.Join(errors.New("go-plugin gave no hook"), err)
	}
	return call, client.Kill, nil
}
