//go:build windows

package files

import (
	"os"
	"syscall"
)

const nonblocking = 0

// links is how many names a file has.
func links(f *os.File, _ os.FileInfo) (uint64, error) {
	var about syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &about); err != nil {
		return 0, err
	}
	return uint64(about.NumberOfLinks), nil
}
