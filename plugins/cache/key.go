package main

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	sdk "github.com/agenthost/agenthost/sdk/go"
	"github.com/agenthost/agenthost/sdk/go/sha256"
)

// digest hashes what determines an answer. Every part is one msgpack value in the canonical form of the host, so different
// parts never give the same bytes.
type digest struct {
	hash   *sha256.Hash
	buffer []byte
}

// newDigest begins the key of an entry. Another format of entries has other keys.
func (p *policy) newDigest() *digest {
	d := &digest{hash: sha256.New()}
	d.text("agenthost cache")
	d.add(wire.AppendUint(d.buffer[:0], entryFormat))
	d.text(p.kind)
	d.text(p.version)
	return d
}

// add adds values, which stand in the buffer as a rule.
func (d *digest) add(values []byte) {
	d.hash.Write(values)
	d.buffer = values
}

func (d *digest) text(s string) { d.add(wire.AppendString(d.buffer[:0], s)) }

// key ends the digest. Entries of a kind stand together in the store.
func (d *digest) key(kind string) string { return kind + "/" + hexadecimal(d.hash.Sum()) }

func hexadecimal(sum [sha256.Size]byte) string {
	const digits = "0123456789abcdef"
	text := make([]byte, 0, 2*len(sum))
	for _, b := range sum {
		text = append(text, digits[b>>4], digits[b&15])
	}
	return string(text)
}

// toolKey is the key of a result: of the tool's name and arguments.
func (p *policy) toolKey(call *abi.ToolCall) string {
	d := p.newDigest()
	d.text(call.Name)
	d.add(append(d.buffer[:0], call.Args...))
	return d.key(p.kind)
}

// modelKey is the key of a reply: of everything in the request that the model is told.
func (p *policy) modelKey(request *abi.ModelRequest) (string, error) {
	d := p.newDigest()
	d.text(request.Model)
	system, _ := request.System.MarshalMsg(d.buffer[:0])
	d.add(system)
	settings, _ := request.Settings.MarshalMsg(d.buffer[:0])
	d.add(settings)
	d.text(request.ToolChoice)
	d.add(wire.AppendArrayHeader(d.buffer[:0], len(request.Tools)))
	for _, name := range request.Tools {
		d.text(name)
	}
	var messages []sdk.Message
	if request.Messages != nil {
		messages = request.Messages.Items
	}
	var calls callNumbers
	for i := range messages {
		said := calls.canonical(&messages[i])
		b, err := said.MarshalMsg(d.buffer[:0])
		if err != nil {
			return "", err
		}
		d.add(b)
	}
	return d.key(p.kind), nil
}

// callNumbers are the ids of the tool calls of a history, in their order. They say nothing but which answer belongs to which
// call, so their numbers take their place in a key: a conversation that comes again has other ids.
type callNumbers []string

// canonical returns what a message tells the model.
func (c *callNumbers) canonical(m *sdk.Message) sdk.Message {
	said := sdk.Message{Role: m.Role, Content: m.Content, Name: m.Name, ToolCallID: c.number(m.ToolCallID)}
	if m.Failed() {
		said.Status = m.Status
	}
	for _, call := range m.ToolCalls {
		call.ID = c.next(call.ID)
		said.ToolCalls = append(said.ToolCalls, call)
	}
	for _, call := range m.InvalidToolCalls {
		call.ID = c.next(call.ID)
		said.InvalidToolCalls = append(said.InvalidToolCalls, call)
	}
	return said
}

func (c *callNumbers) next(id string) string {
	*c = append(*c, id)
	return decimal(len(*c))
}

// number is that of the latest call with an id: ids may come again in later turns. An id of no call stays.
func (c *callNumbers) number(id string) string {
	for i, called := range slices.Backward(*c) {
		if called == id {
			return decimal(i + 1)
		}
	}
	return id
}
