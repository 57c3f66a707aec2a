package plugin

import (
	"bytes"
	"errors"

	"golang.org/x/sys/unix"
)

// imageFile holds the memory of an image without a name in the file system. Instances map it: a page costs time and memory when an
// instance writes to it, and not before.
type imageFile struct {
	descriptor int
	room       int // how large the memory may become without moving, in bytes
}

// newImageFile copies a memory. The error is the system's.
func newImageFile(memory []byte, room int) (*imageFile, error) {
	descriptor, err := unix.MemfdCreate("agenthost-plugin", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := &imageFile{descriptor, room}
	err = unix.Ftruncate(descriptor, int64(room))
	zero := make([]byte, pageSize)
	for at := 0; at < len(memory) && err == nil; at += pageSize {
		if part := memory[at : at+pageSize]; !bytes.Equal(part, zero) {
			err = f.write(part, at)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

func (f *imageFile) write(part []byte, at int) error {
	for len(part) > 0 {
		n, err := unix.Pwrite(f.descriptor, part, int64(at))
		if err != nil {
			return err
		}
		part, at = part[n:], at+n
	}
	return nil
}

// mapped returns a memory of its own with what the file holds.
func (f *imageFile) mapped() ([]byte, error) {
	return unix.Mmap(f.descriptor, 0, f.room, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_NORESERVE)
}

// resetMapped makes a mapped memory again what the file holds.
func resetMapped(memory []byte) error { return unix.Madvise(memory, unix.MADV_DONTNEED) }

func unmap(memory []byte) error { return unix.Munmap(memory) }

func (f *imageFile) close() error { return unix.Close(f.descriptor) }
