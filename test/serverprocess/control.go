package serverprocess

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
)

// Measures is what a process uses.
type Measures struct {
	Goroutines  int
	Heap        int64 // bytes in use after a garbage collection
	Resident    int64 // bytes of memory of the process, after what is free was given back
	Peak        int64 // bytes of memory of the process at most, since it began or since the last [Process.Forget]
	Descriptors int
}

// obey does what a command says, and writes a line of JSON.
func obey(command string, out io.Writer) error {
	word, path, _ := strings.Cut(command, " ")
	var answer any
	var err error
	switch word {
	case "measure":
		answer, err = measure()
	case "forget": // the peak
		debug.FreeOSMemory()
		err = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	case "goroutines":
		var text strings.Builder
		err = pprof.Lookup("goroutine").WriteTo(&text, 1)
		answer = text.String()
	case "cpu": // begins; an empty path ends
		err = profile(path)
	case "allocs":
		err = write(path, func(w io.Writer) error { return pprof.Lookup("allocs").WriteTo(w, 0) })
	default:
		err = fmt.Errorf("the command %q is unknown", command)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(answer)
}

func write(path string, to func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(to(file), file.Close())
}

func profile(path string) error {
	if path == "" {
		pprof.StopCPUProfile()
		return nil
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return pprof.StartCPUProfile(file)
}

func measure() (m Measures, err error) {
	debug.FreeOSMemory() // collects garbage before
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	m.Goroutines, m.Heap = runtime.NumGoroutine(), int64(memory.HeapAlloc)
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return m, err
	}
	m.Descriptors = len(open) - 1 // that of the directory
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return m, err
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		number, _, _ := strings.Cut(strings.TrimSpace(value), " ")
		kibibytes, _ := strconv.ParseInt(number, 10, 64) // other lines have no number
		switch name {
		case "VmRSS":
			m.Resident = kibibytes << 10
		case "VmHWM":
			m.Peak = kibibytes << 10
		default:
		}
	}
	return m, nil
}
