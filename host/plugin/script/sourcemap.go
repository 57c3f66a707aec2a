package script

import (
	"encoding/json"
	"errors"
	"strings"
)

var errMap = errors.New("it is malformed")

// readMap reads a source map: the names of the sources, and for each line of the bundle the index of its source and its line
// there, from 1. A line that belongs to no source has the line 0. Of several places in a line the first one counts.
// The format is https://tc39.es/ecma426/.
func readMap(text []byte) (files []string, lines []int, err error) {
	var m struct {
		Sources  []string `json:"sources"`
		Mappings string   `json:"mappings"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, nil, err
	}
	var source, line int
	for row := range strings.SplitSeq(m.Mappings, ";") {
		file, at := 0, 0
		for segment := range strings.SplitSeq(row, ",") {
			fields, err := decodeVLQ(segment)
			if err != nil {
				return nil, nil, err
			}
			if len(fields) < 4 {
				continue
			}
			source, line = source+fields[1], line+fields[2]
			if source < 0 || source >= len(m.Sources) || line < 0 {
				return nil, nil, errMap
			}
			if at == 0 {
				file, at = source, line+1
			}
		}
		lines = append(lines, file, at)
	}
	return m.Sources, lines, nil
}

// decodeVLQ decodes the numbers of a segment: digits of base 64 with five bits each, the least significant ones and the sign first.
func decodeVLQ(segment string) ([]int, error) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var fields []int
	value, shift := 0, 0
	for i := range len(segment) {
		digit := strings.IndexByte(digits, segment[i])
		if digit < 0 || shift > 30 {
			return nil, errMap
		}
		value |= digit & 31 << shift
		if shift += 5; digit&32 != 0 {
			continue
		}
		if value&1 == 1 {
			fields = append(fields, -(value >> 1))
		} else {
			fields = append(fields, value>>1)
		}
		value, shift = 0, 0
	}
	if shift != 0 {
		return nil, errMap
	}
	return fields, nil
}
