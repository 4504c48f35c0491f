package acp_test

import (
	"os"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/acp"
)

func TestMain(m *testing.M) { os.Exit(fakes.Main(m, acp.Player())) }
