package builtin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// blobs is the directory of media that were moved out of messages.
const blobs = "/blobs/"

// readFileTool is the tool whose media are moved.
const readFileTool = "read_file"

// blobKey is the key of a block that holds the SHA-256 digest of its data, in place of the data. The name is deepagents'.
const blobKey = "deepagents_blob"

// missingBlobText is deepagents' text in place of media that cannot be put back.
const missingBlobText = "[Binary content from an earlier read_file call is no longer available. Re-read the file if you still need it.]"

// maxRequestMedia is how many bytes of media are put back for one model call.
const maxRequestMedia = 64 << 20

var blobDigest = lazyregexp.New(`^[0-9a-f]{64}$`)

// offloadResult moves the media of a result of read_file into files.
func (f *filesystem) offloadResult(ctx context.Context, rt *host.Runtime, call string, message *abi.Message) (*abi.Message, *host.Update, error) {
	files, err := f.opened.At(rt, call)
	if err != nil {
		return nil, nil, err
	}
	content, moved, err := f.offload(ctx, rt, files, message)
	if err != nil || !moved {
		return message, nil, err
	}
	out := *message
	out.Content = content
	return &out, files.Changes(), nil
}

// offload returns the content of a message without the data of its media, and whether there were any. Media that cannot be
// written stay.
func (f *filesystem) offload(ctx context.Context, rt *host.Runtime, files backend.Files, m *abi.Message) (content abi.Content, moved bool, err error) {
	if m.Content.IsText() {
		return m.Content, false, nil
	}
	out := slices.Clone(m.Content.Blocks())
	for i, block := range out {
		data := block.Data()
		if !block.IsMedia() || len(data) == 0 || len(data) > backend.MaxFile {
			continue
		}
		sum := sha256.Sum256(data)
		digest := hex.EncodeToString(sum[:])
		if err := writeBlob(ctx, files, f.blobs+digest, data); err != nil {
			if ctx.Err() != nil {
				return content, false, context.Cause(ctx)
			}
			rt.Warn(fmt.Sprintf("filesystem: media of the %s message stay in it: %s", m.Role, err))
			continue
		}
		out[i], moved = abi.BlockOf(without(block.Fields(), dataKey, "base64").With(wire.Map{{Key: blobKey, Value: wire.String(digest)}})), true
	}
	return abi.Blocks(out...), moved, nil
}

// dataKey is the key of a block that holds its data.
const dataKey = "data"

func without(fields wire.Map, keys ...string) wire.Map {
	return slices.DeleteFunc(slices.Clone(fields), func(p wire.Pair) bool { return slices.Contains(keys, p.Key) })
}

// writeBlob writes a file unless it is there already with these bytes.
func writeBlob(ctx context.Context, files backend.Files, name string, data []byte) error {
	if present, err := readBlob(ctx, files, name); err == nil && len(present) == len(data) {
		return nil
	}
	return files.Write(ctx, name, data)
}

// readBlob reads a file whose name is the digest of its content. The model may have written the file, so that is checked.
func readBlob(ctx context.Context, files backend.Reader, name string) ([]byte, error) {
	data, err := backend.ReadFile(ctx, files, name, backend.MaxFile)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	if digest := hex.EncodeToString(sum[:]); len(name) < len(digest) || name[len(name)-len(digest):] != digest {
		return nil, fmt.Errorf("%s was changed", name)
	}
	return data, nil
}

// withMedia returns the messages as the model gets them, with their media. The update takes the media of the user's messages, and
// of earlier results of read_file, out of the thread.
func (f *filesystem) withMedia(ctx context.Context, rt *host.Runtime, messages history.List) (history.List, *host.Update, error) {
	files, err := f.opened.At(rt, "")
	if err != nil {
		return messages, nil, err
	}
	update := &host.Update{}
	for _, m := range rt.State().Messages().All() {
		if m.Role != abi.RoleHuman && (m.Role != abi.RoleTool || m.Name != readFileTool) {
			continue
		}
		content, moved, err := f.offload(ctx, rt, files, m)
		if err != nil {
			return messages, nil, err
		}
		if moved {
			update.Patch = append(update.Patch, abi.NewPatch(m.ID).SetContent(content))
		}
	}
	changes := joinUpdates(files.Changes(), update)
	var changed []abi.Message
	room := maxRequestMedia
	for i, m := range messages.All() {
		if !slices.ContainsFunc(m.Content.Blocks(), func(b abi.Block) bool { return b.Fields().Has(blobKey) }) {
			continue
		}
		if changed == nil {
			changed = messages.Messages()
		}
		if changed[i].Content, err = f.restored(ctx, files, m.Content, &room); err != nil {
			return messages, nil, err
		}
	}
	if changed == nil {
		return messages, changes, nil
	}
	return history.Of(changed...), changes, nil
}

// restored returns a content with the data of its media. Media that are gone, or for which there is no room, become a text.
func (f *filesystem) restored(ctx context.Context, files backend.Reader, content abi.Content, room *int) (abi.Content, error) {
	out := slices.Clone(content.Blocks())
	for i, block := range out {
		if !block.Fields().Has(blobKey) {
			continue
		}
		digest, data := block.String(blobKey), []byte(nil)
		if blobDigest().MatchString(digest) {
			read, err := readBlob(ctx, files, f.blobs+digest)
			if ctx.Err() != nil {
				return content, context.Cause(ctx)
			}
			if err == nil && len(read) <= *room {
				data, *room = read, *room-len(read)
			}
		}
		if out[i] = abi.TextBlock(missingBlobText); data != nil {
			out[i] = abi.BlockOf(without(block.Fields(), blobKey).With(wire.Map{{Key: dataKey, Value: wire.AppendBin(nil, data)}}))
		}
	}
	return abi.Blocks(out...), nil
}

// joinUpdates returns one update with the changes of two; nil if there are none.
func joinUpdates(a, b *host.Update) *host.Update {
	switch {
	case a.IsZero() && b.IsZero():
		return nil
	case a.IsZero():
		return b
	case b.IsZero():
		return a
	}
	out := *a
	out.State, out.Patch = out.State.With(b.State), slices.Concat(a.Patch, b.Patch)
	return &out
}
