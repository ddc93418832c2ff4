package main

// The tables say what each parameter of the C interface is, so that calls can be made up from them: legal ones, and ones that are wrong
// in a place. A row holds what is written for a name, an expression of Go's syntax:
//
//	content(length, …)   a buffer of so many entries, their product; contents says what a legal one holds
//	room(length)         one for a message, which does not take more than 8000 bytes
//	name(KEY)            a name of that list of the catalogue, the first in legal calls
//	word("text", …)      a text, the first in legal calls
//	an expression        a number in legal calls, over legal and the facts about the structure
//	oneof(a, b, …)       one of these numbers, mostly the first
//	but(a, b)            a, and never b, however wrong it is: that would be untrue
//	maybe(…), rarely(…)  a buffer that may be NULL: mostly it is not, or mostly it is
//	optional, absent     a struct that may be NULL: mostly it is not, or mostly it is; other structs need no entry
//	result               a field that is written only
//	or(a, b)             a, and where that is zero, b
//	given(a, b)          a, and where no parameter or field has that name, b
//	flag(a)              1 where a is not zero
//	ends(first, n)       the last of the n + 1 numbers first, and n where it is NULL
//	reach(n, stride, p)  the entries from the first of n rows of p to the last one
//	ask(function, struct.field, name, value, …)
//	                     what a function of the interface says, given this call's parameters of the same names and those values
//
// Lengths are about the numbers of the call itself: parameters, fields of the same struct, and fields of others with the parameter's name
// before them. What a length says must be what the library may read and write, whatever the numbers: nothing lies behind it.

import "combpred/capi/cabi/cabitest"

// row has what names of a function or struct stand for.
type row = cabitest.Row

// everywhere has those that stand for the same in all functions and structs.
var everywhere = row{
	"workers": "oneof(1, 2)", "bad_row": "out(1)", "err": "room(err_cap)", "err_cap": "oneof(300, 0, 1, 20, 60)",
	"struct_size": "struct_size",
	"control":     "optional", "n": "n", "m": "m", "d": "d", "p": "p", "k": "k", "q": "p + 1", "part_len": "part_len", "nnz": "n",
	"seed": "7", "needed": "out(1)", "dst_cap": "oneof(4096, 0, 2)", "n_samples": "m", "n_elements": "k", "n_pairs": "1",
	"info":    "optional",
	"indices": "maybe(zeros(nnz))", "indptr": "maybe(starts(n + 1))", "data": "maybe(numbers(nnz))",
	"weights": "maybe(positive(n))", "first": "rarely(starts(n + 1))", "kernel": "kernel(n, n)",
}

// legal has the numbers that legal calls agree on, beside d, part_len and the lengths of the description of the structure.
var legal = map[string]int64{"n": 3, "m": 2, "p": 2, "k": 4}

// results marks a struct of which only the size is read.
var results = row{"*": cabitest.Result}

// arguments has the functions of combpred.h.
var arguments = map[string]row{
	"cp_test_panic":       {"in_worker": "0"},
	"cp_catalogue":        {"dst": "out(dst_cap)"},
	"cp_blas_open":        {"path": `word("path")`},
	"cp_blas_status":      {"dst": "out(dst_cap)"},
	"cp_blas_routines":    {"dst": "out(dst_cap)"},
	"cp_blas_offer":       {"name": `word("dsyrk")`, "arguments": `word("cciixxixxi")`, "address": "out(8)"},
	"cp_blas_activate":    {},
	"cp_structure_shape":  {"part_len": "out(1)", "feature_len": "out(1)", "log_count": "out(1)"},
	"cp_structure_count":  {"dst": "out(dst_cap)"},
	"cp_structure_mean":   {"dst": "out(d)"},
	"cp_structure_sample": {"dst": "out(n, part_len)"},
	"cp_structure_enumerate": {"skip": "oneof(0, 1, 1000)", "capacity": "n", "dst": "out(capacity, part_len)",
		"n_written": "out(1)"},
	"cp_structure_second_moment": {"dst": "out(d, d)"},
	"cp_structure_capabilities":  {"dst": "out(dst_cap)"},
	"cp_structure_moments":       {},
	"cp_structure_check":         {"y": "outputs(n, part_len)"},
	"cp_structure_embed":         {"y": "outputs(n, part_len)", "dst": "out(n, d)"},
	"cp_structure_embed_partial": {"y": "outputs(n, part_len)", "dst": "out(n, d)"},
	"cp_structure_mirror":        {"y": "outputs(n, part_len)", "dst": "out(n, part_len)"},
	"cp_custom_kernel":           {"gram": "kernel(n, n)", "psi": "out(n, n)", "d": "out(1)"},
	"cp_custom_draws": {"psi": "embedded(n, d)", "sums": "zeros(1 + d + 2 * d * d)", "moments": "maybe(out(d + d * d))",
		"standard_error": "maybe(out(1))"},
	"cp_custom_check":        {"psi": "embedded(n, d)"},
	"cp_decode":              {"options": "optional", "dst": "out(scores.n, part_len)", "certificates": "optional"},
	"cp_kbest":               {"options": "optional"},
	"cp_kbest_next":          {"options": "absent", "state": "zeros(state_cap)", "state_cap": "4096"},
	"cp_log_partition":       {"log_z": "out(scores.n)", "marginals": "maybe(out(scores.n, scores.d))"},
	"cp_sample_distribution": {"dst": "out(n_samples, scores.n, part_len)"},
	"cp_chain_sample":        {"dst": "out(scores.n, options.n_samples, part_len)", "record": "optional"},
	"cp_chain_diagnose": {"x": "numbers(n_chains, n_draws)", "n_chains": "m", "n_draws": "6", "effective_size": "out(1)",
		"r_hat": "out(1)", "autocorrelation": "out(n_chains, n_lags)", "n_lags": "oneof(2, 0)"},
	"cp_extensions_sample": {"pairs": "counted(n_pairs, 2)", "method": "name(EXTENSION_METHODS)",
		"dst": "out(n_samples, n_elements)", "steps": "maybe(out(n_samples))"},
	"cp_extensions_count": {"pairs": "counted(n_pairs, 2)", "most_downsets": "1000", "dst": "out(dst_cap)"},
	"cp_extensions_common": {"x": "zeros(n, n_elements * (n_elements - 1) / 2)", "m": "n",
		"y": "maybe(zeros(m, n_elements * (n_elements - 1) / 2))", "most_downsets": "1000", "dst": "out(n, m)"},
	"cp_partition_estimate": {"options": "optional"},
	"cp_marginals_estimate": {"options": "optional"},
	"cp_estimate_next":      {"options": "optional", "more": "out(1)"},
	"cp_chain_next":         {"dst": "out(options.n_samples)", "record": "optional", "more": "out(1)"},
	"cp_kernel": {"y": "optional", "first": "oneof(0, 5)", "type": `word("float64", "float32")`,
		"values": "out(8, x.n, or(y.n, x.n))"},
	"cp_kernel_scale":        {"weights": "maybe(positive(x.n))", "gamma": "out(1)"},
	"cp_kernel_check":        {},
	"cp_kernel_semidefinite": {},
	"cp_symmetric_eigen":     {"matrix": "kernel(n, n)", "values": "out(n)"},
	"cp_order_kernel":        {"y": "optional", "values": "out(x.n, or(y.n, x.n))"},
	"cp_predict":             {"function": "optional", "train": "optional", "options": "optional"},
	"cp_ridge_plan":          {"p": "oneof(2, 0)", "nnz": "n * p"},
	"cp_ridge_kernel":        {"kernel": "kernel(targets.n, targets.n)", "dual": "out(targets.n, targets.d)"},
	"cp_ridge_spectral": {"eigenvalues": "positive(targets.n)", "vectors": "identity(targets.n, targets.n)",
		"dual": "out(targets.n, targets.d)"},
	"cp_ridge_loo":      {"kernel": "kernel(targets.n, targets.n)", "workspace": "optional"},
	"cp_ridge_features": {"budget": "oneof(10000, 0)", "coef": "out(features.p + options.shift, outputs.d)"},
	"cp_ridge_sums":     {"sums": "zeros(2 + (features.p + 1) * (features.p + 1 + outputs.d))"},
	"cp_ridge_product": {"direction": "numbers(ask(cp_ridge_primal_sizes, sizes.direction, p, features.p))",
		"product": "zeros(features.p + options.shift, outputs.d)"},
	"cp_ridge_primal_sizes": {},
	"cp_ridge_primal":       {"state": "zeros(state_len)", "state_len": "ask(cp_ridge_primal_sizes, sizes.state, p, p)"},
	"cp_ridge_losses": {"scores": "numbers(targets.n, targets.d)", "losses": "maybe(out(targets.n))",
		"curvatures": "maybe(out(targets.n))"},
	"cp_sgd_expansion": {"loss": "out(1)"},
	"cp_sgd_fit":       {"report": "optional"},
	"cp_affine_losses": {"entries": "name(ENTRY_KINDS)", "cost": "name(AFFINE_COSTS)", "psi": "embedded(n, d)",
		"counted": "rarely(ones(d))", "constant": "out(n)", "gradient": "out(n, d)", "magnitude": "maybe(out(n, d))"},
	"cp_rows_order":           {"order": "out(design.n)"},
	"cp_svm_fit":              {},
	"cp_svm_state_len":        {"loss": "optional"},
	"cp_svm_next":             {"loss": "optional", "state": "zeros(state_len)", "state_len": "oneof(8000, 1900)"},
	"cp_svm_result":           {"loss": "optional", "state": "zeros(state_len)", "state_len": "oneof(8000, 1900)"},
	"cp_perceptron_fit":       {"loss": "absent"},
	"cp_perceptron_state_len": {"loss": "absent"},
	"cp_perceptron_next":      {"loss": "absent", "state": "zeros(state_len)", "state_len": "oneof(8000, 1900)"},
	"cp_perceptron_result":    {"loss": "absent", "state": "zeros(state_len)", "state_len": "oneof(8000, 1900)"},
	"cp_labelrank_svm": {"alpha": "out(preferences.n, preferences.k * (preferences.k - 1) / 2)",
		"coef": "out(design.p + flag(design.intercept), preferences.k)"},
	"cp_labelrank_svm_kernel": {"kernel": "kernel(preferences.n, preferences.n)",
		"alpha": "out(preferences.n, preferences.k * (preferences.k - 1) / 2)", "dual": "out(preferences.n, preferences.k)"},
	"cp_labelrank_online": {},
	"cp_labelrank_mistake_bound": {"coef": "zeros(design.p + flag(design.intercept), preferences.k)", "n_passes": "oneof(1, 5)",
		"bound": "out(1)"},
	"cp_labelrank_boost": {"curve": "optional", "n_iter": "out(1)",
		"weights": "out((design.p + flag(design.intercept)) * preferences.k + options.n_rankers)"},
	"cp_aggregate_pairs":   {},
	"cp_aggregate_groups":  {"before": "hollow(k, k)", "group": "out(k)", "n_groups": "out(1)"},
	"cp_aggregate_margins": {"threshold": "0.5", "dst": "out(k, k)"},
	"cp_aggregate": {"profile": "optional", "pairs": "absent", "programs": "absent", "dst": "out(dst_len)",
		"dst_len": "oneof(k, k * k)"},
	"cp_aggregate_acyclic": {"margins": "zeros(k, k)", "programs": "absent", "relation": "maybe(out(k, k))",
		"kept": "maybe(out(k, k))"},
	"cp_aggregate_extend": {"n_extensions": "m", "ranks": "out(relations.n, n_extensions, relations.k)",
		"weights": "out(relations.n, n_extensions)"},
	"cp_plackett_luce_fit": {"penalty": "1", "utilities": "out(sets.n, sets.k)", "n_unfitted": "out(1)"},
}

// fields has the structs of combpred.h.
var fields = map[string]row{
	"cp_structure": {"text": "description(text_len)", "text_len": "text_len", "ints": "description(n_ints)", "n_ints": "n_ints",
		"reals": "description(n_reals)", "n_reals": "n_reals"},
	"cp_control":      {"cancel": "0", "step": "0", "value": "0"},
	"cp_moments_info": results,
	"cp_scores":       {"linear": "numbers(n, d)", "n_magnitude": "oneof(0, 1, n)", "magnitude": "numbers(n_magnitude, d)"},
	"cp_constraints": {"first": "starts(n + 1)", "feature": "zeros(ends(first, n))", "value": "signs(ends(first, n))",
		"must": "zeros(ends(first, n))"},
	"cp_decode_options": {"method": "name(LIBRARY_DECODERS)", "constraints": "absent"},
	"cp_kbest_options":  {"method": "name(KBEST_METHODS)", "nu": "1", "skip": "oneof(0, 1)", "most": "oneof(0, 2)"},
	"cp_kbest_list": {"capacity": "m", "parts": "out(n, capacity, part_len)", "value": "maybe(out(n, capacity))", "count": "out(n)",
		"method": "result"},
	"cp_kbest_request": {"capacity": "m", "row": "0", "linear": "out(capacity, d)", "magnitude": "out(capacity, d)",
		"parts": "outputs(capacity, part_len)", "n_asked": "result", "n_squares": "result", "value": "result", "ask": "result"},
	"cp_certificates": {"n": "n", "value": "maybe(out(n))", "upper_bound": "maybe(out(n))", "nu": "maybe(out(n))",
		"optimal": "maybe(out(n))", "met": "maybe(out(n))"},
	"cp_partition_info": results,
	"cp_chain_options": {"method": "name(CHAIN_METHODS)", "burn_in": "4", "thin": "2", "budget": "1000",
		"start": "rarely(outputs(or(scores.n, 1), given(part_len, 1)))",
		"bound": "rarely(positive(or(scores.n, 1)))"},
	"cp_chain_record": {"value": "maybe(out(n, n_samples))", "steps": "maybe(out(n, n_samples))", "accepted": "maybe(out(n, n_samples))"},
	"cp_estimate_options": {"method": `word("", "annealed", "taylor", "exact", "samples", "counting", "chains")`,
		"sampler":  `word("", "meta", "local", "exact", "rejection", "cftp", "monotone", "cube")`,
		"schedule": "name(SCHEDULES)", "epsilon": "0.5", "delta": "0.25", "max_steps": "20000", "exact_seconds": "oneof(300, 0)",
		"plain": "oneof(0, 1)", "bound": "rarely(positive(or(scores.n, 1)))", "low": "rarely(zeros(or(scores.d, supplied.width)))",
		"high": "rarely(ones(or(scores.d, supplied.width)))"},
	"cp_estimates": {"value": "maybe(out(n))", "lower": "maybe(out(n))", "upper": "maybe(out(n))", "marginals": "maybe(out(n, d))",
		"error": "maybe(out(n, d))", "guaranteed": "maybe(out(n))", "samples": "maybe(out(n))", "steps": "maybe(out(n))",
		"accepted": "maybe(out(n))", "level_samples": "maybe(out(n))", "repeats": "maybe(out(n))", "effective_share": "maybe(out(n))",
		"r_hat": "maybe(out(n))", "sampler": "maybe(out(n, 16))", "why": "maybe(out(n, 256))", "first_level": "maybe(out(n + 1))",
		"levels": "maybe(out(levels_cap))", "levels_cap": "oneof(100, 0, 3)", "levels_needed": "result", "expansion": "maybe(out(n))",
		"spread": "maybe(out(n))", "variance": "maybe(out(n))", "method": "result"},
	"cp_supplied": {"width": "d", "draws": "numbers(n, width)", "scores": "maybe(numbers(width))", "mean": "rarely(ones(width))",
		"log_count": "2"},
	"cp_ridge_options": {"loss": "name(RIDGE_LOSSES)", "alpha": "1", "tol": "0.00000001", "max_iter": "100", "shift": "oneof(1, 0)",
		"solver": `word("closed-form", "cg", "newton-cg", "auto", "primal")`, "precision": "name(RIDGE_PRECISIONS)"},
	"cp_targets":   {"psi": "embedded(ends(first, n), d)"},
	"cp_workspace": {"data": "out(bytes)", "bytes": "16384"},
	"cp_fit_info":  results, "cp_ridge_plan_info": results, "cp_primal_sizes": results, "cp_primal_step": results,
	"cp_features": {"type": "name(NUMBER_TYPES)", "dense": "maybe(typed(reach(n, or(stride, p), p)))",
		"stride": "oneof(0, p + 1)", "mapped": "but(0, 1)"},
	"cp_kernel_function": {"name": "name(INPUT_KERNELS)", "gamma": "oneof(1, 0)", "degree": "3", "coef0": "1"},
	"cp_order_function": {"name": "name(ORDER_KERNELS)", "gamma": "oneof(1, 0)", "normalize": "oneof(0, 1)", "logarithms": "0",
		"most_downsets": "1000"},
	"cp_orders": {"n_items": "k", "positions": "maybe(ranks(n, n_items))", "signs": "maybe(zeros(n, n_items * (n_items - 1) / 2))"},
	"cp_model": {"m": "n", "coef": "numbers(m, d)", "shift": "oneof(1, 0)", "intercept": "maybe(zeros(d))",
		"loss": "name(RIDGE_LOSSES)", "mean": "maybe(zeros(d))"},
	"cp_predictions": {"first": "oneof(0, 5)", "scores": "maybe(out(n, model.d))", "outputs": "maybe(out(n, part_len))",
		"value": "maybe(out(n))", "upper_bound": "maybe(out(n))", "nu": "maybe(out(n))", "optimal": "maybe(out(n))"},
	"cp_outputs": {"parts": "maybe(outputs(ends(first, n), part_len))", "partial": "0", "mapped": "but(0, 1)",
		"psi": "maybe(embedded(ends(first, n), d))", "indptr": "maybe(starts(ends(first, n) + 1))"},
	"cp_sgd_steps": {"m": "10", "p": "0.5", "t0": "2", "t": "oneof(0, 5)"},
	"cp_sgd_state": {"rows": "p + 1", "coef": "zeros(rows, d)", "average": "maybe(zeros(rows, d))", "velocity": "maybe(zeros(rows, d))",
		"gains": "maybe(ones(d))"},
	"cp_sgd_passes": {"order": "counted(n_order)", "n_order": "n", "shuffle": "oneof(1, 0)", "max_iter": "oneof(3, 7)", "tol": "0.01",
		"curve": "maybe(out(max_iter))", "eta0": "0.5", "seen": "oneof(0, 5)", "curvature": "oneof(0, 1)"},
	"cp_sgd_report":  results,
	"cp_loo":         {"n_alphas": "oneof(1, 3)", "alphas": "positive(n_alphas)", "scores": "out(n_alphas, n, d)"},
	"cp_expansion":   {"slots": "p + 1", "kernel": "numbers(n, slots)", "at": "counted(n)", "drop": "counted(n)"},
	"cp_design":      {"intercept": "oneof(1, 0)", "dense": "maybe(numbers(n, p))"},
	"cp_affine_loss": {"constant": "zeros(n)", "gradient": "zeros(n, d)", "magnitude": "maybe(zeros(n, d))"},
	"cp_svm_options": {"solver": "name(MARGIN_SOLVERS)", "rescaling": "name(RESCALINGS)", "c": "0.5", "tol": "0.3", "max_iter": "50",
		"average": "oneof(0, 1)", "zero_one": "0", "order": "maybe(counted(design.n))", "method": "name(LIBRARY_DECODERS)",
		"n_candidates": "oneof(0, 2)", "most_rows": "oneof(0, 2)"},
	"cp_svm_solution": {"coef": "out(q, d)", "n_curve": "oneof(50, 0, 1)", "curve": "out(n_curve, 3)"},
	"cp_perceptron_options": {"max_iter": "4", "shuffle": "oneof(0, 1)", "order": "maybe(counted(design.n))",
		"method": "name(LIBRARY_DECODERS)", "n_candidates": "oneof(0, 2)", "squared": "0", "least": "1", "visits": "oneof(0, 6)",
		"start": "maybe(zeros(design.p + flag(design.intercept), targets.d))"},
	"cp_perceptron_solution": {"last": "maybe(zeros(q, d))", "late": "maybe(zeros(q, d))", "dual_last": "maybe(zeros(n, d))",
		"dual_late": "maybe(zeros(n, d))"},
	"cp_svm_info": results, "cp_perceptron_info": results, "cp_margin_sizes": results, "cp_margin_step": results,
	"cp_preferences": {"signs": "signs(n, k * (k - 1) / 2)", "margins": "rarely(positive(n, k * (k - 1) / 2))",
		"subgraphs": "name(SUBGRAPHS)"},
	"cp_labelrank_options": {"c": "1", "tol": "0.01", "max_iter": "100"},
	"cp_labelrank_info":    results,
	"cp_online_options":    {"update": "name(UPDATES)", "rate": "1", "radius": "1", "c": "1", "order": "maybe(counted(design.n))"},
	"cp_boost_options": {"alpha": "0.1", "min_gain": "0.3", "max_iter": "40", "n_rankers": "m",
		"scores": "rarely(numbers(preferences.n, preferences.k, n_rankers))"},
	"cp_boost_curve": {"n_curve": "oneof(40, 0, 1)", "losses": "maybe(out(n_curve + 1))", "bounds": "maybe(out(n_curve))"},
	"cp_online_state": {"coef": "zeros(q, k)", "theta": "maybe(zeros(q, k))", "average": "maybe(zeros(q, k))",
		"tally": "zeros(4)"},
	"cp_profile":           {"ranks": "ranks(n, k)", "n_extensions": "0"},
	"cp_pairs":             {"before": "hollow(k, k)", "tied": "maybe(hollow(k, k))"},
	"cp_programs":          {"n_groups": "1", "x": "zeros(k, k)", "state": "zeros(n_groups)", "lower_bound": "zeros(n_groups)"},
	"cp_aggregate_options": {"method": "name(KEMENY_METHODS, POSITIONAL_METHODS)", "output": "name(CONSENSUSES)", "penalty": "0.5"},
	"cp_consensus_info":    results, "cp_acyclic_info": results,
	"cp_relations":   {"before": "zeros(n, k, k)"},
	"cp_ranked_sets": {"ranks": "ranks(n, m, k)", "weights": "positive(n, m)"},
}
