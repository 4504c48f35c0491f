package openclaw_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Nothing of a gateway that was closed runs on.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
