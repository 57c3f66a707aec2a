package strictyaml_test

import (
	"strings"
	"testing"
)

// TestProblems shows what users see, letter by letter.
func TestProblems(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"unknown key": {"limits: {memroy: 1MiB}", `
agenthost.yaml:1:10: limits: unknown key "memroy"
  1 | limits: {memroy: 1MiB}
    |          ^
  did you mean "memory"?`},
		"unknown key far from all": {"limits:\n  colour: red\n", `
agenthost.yaml:2:3: limits: unknown key "colour"
  2 |   colour: red
    |   ^
  valid keys: memory, fuel`},
		"unknown key in other spelling": {"exitBehavior: end", `
agenthost.yaml:1:1: unknown key "exitBehavior"
  1 | exitBehavior: end
    | ^
  did you mean "exit_behavior"?`},
		"key of a later version": {"name: a\ninterrupt_before: x\n", `
agenthost.yaml:2:1: the key "interrupt_before" is not supported yet
  2 | interrupt_before: x
    | ^
  remove it`},
		"several problems": {"nam: a\nlimits: {fuel: x}\ndebug: yes\n", `
agenthost.yaml:1:1: unknown key "nam"
  1 | nam: a
    | ^
  did you mean "name"?
agenthost.yaml:2:16: limits.fuel: expected a count, found string "x"
  2 | limits: {fuel: x}
    |                ^
  write a whole number, optionally followed by k, M, G or T: 10k, 1G
agenthost.yaml:3:8: debug: expected true or false, found string "yes"
  3 | debug: yes
    |        ^
  write true without quotes`},
		"missing keys": {"model:\n  max_tokens: 5\n", `
agenthost.yaml:2:3: model: the key "provider" is missing
  2 |   max_tokens: 5
    |   ^
agenthost.yaml:2:3: model: the key "name" is missing
  2 |   max_tokens: 5
    |   ^`},
		"missing key of a hook's own type": {"system_prompt: {}", `
agenthost.yaml:1:16: system_prompt: the key "file" is missing
  1 | system_prompt: {}
    |                ^`},
		"key given twice": {"name: a\ndebug: true\nname: b\n", `
agenthost.yaml:3:1: key "name" is given twice
  3 | name: b
    | ^
  the first is in line 1`},
		"key given twice in an untyped mapping": {"config:\n  - {a: 1, a: 2}\n", `
agenthost.yaml:2:12: config[0]: key "a" is given twice
  2 |   - {a: 1, a: 2}
    |            ^
  the first is in line 2`},
		"string for an integer": {"model: {provider: a, name: b, max_tokens: many}", `
agenthost.yaml:1:43: model.max_tokens: expected an integer, found string "many"
  1 | model: {provider: a, name: b, max_tokens: many}
    |                                           ^`},
		"quoted integer": {`small: "5"`, `
agenthost.yaml:1:8: small: expected an integer, found string "5"
  1 | small: "5"
    |        ^
  remove the quotes`},
		"integer with underscores": {"alert: {a: 1_000}", `
agenthost.yaml:1:12: alert.a: expected an integer, found string "1_000"
  1 | alert: {a: 1_000}
    |            ^
  write 1000`},
		"integer with a leading zero": {"small: 017", `
agenthost.yaml:1:8: small: integer 017 starts with a zero
  1 | small: 017
    |        ^
  write it without the zero, or quote it if it is a text`},
		"fraction for an integer": {"small: 1.0", `
agenthost.yaml:1:8: small: expected an integer, found number 1.0
  1 | small: 1.0
    |        ^`},
		"integer out of range": {"small: 128\nport: -1\nalert: {a: 99999999999999999999}\n", `
agenthost.yaml:1:8: small: must be between -128 and 127, found 128
  1 | small: 128
    |        ^
agenthost.yaml:2:7: port: must be between 0 and 65535, found -1
  2 | port: -1
    |       ^
agenthost.yaml:3:12: alert.a: must be between -9223372036854775808 and 9223372036854775807, found 99999999999999999999
  3 | alert: {a: 99999999999999999999}
    |            ^`},
		"big integer in an untyped value": {"config: 9223372036854775808", `
agenthost.yaml:1:9: config: must be between -9223372036854775808 and 9223372036854775807, found 9223372036854775808
  1 | config: 9223372036854775808
    |         ^`},
		"integer for a string": {"name: 5", `
agenthost.yaml:1:7: name: expected a string, found integer 5
  1 | name: 5
    |       ^
  quote it: "5"`},
		"boolean and number for a string": {"tools: [true, 1.10]", `
agenthost.yaml:1:9: tools[0]: expected a string, found boolean true
  1 | tools: [true, 1.10]
    |         ^
  quote it: "true"
agenthost.yaml:1:15: tools[1]: expected a string, found number 1.10
  1 | tools: [true, 1.10]
    |               ^
  quote it: "1.10"`},
		"number for a boolean": {"debug: 1", `
agenthost.yaml:1:8: debug: expected true or false, found integer 1
  1 | debug: 1
    |        ^`},
		"text for a number": {"ratio: half", `
agenthost.yaml:1:8: ratio: expected a number, found string "half"
  1 | ratio: half
    |        ^`},
		"quoted number": {"ratio: '0.5'", `
agenthost.yaml:1:8: ratio: expected a number, found string "0.5"
  1 | ratio: '0.5'
    |        ^
  remove the quotes`},
		"infinity": {"ratio: .inf", `
agenthost.yaml:1:8: ratio: must be a finite number, found .inf
  1 | ratio: .inf
    |        ^`},
		"below the least, above the most": {"ratio: -0.1\nwindow: 2h\nport: 0\nlimits: {memory: 2GiB}\n", `
agenthost.yaml:1:8: ratio: must be at least 0, found -0.1
  1 | ratio: -0.1
    |        ^
agenthost.yaml:2:9: window: must be at most 1h, found 2h
  2 | window: 2h
    |         ^
agenthost.yaml:3:7: port: must be at least 1, found 0
  3 | port: 0
    |       ^
agenthost.yaml:4:18: limits.memory: must be at most 1GiB, found 2GiB
  4 | limits: {memory: 2GiB}
    |                  ^`},
		"duration without a unit": {"window: 30", `
agenthost.yaml:1:9: window: expected a duration with a unit, found integer 30
  1 | window: 30
    |         ^
  add a unit: 30s, or ms, m, h`},
		"not a duration": {"window: 3 days", `
agenthost.yaml:1:9: window: expected a duration, found string "3 days"
  1 | window: 3 days
    |         ^
  write a number and a unit (ns, us, ms, s, m, h): 30s, 1m30s`},
		"size with half a unit": {"limits: {memory: 64M, fuel: 10K}", `
agenthost.yaml:1:18: limits.memory: expected a size, found string "64M"
  1 | limits: {memory: 64M, fuel: 10K}
    |                  ^
  write 64MiB or 64MB
agenthost.yaml:1:29: limits.fuel: expected a count, found string "10K"
  1 | limits: {memory: 64M, fuel: 10K}
    |                             ^
  write 10k`},
		"scalar for a list": {"tools: files", `
agenthost.yaml:1:8: tools: expected a list, found string "files"
  1 | tools: files
    |        ^
  start every entry with "- " on a line of its own, or write [a, b]`},
		"list for a mapping": {"model:\n  - a\n", `
agenthost.yaml:2:3: model: expected a mapping, found a list
  2 |   - a
    |   ^`},
		"mapping for a list": {"tools: {a: 1}", `
agenthost.yaml:1:8: tools: expected a list, found a mapping
  1 | tools: {a: 1}
    |        ^`},
		"nothing behind a key": {"name:\ntools:\n#  - files\n", `
agenthost.yaml:1:1: name: a value is missing
  1 | name:
    | ^
  give one, or remove the key
agenthost.yaml:2:1: tools: a value is missing
  2 | tools:
    | ^
  give one, or remove the key`},
		"nothing in a list": {"tools:\n  - files\n  -\n  - search\n", `
agenthost.yaml:3:3: tools[1]: a value is missing
  3 |   -
    |   ^
  give one, or remove the key`},
		"none of the names": {"exit_behavior: contine\ntools: [file, git]\n", `
agenthost.yaml:1:16: exit_behavior: must be continue, end or error, found "contine"
  1 | exit_behavior: contine
    |                ^
  did you mean "continue"?
agenthost.yaml:2:9: tools[0]: must be files, search or shell, found "file"
  2 | tools: [file, git]
    |         ^
  did you mean "files"?
agenthost.yaml:2:15: tools[1]: must be files, search or shell, found "git"
  2 | tools: [file, git]
    |               ^`},
		"unknown name in a hook": {"middleware:\n  - tool_call_limt: {run_limit: 3}\n", `
agenthost.yaml:2:5: middleware[0]: unknown middleware "tool_call_limt"
  2 |   - tool_call_limt: {run_limit: 3}
    |     ^
  did you mean "tool_call_limit"?`},
		"check that a type makes": {"middleware:\n  - tool_call_limit: {tool_name: a}\n  - tool_call_limit: {run_limit: 3, thread_limit: 2}\n", `
agenthost.yaml:2:22: middleware[0].tool_call_limit: no limit is set
  2 |   - tool_call_limit: {tool_name: a}
    |                      ^
agenthost.yaml:3:34: middleware[1].tool_call_limit.run_limit: run_limit 3 is above thread_limit 2
  3 |   - tool_call_limit: {run_limit: 3, thread_limit: 2}
    |                                  ^`},
		"keys that are not strings": {"alert: {200: 1}\nconfig: {~: 1, true: 2}\n7: x\n", `
agenthost.yaml:1:9: alert: a key must be a string, found integer 200
  1 | alert: {200: 1}
    |         ^
  quote it: "200"
agenthost.yaml:2:10: config: a key must be a string, found null
  2 | config: {~: 1, true: 2}
    |          ^
  quote it: "~"
agenthost.yaml:2:16: config: a key must be a string, found boolean true
  2 | config: {~: 1, true: 2}
    |                ^
  quote it: "true"
agenthost.yaml:3:1: unknown key "7"
  3 | 7: x
    | ^
  valid keys: name, model, system_prompt, limits, tools, alert, exit_behavior, config, middleware, raw, order, window, debug, ratio, small, port`},
		"path of a key that is not a name": {`alert: {"a.b": x}`, `
agenthost.yaml:1:16: alert["a.b"]: expected an integer, found string "x"
  1 | alert: {"a.b": x}
    |                ^`},
		"alias without an anchor": {"name: *nam\nconfig: &name x\n", `
agenthost.yaml:1:7: there is no anchor &nam before this
  1 | name: *nam
    |       ^`},
		"alias of a misspelt anchor": {"config: &defaults {a: 1}\nraw: *default\n", `
agenthost.yaml:2:6: there is no anchor &default before this
  2 | raw: *default
    |      ^
  did you mean "defaults"?`},
		"alias inside of its anchor": {"config: &a [*a]", `
agenthost.yaml:1:13: config[0]: *a is used inside its own anchor
  1 | config: &a [*a]
    |             ^`},
		"merge of a text": {"config: {<<: text}", `
agenthost.yaml:1:14: config: << expects a mapping, found string "text"
  1 | config: {<<: text}
    |              ^`},
		"tags": {"name: !secret x\nconfig: [!!int x, !!binary aGk=]\n", `
agenthost.yaml:1:7: name: the tag "!secret" is not supported
  1 | name: !secret x
    |       ^
  quote a text that starts with !
agenthost.yaml:2:10: config[0]: the tag !!int does not fit string "x"
  2 | config: [!!int x, !!binary aGk=]
    |          ^
agenthost.yaml:2:19: config[1]: the tag "!!binary" is not supported
  2 | config: [!!int x, !!binary aGk=]
    |                   ^
  quote a text that starts with !`},
		"empty file": {"", `
agenthost.yaml:1:1: the file is empty`},
		"comments only": {"# name: a\n", `
agenthost.yaml:1:1: the file is empty
  1 | # name: a
    | ^
  it contains only comments`},
		"null document": {"~", `
agenthost.yaml:1:1: a value is missing
  1 | ~
    | ^
  give one, or remove the key`},
		"two documents": {"name: a\n---\nname: b\n", `
agenthost.yaml:2:1: a second YAML document starts here
  2 | ---
    | ^
  keep one document in each file`},
		"document behind an end": {"name: a\n...\nname: b\n", `
agenthost.yaml:3:1: a second YAML document starts here
  3 | name: b
    | ^
  keep one document in each file`},
		"directive": {"%YAML 1.2\n---\nname: a\n", `
agenthost.yaml:1:1: YAML directives are not supported
  1 | %YAML 1.2
    | ^
  remove the line, or quote a value that starts with %`},
		"not UTF-8":         {"name: a\nexit: \xe9t\xe9\n", "\nagenthost.yaml:2:7: byte 0xe9 is not UTF-8\n  2 | exit: \ufffdt\ufffd\n    |       ^\n  save the file as UTF-8"},
		"UTF-16":            {"n\x00a\x00m\x00e\x00:\x00", "\nagenthost.yaml:1:2: the file has a zero byte\n  1 | n\ufffda\ufffdm\ufffde\ufffd:\ufffd\n    |  ^\n  save the file as UTF-8"},
		"control character": {"name: a\x1b[31mb\n", "\nagenthost.yaml:1:8: control character U+001B\n  1 | name: a\ufffd[31mb\n    |        ^\n  write it as \\x1b between double quotes"},
		"tab as indentation": {"limits:\n\tmemory: 1MiB\n", `
agenthost.yaml:2:1: a tab is used as indentation
  2 | 	memory: 1MiB
    | ^
  YAML indents with spaces`},
		"tab behind spaces": {"limits:\n  \tmemory: 1MiB\n", `
agenthost.yaml:2:3: a tab is used as indentation
  2 |   	memory: 1MiB
    |   ^
  YAML indents with spaces`},
		"tab behind a dash": {"tools:\n-\tfiles\n", `
agenthost.yaml:2:2: a tab is used as indentation
  2 | -	files
    |  ^
  YAML indents with spaces`},
		"tab before the place": {"debug:\tmaybe", `
agenthost.yaml:1:8: debug: expected true or false, found string "maybe"
  1 | debug:	maybe
    |       	^`},
		"tab before the first key": {"\tname: a", `
agenthost.yaml:1:1: a tab is used as indentation
  1 | 	name: a
    | ^
  YAML indents with spaces`},
		"wide runes before the place": {`alert: {日本: 1, é: x}`, `
agenthost.yaml:1:19: alert["é"]: expected an integer, found string "x"
  1 | alert: {日本: 1, é: x}
    |                   ^`},
		"double quotes left open": {"name: \"a\ndebug: true\n", `
agenthost.yaml:1:7: the closing " is missing
  1 | name: "a
    |       ^`},
		"single quotes left open": {"name: 'a\n", `
agenthost.yaml:1:7: the closing ' is missing
  1 | name: 'a
    |       ^`},
		"bracket left open": {"tools: [files,\ndebug: true\n", `
agenthost.yaml:1:8: the closing "]" is missing
  1 | tools: [files,
    |        ^`},
		"brace left open": {"model: {name: a\ndebug: true\n", `
agenthost.yaml:2:6: "," or "}" is missing before this, for the "{" in line 1
  2 | debug: true
    |      ^
  quote a text that contains brackets, braces or a ?`},
		"bracket too many": {"tools: files]\nname: ]\n", `
agenthost.yaml:2:7: this "]" has no "["
  2 | name: ]
    |       ^
  quote a text that contains brackets`},
		"colon in a text": {"name: warning: hot\n", `
agenthost.yaml:1:14: this entry has a second ": "
  1 | name: warning: hot
    |              ^
  quote a text that contains ": "; indent the keys of a nested mapping on lines of their own`},
		"key indented below a text": {"name: a\n  debug: true\n", `
agenthost.yaml:2:8: this line belongs to the text above it, and has a key
  2 |   debug: true
    |        ^
  indent the key like the key above, or quote the text`},
		"list below a text": {"tools: files\n  - search # more\n", `
agenthost.yaml:2:3: tools: a list item cannot follow a text
  2 |   - search # more
    |   ^
  remove the text before the list, or quote the whole text`},
		"list not closed before a key": {"tools: [files\nname: a\n", `
agenthost.yaml:2:5: "," or "]" is missing before this, for the "[" in line 1
  2 | name: a
    |     ^
  quote a text that contains brackets, braces or a ?`},
		"place after question marks": {"alert: {a?b??: x?, c ? d}\n", `
agenthost.yaml:1:22: "," or "}" is missing before this, for the "{" in line 1
  1 | alert: {a?b??: x?, c ? d}
    |                      ^
  quote a text that contains brackets, braces or a ?`},
		"key between braces without a space": {"alert: {a:}\n", `
agenthost.yaml:1:9: alert: an unquoted text ends with a colon
  1 | alert: {a:}
    |         ^
  quote it, or write a space after the colon`},
		"lone exclamation mark": {"name: ! 5\n", `
agenthost.yaml:1:7: name: the tag "!" is not supported
  1 | name: ! 5
    |       ^
  quote a text that starts with !`},
		"noncharacter": {"name: \ufdd0\n", "\nagenthost.yaml:1:7: control character U+FDD0\n  1 | name: \ufffd\n    |       ^\n  write it as \\ufdd0 between double quotes"},
		"place of a value after anchor and tag": {"small: &a !!str x\nport: &b\n  # c\n  é\n", `
agenthost.yaml:1:17: small: expected an integer, found string "x"
  1 | small: &a !!str x
    |                 ^
agenthost.yaml:4:3: port: expected an integer, found string "é"
  4 |   é
    |   ^`},
		"dots before a text": {"...a: 1\n", `
agenthost.yaml:1:1: unknown key "...a"
  1 | ...a: 1
    | ^
  valid keys: name, model, system_prompt, limits, tools, alert, exit_behavior, config, middleware, raw, order, window, debug, ratio, small, port`},
		"escape of what is not a character": {`name: "\UFFFFFFFF"`, `
agenthost.yaml:1:17: the escape is not a character
  1 | name: "\UFFFFFFFF"
    |                 ^
  write \\ for a backslash`},
		"escape on a later line": {"name: \"a\\\n  é\\x1g\"\n", `
agenthost.yaml:2:5: the escape needs more hexadecimal digits
  2 |   é\x1g"
    |     ^
  write \\ for a backslash`},
		"tag of a mapping on a list": {"config: !!map\n  - a\n", `
agenthost.yaml:1:9: config: the tag !!map does not fit a list
  1 | config: !!map
    |         ^`},
		"merge of a list of texts": {"config: {<<: [a]}\n", `
agenthost.yaml:1:14: config: << expects a mapping, found string "a"
  1 | config: {<<: [a]}
    |              ^`},
		"hexadecimal and octal": {"ratio: 0x1p\nsmall: 0x80\nport: 0o200000\nmodel: {provider: a, name: b, temperature: 0xFFFFFFFFFFFFFFFFFF}\n", `
agenthost.yaml:1:8: ratio: expected a number, found string "0x1p"
  1 | ratio: 0x1p
    |        ^
agenthost.yaml:2:8: small: must be between -128 and 127, found 0x80
  2 | small: 0x80
    |        ^
agenthost.yaml:3:7: port: must be between 0 and 65535, found 0o200000
  3 | port: 0o200000
    |       ^
agenthost.yaml:4:44: model.temperature: the number is too large
  4 | model: {provider: a, name: b, temperature: 0xFFFFFFFFFFFFFFFFFF}
    |                                            ^`},
		"list for scalars": {"name: [a]\nsmall: {}\ndebug: []\nratio: {}\nwindow: []\n", `
agenthost.yaml:1:7: name: expected a string, found a list
  1 | name: [a]
    |       ^
agenthost.yaml:2:8: small: expected an integer, found a mapping
  2 | small: {}
    |        ^
agenthost.yaml:3:8: debug: expected true or false, found a list
  3 | debug: []
    |        ^
agenthost.yaml:4:8: ratio: expected a number, found a mapping
  4 | ratio: {}
    |        ^
agenthost.yaml:5:9: window: expected a duration, found a list
  5 | window: []
    |         ^`},
		"long values": {"name: [" + strings.Repeat("é", 70) + "]\nexit_behavior: " + strings.Repeat("é", 70) + "\n", "\nagenthost.yaml:1:7: name: expected a string, found a list\n  1 | name: [" +
			strings.Repeat("é", 70) + "]\n    |       ^\nagenthost.yaml:2:16: exit_behavior: must be continue, end or error, found \"" + strings.Repeat("é", 60) +
			"…\"\n  2 | exit_behavior: " + strings.Repeat("é", 70) + "\n    |                ^"},
		"list on the line of its key": {"tools: - files\n", `
agenthost.yaml:1:8: a list does not start on the line of its key
  1 | tools: - files
    |        ^
  put every "- " on a line of its own below the key`},
		"text behind quotes": {`name: "a" b`, `
agenthost.yaml:1:11: this does not belong to the value before it
  1 | name: "a" b
    |           ^
  check the indentation, and quote a text that contains quotes or brackets`},
		"wrong indentation": {"limits:\n   memory: 1MiB\n  fuel: 1G\n", `
agenthost.yaml:3:3: this does not belong to the value before it
  3 |   fuel: 1G
    |   ^
  check the indentation, and quote a text that contains quotes or brackets`},
		"text among keys": {"name: a\ndebug\n", `
agenthost.yaml:2:1: "key: value" was expected here
  2 | debug
    | ^
  check the indentation`},
		"reserved characters": {"name: @me\n", `
agenthost.yaml:1:7: an unquoted text cannot start with @
  1 | name: @me
    |       ^
  quote it`},
		"unknown escape": {`name: "C:\dir"`, `
agenthost.yaml:1:10: unknown escape after \
  1 | name: "C:\dir"
    |          ^
  write \\ for a backslash, or use single quotes`},
		"bad hexadecimal escape": {`name: "\xyz"`, `
agenthost.yaml:1:9: the escape needs more hexadecimal digits
  1 | name: "\xyz"
    |         ^
  write \\ for a backslash`},
		"variable between braces": {"model: {name: ${NAME}}", `
agenthost.yaml:1:16: ${…} must be quoted inside { } and [ ]
  1 | model: {name: ${NAME}}
    |                ^
  write "${NAME}"`},
		"key that is a mapping": {"{a: 1}: b\n", `
agenthost.yaml:1:1: a key must be a text, found a mapping
  1 | {a: 1}: b
    | ^`},
		"place behind trailing blanks": {"debug: a   \nsmall: b\t\n", `
agenthost.yaml:1:8: debug: expected true or false, found string "a"
  1 | debug: a
    |        ^
agenthost.yaml:2:8: small: expected an integer, found string "b"
  2 | small: b
    |        ^`},
		"value on the next line": {"small:\n    many\n", `
agenthost.yaml:2:5: small: expected an integer, found string "many"
  2 |     many
    |     ^`},
		"text below a bar": {"small: |\n  many\n  more\n", `
agenthost.yaml:1:8: small: expected an integer, found string "many\nmore\n"
  1 | small: |
    |        ^`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireError(t, decodeError(t, test.text), test.want)
		})
	}
}
