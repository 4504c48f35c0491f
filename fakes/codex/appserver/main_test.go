package appserver_test

import (
	"os"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
)

func TestMain(m *testing.M) { os.Exit(fakes.Main(m, appserver.Player(), codex.Player())) }
