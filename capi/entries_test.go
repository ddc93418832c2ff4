package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// entryPoints are the functions of combpred.h.
var entryPoints = map[string]any{
	"cp_test_panic": go_cp_test_panic, "cp_catalogue": go_cp_catalogue, "cp_blas_routines": go_cp_blas_routines,
	"cp_blas_offer": go_cp_blas_offer, "cp_blas_status": go_cp_blas_status, "cp_structure_shape": go_cp_structure_shape,
	"cp_structure_count": go_cp_structure_count, "cp_structure_capabilities": go_cp_structure_capabilities,
	"cp_structure_mean": go_cp_structure_mean, "cp_structure_second_moment": go_cp_structure_second_moment,
	"cp_structure_moments": go_cp_structure_moments, "cp_structure_check": go_cp_structure_check,
	"cp_structure_embed": go_cp_structure_embed, "cp_structure_embed_partial": go_cp_structure_embed_partial,
	"cp_structure_sample": go_cp_structure_sample, "cp_structure_mirror": go_cp_structure_mirror,
	"cp_structure_enumerate": go_cp_structure_enumerate, "cp_decode": go_cp_decode, "cp_log_partition": go_cp_log_partition,
	"cp_sample_distribution": go_cp_sample_distribution, "cp_chain_sample": go_cp_chain_sample,
	"cp_chain_diagnose": go_cp_chain_diagnose, "cp_extensions_sample": go_cp_extensions_sample,
	"cp_extensions_count": go_cp_extensions_count, "cp_extensions_common": go_cp_extensions_common,
	"cp_kernel_check": go_cp_kernel_check, "cp_ridge_plan": go_cp_ridge_plan, "cp_ridge_kernel": go_cp_ridge_kernel,
	"cp_ridge_spectral": go_cp_ridge_spectral, "cp_ridge_kernel_loo": go_cp_ridge_kernel_loo,
	"cp_ridge_spectral_loo": go_cp_ridge_spectral_loo,
	"cp_ridge_features":     go_cp_ridge_features, "cp_ridge_sums": go_cp_ridge_sums, "cp_ridge_product": go_cp_ridge_product,
	"cp_ridge_primal_sizes": go_cp_ridge_primal_sizes, "cp_ridge_primal": go_cp_ridge_primal,
	"cp_ridge_losses": go_cp_ridge_losses, "cp_sgd_expansion": go_cp_sgd_expansion, "cp_sgd_features": go_cp_sgd_features,
	"cp_maxmargin_pass": go_cp_maxmargin_pass, "cp_aggregate": go_cp_aggregate, "cp_aggregate_pairs": go_cp_aggregate_pairs,
	"cp_aggregate_groups": go_cp_aggregate_groups, "cp_aggregate_margins": go_cp_aggregate_margins,
	"cp_aggregate_acyclic": go_cp_aggregate_acyclic, "cp_aggregate_extend": go_cp_aggregate_extend,
	"cp_plackett_luce_fit": go_cp_plackett_luce_fit, "cp_labelrank_svm": go_cp_labelrank_svm,
	"cp_labelrank_svm_kernel": go_cp_labelrank_svm_kernel, "cp_labelrank_online": go_cp_labelrank_online,
}

// processWide are not fuzzed: they load code from paths, or change what the process computes on.
var processWide = []string{"cp_blas_open", "cp_blas_activate"}

func TestEntryPointsAreComplete(t *testing.T) {
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
	for _, name := range found {
		if entryPoints[name] == nil && !slices.Contains(processWide, name) {
			t.Errorf("%s is not fuzzed", name)
		}
	}
	if len(found) != len(entryPoints)+len(processWide) {
		t.Errorf("%d exported functions, %d fuzzed", len(found), len(entryPoints))
	}
}
