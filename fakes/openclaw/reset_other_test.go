//go:build !unix

package openclaw_test

import "errors"

var noReset = errors.New("connections are not reset here")

func errReset() error { return noReset }
