package claudecode_test

import (
	"os"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/claudecode"
)

func TestMain(m *testing.M) { os.Exit(fakes.Main(m, claudecode.Player())) }
