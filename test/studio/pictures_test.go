package studio_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// pictures are those that the documents show, by the names that journeys give them.
var pictures = map[string]string{
	"approval-edit-light": "studio-approval.png", "timeline-detail-light": "studio-timeline.png", "requests-light": "studio-requests.png",
	"state-branches-dark": "studio-state.png", "plugins-fault-light": "studio-plugins.png", "graph-live-dark": "studio-graph.png",
}

const (
	images     = "../../docs/images"
	imageLimit = 60_000 // bytes of a picture
)

// shoot takes a picture of the page in light and dark, if AGENTHOST_SHOTS names a directory. With AGENTHOST_PICTURES it also makes those of the documents.
func (p *page) shoot(name string) {
	p.t.Helper()
	dir, documents := os.Getenv("AGENTHOST_SHOTS"), os.Getenv("AGENTHOST_PICTURES") != ""
	if dir == "" && !documents {
		return
	}
	for _, scheme := range []string{"light", "dark"} {
		p.features("prefers-color-scheme", scheme)
		picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		require.NoError(p.t, err)
		if dir != "" {
			require.NoError(p.t, os.MkdirAll(dir, 0o750))
			require.NoError(p.t, os.WriteFile(filepath.Join(dir, name+"-"+scheme+".png"), picture, 0o600))
		}
		if file := pictures[name+"-"+scheme]; file != "" && documents {
			require.NoError(p.t, os.WriteFile(filepath.Join(images, file), reduced(p.t, picture), 0o644))
		}
	}
	p.features()
}

// reduced returns a picture with the 128 colors that it has most of, and that differ. What the page draws has few colors, and the edges of its letters.
func reduced(t *testing.T, picture []byte) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(picture))
	require.NoError(t, err)
	often := map[color.RGBA]int{}
	for y := full.Bounds().Min.Y; y < full.Bounds().Max.Y; y++ {
		for x := full.Bounds().Min.X; x < full.Bounds().Max.X; x++ {
			often[color.RGBAModel.Convert(full.At(x, y)).(color.RGBA)]++ //nolint:forcetypeassert // that is what the model makes
		}
	}
	most := slices.SortedFunc(maps.Keys(often), func(a, b color.RGBA) int {
		return cmp.Or(often[b]-often[a], cmp.Compare(int(a.R)<<16|int(a.G)<<8|int(a.B), int(b.R)<<16|int(b.G)<<8|int(b.B)))
	})
	var palette color.Palette
	differs := func(c color.RGBA) bool {
		for _, p := range palette {
			p := p.(color.RGBA) //nolint:forcetypeassert // it has no others
			r, g, b := int(p.R)-int(c.R), int(p.G)-int(c.G), int(p.B)-int(c.B)
			if r*r+g*g+b*b < 80 && often[p] > often[c]*4 {
				return false
			}
		}
		return true
	}
	for _, c := range most {
		if len(palette) < 128 && differs(c) {
			palette = append(palette, c)
		}
	}
	few := image.NewPaletted(full.Bounds(), palette)
	draw.Draw(few, few.Bounds(), full, full.Bounds().Min, draw.Src)
	var out bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few))
	require.Less(t, out.Len(), imageLimit)
	return out.Bytes()
}

// The pictures that the documents show are small, and are all those that make pictures makes.
func TestThePicturesAreSmall(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob(filepath.Join(images, "studio-*.png"))
	require.NoError(t, err)
	var names []string
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	page, err := os.ReadFile("../../docs/studio.md")
	require.NoError(t, err)
	for _, path := range found {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(imageLimit), path)
		require.Contains(t, string(readme)+string(page), "images/"+filepath.Base(path))
		names = append(names, filepath.Base(path))
	}
	require.ElementsMatch(t, slices.Collect(maps.Values(pictures)), names)
}
