package strictyaml

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// parseText turns YAML into nodes. It returns the nodes that it could read and the problems, or nil if it could read nothing. The
// parser is not trusted: if it panics, that becomes a problem of the file.
func parseText(src *source, text string) (root *node, found problems) {
	defer func() {
		if cause := recover(); cause != nil {
			root = nil
			found.add(src.at(1, 1).problem("", fmt.Sprintf("the YAML parser failed: %v", cause), "remove half of the file to find the cause"))
		}
	}()
	tokens := lexer.Tokenize(text)
	if p := (&guard{src: src, budget: budget{keys: map[int]int{}}}).check(tokens); p != nil {
		found.add(*p)
		return nil, found
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		found.add(syntaxProblem(src, err))
		return nil, found
	}
	body := documentBody(file)
	if body == nil {
		hint := ""
		if len(tokens) > 0 {
			hint = "it contains only comments"
		}
		found.add(src.at(1, 1).problem("", "the file is empty", hint))
		return nil, found
	}
	c := converter{src: src, anchors: map[string]*node{}}
	root = c.convert(body, "", 0)
	if message := root.tooLarge(); message != "" && !c.stopped {
		c.stop(root.at, "", message)
	}
	if c.stopped {
		root = nil
	}
	return root, c.found
}

func documentBody(file *ast.File) ast.Node {
	for _, doc := range file.Docs {
		switch doc.Body.(type) {
		case nil, *ast.CommentGroupNode, *ast.CommentNode:
		default:
			return doc.Body
		}
	}
	return nil
}

// syntaxProblem turns an error of the parser into a problem.
func syntaxProblem(src *source, err error) Problem {
	var located interface {
		GetToken() *token.Token
		GetMessage() string
	}
	at, message := src.at(1, 1), err.Error()
	if errors.As(err, &located) {
		message = located.GetMessage()
		if tk := located.GetToken(); tk != nil && tk.Position != nil {
			at = locate(src, tk)
			if strings.Contains(strings.TrimSpace(tk.Origin), "\n") && strings.HasPrefix(message, "mapping value is not allowed") {
				return at.problem("", "the line below belongs to this text, and has a key", "indent the key like the key of this line, or quote the text")
			}
		}
	}
	line, offset := src.line(at.line), src.offset(at.line, at.column)
	if tab := strings.LastIndexByte(line[:offset], '\t'); tab >= 0 && strings.Contains(message, "tab character") {
		at = src.at(at.line, src.column(at.line, tab))
		if strings.TrimLeft(line[:tab], " \t") == "" {
			return *tabProblem(at)
		}
	}
	message, hint := plainWords(message, line, offset)
	return at.problem("", message, hint)
}
