/* combpred.h: the flat C interface of combpred, and its manual.
 *
 * What is not in this file is not part of the interface. Every function below came with ABI version 1, where nothing
 * else is said; bad_row came with version 2.
 *
 * CONVENTIONS, which hold unless a function says otherwise
 *
 * - Every function except cp_abi_version returns a status: CP_OK, or one of the CP_E… codes below, with a message in
 *   err.
 * - err is a buffer of err_cap bytes owned by the caller. After a failure it holds a NUL-terminated UTF-8 message, cut
 *   to fit; after success it is untouched. err = NULL or err_cap <= 0 means that no message is wanted.
 * - bad_row, where a function takes rows of data, gets the number of the row, from 0 on, that a failure is about: -1 when
 *   no row is to blame, or nothing failed. Any status but CP_OK may come with a row. The message of such a failure names
 *   the row, too: it begins with "row 3: ", and what follows says what is wrong with it, or has the number in its
 *   sentence. bad_row = NULL means that the number is not wanted.
 * - Matrices are C-contiguous (row-major) with the dimensions named in brackets. Every buffer comes with its
 *   dimensions; a negative dimension, a product of dimensions that overflows, or NULL for a non-empty buffer is
 *   CP_EVALUE. An empty buffer may be NULL.
 * - Buffers belong to the caller. The library keeps no pointer after a call returns, and writes only to parameters that
 *   are not cp_in_*. Outputs must not overlap inputs.
 * - After a failure the contents of outputs are unspecified (they may be partly written), except with CP_ENOTCONVERGED:
 *   then they are complete.
 * - All functions may be called from several threads at once. In a child process that was forked after the library had
 *   been loaded, all but cp_abi_version return CP_EFORKED at once: the threads of the library do not live on there. Load
 *   the library after the fork, or start a new program.
 * - workers is the number of goroutines for the library's own loops, at least 1. Results do not depend on it.
 * - control may be NULL. See cp_control.
 * - Infinite or NaN numbers in the inputs are CP_EVALUE where the function has to look at every entry anyway, and are
 *   documented there; elsewhere they give unspecified numbers, never a crash.
 */
#ifndef COMBPRED_H
#define COMBPRED_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CP_ABI_VERSION 3

/* Status codes. */
#define CP_OK 0
#define CP_EVALUE 1        /* an argument is illegal; the message names it                                */
#define CP_ECAPABILITY 2   /* the structure, at this size, cannot do what is asked; the message says what can */
#define CP_ENUMERICAL 3    /* the numbers do not allow it: a matrix is not positive definite, an overflow   */
#define CP_ECANCELLED 4    /* control->cancel was set                                                       */
#define CP_EINTERNAL 5     /* a bug in the library; the message holds a stack trace                         */
#define CP_EMEMORY 6       /* the work would need more memory than can be addressed                         */
#define CP_ENOTCONVERGED 7 /* the iteration limit came first; all outputs are valid                         */
#define CP_EBUDGET 8       /* an exact sampler was not done within its budget; the message has the figures,
                            * no output is valid                                                            */
#define CP_EFORKED 9       /* this process was forked from one in which the library was loaded; nothing is computed */

/* Read-only parameters. The names let the Go side and this header agree on const. */
typedef const char cp_in_char;
typedef const double cp_in_f64;
typedef const int8_t cp_in_i8;
typedef const int32_t cp_in_i32;
typedef const int64_t cp_in_i64;

/* An output space. text[text_len] is a JSON object of integers beside the catalogue name, such as
 * {"name":"permutations","n":5}. ints[n_ints] and reals[n_reals] hold what is not scalar, in the layout that the
 * catalogue gives for the structure ("hierarchy": the parent of each node, then the allowed mask). The library caches
 * what it derives from a structure, so repeated calls are cheap. */
typedef struct cp_structure {
  cp_in_char *text;
  int64_t text_len;
  cp_in_i32 *ints;
  int64_t n_ints;
  cp_in_f64 *reals;
  int64_t n_reals;
} cp_structure;
typedef const cp_structure cp_in_structure;

/* Two-way traffic with a running call. The caller sets cancel to non-zero to stop it (CP_ECANCELLED follows within a
 * fraction of a second); the library counts finished steps (iterations, panels of a factorisation, or rows) in step and
 * keeps the quantity being driven down (relative residual) in value. All access is atomic. The block must be 8-byte
 * aligned and outlive the call. */
typedef struct cp_control {
  int64_t cancel;
  int64_t step;
  double value;
} cp_control;

/* How a training call ended. The parameter info may be NULL. */
typedef struct cp_fit_info {
  double objective;    /* alpha tr(aᵀKa) + Σ w_i loss_i at the returned coefficients                  */
  double residual;     /* relative residual of the stationarity equation, at most tol when converged  */
  int64_t n_iter;      /* conjugate gradient steps, or solutions by a factor; at least 1               */
  int64_t n_refine;    /* refinements in double precision                                             */
} cp_fit_info;

/* Returns CP_ABI_VERSION of the library. Refuse to go on when it differs from the header's. */
int32_t cp_abi_version(void);

/* Panics on purpose inside the library (in_worker = 0: in the calling goroutine; otherwise in a worker), so that a
 * caller can test that its process survives. Always returns CP_EINTERNAL. */
int32_t cp_test_panic(int32_t in_worker, char *err, int64_t err_cap);

/* ---- Facts about a structure ------------------------------------------------------------------------------------- */

/* Writes the number of int32 parts of one encoded output, the length d of the embedding, and ln of the number of
 * outputs: NaN where that number is not known. */
int32_t cp_structure_shape(cp_in_structure *s, int64_t *part_len, int64_t *feature_len, double *log_count, char *err,
                           int64_t err_cap);

/* Writes the exact number of outputs to dst[dst_cap] as lower-case hexadecimal digits, the highest first and without a
 * prefix, with a closing NUL: both sides convert that base in linear time. *needed gets the size that dst must have,
 * NUL included; when dst_cap is smaller nothing is written and the status is CP_OK: call again with a larger buffer. */
int32_t cp_structure_count(cp_in_structure *s, char *dst, int64_t dst_cap, int64_t *needed, char *err, int64_t err_cap);

/* Writes the mean of the embedding under the uniform distribution to dst[d]. d must be the structure's. */
int32_t cp_structure_mean(cp_in_structure *s, double *dst, int64_t d, char *err, int64_t err_cap);

/* Writes the second moment E ψψᵀ under the uniform distribution to dst[d, d]. d must be the structure's. */
int32_t cp_structure_second_moment(cp_in_structure *s, double *dst, int64_t d, char *err, int64_t err_cap);

/* Writes what the structure can do with its parameters to dst[dst_cap]: names with a space between them, and a closing
 * NUL. *needed gets the size that dst must have, NUL included; when dst_cap is smaller nothing is written and the status
 * is CP_OK: call again with a larger buffer. Nothing is computed to find out. Came with ABI version 2.
 *   count, log-count          knows the number of its outputs, or its logarithm
 *   moments, exact-moments    knows the mean and the second moment of ψ, or those that are averages over the outputs
 *   spectrum                  knows the eigenvalues of the covariance in closed form
 *   enumerate, sample         lists its outputs, draws uniform ones
 *   partial                   embeds outputs of which a part is known
 *   sibling                   cp_structure_mirror
 *   decode                    CP_DECODE_EXACT; some scores may still be refused, where that takes too long
 *   start, search             finds a guaranteed output, and improves on it
 *   partition, marginals      cp_log_partition, without and with marginals
 *   exact                     cp_sample_distribution
 *   meta, local, cube, cftp, rejection, monotone    the methods of cp_chain_sample, without start and bound
 * Where the number of outputs is not known, it is taken to be small enough for a list; the list may turn out too long. */
int32_t cp_structure_capabilities(cp_in_structure *s, char *dst, int64_t dst_cap, int64_t *needed, char *err,
                                  int64_t err_cap);

#define CP_MOMENTS_EXACT 0   /* averages over the outputs                                  */
#define CP_MOMENTS_RELAXED 1 /* averages over a larger space that contains the outputs     */
#define CP_MOMENTS_SAMPLED 2 /* estimates of the averages from samples                     */

/* Writes which of these the mean and the second moment are, and the largest standard error of an entry (0 unless
 * sampled). */
int32_t cp_structure_moments(cp_in_structure *s, int32_t *kind, double *standard_error, char *err, int64_t err_cap);

/* Checks the encoded outputs y[n, part_len]. When one is not in the space: CP_EVALUE, and bad_row is the first such
 * row. */
int32_t cp_structure_check(cp_in_structure *s, cp_in_i32 *y, int64_t n, int64_t part_len, int64_t *bad_row, char *err,
                           int64_t err_cap);

/* Writes ψ of each row of y[n, part_len] to dst[n, d]. Rows are checked first, as cp_structure_check does,
 * which bad_row is about. */
int32_t cp_structure_embed(cp_in_structure *s, cp_in_i32 *y, int64_t n, int64_t part_len, double *dst, int64_t d,
                           int32_t workers, int64_t *bad_row, char *err, int64_t err_cap);

/* The same for outputs of which only a part is known, in structures that have such: ψ is then the mean over all outputs
 * that agree with it. "permutations": position 0 is that of a label about which nothing is known.
 * bad_row as for cp_structure_embed. */
int32_t cp_structure_embed_partial(cp_in_structure *s, cp_in_i32 *y, int64_t n, int64_t part_len, double *dst,
                                   int64_t d, int32_t workers, int64_t *bad_row, char *err, int64_t err_cap);

/* Writes n independent, exactly uniform outputs to dst[n, part_len]. The same seed gives the same outputs; row i has
 * its own random stream. */
int32_t cp_structure_sample(cp_in_structure *s, uint64_t seed, int32_t *dst, int64_t n, int64_t part_len,
                            int32_t workers, cp_control *control, char *err, int64_t err_cap);

/* Writes the sibling of each row of y[n, part_len] to dst[n, part_len]: the output whose embedding adds up with that of
 * the row to twice the mean. CP_ECAPABILITY for structures that are no sibling systems. Rows are checked first, as
 * cp_structure_check does, which bad_row is about. */
int32_t cp_structure_mirror(cp_in_structure *s, cp_in_i32 *y, int64_t n, int64_t part_len, int32_t *dst,
                            int64_t *bad_row, char *err, int64_t err_cap);

/* Lists the outputs from the one with number skip on, at most capacity of them, in a fixed order: dst[capacity,
 * part_len]; *n_written gets how many were written, 0 past the end. Cost: O(skip + capacity) outputs. */
int32_t cp_structure_enumerate(cp_in_structure *s, int64_t skip, int32_t *dst, int64_t capacity, int64_t part_len,
                               int64_t *n_written, char *err, int64_t err_cap);

/* ---- Decoding ---------------------------------------------------------------------------------------------------- */

#define CP_DECODE_AUTO 0         /* exact where the structure can at its size, otherwise search               */
#define CP_DECODE_EXACT 1        /* exact, or CP_ECAPABILITY beyond its size                                  */
#define CP_DECODE_LOCAL_SEARCH 2 /* the structure's local search; exact for structures without                */
#define CP_DECODE_APPROX 3       /* the guaranteed solution from which the search begins; likewise            */
#define CP_DECODE_ANNEAL 4       /* the best output on a chain of cooling temperatures from there; likewise   */
#define CP_DECODE_METROPOLIS 5   /* the best output on a chain of one temperature from there; likewise        */

/* For each row i finds an output y of largest score ⟨linear_i, ψ(y)⟩ + ⟨magnitude_i, ψ(y)²⟩, squares by entry, and
 * writes it to dst[n, part_len]. linear[n, d]; magnitude[n_magnitude, d] with n_magnitude 0 (no such term), 1 (the same
 * for all rows) or n.
 * value, upper_bound, nu (each [n] or NULL) and optimal ([n] or NULL, 0 or 1) get each row's certificate: the score
 * reached, a proven bound on every score, the guarantee value >= (1-nu) max + nu min, and whether the output is proven
 * optimal.
 * seed: of the chains of CP_DECODE_ANNEAL and CP_DECODE_METROPOLIS; other methods ignore it. Row i has its own random
 * stream, so that the same seed gives the same outputs for any number of workers.
 * NaN or infinite scores: CP_EVALUE with bad_row. control->step counts rows. All methods but CP_DECODE_EXACT poll
 * control->cancel every few milliseconds; CP_DECODE_EXACT, and the exact attempt of CP_DECODE_AUTO, between rows.
 * bad_row is a row of linear or magnitude; it comes with CP_ECAPABILITY, too, where a row is beyond exact decoding. */
int32_t cp_decode(cp_in_structure *s, cp_in_f64 *linear, int64_t n, int64_t d, cp_in_f64 *magnitude,
                  int64_t n_magnitude, int32_t method, uint64_t seed, int32_t *dst, int64_t part_len, double *value,
                  double *upper_bound, double *nu, uint8_t *optimal, int32_t workers, cp_control *control,
                  int64_t *bad_row, char *err, int64_t err_cap);

/* ---- The distributions p(y) ∝ exp⟨s, ψ(y)⟩ ----------------------------------------------------------------------- */

#define CP_ENGINE_RECURSION 0   /* the structure's own recursion or closed form               */
#define CP_ENGINE_ENUMERATION 1 /* a sum over all outputs one by one, of up to a million      */

/* For each row s of scores[n, d] writes ln Σ_y exp⟨s, ψ(y)⟩, a sum over all outputs, to log_z[n], and the marginals E ψ
 * under p(y) ∝ exp⟨s, ψ(y)⟩, which are the gradient of ln Z, to marginals[n, d] (NULL: not wanted). Exact up to
 * rounding, for scores of any finite size.
 * engine and cost (each one number, or NULL) get one of the CP_ENGINE_ constants and about how many elementary
 * operations a row takes; with n = 0 that is all that is done, the cost being that with marginals where marginals is
 * not NULL.
 * CP_ECAPABILITY where the structure is too large for both engines. NaN or infinite scores: CP_EVALUE with bad_row.
 * control->step counts rows; control->cancel is polled between rows, and within rows that take long.
 * bad_row is a row of scores. */
int32_t cp_log_partition(cp_in_structure *s, cp_in_f64 *scores, int64_t n, int64_t d, double *log_z, double *marginals,
                         int32_t *engine, double *cost, int32_t workers, cp_control *control, int64_t *bad_row,
                         char *err, int64_t err_cap);

/* For each row s of scores[n, d] draws n_samples independent outputs from p(y) ∝ exp⟨s, ψ(y)⟩, exactly up to rounding,
 * and writes them to dst[n_samples, n, part_len]. Row i has its own random stream, so that the same seed gives the same
 * outputs for any number of workers. Errors and control are as for cp_log_partition. */
int32_t cp_sample_distribution(cp_in_structure *s, cp_in_f64 *scores, int64_t n, int64_t d, int64_t n_samples,
                               uint64_t seed, int32_t *dst, int64_t part_len, int32_t workers, cp_control *control,
                               int64_t *bad_row, char *err, int64_t err_cap);

/* ---- Sampling ---------------------------------------------------------------------------------------------------- */

#define CP_CHAIN_META 0      /* a Markov chain of uniform proposals; needs a uniform sampler                  */
#define CP_CHAIN_LOCAL 1     /* a Markov chain of the structure's local moves                                */
#define CP_CHAIN_CUBE 2      /* a Markov chain that puts single elements in or out; lattices of sets only    */
#define CP_CHAIN_CFTP 3      /* exact: coupling from the past for CP_CHAIN_META                              */
#define CP_CHAIN_REJECTION 4 /* exact: rejection sampling from uniform proposals                             */
#define CP_CHAIN_MONOTONE 5  /* exact: monotone coupling from the past by the heat bath; lattices of sets only */

/* For each row i of linear[n, d] draws n_samples outputs y from p(y) proportional to exp ⟨linear_i, ψ(y)⟩ and writes
 * them to dst[n, n_samples, part_len]. Lattices of sets are "labelsets" without a size, "graphs" and "subtrees" without
 * a size.
 *
 * CP_CHAIN_META, _LOCAL, _CUBE: one chain for each row. The first sample follows burn_in + thin steps after the start,
 * the others thin steps after the one before. start[n, part_len] holds where the chains begin; NULL: in a uniform
 * output, or the guaranteed solution of structures without a uniform sampler. Successive samples are dependent, and
 * have the distribution p in the limit only.
 * CP_CHAIN_CFTP, _REJECTION, _MONOTONE: independent samples of exactly p; start must be NULL. CP_CHAIN_CFTP and
 * CP_CHAIN_REJECTION need a bound on the scores of all outputs: bound[n], or NULL for the largest score by the exact
 * decoder, or what the guaranteed solution certifies beyond its size. They make 1/E exp(score − bound) proposals a
 * sample on average, E under the uniform distribution. A bound below the score of an output that is drawn is CP_EVALUE.
 * Other methods take NULL. No sample takes more than budget steps (CP_CHAIN_CFTP: and no more than 2^26, of 32 bytes
 * each): CP_EBUDGET.
 *
 * value, steps, accepted (each [n, n_samples] or NULL) get the score of each sample, the steps made for it alone (those
 * since the sample before; how far back in time coupling went; proposals), and how many of these were accepted.
 * n_samples, thin and budget must be at least 1, burn_in at least 0, the last three at most 2^40; methods that do not
 * use them ignore their values. The seed decides on everything: row i, and sample j of exact methods, have their own
 * random streams, so that results depend neither on workers nor on n, nor, for exact methods, on n_samples.
 * CP_ECAPABILITY: the structure lacks what the method needs. NaN or infinite scores: CP_EVALUE with bad_row.
 * control->step counts rows, for exact methods blocks of 16 samples; control->cancel is polled every few milliseconds,
 * in exact decoding between rows.
 * bad_row is a row of linear, start or bound; it comes with CP_EBUDGET and CP_ECAPABILITY, too. */
int32_t cp_chain_sample(cp_in_structure *s, cp_in_f64 *linear, int64_t n, int64_t d, int32_t method, int64_t n_samples,
                        int64_t burn_in, int64_t thin, int64_t budget, uint64_t seed, cp_in_i32 *start,
                        cp_in_f64 *bound, int32_t *dst, int64_t part_len, double *value, int64_t *steps,
                        int64_t *accepted, int32_t workers, cp_control *control, int64_t *bad_row, char *err,
                        int64_t err_cap);

/* What a quantity recorded along chains with one stationary distribution says about them: x[n_chains, n_draws]. Writes
 * to *effective_size of how many independent draws the mean over all chains is worth (Geyer's initial monotone
 * sequence, over the halves of the chains), and to *r_hat the split potential scale reduction factor, without ranks.
 * Both are NaN for constant or infinite numbers and for fewer than 4 draws. autocorrelation[n_chains, n_lags] gets the
 * autocorrelations of each chain at lags 0 to n_lags - 1 < n_draws; n_lags may be 0. */
int32_t cp_chain_diagnose(cp_in_f64 *x, int64_t n_chains, int64_t n_draws, double *effective_size, double *r_hat,
                          double *autocorrelation, int64_t n_lags, char *err, int64_t err_cap);

#define CP_EXTENSIONS_AUTO 0     /* by counting where that is possible, otherwise by coupling                      */
#define CP_EXTENSIONS_COUNTING 1 /* by a table of downsets, at most 2^22 for each connected component              */
#define CP_EXTENSIONS_COUPLING 2 /* by coupling from the past with Huber's bounding chain                          */

/* Writes n_samples independent, exactly uniform linear extensions of a partial order on the elements 0 to
 * n_elements - 1 (at most 2048) to dst[n_samples, n_elements]: the elements, first to last. pairs[n_pairs, 2]: the first
 * of each pair comes before the second; what follows from that is understood, and relations that go round in a circle
 * are CP_EVALUE. steps ([n_samples] or NULL) gets how many steps coupling took, 0 without. Sample j has its own random
 * stream. CP_ECAPABILITY: too many downsets for CP_EXTENSIONS_COUNTING. control->step counts samples. */
int32_t cp_extensions_sample(cp_in_i32 *pairs, int64_t n_pairs, int64_t n_elements, int32_t method, uint64_t seed,
                             int32_t *dst, int64_t n_samples, int64_t *steps, int32_t workers, cp_control *control,
                             char *err, int64_t err_cap);

/* Counts the linear extensions of a partial order, given as for cp_extensions_sample, exactly. dst[dst_cap] gets their
 * number as hexadecimal digits and a NUL if they fit, *needed (not NULL) the bytes that they take; dst may be NULL with
 * dst_cap = 0. Posets are taken apart where no relation joins parts, and where all of one part is before all of
 * another; what is left may have up to 64 elements and most_downsets downsets (1 to 2^24), over which the work goes;
 * beyond that it is CP_ECAPABILITY. control->step counts connected components; control->cancel is polled every few
 * milliseconds. */
int32_t cp_extensions_count(cp_in_i32 *pairs, int64_t n_pairs, int64_t n_elements, int64_t most_downsets, char *dst,
                            int64_t dst_cap, int64_t *needed, int32_t workers, cp_control *control, char *err,
                            int64_t err_cap);

/* Writes to dst[n, m] the natural logarithms of the numbers of orders that agree with both of two relations, for each
 * row of x[n, n_pairs] and each of y[m, n_pairs]: of linear extensions of their union. A row has an entry for each of
 * the n_pairs = n_elements (n_elements - 1) / 2 pairs u < v of elements (2 to 2048), in lexicographic order: 1 where u
 * comes before v, -1 where v comes before u, 0 otherwise; what follows from that is understood. No common order gives
 * -infinity, and what is beyond the limits of cp_extensions_count NaN. y = NULL stands for x and then
 * m = n; each pair of rows is counted once. control->step counts rows.
 * bad_row is a row of x, or of y where the message says so. */
int32_t cp_extensions_common(cp_in_i32 *x, int64_t n, cp_in_i32 *y, int64_t m, int64_t n_elements,
                             int64_t most_downsets, double *dst, int32_t workers, cp_control *control, int64_t *bad_row,
                             char *err, int64_t err_cap);

/* ---- Structured ridge -------------------------------------------------------------------------------------------- */

/* The problem: minimise alpha·tr(aᵀKa) + Σ_i w_i loss(f_i, ψ_i) over a[n, d], with f = Ka and, for ψ̃ = ψ − μ,
 *   loss "auc":      ½ fᵀΣf + ½ (1 − ⟨ψ̃_i, f⟩)² − ½
 *   loss "squared":  ½ ‖f − ψ̃_i‖²
 *
 * options[options_len] is a JSON object. Keys and defaults:
 *   "loss"       "auc" | "squared"           "auc"
 *   "alpha"      number > 0                  1
 *   "tol"        relative residual, > 0      1e-8
 *   "max_iter"   >= 1; 0: the solver's own   0
 *   "shift"      added to every entry of K, without changing it: 1 stands for a constant feature    0
 *   "solver"     "closed-form" | "cg" | "newton-cg" (cp_ridge_kernel only)                          "closed-form"
 *   "precision"  "single" | "double": of the factors of the closed form; the result is refined in
 *                double either way                                                                  "single"
 *
 * psi[n, d] are the embedded outputs, not centred (rows may be averages of several outputs). weights[n] >= 0, or NULL
 * for all 1.
 * first[n+1] makes example i's correct outputs the rows first[i] to first[i+1] of psi[first[n], d], a set of which none
 * is ranked above another: the loss "auc" is then
 *   n_i/2 fᵀΣf + ½ Σ_y ⟨ψ̃_y,f⟩² − Σ_y ⟨ψ̃_y,f⟩ − (n_i Σ_y ⟨ψ̃_y,f⟩² − (Σ_y ⟨ψ̃_y,f⟩)²)/|𝒴|
 * over the n_i < |𝒴|/2 outputs y of the set, and "squared" the sum over the set. NULL: one output for each example.
 * Leave-one-out takes NULL only. Where the caller applies the weights (cp_ridge_spectral), a set of n_i outputs has the
 * weight w_i n_i.
 * NaN or infinite numbers in psi, weights or K: CP_EVALUE with bad_row. */

/* Says how a problem of this size is best solved. n rows, p features (0: only a kernel is given), nnz stored entries of
 * X (n·p when dense).
 * options as above; "solver" may also be "auto" or "primal" here. Writes to plan[plan_cap] a JSON object with closing
 * NUL:
 *   {"solver": "closed-form"|"cg"|"newton-cg"|"primal", "route": "factor"|"spectral"|"iterate"|"primal",
 *    "precision": "single"|"double", to begin with, "distinct": number of distinct non-zero eigenvalues of Σ,
 *    "work_single": bytes of work for precision single, "work_double": bytes for double,
 *    "route_loo": "factor"|"spectral", "work_loo_single", "work_loo_double": bytes of work for leave-one-out}
 * route says which call does it: "factor" and "iterate" cp_ridge_kernel, "spectral" cp_ridge_spectral, "primal" the
 * caller (see cp_covariance_solve); route_loo whether cp_ridge_kernel_loo or cp_ridge_spectral_loo leaves rows out. */
int32_t cp_ridge_plan(cp_in_structure *s, cp_in_char *options, int64_t options_len, int64_t n, int64_t p, int64_t nnz,
                      char *plan, int64_t plan_cap, char *err, int64_t err_cap);

/* Checks that kernel[n, n] is finite, and symmetric up to 1e-6 of its largest entry. Otherwise CP_EVALUE, and the
 * message names the row, the column and the remedy. The functions below check that it is finite, and take it to be
 * symmetric.
 * bad_row is the row that the message names first. */
int32_t cp_kernel_check(cp_in_f64 *kernel, int64_t n, int32_t workers, cp_control *control, int64_t *bad_row, char *err,
                        int64_t err_cap);

/* Trains on the symmetric kernel matrix kernel[n, n]. Both triangles are read.
 * work is scratch of work_bytes bytes, 8-byte aligned, as cp_ridge_plan says for the precision asked for.
 * Writes a to dual[n, d]. CP_ENUMERICAL with precision "single": the factors are not accurate enough, try "double".
 * bad_row is a row of kernel, weights or psi, with first that of the set. */
int32_t cp_ridge_kernel(cp_in_structure *s, cp_in_char *options, int64_t options_len, cp_in_f64 *kernel, int64_t n,
                        cp_in_f64 *psi, int64_t d, cp_in_i64 *first, cp_in_f64 *weights, void *work, int64_t work_bytes,
                        double *dual, cp_fit_info *info, int32_t workers, cp_control *control, int64_t *bad_row,
                        char *err, int64_t err_cap);

/* The same from the eigendecomposition D(K + shift)D = V diag(eigenvalues) Vᵀ, D = diag(√weights) (the caller applies
 * the shift and the weights; "shift" is ignored here): vectors[n, n] holds the eigenvectors in its columns. Slightly
 * negative eigenvalues count as 0. Any number of distinct σ costs the same.
 * bad_row is a row of weights or psi, with first that of the set. */
int32_t cp_ridge_spectral(cp_in_structure *s, cp_in_char *options, int64_t options_len, cp_in_f64 *eigenvalues,
                          cp_in_f64 *vectors, int64_t n, cp_in_f64 *psi, int64_t d, cp_in_i64 *first,
                          cp_in_f64 *weights, double *dual, cp_fit_info *info, int32_t workers, cp_control *control,
                          int64_t *bad_row, char *err, int64_t err_cap);

/* Label-removed leave-one-out scores of every row, trained as cp_ridge_kernel does: scores[n, d] gets f_i as predicted
 * without row i's label, corrected to first order for the row itself. Loss "squared": the exact leave-one-out of kernel
 * ridge. Rows of weight 0 get zeros.
 * work is scratch of work_bytes bytes, 8-byte aligned, as "work_loo_single" or "work_loo_double" of cp_ridge_plan says
 * when its "route_loo" is "factor". CP_ENUMERICAL with precision "single": the factors are not accurate enough, try
 * "double".
 * bad_row as for cp_ridge_kernel. */
int32_t cp_ridge_kernel_loo(cp_in_structure *s, cp_in_char *options, int64_t options_len, cp_in_f64 *kernel, int64_t n,
                            cp_in_f64 *psi, int64_t d, cp_in_i64 *first, cp_in_f64 *weights, void *work,
                            int64_t work_bytes, double *scores, int32_t workers, cp_control *control, int64_t *bad_row,
                            char *err, int64_t err_cap);

/* The same for loss "auc" from the eigendecomposition that cp_ridge_spectral takes; for "route_loo" "spectral". The n×n
 * matrices made from it are kept in the precision of the options.
 * bad_row as for cp_ridge_spectral. */
int32_t cp_ridge_spectral_loo(cp_in_structure *s, cp_in_char *options, int64_t options_len, cp_in_f64 *eigenvalues,
                              cp_in_f64 *vectors, int64_t n, cp_in_f64 *psi, int64_t d, cp_in_i64 *first,
                              cp_in_f64 *weights, void *work, int64_t work_bytes, double *scores, int32_t workers,
                              cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* For the linear kernel's training in the features themselves (route "primal"), which the caller does by conjugate
 * gradient: what it is preconditioned with. Writes (shift I + curvature[k] Σ)⁻¹ P v_k to row k of dst[n, d], for the
 * rows v_k of v[n, d] and the projector P onto the range of Σ, the covariance of ψ under the uniform distribution. shift
 * must be positive, curvature[n] not negative. dst may be v. No d×d matrix is formed where the eigenvalues of Σ are
 * known; those of other structures are found once and kept while the same structure is asked for. control->step is not
 * counted. On failure dst is undefined. */
int32_t cp_covariance_solve(cp_in_structure *s, double shift, cp_in_f64 *curvature, cp_in_f64 *v, int64_t n, int64_t d,
                            double *dst, int32_t workers, cp_control *control, char *err, int64_t err_cap);

/* ---- Structured ridge, row by row -------------------------------------------------------------------------------- */

/* The weighted loss w_i loss(f_i, ψ_i) of each example at scores[n, d] to losses[n], and a bound on the largest
 * eigenvalue of its second derivative by f_i to curvatures[n], which does not depend on the scores. losses or
 * curvatures may be NULL; scores are read for the former only. Options and targets as above: "loss" is used of the
 * options.
 * bad_row is a row of scores, weights or psi, with first that of the set. */
int32_t cp_ridge_losses(cp_in_structure *s, cp_in_char *options, int64_t options_len, cp_in_f64 *scores, int64_t n,
                        cp_in_f64 *psi, int64_t d, cp_in_i64 *first, cp_in_f64 *weights, double *losses,
                        double *curvatures, int32_t workers, cp_control *control, int64_t *bad_row, char *err,
                        int64_t err_cap);

/* Stochastic gradient descent on the problem above, in a function f = Σ_j k(·, x_j) a_j over the rows x_j of its support.
 * One step for each of n examples, in their order: with g the derivative of the example's weighted loss by its scores,
 *   f ← (1 − 2(alpha/m)η) f − η k(·, x) g,   η = p·m/(alpha(t + t0)),   t ← t + 1,
 * for m >= 1 rows in all, p > 0 and t0 > 2p, and t >= 0 (at most 2^52) the number of steps before this call. Options
 * "loss", "alpha", "shift" are used.
 * slots is the size of the support, with the rows that the steps add: kernel[n, slots] holds the kernel values between
 * examples and support, at[n] the slot of each example, drop[n] the slot whose coefficient is set to zero after the
 * step on the example, or a negative number.
 * coef[slots, d] holds the coefficients before the call and after it; those of slots that were not visited yet are
 * zero.
 * average[slots, d] (NULL: none) is changed into the average of all functions up to step t, with weights t(t+1)(t+2)/6;
 * what it holds before the call counts as that of the first t steps. A slot that is dropped leaves the average, too.
 * velocity[slots, d] and gains[d] (NULL: none) are those of stochastic meta-descent, zero and one at the beginning: η
 * is multiplied by a gain for each coordinate in which the covariance of the structure is diagonal, or for each of its
 * eigenspaces.
 * *loss gets the sum of the weighted losses, each before its step.
 * control->step counts steps. NaN or infinite numbers in kernel, psi, weights, coef, average, velocity: CP_EVALUE.
 * CP_ENUMERICAL: the numbers overflow.
 * bad_row is a row of weights or psi, with first that of the set. */
int32_t cp_sgd_expansion(cp_in_structure *s, cp_in_char *options, int64_t options_len, cp_in_f64 *kernel, int64_t n,
                         int64_t slots, cp_in_i64 *at, cp_in_i64 *drop, cp_in_f64 *psi, int64_t d, cp_in_i64 *first,
                         cp_in_f64 *weights, double m, double p, double t0, int64_t t, double *coef, double *average,
                         double *velocity, double *gains, double *loss, int32_t workers, cp_control *control,
                         int64_t *bad_row, char *err, int64_t err_cap);

/* Input features: dense[n, p], or (dense NULL) compressed sparse rows with nnz entries. A constant feature of value 1
 * is appended as column p when intercept is non-zero, without being stored. */
typedef struct cp_design {
  int64_t n, p, nnz;
  int32_t intercept;
  cp_in_f64 *dense;
  cp_in_f64 *data;    /* [nnz] */
  cp_in_i32 *indices; /* [nnz] */
  cp_in_i64 *indptr;  /* [n + 1] */
} cp_design;
typedef const cp_design cp_in_design;

/* The same steps for f = Wᵀx, on weights coef[q, d] of the q = p (+ 1 with intercept) features of the design. "shift"
 * is ignored.
 * bad_row as for cp_sgd_expansion, and for a row of the design. */
int32_t cp_sgd_features(cp_in_structure *s, cp_in_char *options, int64_t options_len, cp_in_design *design, int64_t q,
                        cp_in_f64 *psi, int64_t d, cp_in_i64 *first, cp_in_f64 *weights, double m, double p, double t0,
                        int64_t t, double *coef, double *average, double *velocity, double *gains, double *loss,
                        int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* ---- Structured support vector machine and perceptron ------------------------------------------------------------ */

#define CP_RULE_FRANK_WOLFE 0 /* block-coordinate Frank–Wolfe on the dual of the structured support vector machine */
#define CP_RULE_PERCEPTRON 1  /* the structured perceptron                                                          */

/* What a pass saw. */
typedef struct cp_margin_report {
  double gap;      /* CP_RULE_FRANK_WOLFE: the sum of the duality gaps of the examples visited, each before its step      */
  double radius;   /* CP_RULE_PERCEPTRON: the largest ‖x_i‖²‖ψ_i − ψ(z)‖² of the updates                                  */
  int64_t updates; /* steps that moved the weights; of CP_RULE_PERCEPTRON the mistakes                                    */
  int64_t proven;  /* decodings that were proven optimal                                                                  */
} cp_margin_report;

/* Takes a step on each example order[0], order[1], …, order[n_order - 1], examples being numbered from 0, one after the
 * other.
 *
 * With f = Wᵀx_i, W being coef[q, d] and q the number of features of the design (p, + 1 with intercept),
 * CP_RULE_FRANK_WOLFE finds the output z of largest
 *   loss_i(z) − ⟨f, ψ_i − ψ(z)⟩,   loss_i(z) = constant_i + ⟨gradient_i, ψ(z)⟩ + ⟨magnitude_i, ψ(z)²⟩,
 * and moves (v_i, offset_i) towards (ψ_i − ψ(z), loss_i(z)) by the step that maximises the dual Σ_i C_i offset_i −
 * ½‖W‖² with C = weights and W = Σ_i C_i x_i v_iᵀ of: minimise ½‖W‖² + Σ_i C_i max_z [loss_i(z) − ⟨f_i, ψ_i − ψ(z)⟩].
 * v, offset and coef must belong together; all zero is a start where loss_i is 0 at ψ_i. Where what is found is below
 * the value of ψ_i itself, as approximate decoding may be, that is taken instead.
 * CP_RULE_PERCEPTRON finds the output z of largest ⟨f, ψ(z)⟩. Where ψ(z) differs from ψ_i and scores no less, it adds
 * ψ_i − ψ(z) to v_i and C_i x_i (ψ_i − ψ(z))ᵀ to coef. Loss and offset are not used.
 *
 * method is one of the CP_DECODE_ constants. n_candidates > 0 (at most 2^20) replaces decoding: the best of so many
 * uniform outputs, drawn anew in each step, is taken. seed: of these, and of CP_DECODE_ANNEAL and CP_DECODE_METROPOLIS;
 * the number of the step chooses the random stream.
 * psi[n, d], constant[n], gradient[n, d], weights[n] >= 0; magnitude[n, d], or NULL for zero. For CP_RULE_PERCEPTRON
 * constant, gradient and magnitude are ignored. step, at most 2^48, is the number of steps before this call. v[n, d],
 * offset[n] and coef are changed in place. late_v[n, d] and late_offset[n] (both NULL: none) get added each change of v
 * and offset times S(t), t being the number of steps before it: the average of the first t iterates is v − late_v/S(t),
 * with S(t) = t(t+1)/2 for CP_RULE_FRANK_WOLFE (the iterate of step t has the weight t) and S(t) = t for
 * CP_RULE_PERCEPTRON (all have the same).
 * Steps follow one another: workers is checked and not used. control->step counts steps; control->cancel is polled in
 * each, and within decodings as cp_decode does. Scores that are NaN or overflow: CP_EVALUE with bad_row.
 * CP_ECAPABILITY: the structure lacks the decoder, or the sampler of candidates.
 * bad_row is the number of an example, whatever the order. */
int32_t cp_maxmargin_pass(cp_in_structure *s, int32_t rule, int32_t method, int64_t n_candidates, uint64_t seed,
                          cp_in_design *design, cp_in_f64 *psi, int64_t d, cp_in_f64 *constant, cp_in_f64 *gradient,
                          cp_in_f64 *magnitude, cp_in_f64 *weights, cp_in_i64 *order, int64_t n_order, int64_t step,
                          double *v, double *offset, double *late_v, double *late_offset, double *coef, int64_t q,
                          cp_margin_report *report, int32_t workers, cp_control *control, int64_t *bad_row, char *err,
                          int64_t err_cap);

/* ---- Label ranking ----------------------------------------------------------------------------------------------- */

/* Scorers f(x) = Wᵀx of k labels are trained from preferences about pairs of labels. signs[n, k(k-1)/2] has a row for
 * each example and a column for each pair u < v, in lexicographic order: positive where label u is to stand before v,
 * negative where v is to stand before u, 0 where neither is known. These are the edges (winner, loser) of a graph.
 * margins, laid out alike, are what the scores of an edge are to differ by; NULL: 1. weights[n] of the rows must be
 * finite and not negative; NULL: 1. The edges of a row are divided into subgraphs, and its loss is the mean over these
 * of
 *   max(0, max over the edges of a subgraph of margin − (f_winner − f_loser)). */
#define CP_SUBGRAPHS_EDGES 0 /* each edge on its own                              */
#define CP_SUBGRAPHS_STARS 1 /* the edges from each label that stands before others */
#define CP_SUBGRAPHS_GRAPH 2 /* all edges of the row together                     */

/* Minimises ½‖W‖² + c Σ_i weight_i loss_i by block-coordinate ascent on the dual, a row a block, in an order drawn from
 * seed in each pass.
 * coef[q, k] gets W, for the q = p (+ 1 with intercept) features of the design; alpha, laid out as signs, the dual
 * variables: those of a subgraph are not negative and add up to at most c·weight_i over the number of the row's
 * subgraphs. *objective gets the objective, *gap a bound on its distance to the minimum, *n_iter the passes. Ends when
 * gap <= tol·objective, or after max_iter passes with CP_ENOTCONVERGED. c must be positive, tol not negative, max_iter
 * at least 1, k from 2 to 16384. control->step counts passes; control->value is an estimate of gap/objective. NaN or
 * infinite weights or margins: CP_EVALUE. CP_ENUMERICAL: the numbers overflow.
 * bad_row is a row of the design, weights or margins. */
int32_t cp_labelrank_svm(cp_in_design *design, int64_t q, cp_in_i8 *signs, cp_in_f64 *margins, cp_in_f64 *weights,
                         int64_t k, int32_t subgraphs, double c, double tol, int64_t max_iter, uint64_t seed,
                         double *alpha, double *coef, double *objective, double *gap, int64_t *n_iter, int32_t workers,
                         cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* The same for f(x) = Σ_i k(x, x_i) dual_i from a symmetric kernel matrix[n, n], which is not checked (see
 * cp_kernel_check). dual[n, k] gets the coefficients, each row the sum of alpha (e_winner − e_loser) over the row's
 * edges.
 * bad_row is a row of weights or margins. */
int32_t cp_labelrank_svm_kernel(cp_in_f64 *kernel, int64_t n, cp_in_i8 *signs, cp_in_f64 *margins, cp_in_f64 *weights,
                                int64_t k, int32_t subgraphs, double c, double tol, int64_t max_iter, uint64_t seed,
                                double *alpha, double *dual, double *objective, double *gap, int64_t *n_iter,
                                int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

#define CP_UPDATE_ADDITIVE 0       /* W += weight·D                                                          */
#define CP_UPDATE_MULTIPLICATIVE 1 /* theta += weight·D; W = radius (exp(t) − exp(−t)) / Σ (exp(t) + exp(−t)),
                                      with t = rate·theta/(radius·scale)                                     */
#define CP_UPDATE_PRIMAL_DUAL 2    /* W minimises ½‖W − W before‖² + c·weight·loss, to a thousandth of the
                                      rise of the dual                                                       */

/* One step of online learning on each row, with margins of 1. D is Σ over the subgraphs that have an edge with f_winner
 * <= f_loser of their share in the loss times the mean over such edges of x ⊗ (e_winner − e_loser). order[n] (NULL: as
 * they stand) are the numbers of the rows in the order of the steps. Rows of weight 0 are passed over. rate (above 0,
 * below 2), radius (positive) and c (positive) are those of the update that uses them, and not looked at otherwise.
 * coef[q, k] is W; theta[q, k] is used by CP_UPDATE_MULTIPLICATIVE alone, NULL otherwise; average[q, k] (NULL: not
 * wanted) is the weighted mean of W after each step. All three are changed in place and zero at the beginning, as is
 * tally[4], sums over the rows so far: their weights; weight times the share of subgraphs with a wrong edge, before the
 * step; weight·loss before the step; and the largest weight·‖x‖² (CP_UPDATE_MULTIPLICATIVE: weight·max|x_j|²), which is
 * scale.
 * control->step counts rows; control->value is the mean of mistakes. CP_ENUMERICAL: the numbers overflow.
 * bad_row is a row of the design or weights. */
int32_t cp_labelrank_online(cp_in_design *design, int64_t q, cp_in_i8 *signs, cp_in_f64 *weights, cp_in_i64 *order,
                            int64_t k, int32_t subgraphs, int32_t update, double rate, double radius, double c,
                            double *coef, double *theta, double *average, double *tally, int32_t workers,
                            cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

#ifdef __cplusplus
}
#endif
#endif
