package builtin_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/memory"
)

const onePixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

func digestOf(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

// mediaThread is a thread whose user sends an image and whose model reads another one.
func mediaThread(t *testing.T, config builtin.Filesystem) (l *listener, values store.Store) {
	t.Helper()
	values = memory.New()
	_, err := values.Put(t.Context(), storedFiles, "/a.png", []byte(onePixel+"a"), store.PutOptions{})
	require.NoError(t, err)
	config.Backend = builtin.FileBackend{Backend: backend.Composite{
		Default: backend.Store{Namespace: backend.Namespace("tests")}, Routes: map[string]backend.Backend{"/state": backend.State{}},
	}}
	config.OffloadBinaryContent = true
	l = newListener([]host.Middleware{config}, scripted.CallTools(abi.Call("1", "read_file", args{"file_path": "/a.png"})), scripted.Say("seen"))
	l.config.Store = values
	return l, values
}

func withImage(text, data string) host.Input {
	return host.Input{Messages: []abi.Message{{
		Role: abi.RoleHuman, Content: abi.Blocks(abi.ImageBlock("image/png", []byte(data)), abi.TextBlock(text)),
	}}}
}

// imagesOf are the data of all images in a content, and the digests of those that are elsewhere.
func imagesOf(messages []abi.Message) (data, digests []string) {
	for _, m := range messages {
		for _, block := range m.Content.Blocks() {
			if block.Type() != abi.BlockImage {
				continue
			}
			if digest := block.String("deepagents_blob"); digest != "" {
				digests = append(digests, digest)
			}
			if got := block.Data(); got != nil {
				data = append(data, string(got))
			}
		}
	}
	return data, digests
}

// The thread has digests in place of media, and each model call has the media.
func TestFilesystemOffloadsMedia(t *testing.T) {
	t.Parallel()
	l, values := mediaThread(t, builtin.Filesystem{HumanMessageTokenLimitBeforeEvict: new(5)})
	result, err := l.run(t, "a", withImage("look at this, at this and at this", onePixel+"b"))
	require.NoError(t, err)
	data, digests := imagesOf(result.Messages.Messages())
	require.Empty(t, data)
	require.Equal(t, []string{digestOf(onePixel + "b"), digestOf(onePixel + "a")}, digests)
	entry, found, err := values.Get(t.Context(), storedFiles, "/blobs/"+digestOf(onePixel+"a"))
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, onePixel+"a", string(entry.Value))

	l.say(t, "a", "again")
	require.Len(t, l.asked, 3)
	for i, want := range [][]string{{onePixel + "b"}, {onePixel + "b", onePixel + "a"}, {onePixel + "b", onePixel + "a"}} {
		data, digests := imagesOf(l.asked[i].Messages.Messages())
		require.Equal(t, want, data, i)
		require.Empty(t, digests)
	}
	require.Contains(t, l.asked[2].Messages.At(0).Content.Text(), "Message content too large", "the text is moved, too")
}

// A blob that is gone, or that somebody has changed, becomes a text; so does a digest that is none.
func TestFilesystemMediaThatAreGone(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, values store.Store, key string){
		"gone": func(t *testing.T, values store.Store, key string) {
			t.Helper()
			require.NoError(t, values.Delete(t.Context(), storedFiles, key, nil))
		},
		"changed": func(t *testing.T, values store.Store, key string) {
			t.Helper()
			_, err := values.Put(t.Context(), storedFiles, key, []byte(onePixel+"x"), store.PutOptions{})
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, values := mediaThread(t, builtin.Filesystem{})
			_, err := l.run(t, "a", withImage("look", onePixel+"b"))
			require.NoError(t, err)
			spoil(t, values, "/blobs/"+digestOf(onePixel+"b"))
			in := host.Input{Messages: []abi.Message{{Role: abi.RoleHuman, Content: abi.Blocks(abi.BlockOf(wire.Map{
				{Key: "deepagents_blob", Value: wire.String("../a.png")}, {Key: "type", Value: wire.String(abi.BlockImage)},
			}))}}}
			_, err = l.run(t, "a", in)
			require.NoError(t, err)
			asked := l.asked[2].Messages.Messages()
			data, _ := imagesOf(asked)
			require.Equal(t, []string{onePixel + "a"}, data)
			const gone = "[Binary content from an earlier read_file call is no longer available. Re-read the file if you still need it.]"
			require.Equal(t, gone+"look", strings.ReplaceAll(asked[0].Content.Text(), "\n", ""))
			require.Equal(t, gone, asked[len(asked)-1].Content.Text())
		})
	}
}

func TestFilesystemOffloadNeedsAnotherPlaceThanTheState(t *testing.T) {
	t.Parallel()
	routed := backend.Composite{
		Default: backend.Store{Namespace: backend.Namespace("a"), Values: memory.New()}, ArtifactsRoot: "/state",
		Routes: map[string]backend.Backend{"/state/": backend.State{}},
	}
	for _, of := range []backend.Backend{nil, backend.State{}, routed} {
		_, err := host.New(host.Config{Model: &scripted.Echo{}, Middleware: []host.Middleware{
			builtin.Filesystem{Backend: builtin.FileBackend{Backend: of}, OffloadBinaryContent: true},
		}})
		require.ErrorContains(t, err, "offload_binary_content has no effect")
	}
}
