// Package chat is the model of the programs that the suite start starts: one request by net/http, as plain as can be.
package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// A Message of the conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Complete posts the messages to the URL and returns the text of the answer.
func Complete(ctx context.Context, url string, messages ...Message) (string, error) {
	body, err := json.Marshal(map[string]any{"messages": messages})
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the model answered %s", response.Status)
	}
	var answer struct {
		Choices []struct {
			Message Message `json:"message"`
		} `json:"choices"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return "", err
	}
	if len(answer.Choices) == 0 {
		return "", errors.New("the model's answer has no choices")
	}
	return answer.Choices[0].Message.Content, nil
}
