package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

const aimockPort = "18473"

// fixtures writes what aimock answers from.
func fixtures() (string, error) {
	dir, err := os.MkdirTemp("", "aimock")
	if err != nil {
		return "", err
	}
	type match struct {
		User string `json:"userMessage"`
	}
	type response struct {
		Content string `json:"content"`
	}
	type fixture struct {
		Match    match    `json:"match"`
		Response response `json:"response"`
		Chunk    int      `json:"chunkSize,omitempty"`
	}
	data, err := json.Marshal(map[string][]fixture{"fixtures": {
		{match{askShort}, response{text}, 0},
		{match{askStream}, response{strings.Repeat(text, chunks)}, len(text)},
	}})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "all.json"), data, 0o600)
	}
	return dir, err
}
