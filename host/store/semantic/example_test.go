package semantic_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/memory"
	"github.com/agenthost/agenthost/host/store/semantic"
)

func ExampleNew() {
	ctx := context.Background()
	embedder := &topics{name: "topics"} // or &openai.Embedder{Model: &openai.Model{Name: "text-embedding-3-small"}}, with 1536 dimensions
	kept, err := semantic.New(memory.New(), semantic.Index{Embed: embedder, Dims: 3, Fields: []string{"text"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for key, text := range map[string]string{"drinks": "tea without milk", "hobby": "music of the 1920s"} {
		note := map[string]string{"text": text}
		if _, err := store.Put(ctx, kept, store.Namespace{"users", "ada"}, key, note, store.PutOptions{}); err != nil {
			fmt.Println(err)
			return
		}
	}
	found, err := store.Find(ctx, kept, store.Namespace{"users"}, store.Search{Query: "What tea does Ada like?", Limit: 1})
	for _, entry := range found {
		fmt.Println(entry.Namespace, entry.Key, entry.Score)
	}
	fmt.Println(err)
	// Output:
	// [users ada] drinks 1
	// <nil>
}
