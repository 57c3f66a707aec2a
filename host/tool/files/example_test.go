package files_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/agenthost/agenthost/host/tool/files"
)

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, "app.log"), []byte("INFO start\nERROR disk full\nINFO stop\n"), 0o600); err != nil {
		log.Print(err)
		return
	}

	root, err := files.Open(dir, files.Options{})
	if err != nil {
		log.Print(err)
		return
	}
	defer func() { _ = root.Close() }()
	ctx := context.Background()
	listing, _ := root.List(ctx, "", "", 0, 0)
	fmt.Println(listing)
	page, _ := root.Read(ctx, "app.log", 2, 1)
	fmt.Println(page)
	matches, _ := root.Search(ctx, files.Query{Pattern: "(?i)error", Glob: "*.log"})
	fmt.Println(matches)
	_, err = root.Read(ctx, "../secrets.txt", 0, 0)
	fmt.Println(err)
	_, err = root.Read(ctx, "app.txt", 0, 0)
	fmt.Println(err)
	// Output:
	// app.log (37 bytes)
	// ERROR disk full
	// [lines 2-2 of 3; go on with offset 3]
	// app.log:2: ERROR disk full
	// "../secrets.txt" leads out of the root directory
	// "app.txt" does not exist; did you mean "app.log"?
}
