package cabitest

import "combpred/capi/internal/header"

// The tables below say what each parameter of the C interface is, so that calls can be made up from them: legal ones, and ones that
// are wrong in a place. A row holds what is written for a name, an expression of Go's syntax:
//
//	content              a buffer of the sizes that the header says; contents says what a legal one holds
//	content(length, …)   one of so many entries, their product, where the header does not say
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
//	last(first, n)       the last of the n + 1 numbers first, and n where it is NULL
//	reach(n, stride, p)  the entries from the first of n rows of p to the last one
//	ask(function, struct.field, name, value, …)
//	                     what a function of the interface says, given this call's parameters of the same names and those values
//
// Lengths are about the numbers of the call itself: parameters, fields of the same struct, and fields of others with the parameter's name
// before them. What a length says must be what the library may read and write, whatever the numbers: nothing lies behind it.

// Interface returns the tables of combpred.h, given its entry points in Go.
func Interface(of header.Header, functions map[string]any) Tables {
	return Tables{Header: of, Functions: functions, Everywhere: everywhere, Arguments: arguments, Fields: fields, Legal: legal}
}

// everywhere has those that stand for the same in all functions and structs.
var everywhere = Row{
	"space": "space", "workers": "oneof(1, 2)", "bad_row": "out(1)", "err": "room(err_cap)", "err_cap": "oneof(300, 0, 1, 20, 60)",
	"struct_size": "struct_size",
	"control":     "optional", "n": "n", "m": "m", "d": "d", "p": "p", "k": "k", "q": "p + 1", "part_len": "part_len", "nnz": "n",
	"seed": "7", "dst_cap": "oneof(4096, 0, 2)", "n_samples": "m", "n_elements": "k", "n_pairs": "1",
	"info":   "optional",
	"indptr": "starts", "weights": "positive", "first": "rarely(starts)", "kernel": "kernel",
}

// legal has the numbers that legal calls agree on, beside d, part_len, the lengths of the description of the structure, and
// the handle of its open space.
var legal = map[string]int64{"n": 3, "m": 2, "p": 2, "k": 4}

// results marks a struct of which only the size is read.
var results = Row{"*": Result}

// arguments has the functions of combpred.h.
var arguments = map[string]Row{
	"cp_test_panic":          {"in_worker": "0"},
	"cp_version":             {},
	"cp_space_open":          {"names": "maybe(description(names_len))", "names_len": "names_len"},
	"cp_space_close":         {},
	"cp_space_facts":         {},
	"cp_catalogue":           {},
	"cp_blas_open":           {"path": `word("path")`},
	"cp_blas_status":         {},
	"cp_blas_routines":       {},
	"cp_blas_offer":          {"name": `word("dsyrk")`, "arguments": `word("cciixxixxi")`},
	"cp_blas_activate":       {},
	"cp_space_count":         {},
	"cp_space_sample":        {},
	"cp_space_enumerate":     {"skip": "oneof(0, 1, 1000)", "capacity": "n"},
	"cp_space_moments":       {},
	"cp_space_embed":         {"y": "outputs", "partial": "oneof(0, 1)"},
	"cp_space_mode":          {},
	"cp_space_encode":        {"y": "outputs", "width": "part_len", "partial": "oneof(0, 1)"},
	"cp_space_names":         {},
	"cp_space_layout":        {},
	"cp_space_restrict":      {},
	"cp_space_arrange":       {"y": "outputs"},
	"cp_custom_kernel":       {"gram": "kernel"},
	"cp_custom_draws":        {"psi": "embedded", "sums": "zeros"},
	"cp_custom_check":        {"psi": "embedded"},
	"cp_custom_agree":        {"psi": "embedded", "check": `word("moments", "rank", "count", "moves")`},
	"cp_decode":              {"space": "oneof(space, 0)"},
	"cp_search":              {"space": "oneof(space, 0)"},
	"cp_search_start":        {},
	"cp_mixing_bound":        {"space": "oneof(space, 0)", "method": "name(CHAIN_METHODS)", "epsilon": "0.5"},
	"cp_kbest":               {"space": "oneof(space, 0)"},
	"cp_hereditary_start":    {"n_edges": "n", "decoder": `word("auto", "exact", "local-search")`, "most": "oneof(20, 64)"},
	"cp_session_next":        {"session": "oneof(0, 1)"},
	"cp_session_close":       {"session": "oneof(0, 1)"},
	"cp_kbest_start":         {"space": "oneof(space, 0)"},
	"cp_log_partition":       {"space": "oneof(space, 0)", "conditions": "absent"},
	"cp_sets_decide":         {"space": "oneof(space, 0)", "loss": "name(SET_LOSSES)", "conditions": "absent"},
	"cp_conformal_least":     {"y": "outputs", "expected": "ones"},
	"cp_conformal_contains":  {"y": "outputs", "conditions": "absent"},
	"cp_conformal_sizes":     {"conditions": "absent"},
	"cp_conformal_allowed":   {"conditions": "absent"},
	"cp_conformal_sample":    {"conditions": "absent"},
	"cp_sets_value":          {"space": "oneof(space, 0)", "loss": "name(SET_LOSSES)", "y": "outputs"},
	"cp_order_positions":     {"space": "oneof(space, 0)", "conditions": "absent", "dst": "out(scores.n, part_len, part_len)"},
	"cp_chain_sample":        {"conditions": "absent", "space": "oneof(space, 0)"},
	"cp_chain_diagnose":      {"n_chains": "m", "n_draws": "6", "n_lags": "oneof(2, 0)"},
	"cp_extensions_sample":   {"pairs": "counted", "method": "name(EXTENSION_METHODS)"},
	"cp_extensions_count":    {"pairs": "counted"},
	"cp_extensions_before":   {"pairs": "counted", "most_downsets": "1000"},
	"cp_estimate":            {"space": "oneof(space, 0)"},
	"cp_estimate_start":      {},
	"cp_chain_start":         {},
	"cp_kernel":              {"first": "oneof(0, 5)", "type": `word("float64", "float32")`, "values": "out(8, x.n, or(y.n, x.n))"},
	"cp_kernel_scale":        {"weights": "positive"},
	"cp_row_streams":         {"apart": "oneof(0, 1)"},
	"cp_nearest":             {},
	"cp_kernel_check":        {"semidefinite": "oneof(0, 1)"},
	"cp_symmetric_eigen":     {"matrix": "kernel"},
	"cp_order_kernel":        {},
	"cp_predict":             {},
	"cp_ridge_plan":          {"p": "oneof(2, 0)", "nnz": "n * p"},
	"cp_ridge_kernel":        {"kernel": "kernel"},
	"cp_ridge_loo":           {"kernel": "kernel"},
	"cp_ridge_features":      {"budget": "oneof(10000, 0)"},
	"cp_ridge_sums":          {"sums": "zeros"},
	"cp_ridge_product":       {"product": "zeros"},
	"cp_ridge_primal_start":  {},
	"cp_sgd_expansion":       {},
	"cp_sgd_expansion_start": {},
	"cp_sgd_fit":             {},
	"cp_affine_losses": {"entries": "name(ENTRY_KINDS)", "cost": "name(AFFINE_COSTS)", "psi": "embedded", "counted": "rarely(ones)",
		"parent": "rarely(zeros)"},
	"cp_rows_order":             {},
	"cp_svm_fit":                {},
	"cp_svm_start":              {},
	"cp_perceptron_fit":         {"loss": "absent"},
	"cp_perceptron_start":       {"loss": "absent"},
	"cp_loglinear_array_sizes":  {},
	"cp_log_seen":               {"space": "oneof(space, 0)", "conditions": "absent"},
	"cp_loglinear_fit":          {},
	"cp_loglinear_start":        {},
	"cp_loglinear_search_start": {},
	"cp_loglinear_sums": {"kind": `word("moments", "loss", "spread")`,
		"sums": "zeros(ask(cp_loglinear_array_sizes, sizes.moments, q, features.p + flag(options.intercept)) + " +
			"ask(cp_loglinear_array_sizes, sizes.loss, q, features.p + flag(options.intercept)) + " +
			"ask(cp_loglinear_array_sizes, sizes.spread, q, features.p + flag(options.intercept)))"},
	"cp_loglinear_kernel":         {"shift": "oneof(1, 0)"},
	"cp_loglinear_kernel_weights": {"wanted": `word("dual", "from-dual", "from-scores")`},
	"cp_labelrank_svm":            {"design": "absent"},
	"cp_labelrank_online":         {},
	"cp_labelrank_mistake_bound":  {"coef": "zeros", "n_passes": "oneof(1, 5)"},
	"cp_labelrank_boost":          {},
	"cp_labelrank_direct":         {"loss": "name(POSITION_LOSSES, OWN_RANKING_LOSSES)", "position_weights": "identity"},
	"cp_labelrank_read":           {"positions": "ranks"},
	"cp_labelrank_consensus":      {},
	"cp_aggregate_pairs":          {},
	"cp_aggregate_groups":         {"before": "hollow"},
	"cp_aggregate_margins":        {"threshold": "0.5"},
	"cp_aggregate_chains":         {"proba": "zeros"},
	"cp_aggregate":                {"pairs": "absent", "programs": "absent", "dst_len": "oneof(k, k * k)"},
	"cp_aggregate_acyclic":        {"margins": "zeros", "programs": "absent"},
	"cp_aggregate_extend":         {"n_extensions": "m"},
	"cp_bradley_terry_fit": {"penalty": "1", "coef": "out(comparisons.k + comparisons.p + 1)",
		"covariance": "out(comparisons.k + comparisons.p + 1, comparisons.k + comparisons.p + 1)"},
	"cp_plackett_luce_fit": {"penalty": "1"},
	"cp_plackett_luce":     {"penalty": "1", "names": `word("null")`},
	"cp_metric_rankings":   {"y_true": "ranks", "y_pred": "ranks", "metric": "name(RANKING_METRICS)", "parameter": "oneof(1, 0.5)"},
	"cp_metric_abstention": {"proba": "zeros", "thresholds": "rarely(shares)", "m": "oneof(1, 5)"},
	"cp_metric_visits":     {"y_true": "ranks", "y_pred": "ranks", "metric": "name(VISIT_METRICS)"},
	"cp_metric_nodes":      {"width": "oneof(1, k)", "y_true": "zeros", "y_pred": "zeros", "metric": "name(NODE_METRICS)"},
}

// fields has the structs of combpred.h.
var fields = map[string]Row{
	"cp_structure": {"text": "description(text_len)", "text_len": "text_len", "ints": "description(n_ints)", "n_ints": "n_ints",
		"reals": "description(n_reals)", "n_reals": "n_reals"},
	"cp_control":      {"cancel": "0", "step": "0", "value": "0"},
	"cp_moments_info": results, "cp_layout": results,
	"cp_scores": {"n_magnitude": "oneof(0, 1, n)", "n_spaces": "oneof(0, 2)",
		"spaces": "rarely(handles)", "of": "rarely(ones)", "first": "rarely(zeros)"},
	"cp_constraints":    {"first": "starts", "value": "signs"},
	"cp_conditions":     {"first": "starts", "v": "alone"},
	"cp_restriction":    {"capacity": "oneof(100, 0, 3)", "needed": "result"},
	"cp_decode_options": {"method": "name(LIBRARY_DECODERS)", "constraints": "absent", "conditions": "absent"},
	"cp_search_options": {"method": "name(RANDOM_DECODERS)", "proposals": "name(PROPOSALS)", "temperatures": "rarely(positive)",
		"n_levels": "oneof(0, 1)", "epsilon": "0", "delta": "0.5", "steps": "oneof(20, 1)", "runs": "oneof(1, 2)",
		"spread": "rarely(positive)"},
	"cp_search_record":      {"n": "n"},
	"cp_extensions_options": {"epsilon": "oneof(0.5, 0)", "delta": "0.25", "most_downsets": "oneof(1000, 1)"},
	"cp_extensions_info":    {"log_count": "result", "n_levels": "result", "n_samples": "result"},
	"cp_kbest_options": {"method": "name(KBEST_METHODS)", "nu": "1", "skip": "oneof(0, 1)", "most": "oneof(0, 2)",
		"row": "oneof(0, 1)", "rows": "oneof(0, 2)"},
	"cp_kbest_list":     {"capacity": "m", "method": "result"},
	"cp_request":        results,
	"cp_certificates":   {"n": "n"},
	"cp_conformal_sets": {"marginals": "ones", "thresholds": "ones"},
	"cp_chain_options": {"method": `name(CHAIN_METHODS, "auto", "chain", "exact")`, "burn_in": "4", "thin": "2", "budget": "1000",
		"start": "rarely(outputs(or(scores.n, 1) * (1 + 3 * flag(diagnosed)), given(part_len, 1)))", "bound": "rarely(positive)",
		"diagnosed": "oneof(0, 1)", "n_rows": "oneof(0, 9)",
		"exact_seconds": "oneof(300, 0)"},
	"cp_chain_record": {"method": "result"},
	"cp_estimate_options": {"method": `word("", "annealed", "taylor", "exact", "samples", "counting", "chains", "repeats")`,
		"sampler": `word("", "meta", "local", "exact", "rejection", "cftp", "monotone", "cube")`, "schedule": "name(SCHEDULES)",
		"epsilon": "0.5", "delta": "0.25", "max_steps": "20000", "exact_seconds": "oneof(300, 0)", "plain": "oneof(0, 1)",
		"bound": "rarely(positive)", "low": "rarely(zeros)", "high": "rarely(ones)"},
	"cp_estimates": {"levels_cap": "oneof(100, 0, 3)", "levels_needed": "result", "method": "result"},
	"cp_starts":    {"psi": "embedded", "moves": "oneof(0, 1)"},
	"cp_supplied":  {"mean": "rarely(ones)", "log_count": "2", "moves": "oneof(0, 1)"},
	"cp_ridge_options": {"loss": "name(RIDGE_LOSSES)", "alpha": "1", "tol": "0.00000001", "max_iter": "100", "shift": "oneof(1, 0)",
		"solver": `word("closed-form", "cg", "newton-cg", "auto", "primal")`, "precision": "name(RIDGE_PRECISIONS)"},
	"cp_targets":   {"psi": "embedded", "parts": "outputs"},
	"cp_workspace": {"bytes": "16384"},
	"cp_fit_info":  results, "cp_ridge_plan_info": results,
	"cp_features":        {"type": "name(NUMBER_TYPES)", "dense": "typed", "stride": "oneof(0, p + 1)", "mapped": "but(0, 1)"},
	"cp_kernel_function": {"name": "name(INPUT_KERNELS)", "gamma": "oneof(1, 0)", "degree": "3", "coef0": "1"},
	"cp_order_function": {"name": "name(ORDER_KERNELS)", "gamma": "oneof(0, 1)", "normalize": "oneof(0, 1)", "logarithms": "0",
		"most_downsets": "1000", "epsilon": "0", "delta": "0.5", "n_estimated": "rarely(out)", "kappa": "rarely(kernel)",
		"weights": "rarely(zeros)"},
	"cp_orders": {"n_items": "k", "positions": "ranks"},
	"cp_model": {"m": "n", "shift": "oneof(1, 0)", "intercept": "zeros", "loss": "name(RIDGE_LOSSES)", "mean": "zeros",
		"decision": "name(RIDGE_DECISIONS)"},
	"cp_predictions": {"first": "oneof(0, 5)"},
	"cp_outputs":     {"parts": "outputs", "partial": "0", "mapped": "but(0, 1)", "psi": "embedded", "indptr": "starts"},
	"cp_sgd_state":   {"rows": "p + 1", "coef": "zeros", "average": "zeros", "velocity": "zeros", "gains": "ones"},
	"cp_sgd_passes": {"order": "counted", "n_order": "oneof(n, 0)", "shuffle": "oneof(1, 0)", "max_iter": "oneof(3, 7)",
		"tol": "0.01", "eta0": "0.5", "seen": "oneof(0, 5)", "curvature": "oneof(0, 1)"},
	"cp_sgd_report": results,
	"cp_loo":        {"n_alphas": "oneof(1, 3)", "p": "oneof(0, 2)", "alphas": "positive"},
	"cp_sgd_kernel": {"function": "optional", "x": "optional", "matrix": "rarely(kernel)"},
	"cp_sgd_support": {"kernel": "", "capacity": "n", "most": "oneof(0, 2)", "n": "oneof(0, 1)", "rows": "zeros", "coef": "zeros",
		"average": "zeros", "velocity": "zeros", "gains": "ones"},
	"cp_design":      {"intercept": "oneof(1, 0)"},
	"cp_affine_loss": {"constant": "zeros", "gradient": "zeros", "magnitude": "zeros"},
	"cp_loglinear_options": {"solver": "name(LOGLINEAR_SOLVERS)", "distribution": "name(DISTRIBUTIONS)", "alpha": "1", "tol": "0.01",
		"max_iter": "5", "kernel": "oneof(0, 1)", "sampled": "oneof(0, 1)", "intercept": "oneof(0, 1)",
		"seen": "oneof(0, 1)", "conditions": "absent"},
	"cp_loglinear_sizes": results, "cp_loglinear_info": results,
	"cp_loglinear_model": {"weights": "zeros", "average": "zeros", "moment": "zeros",
		"n_moment": "oneof(0, (p + 1) * (p + 1), p + 1)", "has_moment": "oneof(0, 1)", "variance": "0", "steps": "oneof(0, 3)",
		"rows": "oneof(0, 6)", "seen": "oneof(0, 2)", "chains": "rarely(out(or(targets.n, 1), 2, 16))"},
	"cp_loglinear_features": {"curvature": "positive"},
	"cp_svm_options": {"solver": "name(MARGIN_SOLVERS)", "rescaling": "name(RESCALINGS)", "c": "0.5", "tol": "0.3", "max_iter": "50",
		"average": "oneof(0, 1)", "zero_one": "0", "order": "counted", "method": "name(LIBRARY_DECODERS)",
		"n_candidates": "oneof(0, 2)", "most_rows": "oneof(0, 2)"},
	"cp_svm_solution": {"n_curve": "oneof(50, 0, 1)"},
	"cp_perceptron_options": {"max_iter": "4", "shuffle": "oneof(0, 1)", "order": "counted", "method": "name(LIBRARY_DECODERS)",
		"n_candidates": "oneof(0, 2)", "squared": "0", "least": "1", "visits": "oneof(0, 6)", "start": "zeros"},
	"cp_perceptron_solution": {"last": "zeros", "late": "zeros", "dual_last": "zeros", "dual_late": "zeros"},
	"cp_svm_info":            results, "cp_perceptron_info": results,
	"cp_preferences": {"signs": "signs", "margins": "rarely(positive)", "subgraphs": "name(SUBGRAPHS)", "own_rows": "rarely(zeros)",
		"n_own": "0", "n_edges": "0"},
	"cp_labelrank_options": {"c": "1", "tol": "0.01", "max_iter": "100"},
	"cp_labelrank_info":    results,
	"cp_online_options":    {"update": "name(UPDATES)", "rate": "1", "radius": "1", "c": "1", "order": "counted"},
	"cp_boost_options":     {"alpha": "0.1", "min_gain": "0.3", "max_iter": "40", "n_rankers": "oneof(0, m)", "scores": "rarely(numbers)"},
	"cp_boost_curve":       {"n_curve": "oneof(40, 0, 1)"},
	"cp_online_state":      {"coef": "zeros", "theta": "zeros", "average": "zeros", "tally": "zeros"},
	"cp_rankings": {"positions": "ranks", "top": "oneof(1, 0, k - 1)", "losses": "zeros(k * k + k + n * n_listed)", "n_listed": "n",
		"listed": "ranks"},
	"cp_neighbors":         {"weights": "positive", "counts": "rarely(zeros)"},
	"cp_profile":           {"ranks": "ranks", "n_extensions": "0"},
	"cp_pairs":             {"before": "hollow", "tied": "hollow"},
	"cp_programs":          {"n_groups": "1", "x": "zeros", "lower_bound": "zeros"},
	"cp_aggregate_options": {"method": "name(KEMENY_METHODS, POSITIONAL_METHODS)", "output": "name(CONSENSUSES)", "penalty": "0.5"},
	"cp_consensus_info":    results, "cp_acyclic_info": results,
	"cp_relations":   {},
	"cp_comparisons": {"wins": "hollow", "ties": "hollow", "covariates": "ones", "names": `word("null")`},
	"cp_tree":        {"parent": "parents", "node_weight": "rarely(positive)", "rule": "name(NODE_COSTS)"},
	"cp_ranked_sets": {"ranks": "ranks", "weights": "positive"},
}
