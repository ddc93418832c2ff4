package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// processWide are functions that are not fuzzed: they load code from paths, or change what the process computes on.
var processWide = []string{"cp_blas_open", "cp_blas_activate"}

func TestEveryExportIsDeclared(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no source files", err)
	}
	var found []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`(?m)^//export go_(cp_\w+)$`).FindAllStringSubmatch(string(source), -1) {
			found = append(found, match[1])
		}
	}
	slices.Sort(found)
	if declared := slices.Sorted(maps.Keys(exported)); !slices.Equal(found, declared) {
		t.Errorf("exported in Go: %v\ndeclared in combpred.h: %v", found, declared)
	}
}
