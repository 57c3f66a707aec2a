package yamltext

import "bytes"

// Block returns the end of the block of a key: the index of the first line after the key's line that is not indented more than the key.
// Empty lines and comments at the end do not belong to the block. The key is in the line with this index, after indent bytes.
func Block(lines [][]byte, line, indent int) (end int) {
	end = line + 1
	for at := end; at < len(lines); at++ {
		text := bytes.TrimRight(lines[at], "\r\n")
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if leading := len(text) - len(bytes.TrimLeft(text, " ")); leading <= indent {
			break
		}
		end = at + 1
	}
	return end
}
