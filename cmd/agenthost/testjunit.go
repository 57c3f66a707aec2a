package main

import (
	"encoding/xml"
	"path/filepath"
	"strings"
	"time"

	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/text"
)

// junitSuite is the part of JUnit's format that servers for CI read.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Time     float64     `xml:"time,attr"` // seconds
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	File    string        `xml:"file,attr"`
	Time    float64       `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes a report about cases.
func writeJUnit(path string, records []*caseRecord) error {
	suite := junitSuite{Name: "agenthost test", Tests: len(records)}
	for _, r := range records {
		file := filepath.ToSlash(r.Case)
		c := junitCase{
			Class: strings.TrimPrefix(strings.ReplaceAll(filepath.ToSlash(filepath.Dir(r.Case)), "/", "."), "."),
			Name:  strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), File: file, Time: seconds(r.Duration),
		}
		if !r.OK {
			suite.Failures++
			lines := r.lines()
			c.Failure = &junitFailure{Message: text.Clean(text.OneLine(lines[0])), Text: text.Clean(strings.Join(lines, "\n"))}
		}
		suite.Time += c.Time
		suite.Cases = append(suite.Cases, c)
	}
	out, err := xml.MarshalIndent(&suite, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append([]byte(xml.Header), append(out, '\n')...), 0o644)
}

func seconds(d time.Duration) float64 { return d.Round(time.Millisecond).Seconds() }
