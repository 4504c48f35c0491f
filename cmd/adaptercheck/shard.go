package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance"
)

// jobIndex is the variable in which Kubernetes tells a pod of an Indexed Job which one it
// is, from 0.
const jobIndex = "JOB_COMPLETION_INDEX"

// shardFlag is the value of --shard: I/N, or /N where the environment says which.
type shardFlag conformance.Shard

func (s *shardFlag) Type() string { return "I/N" }

func (s *shardFlag) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

func (s *shardFlag) Set(text string) error {
	index, of, found := strings.Cut(text, "/")
	n, err := strconv.Atoi(of)
	if !found || err != nil || n < 1 {
		return fmt.Errorf("%q is no shard: want I/N, such as 1/3, or /3 where %s is set", text, jobIndex)
	}
	if index == "" {
		i, err := strconv.Atoi(os.Getenv(jobIndex))
		if err != nil || i < 0 || i >= n {
			return fmt.Errorf("%q: %s is %q, want a number from 0 to %d", text, jobIndex, os.Getenv(jobIndex), n-1)
		}
		*s = shardFlag{i + 1, n}
		return nil
	}
	i, err := strconv.Atoi(index)
	if err != nil || i < 1 || i > n {
		return fmt.Errorf("%q: the shard is %q, want a number from 1 to %d", text, index, n)
	}
	*s = shardFlag{i, n}
	return nil
}
