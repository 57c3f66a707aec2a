// Package yamltext writes documents as YAML that people read and edit: collections as indented blocks, scalars as JSON, and texts of
// several lines as they are. It also finds the lines of a key in a file, to replace them.
package yamltext
