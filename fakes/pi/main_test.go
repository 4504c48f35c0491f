package pi_test

import (
	"os"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/pi"
)

func TestMain(m *testing.M) { os.Exit(fakes.Main(m, pi.Player())) }
