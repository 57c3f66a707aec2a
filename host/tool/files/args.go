package files

// listArgs are the parameters of list_files.
type listArgs struct {
	Dir    string `json:"dir,omitempty" jsonschema:"the directory; without it, the root directory"`
	Glob   string `json:"glob,omitempty" jsonschema:"list every file below dir that matches, such as *.log or src/**/*.{go,md}; without it, what dir has"`
	Offset int    `json:"offset,omitempty" jsonschema:"how many entries to skip, to go on with a long list"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many entries to return, at most 1000; usually 200"`
}

// readArgs are the parameters of read_file.
type readArgs struct {
	Path   string `json:"path" jsonschema:"the file, such as docs/notes.txt"`
	Offset int    `json:"offset,omitempty" jsonschema:"the first line to read, counting from 1"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many lines to read, at most 10000; usually 1000"`
}

// searchArgs are the parameters of search_files.
type searchArgs struct {
	Pattern string `json:"pattern" jsonschema:"a regular expression (RE2) that a line must match; (?i) at its start ignores case"`
	Dir     string `json:"dir,omitempty" jsonschema:"search below this directory; without it, everywhere"`
	Glob    string `json:"glob,omitempty" jsonschema:"search only files that match, such as *.log or src/**/*.go"`
	Offset  int    `json:"offset,omitempty" jsonschema:"how many matches to skip, to go on with a long result"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many matches to return, at most 1000; usually 100"`
}

// writeArgs are the parameters of write_file.
type writeArgs struct {
	Path    string `json:"path" jsonschema:"the file, such as docs/notes.txt; directories that are missing are created"`
	Content string `json:"content" jsonschema:"the whole new text of the file"`
}

const (
	listDescription   = "Lists the files of a directory, or every file below it that matches a glob. Directories end with a slash."
	readDescription   = "Reads a text file, or a part of it. If there is more, the last line says how to go on."
	searchDescription = "Searches text files for lines that match a regular expression. Answers with path:line: text."
	writeDescription  = "Writes a text file: replaces what it has, or creates it."
)
