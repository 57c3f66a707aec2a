package strictyaml

import "strings"

// syntaxMessages translates messages of the parser into plain words. A message of the parser is matched by its beginning.
var syntaxMessages = []struct{ parser, message, hint string }{
	{"could not find end character of double-quoted", `the closing " is missing`, ""},
	{"could not find end character of single-quoted", "the closing ' is missing", ""},
	{"could not find flow mapping end token", `the closing "}" is missing`, ""},
	{"sequence end token ']' not found", `the closing "]" is missing`, ""},
	{"',' or '}' must be specified", `"," or "}" is missing before this`, ""},
	{"',' or ']' must be specified", `"," or "]" is missing before this`, ""},
	{"could not find '[' character", `this "]" has no "["`, "quote a text that contains brackets"},
	{"could not find '{' character", `this "}" has no "{"`, "quote a text that contains braces"},
	{
		"mapping value is not allowed in this context", `this entry has a second ": "`,
		`quote a text that contains ": "; indent the keys of a nested mapping on lines of their own`,
	},
	{
		"value is not allowed in this context", "this does not belong to the value before it",
		"check the indentation, and quote a text that contains quotes or brackets",
	},
	{"non-map value is specified", `"key: value" was expected here`, "check the indentation"},
	{"unexpected key name", "a key is missing or has several lines", ""},
	{"found an invalid key for this map", "this is not a key", "a key is a plain text, such as name"},
	{"block sequence entries are not allowed", "a list does not start on the line of its key", `put every "- " on a line of its own below the key`},
	{"found character '\t' that cannot start", "a tab is used as indentation", "YAML indents with spaces"},
	{"found a tab character where an indentation", "a tab is used as indentation", "YAML indents with spaces"},
	{"tab character cannot", "there is a tab where a space is expected", ""},
	{"'@' is a reserved character", "an unquoted text cannot start with @", "quote it"},
	{"'`' is a reserved character", "an unquoted text cannot start with `", "quote it"},
	{"found unknown escape character", `unknown escape after \`, `write \\ for a backslash, or use single quotes`},
	{"unexpected scalar value type", "a value is missing here", ""},
	{"could not find flow map content", "a key is expected here", ""},
	{"map key definition includes", "a key has several lines", "quote a text that contains a colon"},
	{"undefined map key", "a key is missing here", ""},
	{"undefined anchor value", "the value after & is missing", ""},
	{"found unexpected document separator", "the closing quote is missing", ""},
	{"could not find multi-line content", "the text below | or > is missing", "indent the text"},
	{"invalid number of indent", "the number after | or > does not fit the indentation of the text", "leave the number out"},
	{"invalid header option", "unknown sign after | or >", "quote a text that starts with | or >"},
}

// plainWords translates a message of the parser about a place in a line.
func plainWords(message, line string, offset int) (plain, hint string) {
	if strings.HasSuffix(line[:offset], "$") && strings.HasPrefix(line[offset:], "{") ||
		strings.Contains(message, "must be specified") && strings.Contains(line, "${") {
		return "${…} must be quoted inside { } and [ ]", `write "${NAME}"`
	}
	for _, m := range syntaxMessages {
		if strings.HasPrefix(message, m.parser) {
			return m.message, m.hint
		}
	}
	return message, ""
}
