//go:build !linux

package plugin

import "errors"

// imageFile is not available: images are copied.
type imageFile struct{}

func newImageFile([]byte, int) (*imageFile, error) { return nil, errors.ErrUnsupported }
func (*imageFile) mapped() ([]byte, error)         { return nil, errors.ErrUnsupported }
func resetMapped([]byte) error                     { return errors.ErrUnsupported }
func unmap([]byte) error                           { return errors.ErrUnsupported }
func (*imageFile) close() error                    { return nil }
