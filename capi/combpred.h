/* combpred.h: the flat C interface of combpred, and its manual.
 *
 * What is not in this file is not part of the interface, and all of it came with ABI version 4, unless it says
 * otherwise. CP_ABI_VERSION changes when callers must be compiled anew; new functions, and fields at the end of
 * structs, leave it.
 *
 * IN SHORT: a program opens a space, the outputs that there are, and passes its handle to what computes with them. This
 * one learns to rank three labels from four rows of two features, ranks them for a new row, and lists the two best
 * rankings of that:
 *
 *     #include <combpred.h>
 *     #include <stdio.h>
 *     #include <string.h>
 *
 *     static char err[1000];
 *     static int failed(int32_t status) { return status != CP_OK && printf("%s\n", err); }
 *
 *     int main(void) {
 *       const char *text = "{\"name\":\"permutations\",\"n\":3}", *names = "[\"tea\",\"milk\",\"juice\"]";
 *       cp_structure rankings = {.text = text, .text_len = (int64_t)strlen(text)};
 *       cp_space space;
 *       if (failed(cp_space_open(&rankings, names, (int64_t)strlen(names), &space, err, sizeof err))) return 1;
 *
 *       double x[4 * 2] = {1, 0, 0, 1, 2, 0, 0, 2}, fresh[2] = {3, 0}, weights[3 * 3]; // features, and a constant: 3
 *       int32_t y[4 * 3] = {1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1}, best[3];              // positions of labels
 *       cp_features features = CP_FEATURES, unseen = CP_FEATURES;
 *       features.n = 4, unseen.n = 1, features.p = unseen.p = 2, features.dense = x, unseen.dense = fresh;
 *       cp_outputs outputs = CP_OUTPUTS;
 *       outputs.n = 4, outputs.d = 3, outputs.part_len = 3, outputs.parts = y;         // as cp_space_facts says
 *       cp_ridge_options options = CP_RIDGE_OPTIONS;
 *       options.alpha = 0.1, options.shift = 1;
 *       if (failed(cp_ridge_features(space, &options, &features, &outputs, 0, weights, NULL, 1, NULL, NULL, err,
 *                                    sizeof err))) return 1;
 *
 *       cp_model model = CP_MODEL;
 *       model.m = 3, model.d = 3, model.coef = weights, model.shift = 1;
 *       cp_predictions found = CP_PREDICTIONS;
 *       double scores[3];
 *       found.n = 1, found.part_len = 3, found.outputs = best, found.scores = scores;
 *       if (failed(cp_predict(space, &model, NULL, NULL, &unseen, NULL, &found, 1, NULL, NULL, err, sizeof err)))
 *         return 1;
 *       printf("tea %d milk %d juice %d\n", (int)best[0], (int)best[1], (int)best[2]);
 *
 *       cp_scores row = CP_SCORES;
 *       row.n = 1, row.d = 3, row.linear = scores;
 *       cp_session list;
 *       if (failed(cp_kbest_start(space, &row, NULL, &list, 1, NULL, NULL, err, sizeof err))) return 1;
 *       cp_request next = CP_REQUEST;
 *       for (int k = 1; k <= 2; k++) {
 *         if (failed(cp_session_next(list, &next, NULL, err, sizeof err)) || next.ask == CP_ASK_DONE) break;
 *         printf("number %d %d %d %d\n", k, (int)next.parts[0], (int)next.parts[1], (int)next.parts[2]);
 *       }
 *       cp_session_close(list, err, sizeof err);
 *       return failed(cp_space_close(space, err, sizeof err));
 *     }
 *
 * R reaches the library through a page of C for .Call. Handles are below 2^53, so that its doubles hold them:
 *
 *     #include <Rinternals.h>
 *     #include <combpred.h>
 *
 *     SEXP open_space(SEXP text) {
 *       SEXP given = STRING_ELT(text, 0);
 *       cp_structure described = {.text = CHAR(given), .text_len = LENGTH(given)};
 *       cp_space space;
 *       char err[1000];
 *       if (cp_space_open(&described, NULL, 0, &space, err, sizeof err) != CP_OK) Rf_error("%s", err);
 *       return Rf_ScalarReal((double)space);
 *     }
 *
 * after dyn.load in R: space <- .Call("open_space", '{"name":"permutations","n":3}'). Julia needs no C, but structs
 * with the fields of those here, which ccall takes as Ref:
 *
 *     struct Structure; text::Ptr{UInt8}; text_len::Int64; ints::Ptr{Int32}; n_ints::Int64
 *       reals::Ptr{Float64}; n_reals::Int64; end
 *     text, space, err = "{\"name\":\"permutations\",\"n\":3}", Ref{UInt64}(0), zeros(UInt8, 1000)
 *     GC.@preserve text status = ccall((:cp_space_open, "libcombpred"), Int32,
 *       (Ref{Structure}, Ptr{UInt8}, Int64, Ref{UInt64}, Ptr{UInt8}, Int64),
 *       Structure(pointer(text), sizeof(text), C_NULL, 0, C_NULL, 0), C_NULL, 0, space, err, length(err))
 *
 * CONVENTIONS, which hold unless a function says otherwise
 *
 * - Every function except cp_abi_version returns a status: CP_OK, or one of the CP_E… codes below, with a message in
 *   err. It has at most 12 parameters, of which the last are, in this order and where it has them: workers, control,
 *   bad_row, err, err_cap.
 * - err is a buffer of err_cap bytes owned by the caller. After a failure it holds a NUL-terminated UTF-8 message, cut
 *   to fit; after success it is untouched. err = NULL or err_cap <= 0 means that no message is wanted.
 * - bad_row, where a function takes rows of data, gets the number of the row, from 0 on, that a failure is about: -1
 *   when no row is to blame, as where a structure is too large whatever the row, or nothing failed. Any status but
 *   CP_OK may come with a row. The message then says what is wrong with the row and leaves its number out, so that it
 *   can be shown beside any number. bad_row = NULL means that the number is not wanted apart: the message of a failure
 *   that is about a row begins with "row 3: ".
 * - What belongs together is a struct. The first field of each, but for cp_structure and cp_control, is struct_size, to
 *   which the caller gives the sizeof of the struct: CP_EVALUE where it is not set, or above 4096. Later versions may
 *   append fields; where they are missing in the caller's struct they count as zero, which is their default. Each
 *   struct has a macro that sets the size and the defaults, the other fields being zero, as in
 *       cp_ridge_options options = CP_RIDGE_OPTIONS;
 *       options.alpha = 0.1;
 *   Structs of results need the size, too, and get no more than that.
 * - The header is for C11, and for C++11 and later but for these macros: they name fields, which C++ knows from C++20
 *   on and compilers warn about. C++ programs write what the macro holds:
 *       cp_ridge_options options = {};
 *       options.struct_size = sizeof options;
 *       options.alpha = 1;
 *       options.tol = 1e-8;
 * - Choices are names: NUL-terminated, in lower case, spelt as in cp_catalogue. NULL or "" is the first of those
 *   listed.
 * - Text of unknown length goes to dst[dst_cap], with a closing NUL. *needed gets the size that dst must have, NUL
 *   included; when dst_cap is smaller nothing is written and the status is CP_OK: call again with a larger buffer. dst
 *   may be NULL with dst_cap = 0.
 * - Sizes of buffers stand behind parameters, and at the beginning of the comments of fields, in brackets: [n, d] is a
 *   matrix of n rows and d columns, whose sizes are parameters, fields of the same struct, or those of a struct that is
 *   a parameter, such as scores.n; or(a, b) is a, or b where a is 0 or not there; last(first, n) is first[n], or n
 *   where first is NULL. What has a question mark behind its size, or alone, may be NULL.
 * - Matrices are C-contiguous (row-major). Every buffer comes with its
 *   dimensions; a negative dimension, a product of dimensions that overflows, or NULL for a non-empty buffer is
 *   CP_EVALUE. An empty buffer may be NULL.
 * - Buffers belong to the caller. The library keeps no pointer after a call returns, and writes only to parameters and
 *   fields that are not const. Outputs must not overlap inputs.
 * - After a failure the contents of outputs are unspecified (they may be partly written), except with CP_ENOTCONVERGED:
 *   then they are complete.
 * - Spaces and sessions are held by handles, numbers that are never 0 and never given twice in a process. One that is
 *   closed, or was not opened in this process, is CP_EVALUE. Closing one while another thread computes with it takes
 *   nothing from that thread; its memory comes back afterwards.
 * - All functions may be called from several threads at once. In a child process that was forked after the library had
 *   been loaded, all but cp_abi_version return CP_EFORKED at once: the threads of the library do not live on there.
 *   Load the library after the fork, or start a new program.
 * - Limits, beyond which is CP_EVALUE: 2^28 (268435456) rows and as many features, in training, kernels and
 *   predictions; 65536 bytes in the text of a structure, 268435456 in that of names.
 * - workers is the number of goroutines for the library's own loops, from 1 to 65536. Results do not depend on it.
 *   Where the steps of a loop must follow one another it is checked and not used.
 * - control may be NULL. See cp_control. Each function says what control->step counts; where it says nothing, step
 *   stays as it is, and so does value. Work that cannot be stopped (cp_space_moments, cp_ridge_plan,
 *   the moments of cp_estimate) goes on inside the library after CP_ECANCELLED, and touches
 *   nothing of the caller's.
 * - Infinite or NaN numbers in the inputs are CP_EVALUE where the function has to look at every entry anyway, and are
 *   documented there; elsewhere they give unspecified numbers, never a crash.
 */
#ifndef COMBPRED_H
#define COMBPRED_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CP_ABI_VERSION 4

/* What functions return. */
typedef enum cp_status {
  CP_OK = 0,
  CP_EVALUE = 1,        /* an argument is illegal; the message names it */
  CP_ECAPABILITY = 2,   /* the structure, at this size, cannot do what is asked; the message says what can */
  CP_ENUMERICAL = 3,    /* the numbers do not allow it: a matrix is not positive definite, an overflow */
  CP_ECANCELLED = 4,    /* control->cancel was set */
  CP_EINTERNAL = 5,     /* a bug in the library; the message holds a stack trace */
  CP_EMEMORY = 6,       /* the work would need more memory than can be addressed */
  CP_ENOTCONVERGED = 7, /* the iteration limit came first; all outputs are valid */
  CP_EBUDGET = 8,       /* an exact sampler was not done within its budget; the message has the figures, no output is
                           valid */
  CP_EFORKED = 9,       /* this process was forked from one in which the library was loaded; nothing is computed */
  CP_ETARGET = 10       /* what was seen of the output of a row, in targets, is illegal or breaks its own conditions */
} cp_status;

/* Read-only parameters. The names let the Go side and this header agree on const. */
typedef const char cp_in_char;
typedef const double cp_in_f64;
typedef const int8_t cp_in_i8;
typedef const int32_t cp_in_i32;
typedef const int64_t cp_in_i64;
typedef const void cp_in_void;

/* Two-way traffic with a running call. The caller sets cancel to non-zero to stop it (CP_ECANCELLED follows within a
 * fraction of a second); the library counts finished steps (iterations, panels of a factorisation, or rows) in step and
 * keeps the quantity being driven down (relative residual) in value. All access is atomic. The block must be 8-byte
 * aligned and outlive the call. */
typedef struct cp_control {
  int64_t cancel;
  int64_t step;
  double value;
} cp_control;

/* Returns CP_ABI_VERSION of the library. Refuse to go on when it differs from the header's. */
int32_t cp_abi_version(void);

/* Writes the version of the library, that of Go which built it, and the system that it was built for to dst[dst_cap],
 * such as "0.1.0 go1.26.8 linux/amd64". */
int32_t cp_version(char *dst /* [dst_cap] */, int64_t dst_cap, int64_t *needed /* [1] */, char *err, int64_t err_cap);

/* Panics on purpose inside the library (in_worker = 0: in the calling goroutine; otherwise in a worker), so that a
 * caller can test that its process survives. Always returns CP_EINTERNAL. */
int32_t cp_test_panic(int32_t in_worker, char *err, int64_t err_cap);

/* ---- Sessions ---------------------------------------------------------------------------------------------------- */

/* An algorithm that asks its caller for something: for what only the caller can decode, draw or read, or for the word
 * to go on. A function cp_..._start opens it, which refuses what is illegal and goes on to the first request; then
 *     cp_request request = CP_REQUEST;
 *     for (;;) {
 *       status = cp_session_next(session, &request, &bad_row, err, sizeof err);
 *       if (status != CP_OK || request.ask == CP_ASK_DONE) break;
 *       ... do what request.ask says: read what the request points to, write the answers where it says ...
 *     }
 *     cp_session_close(session, err, sizeof err);
 * The function that opens a session says which of the requests below it makes, what they mean, and where results go.
 * The buffers that it was given, structs of results and its control must live until the session is closed. That
 * control->cancel is set is noticed while the session works, and at the latest with the next answer. */
typedef uint64_t cp_session;

/* What a session asks for. */
typedef enum cp_ask {
  CP_ASK_DONE = 0,     /* nothing: it is over, and all results are there */
  CP_ASK_DECODE = 1,   /* outputs[n, part_len]: an output of largest score for each row of linear[n, d] and, unless
                          it is NULL, of magnitude[n, d], which scores squares of ψ */
  CP_ASK_LISTED = 2,   /* nothing: the next of a list is in parts[part_len], and value is its score */
  CP_ASK_HOLDS = 3,    /* proven[n]: 1 for each of the sets in parts[n, n_edges] that has the property, 0 for one
                          that has not; those behind a set with the verdict stream, 0 or 1, may stay 2 */
  CP_ASK_BEST = 4,     /* psi[n, d], NaN before: ψ(z) of an output z of largest ⟨linear, ψ(z)⟩ + ⟨magnitude, ψ(z)²⟩
                          for each row of linear[n, d] and, unless it is NULL, of magnitude[n, d]; and proven[n]: 1
                          where it is proven best. rows[n] are the numbers of the rows. Where random streams are
                          needed, that of the first row has the number stream, and the others have the next ones */
  CP_ASK_PLANES = 5,   /* the same for the worst output z at scores f in linear: psi, v = ψ_i − ψ(z), with slack
                          rescaling times the loss; losses[n], NaN before, loss_i(z); and proven, 1 where no output
                          makes loss − ⟨f, v⟩ larger. Zeros stand for z = y_i */
  CP_ASK_VALUES = 6,   /* results[n, n_columns]: kernel values of rows[n] with columns[n_columns], or, where
                          n_columns is 0, results[n]: that of each row with itself */
  CP_ASK_SUMS = 7,     /* sums: what cp_ridge_sums adds to it for all rows */
  CP_ASK_PRODUCT = 8,  /* results[q, d]: what cp_ridge_product adds to it for all rows, linear being the direction */
  CP_ASK_EXPECT = 9,   /* means[n, d] and log_z[n], NaN before: expectations of ψ and ln Z, for each row of linear[n,
                          d] with p(y) ∝ exp⟨f, ψ(y)⟩ at its scores f. rows[n] are the numbers of the rows */
  CP_ASK_MEAN = 10,    /* means[n, d], NaN before: expectations of ψ likewise, or estimates */
  CP_ASK_PAIR = 11,    /* means[2 n, d], NaN before: two estimates of each, from draws independent of each other, the
                          second ones after all the first, each from `draws` times as many draws as CP_ASK_MEAN */
  CP_ASK_PSI = 12,     /* psi[n draws, d], NaN before: ψ of draws independent outputs of each row, one row after the
                          other. They may be left unwritten where nothing can be drawn */
  CP_ASK_UNIFORM = 13, /* psi[draws, d], NaN before: ψ of uniform outputs, whatever the scores of the one row */
  CP_ASK_MOMENTS = 14, /* sums[n], zero before: what cp_loglinear_sums adds to them for all rows, "moments" */
  CP_ASK_LOSS = 15,    /* the same, "loss", at the weights linear[q, d] */
  CP_ASK_SPREAD = 16,  /* the same, "spread" */
  CP_ASK_DRAWS = 17,   /* results[n, width]: the numbers of n uniform draws more, of draws in all */
  CP_ASK_MOVES = 18    /* results[n, width] and log_ratio[n]: the numbers of the outputs to which n moves lead from
                          outputs that the caller remembers as number rows[i], or ψ of them. They are to be
                          remembered as number sizes[i], in place of what had that number. −1 in place of rows[i]
                          asks for a uniform output. log_ratio is ln q(y|z) − ln q(z|y), for a move from y to z and
                          probabilities q of moves: 0 where y leads to z as often as z to y, −Inf where the move
                          leads to no output. columns[i] is the number of the row that it is for. draws is how many
                          numbers the library keeps of uniform outputs that it still asks for, if it keeps them */
} cp_ask;

/* A request. Its pointers are the library's: valid, and to be written to where they are not const, until the next call
 * on the session. Answers are all zero before they are written, unless a request says otherwise. What it does not use
 * is 0 or NULL. */
typedef struct cp_request {
  int64_t struct_size;
  int64_t ask;
  int64_t n;              /* rows that are asked for       */
  int64_t n_columns;      /* of CP_ASK_VALUES              */
  int64_t stream;         /* number of a random stream     */
  int64_t draws;          /* of each row                   */
  double value;           /* a score, or what multiplies scores; at the end of some sessions that of the result */
  double bound;           /* at the end of some sessions: what no value exceeds */
  cp_in_f64 *linear;   /* read by the caller            */
  cp_in_f64 *magnitude;
  cp_in_i32 *parts;
  cp_in_i64 *rows;
  cp_in_i64 *columns;
  cp_in_i64 *sizes;
  int32_t *outputs;       /* written by the caller         */
  double *psi;
  double *losses;
  double *means;
  double *log_z;
  double *results;
  double *sums;
  double *log_ratio;
  uint8_t *proven;
} cp_request;
#define CP_REQUEST {.struct_size = sizeof(cp_request)}

/* Takes the answers to the last request, goes on, and writes the next one to *request. Failures end the session, which
 * must still be closed: among them answers that are none, where bad_row is the row of the request, and CP_ECANCELLED.
 * Behind CP_ASK_DONE, and after a failure, it is CP_ASK_DONE always. CP_EVALUE, which ends nothing, for a session that
 * is not open, or in which another thread waits. */
int32_t cp_session_next(cp_session session, cp_request *request, int64_t *bad_row, char *err, int64_t err_cap);

/* Ends a session, wherever it is, and gives its memory back. CP_EVALUE as for cp_session_next. */
int32_t cp_session_close(cp_session session, char *err, int64_t err_cap);

/* ---- The library itself ------------------------------------------------------------------------------------------ */

/* Writes a JSON object to dst[dst_cap]: all that there is, by name.
 *   "structures": a list, by name; each has "name", "doc", "params", "parts" (the layout of one encoded output),
 *     "psi" (the order of the entries of ψ), "ref" (where the formulas come from) and "capabilities" (names of what
 *     it can do with some parameters at least), and where it takes some "conditions", the keys of cp_conditions: each
 *     has "key"; "form": "one" (a number), "count", "list" (of numbers), "pairs", or "mixed" (numbers and pairs);
 *     and "takes", what that is, in a clause for messages, such as "a list of labels". Each of "params" has "name",
 *     "doc" and "kind": "int", which stands in the text of a cp_structure and has "least", "most", where other
 *     parameters limit it further "bound", and where there is one the "reason" why it cannot be larger; "int32 buffer"
 *     or "float64 buffer", which are the ints and reals of a cp_structure, one after the other where there are
 *     several; and "optional": true where it may be absent
 *   "capabilities": "name" and "doc" of each, for those of "structures" and of cp_space_facts
 *   "names": the choices, as lists with "key", "doc" and "names": decoders, samplers, losses, solvers and so on */
int32_t cp_catalogue(char *dst /* [dst_cap] */, int64_t dst_cap, int64_t *needed /* [1] */, char *err, int64_t err_cap);

/* Large matrices are multiplied, factored and diagonalised by a BLAS and LAPACK of the host, once one has been
 * activated; until then by portable code inside the library, "gonum", which is several times slower. cp_blas_open
 * activates one in one call. Do so once, before anything is computed: calls that run meanwhile may compute with either,
 * which is not checked. After one has been activated, cp_blas_open, cp_blas_offer and cp_blas_activate are CP_EVALUE
 * and change nothing. */

/* Loads the shared library at path, or, where path is NULL, the first that serves of those with a usual name (MKL,
 * OpenBLAS, LAPACK with its BLAS; Accelerate), with Fortran symbols and integers of 32 bits; tests its routines against
 * the library's own, and uses them from now on. CP_EVALUE, with what was tried and what is wrong with it, when none
 * serves: then nothing has changed. */
int32_t cp_blas_open(cp_in_char *path, char *err, int64_t err_cap);

/* Writes "gonum" or "host" to dst[dst_cap], and behind "host " the library where it came by cp_blas_open. */
int32_t cp_blas_status(char *dst /* [dst_cap] */, int64_t dst_cap, int64_t *needed /* [1] */, char *err,
                       int64_t err_cap);

/* For routines that the program has in memory already: cp_blas_routines lists those that are needed, one a line, as a
 * name, a blank, and a letter for each argument (c: char *, i: int *, x: a pointer to numbers). cp_blas_offer takes the
 * address of one, whose arguments must be these; it must stay loaded. cp_blas_activate does with all of them what
 * cp_blas_open does. */
int32_t cp_blas_routines(char *dst /* [dst_cap] */, int64_t dst_cap, int64_t *needed /* [1] */, char *err,
                         int64_t err_cap);
int32_t cp_blas_offer(cp_in_char *name, cp_in_char *arguments, void *address /* [8] */, char *err, int64_t err_cap);
int32_t cp_blas_activate(char *err, int64_t err_cap);

/* ---- Spaces ------------------------------------------------------------------------------------------------------ */

/* What an output space is made from. text[text_len] is a JSON object of integers beside the catalogue name, such as
 * {"name":"permutations","n":5}. ints[n_ints] and reals[n_reals] hold what is not scalar, in the layout that the
 * catalogue gives for the structure ("hierarchy": the parent of each node, then the allowed mask). */
typedef struct cp_structure {
  cp_in_char *text;
  int64_t text_len;
  cp_in_i32 *ints; /* [n_ints] */
  int64_t n_ints;
  cp_in_f64 *reals; /* [n_reals] */
  int64_t n_reals;
} cp_structure;
typedef const cp_structure cp_in_structure;

/* An open space, which keeps what is derived from it, so that later calls with it are cheaper. */
typedef uint64_t cp_space;
typedef const cp_space cp_in_space;

/* Opens the space that a structure describes, and writes its handle to *space. names[names_len] is the JSON list of
 * what its items are called in messages and by cp_space_names, such as ["tea", "milk"]: a different string for each
 * label, vertex or node, and perhaps one for each column of assignments behind them; NULL where they have their numbers
 * alone. Nothing of the caller's is kept. CP_EVALUE: the structure or the names are illegal; the message says why. */
int32_t cp_space_open(cp_in_structure *structure, cp_in_char *names /* [names_len]? */, int64_t names_len,
                      cp_space *space /* [1] */, char *err, int64_t err_cap);

/* Makes a handle invalid, and gives the memory of its space back, at the latest when calls with it have returned.
 * Sessions that were opened with it go on. */
int32_t cp_space_close(cp_space space, char *err, int64_t err_cap);

/* Writes what is known about a space at once to dst[dst_cap], as a JSON object:
 *   "part_len", "feature_len": the number of int32 parts of one encoded output, and the length d of the embedding ψ
 *   "log_count": ln of the number of outputs, null where that is not known
 *   "capabilities": names of what it can do with its parameters; cp_catalogue says what they mean. Where the number of
 *     outputs is not known, it is taken to be small enough for a list; the list may turn out too long
 *   "format": what a row of data holds, in a clause such as "positions are whole numbers 1..4, 1 for the first", in
 *     which messages about rows end
 *   "cells": the kind of cp_space_layout
 *   "moments": "exact", "relaxed" or "sampled", as cp_space_moments has it, or "" where there are none
 *   "loss", "decision": by which ridge regression predicts best, as measured: the choices of cp_ridge_options and
 *     cp_model that "auto" stands for, the decision being that under "squared"
 *   "entries": the values that entries of ψ take: "bits", "signs", "signs and zeros", "signs and ties" (a first half of
 *     -1, 0 and 1, and a second half that is 1 where the first is 0), "numbers" or "unknown"
 *   "costs": the losses between outputs that cp_affine_losses takes for it, the usual one first
 *   "decisions": those of distributions beside the most probable output and that of nearest ψ
 *   "free_values": the values that each entry of ψ takes whatever the others are; null where they depend on each other
 *   "exclusive": one entry of ψ is 1, any of them, and the others are 0
 *   "newton": cp_loglinear_fit may take Newton's method: "independent" entries of ψ, whose columns of W are then found
 *     apart, or no more outputs than entries, 1024 at most or "exclusive" ones, which are trained as classes
 *   "ambiguous": some outputs have the same ψ
 *   "general": ψ may have entries other than -1, 0 and 1
 *   "log_partition", "marginals": how cp_log_partition works without marginals and with them: "engine", "recursion" for
 *     the structure's own recursion or closed form, "enumeration" for a sum over all outputs one by one, of up to a
 *     million; "cost", about how many elementary operations a row takes; and "seconds", about how long it takes on one
 *     processor. null where the structure is too large */
int32_t cp_space_facts(cp_space space, char *dst /* [dst_cap] */, int64_t dst_cap, int64_t *needed /* [1] */, char *err,
                       int64_t err_cap);

/* Writes the exact number of outputs to dst[dst_cap] as lower-case hexadecimal digits, the highest first and without a
 * prefix: both sides convert that base in linear time. CP_ECAPABILITY where the number is not known. */
int32_t cp_space_count(cp_space space, char *dst /* [dst_cap] */, int64_t dst_cap, int64_t *needed /* [1] */, char *err,
                       int64_t err_cap);

/* What the mean and the second moment of a structure are. */
typedef struct cp_moments_info {
  int64_t struct_size;
  char kind[16];         /* "exact":   averages over the outputs,
                            "relaxed": averages over a larger space that contains the outputs,
                            "sampled": estimates of the averages from samples                  */
  double standard_error; /* the largest of an entry; 0 unless sampled                          */
} cp_moments_info;
#define CP_MOMENTS_INFO {.struct_size = sizeof(cp_moments_info)}

/* Writes the mean of the embedding under the uniform distribution to mean[d], its second moment E ψψᵀ to second[d, d],
 * and where the two come from to info; each may be NULL. d must be the structure's. CP_ECAPABILITY: the structure has
 * no moments. Where they are sampled they are estimated now, once for a structure, which takes long for large ones. It
 * cannot be stopped inside: see control above. */
int32_t cp_space_moments(cp_space space, double *mean /* [d]? */, double *second /* [d, d]? */, int64_t d,
                         cp_moments_info *info /* ? */, int32_t workers, cp_control *control, char *err,
                         int64_t err_cap);

/* Checks the encoded outputs y[n, part_len] and writes ψ of each to dst[n, d], unless that is NULL. When one is not in
 * the space: CP_EVALUE, and bad_row is the first such row. With partial = 1 rows may be outputs of which only a part is
 * known, in structures that have such: ψ is then the mean over all outputs that agree with it. "permutations":
 * position 0 is that of a label about which nothing is known, and labels that share the last position come behind all
 * others, in an unknown order. One row has one or the other: CP_EVALUE for both. CP_ECAPABILITY for others.
 * control->step counts rows. */
int32_t cp_space_embed(cp_space space, cp_in_i32 *y /* [n, part_len] */, int64_t n, int64_t part_len, int32_t partial,
                       double *dst /* [n, d]? */, int64_t d, int32_t workers, cp_control *control, int64_t *bad_row,
                       char *err, int64_t err_cap);

/* Given expected features Eψ of n distributions, expected[n, d], writes scores s with ⟨s, ψ(y)⟩ = P(y) for every output
 * y to dst[n, d], so that the output of largest score is the most probable one: what the decision "mode" predicts.
 * CP_ECAPABILITY: Eψ does not tell the probabilities of outputs. control->step counts rows. */
int32_t cp_space_mode(cp_space space, cp_in_f64 *expected /* [n, d] */, int64_t n, int64_t d, double *dst /* [n, d] */,
                      int32_t workers, cp_control *control, char *err, int64_t err_cap);

/* Writes n independent, exactly uniform outputs to dst[n, part_len]. The same seed gives the same outputs; row i has
 * its own random stream. CP_ECAPABILITY: no uniform sampler is known. control->step counts rows. */
int32_t cp_space_sample(cp_space space, uint64_t seed, int32_t *dst /* [n, part_len] */, int64_t n, int64_t part_len,
                        int32_t workers, cp_control *control, char *err, int64_t err_cap);

/* Encodes outputs as they stand in data: each row of y[n, width] is read, checked and written to dst[n, part_len]. It
 * holds the parts of an output as whole numbers, in width = part_len columns, and in some structures there are further
 * ways:
 *   "weakorders": any finite numbers, smaller ones first and equal ones tied, which become dense ranks
 *   "cycles", "directedcycles": vertices from any one on, the former in either direction; any width, padded with -1
 *   "routes", "paths": any width, padded with -1
 *   "tournaments", "partialorders": matrices of n items by rows, width n*n: 1 where the row's item is before the
 *     column's. The diagonal is 0, or all 1 for partial orders
 *   "permutations" with partial = 1: -1 or NaN for positions that are not known, which become 0, as
 *     cp_space_embed takes them; in rows without these labels may share the last position. CP_ECAPABILITY:
 *     outputs of the structure are not known in part
 * CP_EVALUE with bad_row, the first row that is no output: the message says what is wrong with it, where, and what to
 * do. control->step counts rows. */
int32_t cp_space_encode(cp_space space, cp_in_f64 *y /* [n, width] */, int64_t n, int64_t width, int32_t partial,
                        int32_t *dst /* [n, part_len] */, int64_t part_len, int32_t workers, cp_control *control,
                        int64_t *bad_row, char *err, int64_t err_cap);

/* Writes a name for each entry of ψ to dst[dst_cap], one a line, such as "0 before 1". Line breaks and other control
 * characters in names of items are written as in programs, "\n". Cost: O(d). control->step is not counted. */
int32_t cp_space_names(cp_space space, char *dst /* [dst_cap] */, int64_t dst_cap, int64_t *needed /* [1] */,
                       int32_t workers, cp_control *control, char *err, int64_t err_cap);

/* How entries of ψ stand for pairs of items: as cells of a matrix of items by items. */
typedef struct cp_layout {
  int64_t struct_size;
  char kind[16];   /* "order":       1 where the row's item is before the column's, -1 where it is behind it, or else 0,
                      "total order": the same, but never 0,
                      "directions":  1 for the arc from row to column, -1 for the reverse arc,
                      "arcs":        1 for the arc from row to column,
                      "edges":       1 for the edge between the two,
                      "cells":       1 where the row's item gets the column,
                      "":            entries stand for no pairs                                                */
  int64_t n_items; /* number of items, 0 where there are none                                                  */
  int64_t n_cells; /* number of entries that are cells, the first ones                                         */
} cp_layout;
#define CP_LAYOUT {.struct_size = sizeof(cp_layout)}

/* Writes the row and the column of the first layout->n_cells entries of ψ to rows[d] and columns[d]; what follows is
 * left as it is. For "routes", row n_items stands for the start and column n_items for the end. d must be the
 * structure's. Cost: O(d). control->step is not counted. */
int32_t cp_space_layout(cp_space space, cp_layout *layout, int32_t *rows /* [d] */, int32_t *columns /* [d] */,
                        int64_t d, int32_t workers, cp_control *control, char *err, int64_t err_cap);

/* Lists the outputs from the one with number skip on, at most capacity of them, in a fixed order: dst[capacity,
 * part_len]; *n_written gets how many were written, 0 past the end. CP_ECAPABILITY: the outputs cannot be listed. Cost:
 * O(skip + capacity) outputs. */
int32_t cp_space_enumerate(cp_space space, int64_t skip, int32_t *dst /* [capacity, part_len] */, int64_t capacity,
                           int64_t part_len, int64_t *n_written /* [1] */, int32_t workers, cp_control *control,
                           char *err, int64_t err_cap);

/* What conditions on the outputs of a structure are about. */
typedef enum cp_key {
  CP_KEY_FIRST = 0,
  CP_KEY_LAST = 1,
  CP_KEY_BEFORE = 2,
  CP_KEY_REQUIRED = 3,
  CP_KEY_FORBIDDEN = 4,
  CP_KEY_SIZE = 5,
  CP_KEY_START = 6,
  CP_KEY_END = 7,
  CP_KEY_LENGTH = 8,
  CP_KEY_WITHIN = 9
} cp_key;

/* Conditions on the outputs of rows, in terms of what outputs are made of; a row may have none. cp_catalogue lists the
 * keys of each structure and what they hold:
 *   rankings: the first and the last label, alone on its place, and pairs of labels of which one is before the other
 *   label sets, cliques, subtrees: required and forbidden members, and their number, the size
 *   cycles, routes: where they start and end, their length in places or vertices, and places and steps that are
 *     required or forbidden. A cycle that starts at a vertex passes there; with an end, too, that is the vertex before
 *     the start
 *   graphs, spanning trees, paths, assignments: required and forbidden edges, arcs or cells; and the length of paths
 *     in arcs
 *   hierarchies: the node within whose subtree the output lies, which may be that node itself
 * Sizes and lengths are a number, or the least and the largest one as a pair. */
typedef struct cp_conditions {
  int64_t struct_size;
  int64_t n;        /* 1: the conditions are those of all rows; or the number of rows                   */
  cp_in_i64 *first; /* [n + 1] ascending from 0: row i has the conditions from first[i] to first[i+1]−1 */
  cp_in_i32 *key;   /* [last(first, n)] CP_KEY_…. A list takes a condition for each of what it holds */
  cp_in_i32 *u;     /* [last(first, n)] the number, or the first one of a pair                      */
  cp_in_i32 *v;     /* [last(first, n)] the second one of a pair, −1 for a single number            */
} cp_conditions;
typedef const cp_conditions cp_in_conditions;
#define CP_CONDITIONS {.struct_size = sizeof(cp_conditions)}

/* What conditions say about entries of ψ, as cp_constraints holds it. Of cycles, routes, sets of a size and cliques
 * that is not all: they are also held to places, vertices, ends and numbers, and paths, if arcs are tied, to arcs. */
typedef struct cp_restriction {
  int64_t struct_size;
  int64_t n;         /* that of the conditions                                                        */
  int64_t *first;    /* [n + 1] where those of each row begin                                         */
  int64_t capacity;
  int32_t *feature;  /* [capacity] the entry of ψ                                                     */
  int8_t *value;     /* [capacity] −1, 0 or 1                                                         */
  int8_t *must;      /* [capacity] 1: it must have the value, 0: it must not                          */
  int64_t needed;    /* gets first[n]; where capacity is less, none of feature, value, must is written */
} cp_restriction;
#define CP_RESTRICTION {.struct_size = sizeof(cp_restriction)}

/* Checks the conditions of rows, and writes what they say about entries of ψ to restriction, which may be NULL.
 * cp_decode takes conditions as they are; it takes this to find best outputs by other means, such as integer programs.
 * CP_EVALUE with bad_row where a condition is illegal, contradicts another one or leaves too few members or places: the
 * message says which, and what to do. Where there is none, it may still be that no output satisfies the conditions.
 * CP_ECAPABILITY: the structure takes no conditions. control->step counts rows of conditions. */
int32_t cp_space_restrict(cp_space space, cp_in_conditions *conditions, cp_restriction *restriction /* ? */,
                          int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Writes y[n, part_len], outputs that satisfy conditions, to dst[n, part_len] as the conditions ask for: cycles from
 * their start to their end, as cp_decode lists them, and others as they are. Where a cycle without directions has one
 * of the two, a list with a start goes on to the smaller neighbour of the start, and a list with an end begins with
 * the smaller neighbour of the end. An output that is none, or does not satisfy the conditions of its row: CP_EVALUE
 * with bad_row. Illegal conditions are, too. control->step counts rows. */
int32_t cp_space_arrange(cp_space space, cp_in_conditions *conditions, cp_in_i32 *y /* [n, part_len] */, int64_t n,
                         int64_t part_len, int32_t *dst /* [n, part_len] */, int32_t workers, cp_control *control,
                         int64_t *bad_row, char *err, int64_t err_cap);

/* Makes the embeddings of n outputs from the values of a kernel between them, gram[n, n], such that their inner
 * products are those values, up to eigenvalues of at most 1e-10 of the largest: the float64 buffer of a "custom"
 * structure with members = n and d = *d. Entries of ψ belong to eigenvectors, the one of largest eigenvalue first;
 * psi[n, n] gets n·*d numbers, by rows of *d. A kernel that is not symmetric or not positive semi-definite, or has NaN
 * or infinite values: CP_EVALUE. Cost: O(n³). */
int32_t cp_custom_kernel(cp_in_f64 *gram /* [n, n] */, int64_t n, double *psi /* [n, n] */, int64_t *d /* [1] */,
                         int32_t workers, cp_control *control, char *err, int64_t err_cap);

/* Adds ψ of n uniform draws, psi[n, d], to sums[1 + d + 2·d·d], which are zero before the first call and belong to the
 * caller: the number of draws, and sums of products. n may be 0. moments[d + d·d] (NULL: not wanted) gets the averages,
 * which are the float64 buffer of a "custom" structure with members = 0 behind ln of the number of outputs, and
 * *standard_error (NULL, too) the largest standard error of an entry of the second moment; they take a draw at least.
 * NaN, infinite numbers, or more than 1e100 in psi: CP_EVALUE with bad_row, a row of psi. Nothing is added then. */
int32_t cp_custom_draws(cp_in_f64 *psi /* [n, d] */, int64_t n, int64_t d, double *sums /* [1 + d + 2 * d * d] */,
                        double *moments /* [d + d * d]? */, double *standard_error /* [1]? */, int32_t workers,
                        cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Checks whether psi[n, d] can be embeddings of outputs of a structure with moments: CP_EVALUE with bad_row, a row of
 * psi, where one leaves the mean in a direction in which the second moment has no variance, or is not finite; and
 * without where the moments are those of no distribution. n may be 0. Cost: O(d³) once for a structure, and then O(d r)
 * a row for r such directions. */
int32_t cp_custom_check(cp_space space, cp_in_f64 *psi /* [n, d] */, int64_t n, int64_t d, int32_t workers,
                        cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Checks whether draws of a sampler, or moves, agree with what is said of a structure: CP_EVALUE where they do not,
 * which a sampler that is uniform causes with probability 1e-6 at most, if no entry of ψ is larger than the largest
 * one drawn; with bad_row, a row of psi, where one is not finite. check is
 *   "moments"  averages over psi[n, d], the embeddings of draws, are about those of the structure
 *   "rank"     the structure has outputs enough for the rank of its covariance; psi is not looked at
 *   "count"    psi[n, d], the embeddings of draws, shows as many different ones as so many outputs do, where ψ is
 *              injective
 *   "moves"    psi[n, d] are changes of ψ by moves from uniform draws, times the probability of accepting them at
 *              scores of 0: their mean is 0
 * n is at least 1, but for "rank". CP_ECAPABILITY where the number of outputs, or moments, are not known. */
int32_t cp_custom_agree(cp_space space, cp_in_char *check, cp_in_f64 *psi /* [n, d] */, int64_t n, int64_t d,
                        int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* ---- Decoding ---------------------------------------------------------------------------------------------------- */

/* Scores of n rows: that of an output y is ⟨linear_i, ψ(y)⟩ + ⟨magnitude_i, ψ(y)²⟩, squares by entry.
 *
 * Rows are of the space of the call, or, with n_spaces, of spaces of their own, and that of the call is 0. Then the
 * scores of a row, its outputs and its embeddings are as long as its own space says, and those of a row begin where
 * those of the row before end: d is the number of all scores, part_len that of the parts of one output of every row,
 * and cp_estimates.d that of the entries of their ψ. Where an array is [n, d] or [n, part_len] it has d or part_len
 * entries in all; [n, capacity, part_len] becomes capacity·part_len, and
 * [n, part_len, part_len] the sum of the squares. Arrays of [n] are as ever, and bad_row is a row of all. What is found
 * for a row depends on no row of another space. Errors about a space are about the first of its rows. */
typedef struct cp_scores {
  int64_t struct_size;
  int64_t n, d;         /* d must be the structure's                                                   */
  cp_in_f64 *linear;    /* [n, d]                                                                      */
  int64_t n_magnitude;  /* 0: there is no such term, 1: it is the same for all rows, or n              */
  cp_in_f64 *magnitude; /* [n_magnitude, d] none where a distribution is made of the scores            */
  cp_in_i64 *streams;   /* [n]? numbers of the random streams of rows, for calls with a seed, such as hashes of what the
                           scores follow from, or NULL. NULL: a hash of the scores of each row; where outputs are
                           drawn or searched for, equal rows are told apart by their order, so that their draws are
                           independent, while cp_decode finds the same output for both                          */
  int64_t n_spaces;     /* 0: all rows are of the space of the call; otherwise how many spaces rows are of      */
  cp_in_space *spaces;  /* [n_spaces] one may be there several times, or for no row                            */
  cp_in_i32 *of;        /* [n]? the number of the space of each row, from 0 on; NULL: all are of the first       */
  cp_in_i64 *first;     /* [n]? where in linear, and in magnitude, the scores of each row begin, in any order and
                           with gaps; NULL: each where those of the row before end                              */
} cp_scores;
typedef const cp_scores cp_in_scores;
#define CP_SCORES {.struct_size = sizeof(cp_scores)}

/* Conditions on the outputs of rows: entries of ψ that must have a value, or must not. The entries of ψ must be −1, 0
 * or 1. */
typedef struct cp_constraints {
  int64_t struct_size;
  int64_t n;           /* 1: the conditions are those of all rows; or the number of rows                  */
  cp_in_i64 *first;    /* [n + 1] ascending from 0: row i has the conditions from first[i] to first[i+1]−1 */
  cp_in_i32 *feature;  /* [last(first, n)] the entry of ψ                                              */
  cp_in_i8 *value;     /* [last(first, n)] −1, 0 or 1                                                  */
  cp_in_i8 *must;      /* [last(first, n)] 1: it must have the value, 0: it must not                   */
} cp_constraints;
typedef const cp_constraints cp_in_constraints;
#define CP_CONSTRAINTS {.struct_size = sizeof(cp_constraints)}

typedef struct cp_decode_options {
  int64_t struct_size;
  cp_in_char *method; /* "auto":         exact where the structure can at its size, otherwise search
                         "exact":        exact, or CP_ECAPABILITY beyond its size
                         "local-search": the structure's local search; exact for structures without
                         "approx":       the guaranteed solution from which the search begins; likewise
                         "anneal":       the best output on a chain of cooling temperatures from there; likewise
                         "metropolis":   the best output on a chain of one temperature from there; likewise       */
  uint64_t seed;      /* of "anneal" and "metropolis". Each row has its own random stream, which follows from its
                         scores (see cp_scores.streams), for cp_predict from its features: the same seed gives a row
                         the same output, whatever workers and other rows                                          */
  cp_in_constraints *constraints; /* what outputs must satisfy, or NULL; "auto", "exact" and "local-search" only. Bounds
                                     are those of the outputs that satisfy them                                    */
  cp_in_conditions *conditions;   /* the same in terms of the structure, or NULL; not both. Cycles are listed as
                                     cp_space_arrange does                                                         */
} cp_decode_options;
typedef const cp_decode_options cp_in_decode_options;
#define CP_DECODE_OPTIONS {.struct_size = sizeof(cp_decode_options)}

/* What is known about decoded outputs: columns of length n, each of which may be NULL. */
typedef struct cp_certificates {
  int64_t struct_size;
  int64_t n;
  double *value;       /* [n]? the score reached                                */
  double *upper_bound; /* [n]? a proven bound on every score                    */
  double *nu;          /* [n]? the guarantee value >= (1-nu) max + nu min       */
  uint8_t *optimal;    /* [n]? 1: the output is proven optimal, 0: it is not    */
  uint8_t *met;        /* [n]? 1: the output satisfies the constraints; 0: none was found that does, and if optimal is 1
                          there is none. NULL: a row without such an output is CP_EVALUE with bad_row */
} cp_certificates;
typedef const cp_certificates cp_in_certificates;
#define CP_CERTIFICATES {.struct_size = sizeof(cp_certificates)}

/* For each row finds an output of largest score, and writes it to dst[n, part_len]. options and certificates may be
 * NULL.
 * NaN or infinite scores: CP_EVALUE with bad_row. control->step counts rows. All methods but "exact" poll
 * control->cancel every few milliseconds; "exact", and the exact attempt of "auto", between rows.
 * bad_row is a row of linear or magnitude; it comes with CP_ECAPABILITY, too, where a row is beyond exact decoding, and
 * with CP_EVALUE where its conditions are illegal. */
int32_t cp_decode(cp_space space, cp_in_scores *scores, cp_in_decode_options *options /* ? */,
                  int32_t *dst /* [scores.n, part_len] */, int64_t part_len, cp_in_certificates *certificates /* ? */,
                  int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* A search along Markov chains. The score of a proposal less that of the present output is its gain g; it is accepted
 * with probability min(1, exp(g/T)), which is min(1, α^g) for α = exp(1/T). Vembu (2010), ch. 7. */
typedef struct cp_search_options {
  int64_t struct_size;
  cp_in_char *method;      /* "anneal":     T falls from a bound R on the range of scores by the factor 1 − 1/√n from
                                            level to level, n being part_len, to R/(4n)² (the schedule of Kalai and
                                            Vempala, 2006)
                              "metropolis": one T, R/(10n)                                                         */
  cp_in_char *proposals;   /* "auto", as NULL: "local" where the structure has moves, otherwise "uniform"
                              "local":      the structure's local moves
                              "uniform":    uniform outputs                                                        */
  cp_in_f64 *temperatures; /* [n_levels] T in place of those of the method, above 0; "metropolis": one at most    */
  int64_t n_levels;        /* 0: those of the method. Levels have equal shares of the steps                        */
  double epsilon;          /* "anneal" without temperatures: above 0, T falls to epsilon / ln(|Y| / delta), at which
                              a draw is within epsilon of the largest score with probability 1 − delta. 0: not     */
  double delta;            /* with epsilon: between 0 and 1                                                        */
  int64_t steps;           /* of a run; 0: some 10^5, by part_len                                                  */
  int64_t runs;            /* independent ones, of which the best output is kept, at least 1; fewer where an output
                              is proven optimal                                                                    */
  uint64_t seed;           /* each row has its own random stream: see cp_scores.streams                            */
  cp_in_f64 *spread;       /* [scores.n]? of cp_search_start: bounds on the ranges of scores; NULL: 0              */
} cp_search_options;
typedef const cp_search_options cp_in_search_options;
#define CP_SEARCH_OPTIONS {.struct_size = sizeof(cp_search_options), .runs = 1}

/* What is known about a search: columns, each of which may be NULL. */
typedef struct cp_search_record {
  int64_t struct_size;
  int64_t n;
  double *value;       /* [n]? this and the next three as in cp_certificates                                       */
  double *upper_bound; /* [n]? +Inf where nothing is proven                                                        */
  double *nu;          /* [n]?                                                                                     */
  uint8_t *optimal;    /* [n]?                                                                                     */
  double *temperature; /* [n]? of the last level; NaN where no step was made                                       */
  int64_t *steps;      /* [n]? of all runs                                                                         */
  int64_t *accepted;   /* [n]? how many of them were accepted                                                      */
  double *success;     /* [n]? a bound from below on the probability of finding an output of largest score: 1 where one
                          is proven to be, 1 − (1 − 1/|Y|)^steps for uniform proposals, at any T, and else 0       */
} cp_search_record;
typedef const cp_search_record cp_in_search_record;
#define CP_SEARCH_RECORD {.struct_size = sizeof(cp_search_record)}

/* For each row of scores->linear searches for an output of largest score, and writes it to dst[n, part_len]. The first
 * run starts at what "approx" of cp_decode_options finds where the structure has a search, all others at uniform
 * outputs, or there, where none can be drawn. record may be NULL.
 * control->step counts runs of rows; control->cancel is polled every few milliseconds.
 * CP_ECAPABILITY: the structure lacks the proposals, or its number of outputs is not known for epsilon, or its scores
 * have no bound for temperatures of the method. bad_row is a row of linear, and comes with CP_ECAPABILITY, too. */
int32_t cp_search(cp_space space, cp_in_scores *scores, cp_in_search_options *options,
                  int32_t *dst /* [scores.n, part_len] */, int64_t part_len, cp_in_search_record *record /* ? */,
                  int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Outputs of a caller's own, numbered from 0 on, at which runs or chains start. */
typedef struct cp_starts {
  int64_t struct_size;
  int64_t n;      /* outputs                                                                                       */
  int64_t d;      /* entries of ψ                                                                                  */
  cp_in_f64 *psi; /* [n, d]                                                                                        */
  int64_t moves;  /* 1: the caller has moves of its own, for "local" of cp_chain_start; 0: it has none. No matter for
                     cp_search_start, which says by proposals what it asks for                                     */
} cp_starts;
typedef const cp_starts cp_in_starts;
#define CP_STARTS {.struct_size = sizeof(cp_starts)}

/* Opens a session that does the same where only the caller knows the outputs of rows: it asks with CP_ASK_MOVES, whose
 * results are ψ, for moves or, with "uniform", for uniform outputs. Each request has a move of every run of every
 * row, or uniform outputs for several steps. starts has the outputs where runs start: the first runs of all rows, then
 * the second ones, and so on; those for which there is none start at uniform outputs.
 * Temperatures follow from options->spread, with d in place of part_len; if that is 0, moves that lose nothing are
 * accepted, whatever log_ratio is, as they are at a temperature of 0, which may be given. best gets the numbers of the
 * best outputs. steps is not 0; value, temperature, steps, accepted and, for "uniform", success are written to record.
 * control->step counts steps. CP_ECAPABILITY: the number of outputs is not known for epsilon. bad_row is a row of
 * linear or spread; from cp_session_next, it is one whose move led to numbers that are not finite. */
int32_t cp_search_start(cp_space space, cp_in_scores *scores, cp_in_search_options *options,
                        cp_in_starts *starts, int64_t *best /* [scores.n] */, cp_search_record *record /* ? */,
                        cp_session *session /* [1] */, int32_t workers, cp_control *control, int64_t *bad_row,
                        char *err, int64_t err_cap);

typedef struct cp_kbest_options {
  int64_t struct_size;
  cp_in_char *method; /* "auto":         in descending order of scores, by the first of the next three that is
                                         possible
                         "combinations": where entries of ψ are independent: combinations of their values, from a
                                         heap
                         "sort":         all outputs, sorted; "auto" takes it where they are few
                         "partition":    by partitioning the space around each output found, with at most d exact
                                         decodings for each; the entries of ψ must be −1, 0 or 1
                         "siblings":     the better output of each two whose ψ add up to twice the mean, in no order
                                         and without decoding; nu is not looked at
                         "unordered":    "siblings" where outputs come in pairs of the same total score and nu is
                                         1/2, otherwise "auto"                                                    */
  double nu;          /* outputs are listed whose score is at least (1−nu) max + nu min: from 0 to 1, 1 lists all */
  int64_t skip;       /* how many outputs are passed over at the beginning, up to 2^40                            */
  int64_t most;       /* of cp_kbest_start: how many outputs are wanted, up to 2^40; 0: all                       */
  int64_t row;        /* of cp_kbest_start: a row of scores                                                       */
  int64_t rows;       /* of cp_kbest_start: 0, or most rows that the caller decodes at a time, up to 2^28         */
  cp_in_conditions *conditions; /* what outputs must satisfy, or NULL, as it is where the caller decodes; nu is about
                                   those that do. Cycles are listed as cp_space_arrange does                      */
} cp_kbest_options;
typedef const cp_kbest_options cp_in_kbest_options;
#define CP_KBEST_OPTIONS {.struct_size = sizeof(cp_kbest_options), .nu = 1.0}

/* Outputs in descending order of their scores. */
typedef struct cp_kbest_list {
  int64_t struct_size;
  int64_t n, capacity, part_len;
  int32_t *parts;  /* [or(scores.n, n), capacity, part_len] the outputs */
  double *value;   /* [n, capacity]? their scores; may be NULL             */
  int64_t *count;  /* [n] how many there are for each row, up to capacity  */
  char method[16]; /* gets the method by which those of row 0 were listed  */
} cp_kbest_list;
#define CP_KBEST_LIST {.struct_size = sizeof(cp_kbest_list)}

/* Lists the outputs of largest score for each row. Of several outputs with equal ψ, which no score tells apart, only
 * one is listed; ties come in a fixed order. With "siblings" the outputs are those of at least half of the range of
 * scores. options may be NULL. Cost of the k-th output: O(d + log k) by "combinations"; at most d decodings by
 * "partition". CP_ECAPABILITY where the structure has no exact decoder at its size, or ψ has other entries. NaN or
 * infinite scores: CP_EVALUE with bad_row. control->step counts decodings; control->cancel is polled between them, and
 * while outputs are listed. bad_row is a row of scores. */
int32_t cp_kbest(cp_space space, cp_in_scores *scores, cp_in_kbest_options *options /* ? */, cp_kbest_list *list,
                 int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Opens a session that lists the outputs of largest score for one row of scores, one for each CP_ASK_LISTED, with a
 * value. With options->rows the caller decodes, by "partition": each CP_ASK_DECODE asks for up to so many outputs of
 * largest score among all that there are, as cp_decode with "exact" finds them; these may be some of those of the
 * structure only. Everything else is as for cp_kbest: control->step, too, and the cost of the k-th output. bad_row is
 * the row, or one of the answers. */
int32_t cp_kbest_start(cp_space space, cp_in_scores *scores, cp_in_kbest_options *options /* ? */,
                       cp_session *session /* [1] */, int32_t workers, cp_control *control, int64_t *bad_row, char *err,
                       int64_t err_cap);

/* Opens a session that finds a set of edges of large weight among those with a property that only the caller can tell,
 * and that is hereditary: a set keeps it when edges are taken away. The empty set must have it. weights[n_edges] are
 * finite. CP_ASK_HOLDS asks for verdicts on most sets at a time, which is at least 20. With CP_ASK_DONE the first of
 * parts[n, n_edges] is the set, value its weight, and bound a proven bound on that of all sets with the property, equal
 * where it is a best one; but where n is 2, the property is not hereditary: the first set has it, the second, a part of
 * that, has not. decoder, NULL for "auto", is
 *   "auto"          exact up to 20 edges of positive weight that have the property alone, by at most exponentially many
 *                   questions; beyond in blocks of 16, whose best sets are improved by local search: with b blocks the
 *                   weight is at least 1/b of the largest
 *   "exact"         CP_ECAPABILITY beyond 20 such edges
 *   "local-search"  in blocks beyond 16 */
int32_t cp_hereditary_start(cp_in_f64 *weights /* [n_edges] */, int64_t n_edges, cp_in_char *decoder, int64_t most,
                            cp_session *session /* [1] */, int32_t workers, cp_control *control, char *err,
                            int64_t err_cap);

/* ---- The distributions p(y) ∝ exp⟨s, ψ(y)⟩ ----------------------------------------------------------------------- */

/* For each row s of scores->linear[n, d] writes ln Σ_y exp⟨s, ψ(y)⟩, a sum over all outputs, to log_z[n], and the
 * marginals E ψ under p(y) ∝ exp⟨s, ψ(y)⟩, which are the gradient of ln Z, to marginals[n, d] (NULL: not wanted). Exact
 * up to rounding, for scores of any finite size. cp_space_facts tells how it is done and how long it takes.
 *
 * Under conditions (NULL: none), of one row or n, p is the distribution on the outputs that satisfy those of the row,
 * and the sum is over these. Entries of ψ that conditions decide have exactly the value that is left to them.
 *
 * What else there is to know about p follows from both: ln p(y) = ⟨s, ψ(y)⟩ − ln Z; the entropy is ln Z − ⟨s, E ψ⟩, in
 * nats; the gradient of −ln p(y) in s is E ψ − ψ(y); and the Kullback–Leibler divergence from p to the distribution q
 * of scores t is ⟨s − t, E ψ⟩ − ln Z(s) + ln Z(t).
 *
 * CP_ECAPABILITY where the structure is too large for both engines, or takes no conditions. NaN or infinite scores,
 * illegal conditions, or some that no output satisfies: CP_EVALUE with bad_row. control->step counts rows;
 * control->cancel is polled between rows, and within rows that take long.
 * bad_row is a row of scores or of conditions. */
int32_t cp_log_partition(cp_space space, cp_in_scores *scores, cp_in_conditions *conditions /* ? */,
                         double *log_z /* [scores.n] */, double *marginals /* [scores.n, scores.d]? */,
                         int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* For each row s of scores->linear[n, d] writes the probability that item u is at position r + 1 under
 * p(y) ∝ exp⟨s, ψ(y)⟩ to dst[n, part_len, part_len], at [u, r], for "permutations". Exact up to rounding. Conditions
 * are as for cp_log_partition. CP_ECAPABILITY for other structures, and beyond 20 items. NaN or infinite scores:
 * CP_EVALUE with bad_row, a row of scores or of conditions. control is as for cp_log_partition. */
int32_t cp_order_positions(cp_space space, cp_in_scores *scores, cp_in_conditions *conditions /* ? */, double *dst,
                           int64_t part_len, int32_t workers, cp_control *control, int64_t *bad_row, char *err,
                           int64_t err_cap);

/* For each row s of scores->linear[n, d] writes to dst[n, part_len] the label set of least expected loss under
 * p(y) ∝ exp⟨s, ψ(y)⟩, for "labelsets", and to value[n] (NULL: not wanted) what it is expected to be worth. loss is
 *   "f1"       F1 of the set, which is 1 where it and y are both empty; the default
 *   "ranking"  minus the share of pairs, of a label in y and one that is not, that the set puts in the wrong order; a
 *              pair that is in the set, or is not, counts half. 0 where y is empty or has all labels
 * Exact up to rounding, by Waegeman et al. (2014). Under conditions (NULL: none), of one row or n, the best of the sets
 * that satisfy them is chosen, while p remains the distribution on all. Cost of a row of d labels, with K the largest
 * size that occurs and h that of the set: O(d K log d + d K h + d h log d).
 * CP_ECAPABILITY for other structures. NaN or infinite scores, illegal conditions: CP_EVALUE with bad_row.
 * control->step counts rows. bad_row is a row of scores or of conditions. */
int32_t cp_sets_decide(cp_space space, cp_in_scores *scores, cp_in_char *loss, cp_in_conditions *conditions /* ? */,
                       int32_t *dst /* [scores.n, part_len] */, int64_t part_len, double *value /* [scores.n]? */,
                       int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Writes to value[n] what the sets y[n, part_len] are expected to be worth, as for cp_sets_decide. control->step counts
 * rows. bad_row is a row of scores or y. */
int32_t cp_sets_value(cp_space space, cp_in_scores *scores, cp_in_char *loss, cp_in_i32 *y /* [scores.n, part_len] */,
                      int64_t part_len, double *value /* [scores.n] */, int32_t workers, cp_control *control,
                      int64_t *bad_row, char *err, int64_t err_cap);

/* ---- Sets of outputs with a guarantee ---------------------------------------------------------------------------- */

/* Let m(x, y) be the least marginal probability of the parts of y under the distribution that a model predicts for x,
 * and the set of x for a threshold q all outputs with m(x, y) ≥ q. It is a mask: what is less probable than q is
 * forbidden. With q the ⌊α(n + 1)⌋-th smallest of m(x_i, y_i) for n rows that the model has not seen, the set
 * of a new row holds its output with probability 1 − α at least, whatever the model, if all rows are exchangeable
 * (split conformal prediction). Parts are
 *   of rankings, with ties or not, and tournaments: what there is between each pair: the one before, the other, neither
 *   of classes, grades, nodes and elements: the output itself
 *   of others whose ψ holds zeros and ones: each entry, whether it is 1 or 0
 * Of partial orders, directed cycles and "custom" structures with other entries E ψ does not tell the probabilities
 * of parts: CP_ECAPABILITY. */

/* Writes m(x, y) to least[n], from 0 to 1, given expected[n, d], which are E ψ, and outputs y[n, part_len].
 * An output that is none, or a marginal that is none, such as NaN: CP_EVALUE with bad_row. control->step counts rows.
 * Cost: O(d) for each row. bad_row is a row of expected or y. */
int32_t cp_conformal_least(cp_space space, cp_in_f64 *expected /* [n, d] */, int64_t n, int64_t d,
                           cp_in_i32 *y /* [n, part_len] */, int64_t part_len, double *least /* [n] */,
                           int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Sets of n rows. */
typedef struct cp_conformal_sets {
  int64_t struct_size;
  int64_t n, d;
  cp_in_f64 *marginals;  /* [n, d] E ψ                                       */
  cp_in_f64 *thresholds; /* [n] q of each row; one of 0 or less allows all   */
} cp_conformal_sets;
typedef const cp_conformal_sets cp_in_conformal_sets;
#define CP_CONFORMAL_SETS {.struct_size = sizeof(cp_conformal_sets)}

/* Writes to inside[n] whether the set of each row contains the output y[n, part_len]: 1 or 0. Under conditions (NULL:
 * none), of one row or n, sets hold only outputs that satisfy those of the row. An output that is none, or a marginal
 * or threshold that is none, or illegal conditions: CP_EVALUE with bad_row. control->step counts rows.
 * bad_row is a row of sets, conditions or y. */
int32_t cp_conformal_contains(cp_space space, cp_in_conformal_sets *sets, cp_in_conditions *conditions /* ? */,
                              cp_in_i32 *y /* [sets.n, part_len] */, int64_t part_len, uint8_t *inside /* [sets.n] */,
                              int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Writes ln of the number of outputs in each set to log_size[n], −INFINITY for a set without any. Conditions and errors
 * are as for cp_conformal_contains; CP_ECAPABILITY where the structure is too large for cp_log_partition, by which
 * outputs are counted that have no formula. control->step counts rows. bad_row is a row of sets or conditions. */
int32_t cp_conformal_sizes(cp_space space, cp_in_conformal_sets *sets, cp_in_conditions *conditions /* ? */,
                           double *log_size /* [sets.n] */, int32_t workers, cp_control *control, int64_t *bad_row,
                           char *err, int64_t err_cap);

/* Writes which values the entries of ψ may have in each set to allowed[n, d]: the sum of 1 for −1, 2 for 0 and 4 for
 * 1; 0 where none is left, so that the set is empty. Where outputs are one class, grade, node or element, entries stand
 * for these: 6 for those in the set, 4 for the only one, 2 for others. Conditions say more than entries hold where they
 * are about sizes and ends. Otherwise they, and errors, are as for cp_conformal_contains. control->step counts rows.
 * bad_row is a row of sets or conditions. */
int32_t cp_conformal_allowed(cp_space space, cp_in_conformal_sets *sets, cp_in_conditions *conditions /* ? */,
                             uint8_t *allowed /* [sets.n, sets.d] */, int32_t workers, cp_control *control,
                             int64_t *bad_row, char *err, int64_t err_cap);

/* Draws n_samples outputs from each set, independent and equally probable, to dst[n, n_samples, part_len]. The seed and
 * the number of a row decide. Cycles are listed as cp_space_arrange does. An empty set: CP_EVALUE with bad_row.
 * Conditions and other errors are as for cp_conformal_sizes. control->step counts rows. bad_row is a row of sets or
 * conditions. */
int32_t cp_conformal_sample(cp_space space, cp_in_conformal_sets *sets, cp_in_conditions *conditions /* ? */,
                            uint64_t seed, int32_t *dst /* [sets.n, n_samples, part_len] */, int64_t n_samples,
                            int64_t part_len, int32_t workers, cp_control *control, int64_t *bad_row, char *err,
                            int64_t err_cap);

/* ---- Sampling ---------------------------------------------------------------------------------------------------- */

typedef struct cp_chain_options {
  int64_t struct_size;
  cp_in_char *method;   /* "auto":      the first of "exact", "monotone", "cftp", "local" and "meta" that the structure
                                       has and that is not expected to take long; with start a chain
                           "chain":     the first of "local" and "meta" that the structure has
                           "exact":     exact: by the recursion of cp_log_partition, or a list
                           "meta":      a Markov chain of uniform proposals; needs a uniform sampler
                           "local":     a Markov chain of the structure's local moves
                           "cube":      a Markov chain that puts single elements in or out; lattices of sets only
                           "cftp":      exact: coupling from the past for "meta"
                           "rejection": exact: rejection sampling from uniform proposals
                           "monotone":  exact: monotone coupling from the past by the heat bath; sets only */
  int64_t n_samples;    /* for each row; 0: nothing is drawn but what diagnostics take                    */
  int64_t burn_in;      /* steps before the first sample, at least 0                                      */
  int64_t thin;         /* steps from sample to sample, at least 1                                        */
  int64_t budget;       /* most steps of an exact sample, at least 1                                      */
  uint64_t seed;
  cp_in_i32 *start;     /* where chains begin, [n, part_len], diagnosed [n, 4, part_len]; or NULL             */
  cp_in_f64 *bound;     /* [or(scores.n, 1)]? bounds on the scores of all outputs, or NULL                */
  int64_t diagnosed;    /* 1: chains are measured first, and tell burn_in and thin                        */
  int64_t n_rows;       /* "auto": rows of all calls, by which the time of "exact" is told; n where less  */
  double exact_seconds; /* "auto": of one processor, for "exact"                                          */
} cp_chain_options;
typedef const cp_chain_options cp_in_chain_options;
#define CP_CHAIN_OPTIONS \
  {.struct_size = sizeof(cp_chain_options), .n_samples = 1, .burn_in = 1000, .thin = 1, .budget = 1000000, \
   .exact_seconds = 300}

/* What is known about the samples: columns, each of which may be NULL. */
typedef struct cp_chain_record {
  int64_t struct_size;
  int64_t n, n_samples;
  double *value;                /* [n, n_samples]? the score of each sample                                    */
  int64_t *steps;               /* [n, n_samples]? made for it alone: since the sample before; how far back coupling
                                   went; proposals; 1                                                          */
  int64_t *accepted;            /* [n, n_samples]? how many of these were accepted                             */
  int64_t *total;               /* [n]? diagnosed: steps in all; this and what follows of chains only          */
  int64_t *spacing;             /* [n]? steps between samples; without samples between draws of the diagnostics */
  double *acceptance;           /* [n]? share of the steps of the four chains that were accepted               */
  double *effective_size;       /* [n]? how many independent draws the 256 of the four chains are worth        */
  double *r_hat;                /* [n]? split potential scale reduction factor; above 1.1 chains have not met  */
  double *autocorrelation_time; /* [n]? steps that are worth one independent draw                              */
  double *autocorrelation;      /* [n]? between scores that are spacing steps apart                            */
  double *mixing_bound;         /* [n]? steps to total variation 0.01, proven; infinite where none is known    */
  char method[16];              /* gets the method taken for the first of the spaces that have rows            */
} cp_chain_record;
#define CP_CHAIN_RECORD {.struct_size = sizeof(cp_chain_record)}

/* For each row i of scores->linear[n, d] draws n_samples outputs y from p(y) proportional to exp ⟨linear_i, ψ(y)⟩ and
 * writes them to dst[n, n_samples, part_len]. Lattices of sets are "labelsets" without a size, "graphs" and "subtrees"
 * without a size.
 *
 * "meta", "local", "cube": one chain for each row. The first sample follows burn_in + thin steps after the start, the
 * others thin steps after the one before. start NULL: in a uniform output, or the guaranteed solution of structures
 * without a uniform sampler. Successive samples are dependent, and have the distribution p in the limit only.
 * "cftp", "rejection", "monotone": independent samples of exactly p; start must be NULL. "cftp" and "rejection" need a
 * bound on the scores of all outputs: bound[n], or NULL for the largest score by the exact decoder, or what the
 * guaranteed solution certifies beyond its size. They make 1/E exp(score − bound) proposals a sample on average, E
 * under the uniform distribution. A bound below the score of an output that is drawn is CP_EVALUE. Other methods take
 * NULL. No sample takes more than budget steps ("cftp": and no more than 2^26, of 32 bytes each): CP_EBUDGET.
 *
 * "exact": independent samples of exactly p; neither start nor bound. "auto" takes it where all rows take no more than
 * exact_seconds, else "monotone"; where structures have neither, "cftp" if 64 uniform outputs say that it takes few
 * proposals, and else a chain, as where coupling does not end within the budget.
 *
 * diagnosed = 1: four chains are run for each row, with more and more steps between draws as long as they mix slowly.
 * The first of them goes on and draws the samples, 1.5 times the longest autocorrelation time of all rows apart, of a
 * space;
 * burn_in and thin are not used. With n_samples = 0 it is left at that. "cftp" without prospect by 4096 uniform outputs
 * is CP_EBUDGET at once.
 *
 * Under conditions (NULL: none), of one row or n, p is the distribution on the outputs that satisfy those of the row,
 * which only "exact" draws from; "auto" is "exact" there. Cycles are listed as cp_space_arrange does.
 *
 * With n = 0, or n_samples = 0 and diagnosed = 0, nothing is done but to tell the method, and CP_ECAPABILITY.
 *
 * burn_in, thin and budget are at most 2^40; methods that do not use them ignore their values. The seed decides on
 * everything: each row (cp_scores.streams), and sample j of exact methods, have their own random streams, so that
 * results depend neither on workers nor, unless diagnosed, on other rows, nor, for exact methods, on n_samples. record
 * may be NULL.
 * CP_ECAPABILITY: the structure lacks what the method needs. NaN or infinite scores, illegal conditions, or some that
 * no output satisfies: CP_EVALUE with bad_row.
 * control->step counts rows, for exact methods blocks of 16 samples; control->cancel is polled every few milliseconds,
 * in exact decoding between rows.
 * bad_row is a row of scores, conditions, start or bound; it comes with CP_EBUDGET and CP_ECAPABILITY, too. */
int32_t cp_chain_sample(cp_space space, cp_in_scores *scores, cp_in_conditions *conditions /* ? */,
                        cp_in_chain_options *options, int32_t *dst /* [scores.n, options.n_samples, part_len] */,
                        int64_t part_len, cp_chain_record *record /* ? */, int32_t workers, cp_control *control,
                        int64_t *bad_row, char *err, int64_t err_cap);

/* Writes to bound[n] after how many steps a chain is within epsilon (between 0 and 1) of its distribution for each row
 * of scores->linear in total variation, from any start; method is "meta", as NULL, "local" or "cube". It is proven, and
 * infinite where nothing is: for "meta" from the range of scores, for "cube" on all subsets, for "local" from that and
 * the spectrum of the moves, where it is known ("labelsets", "cliques", "graphs" without a property, "permutations",
 * "assignments", "tournaments", "multiclass", "ordinal", "posetelements" and lists of outputs). control->step is not
 * set. control->cancel is polled between rows. bad_row is a row of linear. */
int32_t cp_mixing_bound(cp_space space, cp_in_scores *scores, cp_in_char *method, double epsilon,
                        double *bound /* [scores.n] */, int32_t workers, cp_control *control, int64_t *bad_row,
                        char *err, int64_t err_cap);

/* What n quantities recorded along chains with one stationary distribution say about them: x[n, n_chains, n_draws]. For
 * each, writes to effective_size[n] of how many independent draws its mean over all chains is worth (Geyer's initial
 * monotone sequence, over the halves of the chains), and to r_hat[n] the split potential scale reduction factor,
 * without ranks. Both are NaN for constant numbers and for fewer than 4 draws. autocorrelation[n, n_chains, n_lags]
 * gets the autocorrelations of each chain at lags 0 to n_lags - 1 < n_draws; n_lags may be 0. CP_EVALUE where there
 * are more, and for numbers that are not finite. control->step counts quantities. */
int32_t cp_chain_diagnose(cp_in_f64 *x /* [n, n_chains, n_draws] */, int64_t n, int64_t n_chains, int64_t n_draws,
                          double *effective_size /* [n] */, double *r_hat /* [n] */,
                          double *autocorrelation /* [n, n_chains, n_lags] */, int64_t n_lags, int32_t workers,
                          cp_control *control, char *err, int64_t err_cap);

/* Writes n_samples independent, exactly uniform linear extensions of a partial order on the elements 0 to
 * n_elements - 1 (at most 2048) to dst[n_samples, n_elements]: the elements, first to last. pairs[n_pairs, 2]: the
 * first of each pair comes before the second; what follows from that is understood, and relations that go round in a
 * circle are CP_EVALUE. Methods:
 *   "auto"      by counting where that is possible, otherwise by coupling
 *   "counting"  by a table of downsets, at most 2^22 for each connected component, or CP_ECAPABILITY
 *   "coupling"  by coupling from the past with Huber's bounding chain
 * steps ([n_samples] or NULL) gets how many steps coupling took, 0 without. Sample j has its own random stream.
 * control->step counts samples. */
int32_t cp_extensions_sample(cp_in_i32 *pairs /* [n_pairs, 2] */, int64_t n_pairs, int64_t n_elements,
                             cp_in_char *method, uint64_t seed, int32_t *dst /* [n_samples, n_elements] */,
                             int64_t n_samples, int64_t *steps /* [n_samples]? */, int32_t workers, cp_control *control,
                             char *err, int64_t err_cap);

/* How exactly cp_extensions_count counts. */
typedef struct cp_extensions_options {
  int64_t struct_size;
  double epsilon;        /* between 0 and 1: the number is within the factors 1 - epsilon and 1 + epsilon ...; or 0:
                            the number is exact, or CP_ECAPABILITY                                            */
  double delta;          /* ... with probability at least 1 - delta, between 0 and 1                          */
  int64_t most_downsets; /* 1 to 2^24: what has no more is counted exactly                                    */
  uint64_t seed;
} cp_extensions_options;
typedef const cp_extensions_options cp_in_extensions_options;
#define CP_EXTENSIONS_OPTIONS \
  {.struct_size = sizeof(cp_extensions_options), .epsilon = 0.1, .delta = 0.05, .most_downsets = 2097152}

/* What cp_extensions_count has found. */
typedef struct cp_extensions_info {
  int64_t struct_size;
  double log_count;  /* natural logarithm of the number                                                             */
  int64_t n_levels;  /* elements that were taken away one by one before the rest was counted; 0: the number is exact */
  int64_t n_samples; /* linear extensions drawn                                                                     */
} cp_extensions_info;
#define CP_EXTENSIONS_INFO {.struct_size = sizeof(cp_extensions_info)}

/* Counts the linear extensions of a partial order, given as for cp_extensions_sample. dst[dst_cap] gets their number,
 * rounded where it is estimated, as cp_space_count writes it; log_count is not rounded. dst may be NULL with dst_cap =
 * 0 where *info is enough, and info may be NULL. options NULL: the defaults.
 *
 * Posets are taken apart where no relation joins parts, and where all of one part is before all of another; what is
 * left may have up to 64 elements and most_downsets downsets, over which the work goes. Beyond that the number is
 * estimated with guaranteed error, or with epsilon = 0 it is CP_ECAPABILITY. For an estimate elements are taken away
 * one by one: the share of orders that end, or begin, with one follows from draws by coupling from the past, about 2
 * n_levels ln(2/delta) / epsilon^2 of which end so for each. The seed decides on everything. control->step counts
 * connected components, or draws; control->cancel is polled every few milliseconds. */
int32_t cp_extensions_count(cp_in_i32 *pairs /* [n_pairs, 2] */, int64_t n_pairs, int64_t n_elements,
                            cp_in_extensions_options *options /* ? */, char *dst /* [dst_cap] */, int64_t dst_cap,
                            int64_t *needed /* [1] */, cp_extensions_info *info /* ? */, int32_t workers,
                            cp_control *control, char *err, int64_t err_cap);

/* Writes to dst[n_elements, n_elements] the probability that u comes before v, at [u, v], in a uniform linear extension
 * of a partial order, given as for cp_extensions_sample: exact up to rounding, 0 on the diagonal. Extensions are
 * counted for each pair of elements that the order leaves open, with that pair added, under the limits of
 * cp_extensions_count. control->step counts these pairs, after the connected components. */
int32_t cp_extensions_before(cp_in_i32 *pairs /* [n_pairs, 2] */, int64_t n_pairs, int64_t n_elements,
                             int64_t most_downsets, double *dst /* [n_elements, n_elements] */, int32_t workers,
                             cp_control *control, char *err, int64_t err_cap);

/* ---- Estimates from draws ---------------------------------------------------------------------------------------- */

typedef struct cp_estimate_options {
  int64_t struct_size;
  cp_in_char *method;   /* of ln Z:
                           "auto":     "exact" where that is expected to take no more than exact_seconds, else
                                       "annealed"
                           "exact":    as cp_log_partition
                           "annealed": estimated from draws, within a factor of 1 ± epsilon with probability 1 −
                                       delta
                           "taylor":   approximated for small scores from the mean and the covariance of ψ over all
                                       outputs
                           of E ψ:
                           "samples":  averages over draws from p, each entry to ± epsilon
                           "counting": quotients of annealed sums, to epsilon relative to the distance of an entry
                                       from low: also for entries that are nearly always there. d + 1 times the work,
                                       and more
                           "chains":   averages along Markov chains, until confidence intervals are ± epsilon
                           of ln of the number of outputs, whatever the scores:
                           "repeats":  from repeats among up to max_steps uniform draws                              */
  cp_in_char *sampler;  /* "auto": the first of "monotone", "exact", "cftp", "local" and "meta" that the structure
                           has and that is expected to need no more than max_steps; "monotone", "exact",
                           "cftp", "rejection", "local", "meta", "cube": see cp_chain_options                        */
  cp_in_char *schedule; /* "adaptive": levels found from draws, as far apart as tests that prove a bound on the
                                       variance allow
                           "uniform":  3 for each unit of half the range of scores
                           "thesis":   3 for each unit of max ‖ψ‖ ‖s‖, or of bound, with the printed number of draws */
  double epsilon;       /* between 0 and 1                                                                           */
  double delta;         /* likewise; each row on its own                                                             */
  int64_t max_steps;    /* of chains, or proposals, for a row: 1 to 2^40                                             */
  uint64_t seed;        /* each row has its own random stream: see cp_scores.streams                                 */
  double exact_seconds; /* of one processor                                                                          */
  int64_t plain;        /* 1: "taylor" expands exp⟨s, ψ⟩ in place of exp⟨s, ψ − mean⟩                                */
  cp_in_f64 *bound;     /* [or(scores.n, supplied.n)]? what no |⟨s, ψ(y)⟩| of a row exceeds; NULL: what is proven  */
  cp_in_f64 *low;       /* [or(scores.d, supplied.d)]? least values of entries; NULL, as high: by decoding */
  cp_in_f64 *high;      /* [or(scores.d, supplied.d)]? and the largest                                           */
} cp_estimate_options;
typedef const cp_estimate_options cp_in_estimate_options;
#define CP_ESTIMATE_OPTIONS \
  {.struct_size = sizeof(cp_estimate_options), .epsilon = 0.1, .delta = 0.05, .max_steps = 100000000, \
   .exact_seconds = 300}

/* What is found: columns of n rows, each of which may be NULL. Functions write those that they say. */
typedef struct cp_estimates {
  int64_t struct_size;
  int64_t n, d;            /* as in the scores                                                                     */
  double *value;           /* [n]? ln Z                                                                            */
  double *lower;           /* [n]? bounds on it                                                                    */
  double *upper;           /* [n]?                                                                                 */
  double *marginals;       /* [or(scores.n, n), d]? E ψ                                                            */
  double *error;           /* [or(scores.n, n), d]? bounds on the errors of these                                  */
  uint8_t *guaranteed;     /* [n]? 1: bounds hold, with probability 1 − delta for estimates; 0: they rest on chains */
  int64_t *samples;        /* [n]? outputs drawn                                                                   */
  int64_t *steps;          /* [n]? steps of chains, or proposals, made for these                                   */
  int64_t *accepted;       /* [n]? how many of these were accepted                                                 */
  int64_t *level_samples;  /* [n]? draws in each batch of each repeat                                              */
  int64_t *repeats;        /* [n]? of which the median is taken                                                    */
  double *effective_share; /* [n]? effective sample size over number of draws, at the level where that is smallest */
  double *r_hat;           /* [n]? the largest split potential scale reduction factor                              */
  char *sampler;           /* [n, 16]? names, which end in NUL                                                     */
  char *why;               /* [n, 256]? why chains should not be trusted, cut to fit; empty where they can be      */
  int64_t *first_level;    /* [n + 1]? where the levels of each row begin in levels                                */
  double *levels;          /* [levels_cap]                                                                         */
  int64_t levels_cap;
  int64_t levels_needed;   /* gets the number of all levels; where levels_cap is less, none is written             */
  double *expansion;       /* [n]? "taylor": its value, which may be outside of the bounds                         */
  double *spread;          /* [n]? "taylor": bounds on |⟨s, ψ(y) − mean⟩|, which should be 1 at most; NaN: unknown */
  double *variance;        /* [n]? "taylor": of ⟨s, ψ(y)⟩ over all outputs                                         */
  char method[16];         /* gets the method taken                                                                */
} cp_estimates;
#define CP_ESTIMATES {.struct_size = sizeof(cp_estimates)}

/* For each row s of scores->linear[n, d] writes ln Σ_y exp⟨s, ψ(y)⟩, exact, estimated or approximated, with bounds, to
 * value, lower and upper; or by the methods of E ψ estimates of that under p(y) ∝ exp⟨s, ψ(y)⟩ to marginals. options
 * may be NULL.
 *
 * "exact": lower and upper are value; marginals too. "annealed": from its value at scores of 0 through levels of scaled
 * scores; lower and upper are the logarithms of Z/(1 + epsilon) and Z/(1 − epsilon) for the estimate Z, and hold with
 * probability 1 − delta where samplers are exact; along chains only as far as their convergence can be judged. All
 * columns but error, expansion, spread and variance (and marginals) are written. "taylor": bounds always hold, value is
 * cut to them; marginals get the gradients; with expansion, spread and variance. Rows are decoded twice for the bounds,
 * but not where value, lower, upper and spread are all NULL.
 *
 * "samples", "counting", "chains": bounds on the errors of marginals, which hold together for a row, go to error; with
 * guaranteed, samples, steps, accepted, sampler, effective_share, r_hat and why. schedule is not used. "samples" takes
 * as many draws as Hoeffding's inequality asks for. "chains" takes one of the chains as sampler, and Student's
 * intervals of means of batches. "repeats": value, lower, upper, guaranteed, samples and repeats, those found among
 * the draws; bounds hold with probability 1 − delta.
 *
 * CP_ECAPABILITY: the structure is too large for "exact" or "repeats", does not know how many outputs it has, lacks
 * what sampler or schedule need, or has the moments of a larger space, for "taylor". CP_EBUDGET: an exact sampler was
 * not done within max_steps. NaN or infinite scores, or a bound below the score of an output: CP_EVALUE with bad_row.
 * control->step counts draws, control->value is the level of "annealed"; control->cancel is polled every few
 * milliseconds. Results do not depend on workers. bad_row is a row of scores or bound; it comes with CP_EBUDGET and
 * CP_ECAPABILITY, too. */
int32_t cp_estimate(cp_space space, cp_in_scores *scores, cp_in_estimate_options *options /* ? */, cp_estimates *dst,
                    int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* What the library knows of a space whose outputs only the caller knows, and rows of scores of ψ. */
typedef struct cp_supplied {
  int64_t struct_size;
  int64_t n;         /* rows of scores                                                      */
  int64_t d;         /* entries of ψ                                                        */
  cp_in_f64 *scores; /* [n, d]                                                              */
  cp_in_f64 *mean;   /* [d]? the mean of ψ over all outputs, for "counting", or NULL        */
  double log_count;  /* ln of the number of outputs; NaN where it is not known              */
  int64_t moves;     /* 1: the caller has moves of its own, for "local"; 0: it has none     */
} cp_supplied;
typedef const cp_supplied cp_in_supplied;
#define CP_SUPPLIED {.struct_size = sizeof(cp_supplied)}

/* Opens a session that estimates ln Z ("annealed"), E ψ ("samples", "counting", "chains") or the number of outputs
 * ("repeats") for each row of scores, as cp_estimate does, from outputs that the caller draws, independently and
 * exactly uniformly: it asks with CP_ASK_MOVES, whose results are ψ, for as many uniform outputs as it takes. At the
 * end dst is written, and the request has all levels in linear[n].
 * sampler is "auto", "meta", "cftp" or "rejection", the last two with a bound, or "local" with moves. A bound may be
 * infinite: there is none for the row. "annealed" needs log_count, and "samples" and "counting" low and high. Without
 * moves, numbers of outputs are used again. control is as for cp_estimate; from cp_session_next, bad_row is a row of
 * scores. */
int32_t cp_estimate_start(cp_in_supplied *supplied, cp_in_estimate_options *options /* ? */, cp_estimates *dst,
                          cp_session *session /* [1] */, int32_t workers, cp_control *control, char *err,
                          int64_t err_cap);

/* Opens a session that draws for each row of scores, as cp_chain_sample does by "meta", "rejection", "cftp" and
 * "local", where only the caller knows the outputs: it asks with CP_ASK_MOVES, whose results are ψ, for uniform
 * outputs and, if starts->moves is 1, for moves. dst[scores.n, options->n_samples] gets the numbers of the samples.
 * "auto" is "cftp" where bounds are given by which it takes few proposals, and else "meta", as is "chain"; to
 * choose, it asks for ψ of some outputs with CP_ASK_DRAWS. options->start[scores.n], diagnosed start[scores.n, 4],
 * has numbers of outputs where chains begin, and starts their ψ. options->bound[scores.n] is needed by "rejection"
 * and "cftp", which do the same. record may be NULL. control->step counts moves and uniform outputs. bad_row is a row
 * of linear, of bounds or of starts; from cp_session_next, it is one whose outputs led to numbers that are not finite,
 * or to a score above its bound. */
int32_t cp_chain_start(cp_space space, cp_in_scores *scores, cp_in_chain_options *options, cp_in_starts *starts,
                       int32_t *dst /* [scores.n, options.n_samples] */, cp_chain_record *record /* ? */,
                       cp_session *session /* [1] */, int32_t workers, cp_control *control, int64_t *bad_row,
                       char *err, int64_t err_cap);

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

/* Input features of n rows: dense, or (dense NULL) compressed sparse rows with nnz entries. */
typedef struct cp_features {
  int64_t struct_size;
  int64_t n, p;
  cp_in_char *type;   /* of the entries of dense: "float64", "float32", "int8", "uint8", "int16", "uint16", "int32",
                         "uint32", "int64" or "uint64"                                                            */
  cp_in_void *dense;  /* [reach(n, or(stride, p), p)]? row i begins at entry i·stride                              */
  int64_t stride;     /* 0: p                                                                                      */
  int64_t mapped;     /* 1: dense lies in a file that is mapped read-only, and the pages of rows that were read are
                         given back to the system; never set it for other memory, whose contents it may discard    */
  int64_t nnz;
  cp_in_f64 *data;    /* [nnz]?  */
  cp_in_i32 *indices; /* [nnz]?  */
  cp_in_i64 *indptr;  /* [n + 1]? */
} cp_features;
typedef const cp_features cp_in_features;
#define CP_FEATURES {.struct_size = sizeof(cp_features)}

/* A kernel of inputs. */
typedef struct cp_kernel_function {
  int64_t struct_size;
  cp_in_char *name; /* "linear":    ⟨x, x'⟩
                       "poly":      (gamma ⟨x, x'⟩ + coef0)^degree
                       "rbf":       exp(-gamma ‖x - x'‖²)
                       "laplacian": exp(-gamma ‖x - x'‖₁)
                       "cosine":    ⟨x, x'⟩ / (‖x‖ ‖x'‖), 0 for a row of zeros                  */
  double gamma;     /* positive, or 0 for one over the number of features; see cp_kernel_scale */
  double degree;    /* at least 0                                                              */
  double coef0;
} cp_kernel_function;
typedef const cp_kernel_function cp_in_kernel_function;
#define CP_KERNEL_FUNCTION {.struct_size = sizeof(cp_kernel_function), .degree = 3, .coef0 = 1}

/* Writes the kernel of each row of x with each row of y to values[x->n, y->n], whose type is "float64" or "float32";
 * they are computed in double precision either way. y = NULL stands for x: the matrix is then symmetric to the last
 * bit, its diagonal is exact, and it takes half the time. mapped is not looked at.
 * A kernel value that is NaN or infinite: CP_EVALUE, and the message names row and column. first is added to the
 * numbers of rows of x in messages and in bad_row, for callers that come with one block of rows after the other.
 * control->step counts rows.
 * bad_row is a row of x, plus first. */
int32_t cp_kernel(cp_in_kernel_function *function, cp_in_features *x, cp_in_features *y /* ? */, int64_t first,
                  cp_in_char *type, void *values /* [x.n, or(y.n, x.n)] */, int32_t workers, cp_control *control,
                  int64_t *bad_row, char *err, int64_t err_cap);

/* Writes 1 / (p v) to *gamma, a usual width of "rbf" and others: v is the variance of all entries of x, those of row i
 * counted weights[i] times (weights[x->n], or NULL: once). 1 where they do not vary. CP_EVALUE where an entry is NaN or
 * infinite, with bad_row, or the variance overflows.
 * bad_row is a row of x. */
int32_t cp_kernel_scale(cp_in_features *x, cp_in_f64 *weights /* [x.n]? */, double *gamma /* [1] */, int32_t workers,
                        cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Writes the number of a random stream for each row of x to streams[x->n], as cp_scores.streams takes them: a hash of
 * its nonzero entries and their columns, however it is stored. With apart = 1, equal rows are told apart by how many
 * come before them, so that draws for them are independent. mapped is not looked at. bad_row is a row of x. */
int32_t cp_row_streams(cp_in_features *x, int64_t *streams /* [x.n] */, int32_t apart, int64_t *bad_row, char *err,
                       int64_t err_cap);

/* Finds, for each row of x, the m rows of y that are nearest in Euclidean distance, m from 1 to y->n: squares[x->n, m]
 * gets their squared distances in ascending order, numbers[x->n, m] which they are. Of equally far rows those that come
 * first in y are taken. Squared differences are added in the order of features, so that sparse and dense rows have the
 * same distances and equal ones 0, however far they are from the origin; distances that overflow are infinite. mapped
 * is not looked at. control->step counts rows of x. bad_row is a row of x or y, where the message says which. */
int32_t cp_nearest(cp_in_features *x, cp_in_features *y, int64_t m, int64_t *numbers /* [x.n, m] */,
                   double *squares /* [x.n, m] */, int32_t workers, cp_control *control, int64_t *bad_row, char *err,
                   int64_t err_cap);

/* Checks that kernel[n, n] is finite, and symmetric up to 1e-6 of its largest entry. Otherwise CP_EVALUE, and the
 * message names the row, the column and the remedy. Functions that take kernel matrices check that they are finite, and
 * take them to be symmetric. With semidefinite = 1, also that it has not been found to have negative eigenvalues:
 * CP_ENUMERICAL otherwise, with an estimate of the least one. What is refused has one of at least 1e-6 of the largest;
 * those below some 1e-4 of it can be missed. Cost: 32 products with a vector. control->step counts rows.
 * bad_row is the row that the message names first. */
int32_t cp_kernel_check(cp_in_f64 *kernel /* [n, n] */, int64_t n, int32_t semidefinite, int32_t workers,
                        cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Overwrites the symmetric matrix[n, n] by its orthonormal eigenvectors, one a column, and writes the eigenvalues to
 * values[n] in ascending order. The triangle above the diagonal is read. The library takes three more matrices of that
 * size for the time. CP_ENUMERICAL where the decomposition does not converge; NaN or infinite entries: CP_EVALUE with
 * bad_row. It cannot be stopped inside: see workers and control above; matrix is as it was then.
 * bad_row is a row of matrix. */
int32_t cp_symmetric_eigen(double *matrix /* [n, n] */, int64_t n, double *values /* [n] */, int32_t workers,
                           cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Partial orders of the same items, one a row. */
typedef struct cp_orders {
  int64_t struct_size;
  int64_t n, n_items;   /* n_items from 2 to 16384                        */
  cp_in_f64 *positions; /* [n, n_items]? numbers from 0 on, of which only the order counts. Ties give no relation,
                           nor do unknown positions, which are -1 or NaN  */
  cp_in_i8 *signs;      /* [n, n_items * (n_items - 1) / 2]? where positions is NULL: for each pair u < v in
                           lexicographic order: 1 where u is before v, -1 where v is before u, 0 where neither is
                           said. What follows from that need not be given */
} cp_orders;
typedef const cp_orders cp_in_orders;
#define CP_ORDERS {.struct_size = sizeof(cp_orders)}

/* A kernel of orders y and y'. p_u(y) is the number of items before u. */
typedef struct cp_order_function {
  int64_t struct_size;
  cp_in_char *name;      /* "edges":          the pairs whose relation y and y' have in common
                            "signed-edges":   those minus the pairs that they order in opposite directions
                            "positions":      Σ_u p_u(y) p_u(y'), or Σ_u κ(p_u(y), p_u(y')) with kappa
                            "positions-rbf":  Σ_u exp(-gamma (p_u(y) - p_u(y'))²)
                            "same-positions": the items u with p_u(y) = p_u(y')
                            "extensions":     the linear extensions in common, of at most 2048 items         */
  double gamma;          /* of "positions-rbf" alone, positive; 0 for one over the square of the number of items */
  int64_t normalize;     /* 1: divided by the root of k(y, y) k(y', y'); 0 where that is 0                    */
  int64_t logarithms;    /* 1: "extensions" gives logarithms of counts, -infinity for none, and NaN in place of an error
                            where there are too many downsets; not together with normalize                    */
  int64_t most_downsets; /* of "extensions": as cp_extensions_count                                           */
  double epsilon;        /* of "extensions", between 0 and 1: what is beyond most_downsets is estimated, so that ...
                            0: it is not                                                                       */
  double delta;          /* ... with probability at least 1 - delta all counts are within the factors 1 ± epsilon */
  uint64_t seed;         /* of estimates                                                                      */
  int64_t *n_estimated;  /* [1]? gets how many counts are estimated, where epsilon is not 0; or NULL               */
  cp_in_f64 *kappa;      /* [x.n_items, x.n_items]? of "positions": κ(a, b) for numbers a and b of items before an item,
                            symmetric and positive semi-definite; NULL: their product                          */
  cp_in_f64 *weights;    /* [x.n_items]? of the kernels of positions: of the items' terms, at least 0; NULL: 1 */
} cp_order_function;
typedef const cp_order_function cp_in_order_function;
#define CP_ORDER_FUNCTION {.struct_size = sizeof(cp_order_function), .most_downsets = 1 << 20, .delta = 0.05}

/* Writes the kernel of each order of x with each one of y to values[x->n, y->n]; y = NULL stands for x, at half the
 * cost. Counts are exact, those of linear extensions up to 1e13: larger ones have some 13 digits. An illegal order:
 * CP_EVALUE with bad_row; the message begins with the parameter, "X" or "Y". CP_ECAPABILITY: linear extensions that
 * cannot be counted with most_downsets. control->step counts rows.
 * bad_row is a row of x, or of y where the message says so. */
int32_t cp_order_kernel(cp_in_order_function *function, cp_in_orders *x, cp_in_orders *y /* ? */,
                        double *values /* [x.n, or(y.n, x.n)] */, int32_t workers, cp_control *control,
                        int64_t *bad_row, char *err, int64_t err_cap);

/* ---- Predictions ------------------------------------------------------------------------------------------------- */

/* What training has found. */
typedef struct cp_model {
  int64_t struct_size;
  int64_t m, d;         /* d must be the structure's                                                                 */
  cp_in_f64 *coef;      /* [m, d] coefficients of the m rows of training, or weights of the features: as training
                           writes them                                                                               */
  double shift;         /* the shift of training: 1 for a constant feature, 0 for none. Where there is one, weights
                           have it as their last row, and that of coefficients of rows is shift times their sum      */
  cp_in_f64 *intercept; /* [d]? added to the scores; NULL: none                                                      */
  cp_in_char *loss;     /* that of training. "squared": Eψ = mean + f; "auc": to first order Eψ = mean + Σf          */
  cp_in_f64 *mean;      /* [d]? NULL: that of ψ under the uniform distribution                                       */
  cp_in_char *decision; /* "score": predictions maximise ⟨f, ψ(y)⟩ for "auc", ⟨Eψ, ψ(y)⟩ for "squared"
                           "mbr":   they maximise ⟨Eψ, ψ(y)⟩ - ½ ‖ψ(y)‖²: ψ(y) is nearest to Eψ, which has least
                                    expected squared distance
                           "mode":  they maximise P(y) by Eψ, on hierarchies and grades; CP_ECAPABILITY elsewhere
                           "auto" or NULL: what predicts best, as measured: for "squared", "mbr" but "score" on cycles,
                                    routes and relations, and "mode" on hierarchies; for "auc", "score"              */
} cp_model;
typedef const cp_model cp_in_model;
#define CP_MODEL {.struct_size = sizeof(cp_model)}

/* Where predictions for n rows go; each array may be NULL. */
typedef struct cp_predictions {
  int64_t struct_size;
  int64_t n;           /* that of the rows                              */
  int64_t part_len;    /* the structure's                               */
  int64_t first;       /* added to the numbers of rows in messages and in bad_row, for callers that come with one
                          block of rows after the other                 */
  double *scores;      /* [n, model.d]? f(x)                            */
  int32_t *outputs;    /* [n, part_len]? outputs of largest score       */
  double *value;       /* [n]? these and the next as in cp_certificates */
  double *upper_bound; /* [n]?                                          */
  double *nu;          /* [n]?                                          */
  uint8_t *optimal;    /* [n]?                                          */
} cp_predictions;
typedef const cp_predictions cp_in_predictions;
#define CP_PREDICTIONS {.struct_size = sizeof(cp_predictions)}

/* Scores new rows x, and decodes the scores as cp_decode does.
 *   function and train: f(x) = k(x, train) coef, for coefficients of the rows of train
 *   both NULL:          f(x) = x coef, for weights of the features; or for coefficients of rows, and kernel values x of
 *                       new rows with them, which the caller computes: then intercept says what shift would
 * Rows are worked on in blocks, so that neither kernel values nor, where predictions->scores is NULL, scores of all
 * rows are ever held at once. Nothing is decoded where predictions has scores only. options may be NULL, and has no
 * constraints. Kernel values or scores that are NaN or infinite: CP_EVALUE with bad_row. control->step counts rows.
 * bad_row is a row of x; it comes with CP_ECAPABILITY, too, as in cp_decode. */
int32_t cp_predict(cp_space space, cp_in_model *model, cp_in_kernel_function *function /* ? */,
                   cp_in_features *train /* ? */, cp_in_features *x, cp_in_decode_options *options /* ? */,
                   cp_in_predictions *predictions, int32_t workers, cp_control *control, int64_t *bad_row, char *err,
                   int64_t err_cap);

/* ---- Structured ridge -------------------------------------------------------------------------------------------- */

/* The problem: minimise alpha·tr(aᵀKa) + Σ_i w_i loss(f_i, ψ_i) over a[n, d], with f = Ka and, for ψ̃ = ψ − μ,
 *   loss "auc":      ½ fᵀΣf + ½ (1 − ⟨ψ̃_i, f⟩)² − ½
 *   loss "squared":  ½ ‖f − ψ̃_i‖²
 *
 * NaN or infinite numbers in psi, weights or K: CP_EVALUE with bad_row. */
typedef struct cp_ridge_options {
  int64_t struct_size;
  cp_in_char *loss;      /* "auc", "squared", or "auto", as NULL: what predicts best in the structure, as measured */
  double alpha;          /* above 0                                                                                */
  double tol;            /* relative residual, above 0                                                             */
  int64_t max_iter;      /* at least 1; 0: the solver's own                                                        */
  double shift;          /* added to every entry of K, without changing it: 1 stands for a constant feature        */
  cp_in_char *solver;    /* "closed-form", "cg" or "newton-cg"; cp_ridge_plan takes "auto" and "primal", too       */
  cp_in_char *precision; /* "single" or "double": of the factors; the result is refined in double either way       */
} cp_ridge_options;
typedef const cp_ridge_options cp_in_ridge_options;
#define CP_RIDGE_OPTIONS {.struct_size = sizeof(cp_ridge_options), .alpha = 1, .tol = 1e-8}

/* The outputs of n examples. first makes example i's correct outputs the rows first[i] to first[i+1] of psi, a set of
 * which none is ranked above another: the loss "auc" is then
 *   n_i/2 fᵀΣf + ½ Σ_y ⟨ψ̃_y,f⟩² − Σ_y ⟨ψ̃_y,f⟩ − (n_i Σ_y ⟨ψ̃_y,f⟩² − (Σ_y ⟨ψ̃_y,f⟩)²)/|𝒴|
 * over the n_i < |𝒴|/2 outputs y of the set, and "squared" the sum over the set. Leave-one-out, support
 * vector machines and perceptrons take one output for each example only. */
typedef struct cp_targets {
  int64_t struct_size;
  int64_t n, d;       /* d must be the structure's                                                                   */
  cp_in_f64 *psi;     /* [last(first, n), d]? or [first[n], d]: embedded outputs, not centred, or averages of several.
                         NULL for cp_svm_start only                                                                  */
  cp_in_i64 *first;   /* [n + 1]? one output for each example                                                        */
  cp_in_f64 *weights; /* [n]? not negative, or NULL: all 1                                                           */
  int64_t part_len;   /* of parts                                                                                    */
  cp_in_i32 *parts;   /* [last(first, n), part_len]? the outputs, which may be known in part, for the option seen of
                         log-linear training                                                                         */
} cp_targets;
typedef const cp_targets cp_in_targets;
#define CP_TARGETS {.struct_size = sizeof(cp_targets)}

/* Scratch memory. */
typedef struct cp_workspace {
  int64_t struct_size;
  void *data; /* [bytes] 8-byte aligned */
  int64_t bytes;
} cp_workspace;
typedef const cp_workspace cp_in_workspace;
#define CP_WORKSPACE {.struct_size = sizeof(cp_workspace)}

/* How a training call ended. */
typedef struct cp_fit_info {
  int64_t struct_size;
  double objective; /* alpha tr(aᵀKa) + Σ w_i loss_i at the returned coefficients                  */
  double residual;  /* relative residual of the stationarity equation, at most tol when converged  */
  int64_t n_iter;   /* conjugate gradient steps, or solutions by a factor; at least 1              */
  int64_t n_refine; /* refinements in double precision                                             */
  char precision[16]; /* "single" or "double": of the factors of the kernel matrix; "double" without any           */
} cp_fit_info;
#define CP_FIT_INFO {.struct_size = sizeof(cp_fit_info)}

/* How a problem is best solved. The names may be given to the options as they stand. */
typedef struct cp_ridge_plan_info {
  int64_t struct_size;
  char solver[16];         /* "closed-form", "cg", "newton-cg" or "primal"                 */
  char route[16];          /* "factor", "iterate" and "spectral": what cp_ridge_kernel does with the matrix, the last
                              by its eigenvectors; "primal" is cp_ridge_features           */
  char route_loo[16];      /* how cp_ridge_loo leaves rows out: "features" where p are few, or, if the kernel is not of
                              low rank, "factor" or "spectral"                             */
  char precision[16];      /* "single" or "double", to begin with                          */
  int64_t distinct;        /* number of distinct non-zero eigenvalues of Σ                 */
  int64_t work_single;     /* bytes of workspace for precision "single"                    */
  int64_t work_double;     /* and for "double"                                             */
  int64_t work_loo_single; /* bytes of workspace to leave rows out with precision "single" */
  int64_t work_loo_double; /* and with "double"                                            */
  int64_t beside;          /* bytes that cp_ridge_kernel allocates beside the workspace    */
  int64_t beside_loo;      /* and cp_ridge_loo                                             */
} cp_ridge_plan_info;
#define CP_RIDGE_PLAN_INFO {.struct_size = sizeof(cp_ridge_plan_info)}

/* Says how a problem of this size is best solved. n rows, p features (0: only a kernel is given), nnz stored entries of
 * X (n·p when dense). CP_ECAPABILITY: the structure has no moments, which the loss "auc" needs. It cannot be stopped
 * inside: see control above. */
int32_t cp_ridge_plan(cp_space space, cp_in_ridge_options *options, int64_t n, int64_t p, int64_t nnz,
                      cp_ridge_plan_info *plan, int32_t workers, cp_control *control, char *err, int64_t err_cap);

/* Trains on the symmetric kernel matrix kernel[n, n], n being that of targets. Both triangles are read.
 * workspace has as many bytes as cp_ridge_plan says for the precision asked for; NULL where that is 0. With "single"
 * and the bytes for double, what is too hard for factors in single precision is solved in double: see info->precision.
 * Writes a to dual[n, d]. info may be NULL. CP_ENUMERICAL: the factors are not accurate enough, or the matrix is not
 * positive semi-definite. CP_ENOTCONVERGED: max_iter came first. control->step counts panels of factorisations and
 * inner iterations; control->value is the relative residual.
 * bad_row is a row of kernel, weights or psi, with first that of the set. */
int32_t cp_ridge_kernel(cp_space space, cp_in_ridge_options *options, cp_in_f64 *kernel /* [targets.n, targets.n] */,
                        cp_in_targets *targets, cp_in_workspace *workspace /* ? */,
                        double *dual /* [targets.n, targets.d] */, cp_fit_info *info /* ? */, int32_t workers,
                        cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Penalties to leave rows out under, and what comes of it. */
typedef struct cp_loo {
  int64_t struct_size;
  int64_t n_alphas, n, d;
  int64_t p;         /* 0: the kernel matrix is given; or the number of features of the linear kernel  */
  cp_in_f64 *alphas; /* [n_alphas] above 0: used instead of that of the options                        */
  double *scores;    /* [n_alphas, n, d]                                                               */
} cp_loo;
typedef const cp_loo cp_in_loo;
#define CP_LOO {.struct_size = sizeof(cp_loo)}

/* Label-removed leave-one-out scores of every row, trained as cp_ridge_kernel does, for a list of penalties: scores of
 * a penalty get f_i as predicted without row i's label, corrected to first order for the row itself. Loss "squared":
 * the exact leave-one-out of kernel ridge. Rows of weight 0 get zeros. loss, shift and precision are used of the
 * options. kernel holds the kernel matrix or, with loo->p, X[n, p], whose linear kernel it is. No n×n matrix is then
 * made unless the loss is "auc" and the features are many; CP_ENUMERICAL leaves it to the kernel matrix where other
 * rows say too little of one that is left out. route_loo of the plan for p features is "features" where they cost
 * less. A kernel matrix of a low rank, n/8 at most, is decomposed once for all penalties, as features are; under the
 * loss "auc" labels are then taken out in the weights of its columns, where these are few. So is any other, by its
 * eigenvectors, where route_loo is "spectral". Under the loss "squared" five penalties or more share one banded form
 * of the matrix. Otherwise each penalty has factors of its own. workspace has as many bytes as work_loo_single of the
 * plan, or work_loo_double for precision "double". With "single" and the bytes for double, penalties too small for
 * single precision are computed in double.
 * Scores are those of double precision to about 1e-3 of their size, and much better where no penalty is very small.
 * CP_ENUMERICAL: a penalty is too small for the precision, or the matrix is not positive semi-definite.
 * control->step counts parts of the work. bad_row as for cp_ridge_kernel. */
int32_t cp_ridge_loo(cp_space space, cp_in_ridge_options *options,
                     cp_in_f64 *kernel /* [targets.n, or(loo.p, targets.n)] */, cp_in_targets *targets, cp_in_loo *loo,
                     cp_in_workspace *workspace /* ? */, int32_t workers, cp_control *control, int64_t *bad_row,
                     char *err, int64_t err_cap);

/* ---- Structured ridge in the weights of features ----------------------------------------------------------------- */

/* The same minimum for the linear kernel, in the weights W of the features x, for rows that need not be in memory
 * together:
 *   alpha ‖W‖² + Σ_i w_i loss(Wᵀx_i, ψ_i).
 * loss, alpha, tol, max_iter, shift and precision are used of the options. shift is 1 for a constant feature of value
 * 1, the last one, so that q = p + 1, or 0 for none, q = p. With precision "single" (which gives as exact weights)
 * products are made in single precision as far as that does; "double" is cheaper where features or outputs are sparse.
 *
 * Rows in memory, or in mapped files, are given to cp_ridge_features, which does it all. Where they come in blocks or
 * lie elsewhere, a session of cp_ridge_primal_start says what it needs next, and cp_ridge_sums and cp_ridge_product
 * find that of each block. */

/* Outputs of n rows to learn: encoded, or (parts NULL) embedded, or (psi NULL, too) embedded as compressed sparse rows.
 * There are N = n of them, or N = first[n]. */
typedef struct cp_outputs {
  int64_t struct_size;
  int64_t n, d;       /* d must be the structure's                                                       */
  int64_t part_len;   /* of parts                                                                        */
  cp_in_i32 *parts;   /* [last(first, n), part_len]? checked as by cp_space_embed                        */
  int64_t partial;    /* 1: parts may be known in part, as for cp_space_embed                            */
  int64_t mapped;     /* 1: parts lies in a file that is mapped read-only; see cp_features                */
  cp_in_f64 *psi;     /* [last(first, n), d]?                                                            */
  int64_t nnz;
  cp_in_f64 *data;    /* [nnz]?                                                                          */
  cp_in_i32 *indices; /* [nnz]?                                                                          */
  cp_in_i64 *indptr;  /* [last(first, n) + 1]?                                                           */
  cp_in_i64 *first;   /* [n + 1]? row i has the outputs first[i] to first[i + 1] - 1; NULL: one for each row */
  cp_in_f64 *weights; /* [n]? NULL: all 1                                                                */
} cp_outputs;
typedef const cp_outputs cp_in_outputs;
#define CP_OUTPUTS {.struct_size = sizeof(cp_outputs)}

/* Trains on rows in memory or in mapped files, and writes W to coef[q, d]. Up to budget bytes of copies make later
 * passes cheaper: ψ as small integers first, and then features in single precision. info may be NULL; its n_iter is the
 * number of passes over the rows. control->step counts passes. CP_ENUMERICAL: sums overflow.
 * bad_row is a row of features or outputs. */
int32_t cp_ridge_features(cp_space space, cp_in_ridge_options *options, cp_in_features *features,
                          cp_in_outputs *outputs, int64_t budget,
                          double *coef /* [features.p + options.shift, outputs.d] */, cp_fit_info *info /* ? */,
                          int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Adds sums over rows to sums: the number of rows, Σ w ‖ψ‖², Σ w x̂x̂ᵀ [p + 1, p + 1] and Σ w x̂ψᵀ [p + 1, d], one
 * after the other, where x̂ is x with a 1 at its end, and a row with k outputs counts k times. These are two doubles
 * and two matrices; those of all rows are the sums of those of any parts. Begin with zeros. The rows are checked: NaN,
 * infinite numbers and outputs that are none are CP_EVALUE with bad_row, and CP_ENUMERICAL: sums overflow.
 * bad_row is a row of features or outputs. */
int32_t cp_ridge_sums(cp_space space, cp_in_ridge_options *options, cp_in_features *features, cp_in_outputs *outputs,
                      double *sums /* [2 + (features.p + 1) * (features.p + 1 + outputs.d)] */, int32_t workers,
                      cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Adds the product with a direction, as a session of cp_ridge_primal_start asks for it, over rows that cp_ridge_sums
 * has checked to product[q, d], where q is p, or p + 1 with shift. direction has 2 + 2 p + q d numbers. Begin with
 * zeros. bad_row is a row of outputs. */
int32_t cp_ridge_product(cp_space space, cp_in_ridge_options *options, cp_in_features *features, cp_in_outputs *outputs,
                         cp_in_f64 *direction /* [2 + 2 * features.p + (features.p + options.shift) * outputs.d] */,
                         double *product /* [features.p + options.shift, outputs.d] */, int32_t workers,
                         cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Opens a session that trains on rows of p features that only the caller can read. It asks, with CP_ASK_SUMS once and
 * with CP_ASK_PRODUCT in each pass after that, for sums over all rows. At the end coef[q, d] has W and info, unless it
 * is NULL, is that of cp_ridge_features; both must live until then. CP_ENOTCONVERGED comes with CP_ASK_DONE.
 * control->step is not counted. CP_ENUMERICAL: sums overflow. */
int32_t cp_ridge_primal_start(cp_space space, cp_in_ridge_options *options, int64_t p,
                              double *coef /* [p + options.shift, d] */, int64_t d, cp_fit_info *info /* ? */,
                              cp_session *session /* [1] */, int32_t workers, cp_control *control, char *err,
                              int64_t err_cap);

/* ---- Structured ridge, row by row -------------------------------------------------------------------------------- */

/* What the steps change in place. All must be finite. */
typedef struct cp_sgd_state {
  int64_t struct_size;
  int64_t rows, d;  /* features of the design with the constant                                        */
  double *coef;     /* [rows, d] zero at the beginning                                                 */
  double *average;  /* [rows, d]? none. It is changed into the average of all functions up to step t, with
                       weights t(t+1)(t+2)/6; what it holds counts as that of the first t steps        */
  double *velocity; /* [rows, d]? none, of stochastic meta-descent; zero at the beginning              */
  double *gains;    /* [d]? with velocity, one at the beginning: η is multiplied by a gain for each coordinate in which
                       the covariance of the structure is diagonal, or for each of its eigenspaces     */
} cp_sgd_state;
typedef const cp_sgd_state cp_in_sgd_state;
#define CP_SGD_STATE {.struct_size = sizeof(cp_sgd_state)}

/* Input features: dense[n, p], or (dense NULL) compressed sparse rows with nnz entries. A constant feature of value 1
 * is appended as column p when intercept is non-zero, without being stored: the q features are then p + 1. */
typedef struct cp_design {
  int64_t struct_size;
  int64_t n, p, nnz;
  int64_t intercept;
  cp_in_f64 *dense; /* [n, p]? */
  cp_in_f64 *data;    /* [nnz]? */
  cp_in_i32 *indices; /* [nnz]? */
  cp_in_i64 *indptr;  /* [n + 1]? */
} cp_design;
typedef const cp_design cp_in_design;
#define CP_DESIGN {.struct_size = sizeof(cp_design)}

/* How training goes over the examples. */
typedef struct cp_sgd_passes {
  int64_t struct_size;
  cp_in_i64 *order; /* [n_order] examples that a pass visits, from 0 on. One that comes c times has the c-th part of its
                       weight in each visit: so are large weights kept from making the steps of all examples small.
                       NULL: an example of weight w is visited ⌈w⌉ times, or, where that is more than ten visits an
                       example on average, in a larger unit of weights; and what is shuffled does not depend on the
                       order of the examples                                                           */
  int64_t n_order;
  int64_t shuffle;  /* 1: each pass visits them in a new random order, drawn from seed; 0: as they are */
  uint64_t seed;
  int64_t max_iter; /* passes, at least 1                                                              */
  double tol;       /* with curve: five passes in a row that change the objective by at most tol of what has been
                       gained since W = 0 are the last                                                 */
  double *curve;    /* [max_iter]? gets the objective after each pass; or NULL: it is not computed     */
  double eta0;      /* p of the step sizes                                                             */
  int64_t seen;     /* visits before this call, of a stream of examples; at most 2^52                  */
  double curvature; /* what report->curvature was after them, or 0                                     */
} cp_sgd_passes;
typedef const cp_sgd_passes cp_in_sgd_passes;
#define CP_SGD_PASSES {.struct_size = sizeof(cp_sgd_passes), .shuffle = 1, .max_iter = 100, .tol = 1e-4, .eta0 = 0.5}

/* What training did. */
typedef struct cp_sgd_report {
  int64_t struct_size;
  int64_t passes;    /* that were completed                                                        */
  int64_t steps;     /* that were taken                                                            */
  int64_t converged; /* whether training stopped because little was gained                         */
  double loss;       /* sum of the weighted losses of the last pass, each before its step          */
  double weight;     /* of the visits in that sum: all, unless the pass was cancelled              */
  double start;      /* the objective at W = 0                                                     */
  double curvature;  /* the largest curvature of the loss of an example, as a function of W        */
  int64_t visits;    /* of a pass                                                                  */
} cp_sgd_report;
#define CP_SGD_REPORT {.struct_size = sizeof(cp_sgd_report)}

/* Stochastic gradient descent on the problem above, in the weights coef[q, d] of the q features of the design, f =
 * Wᵀx, in passes over the examples. With g the derivative of an example's weighted loss by its scores, its step t is
 *   f ← (1 − 2(alpha/m)η) f − η k(·, x) g,   t ← t + 1.
 * The step sizes are η = p·m/(alpha(t + t0)) with m = seen + n_order, t = seen at the beginning and the least t0, but
 * at least 4p, with which no step expands: η times the curvature of no example is above 1 then. t0 is larger by √(1 +
 * seen/1000) in a stream, where η would not fall otherwise. With an average in state, objective and report are about
 * that. loss and alpha are used of the options, and the weights of targets are those of the examples. report may be
 * NULL. control->step counts passes. After CP_ECANCELLED state, curve and report hold what the steps until then have
 * made: a state of steps that are complete. NaN or infinite numbers in the design, psi, weights or the state:
 * CP_EVALUE, as for rows whose squares overflow.
 * CP_ENUMERICAL: the numbers overflow.
 * bad_row is a row of weights, psi, with first that of the set, or the design. */
int32_t cp_sgd_fit(cp_space space, cp_in_ridge_options *options, cp_in_design *design, cp_in_targets *targets,
                   cp_in_sgd_passes *passes, cp_in_sgd_state *state, cp_sgd_report *report /* ? */, int32_t workers,
                   cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Kernel values of n rows, of which those of targets are the last: the others are in the support alone. With a
 * function they are its values of the rows x, with a matrix its entries. */
typedef struct cp_sgd_kernel {
  int64_t struct_size;
  int64_t n;                       /* at least that of targets                                                    */
  cp_in_kernel_function *function; /* or NULL                                                                     */
  cp_in_features *x;               /* rows, or NULL without a function. Visits are then shuffled as they stand    */
  cp_in_f64 *matrix;               /* [n, n]?                                                                     */
} cp_sgd_kernel;
typedef const cp_sgd_kernel cp_in_sgd_kernel;
#define CP_SGD_KERNEL {.struct_size = sizeof(cp_sgd_kernel)}

/* A function f = Σ_j k(·, x_j) a_j of n rows. It is changed in place. */
typedef struct cp_sgd_support {
  int64_t struct_size;
  cp_in_sgd_kernel *kernel;
  int64_t capacity;  /* rows that there is room for: n, and one for each row that is visited, or most                */
  int64_t most;      /* rows that stay, those visited last; those before are dropped. 0: all                         */
  int64_t n;         /* rows in the support                                                                         */
  int64_t *rows;     /* [capacity] their numbers; with most the one visited last comes last                         */
  double *coef;      /* [capacity, targets.d] and the next three as in cp_sgd_state. A dropped row leaves the average */
  double *average;   /* [capacity, targets.d]?                                                                      */
  double *velocity;  /* [capacity, targets.d]?                                                                      */
  double *gains;     /* [targets.d]? with velocity                                                                  */
} cp_sgd_support;
#define CP_SGD_SUPPORT {.struct_size = sizeof(cp_sgd_support)}

/* The same descent in a function of rows, each of which joins the support as it is visited. passes, report and sizes of
 * steps are those of cp_sgd_fit; loss, alpha and shift are used of the options. After CP_ECANCELLED support, curve and
 * report hold what the batches of steps until then have made. Memory: that of the support twice, and kernel values of a
 * batch of at most 128 rows with it; with a function, more than two passes and most 0, the kernel matrix is kept where
 * it has at most 256 MiB. control->step counts passes. NaN or infinite numbers in x, kernel values, psi, weights or the
 * support: CP_EVALUE, as for rows whose kernel value with themselves overflows, and where support cannot be that of the
 * arguments. CP_ENUMERICAL: the numbers overflow.
 * bad_row is a row of targets: of weights or psi, with first that of the set, or of x. */
int32_t cp_sgd_expansion(cp_space space, cp_in_ridge_options *options, cp_in_targets *targets, cp_in_sgd_passes *passes,
                         cp_sgd_support *support, cp_sgd_report *report /* ? */, int32_t workers, cp_control *control,
                         int64_t *bad_row, char *err, int64_t err_cap);

/* Opens a session that does the same where only the caller can compute kernel values, for which it asks with
 * CP_ASK_VALUES: the function and the matrix of the kernel are not looked at. Support, report and control must live
 * until the session is closed, as all that the arguments point to; support and report are written at the end, also when
 * the session is closed early.
 * bad_row is as for cp_sgd_expansion, and so is that of cp_session_next. */
int32_t cp_sgd_expansion_start(cp_space space, cp_in_ridge_options *options, cp_in_targets *targets,
                               cp_in_sgd_passes *passes, cp_sgd_support *support, cp_sgd_report *report /* ? */,
                               cp_session *session /* [1] */, int32_t workers, cp_control *control, int64_t *bad_row,
                               char *err, int64_t err_cap);

/* ---- Log-linear models ------------------------------------------------------------------------------------------- */

/* The problem: minimise, over the weights W[q, d] of the q features x of a design,
 *   alpha ‖W‖² + Σ_i w_i [ln Z(Wᵀx_i) − ⟨Wᵀx_i, ψ_i⟩],   ln Z(f) = ln Σ_y exp⟨f, ψ(y)⟩,
 * with the outputs ψ_i and the weights w_i of targets; a set of k outputs counts as k rows with one of them each. Rows
 * of weight 0 are left out. Its gradient by f is the expectation of ψ under p(y) ∝ exp⟨f, ψ(y)⟩ minus ψ_i.
 *
 * With the option seen the loss of a row is the likelihood of what was seen of it, w_i [ln Z(f) − ln Z_i(f)], where Z_i
 * sums over the outputs that agree with what targets.parts know of it, or over its set. Z sums over those that satisfy
 * the conditions of the row. Where all rows have one whole output this is the same. Where not, it is a difference of
 * convex functions, and training ends where it is stationary.
 *
 * cp_loglinear_fit does it all where the library knows these distributions. Where only the caller does, as those of a
 * "custom" structure of which nothing but moments is given, a session of cp_loglinear_start asks for what it has to
 * know. Where rows come in blocks, or lie elsewhere, one of cp_loglinear_search_start asks for sums over all rows, and
 * cp_loglinear_sums finds those of each block, from features and outputs as cp_ridge_sums takes them. */
typedef struct cp_loglinear_options {
  int64_t struct_size;
  cp_in_char *solver;       /* "lbfgs":  exact gradients of all rows, L-BFGS preconditioned by the Hessian
                               "sgd":    steps on mini-batches of 32 rows, preconditioned and averaged
                               "online": one pass of "sgd" over rows that add to those of earlier passes
                               "newton": Newton's method, for structures with the fact of this name         */
  cp_in_char *distribution; /* what is known about distributions: "exact" expectations, "draws" by recursions or
                               lists, or draws by a method of cp_chain_options. Draws are not for "lbfgs" and "newton"
                               */
  double alpha;             /* above 0                                                                    */
  double tol;               /* not negative. "lbfgs" and "newton": the largest entry of the preconditioned gradient,
                               relative to that at W = 0; "sgd": the root of the excess over the minimum, likewise,
                               and of draws at least .05                                                  */
  int64_t max_iter;         /* iterations, or passes over the rows, at most; "sgd": at least 1            */
  uint64_t seed;            /* of draws, and of the order of rows of "sgd" and "online"                   */
  int64_t kernel;           /* 1: the features come from cp_loglinear_kernel                              */
  int64_t sampled;          /* of cp_loglinear_start, 1: expectations are estimates                       */
  int64_t intercept;        /* of cp_loglinear_sums, 1: a constant feature of value 1 comes after the others */
  int64_t seen;             /* 1: the likelihood of what was seen                                         */
  cp_in_conditions *conditions; /* with seen, what the outputs of rows satisfy, also those of weight 0; NULL: nothing.
                                   Not where only the caller knows distributions, nor for "newton"           */
} cp_loglinear_options;
typedef const cp_loglinear_options cp_in_loglinear_options;
#define CP_LOGLINEAR_OPTIONS {.struct_size = sizeof(cp_loglinear_options), .alpha = 1, .tol = 1e-6, .max_iter = 200}

/* Lengths of arrays for q features, in doubles. */
typedef struct cp_loglinear_sizes {
  int64_t struct_size;
  int64_t moments, loss, spread; /* of sums of cp_loglinear_sums, for "lbfgs"         */
  int64_t moment;                /* of the moment of a model                          */
} cp_loglinear_sizes;
#define CP_LOGLINEAR_SIZES {.struct_size = sizeof(cp_loglinear_sizes)}

/* Writes the lengths of the arrays for these options and q features to sizes. */
int32_t cp_loglinear_array_sizes(cp_space space, cp_in_loglinear_options *options, int64_t q, cp_loglinear_sizes *sizes,
                                 char *err, int64_t err_cap);

/* What training begins from, and ends with. */
typedef struct cp_loglinear_model {
  int64_t struct_size;
  int64_t q, d;
  double *weights;    /* [q, d] zeros or weights to begin from. Gets W; of "sgd" and "online" the last iterate    */
  double *average;    /* [q, d] "online" begins from it. Gets W; of "sgd" and "online" the average of iterates    */
  double *moment;     /* [n_moment]? for "online": the second moment of the features of all rows so far, or its
                         diagonal; else NULL with n_moment = 0                                                   */
  int64_t n_moment;   /* as cp_loglinear_array_sizes says                                                        */
  int64_t has_moment; /* 1: moment is known. "sgd" sets it to 0: such rows are taken to have been as those that come */
  double variance;    /* of ψ, where d is above 2048; 0: not known                                               */
  int64_t steps;      /* so far, of "sgd" and "online"                                                           */
  int64_t rows;       /* so far: those of each pass count                                                        */
  double seen;        /* their weight                                                                            */
  int32_t *chains;    /* NULL: not wanted. cp_loglinear_fit writes there, [n, 2, part_len], where two chains of each of
                         the n rows of positive weight are at the end, if distribution is a chain                */
} cp_loglinear_model;
#define CP_LOGLINEAR_MODEL {.struct_size = sizeof(cp_loglinear_model)}

/* How training went. */
typedef struct cp_loglinear_info {
  int64_t struct_size;
  double objective;  /* NaN where expectations are estimates, and for "online"                                       */
  double residual;   /* "lbfgs" and "newton": what tol is compared with                                              */
  int64_t n_iter;    /* iterations, or passes                                                                        */
  double left;       /* "sgd": the excess of the objective at the last checkpoint, about                             */
  double left_error; /* its standard error, 0 for exact expectations                                                 */
  double limit;      /* what tol stands for                                                                          */
  double gain;       /* the excess at W = 0                                                                          */
} cp_loglinear_info;
#define CP_LOGLINEAR_INFO {.struct_size = sizeof(cp_loglinear_info)}

/* Trains on rows in memory. info may be NULL. The model is changed where the status is CP_OK or CP_ENOTCONVERGED only.
 * control->step counts iterations, or steps, and control->value holds the objective, or what is left. CP_ENUMERICAL,
 * CP_EVALUE: the numbers overflow. CP_ECAPABILITY: the structure does not have the distribution. CP_EBUDGET: as for
 * cp_chain_sample.
 * bad_row is a row of the design or targets. */
int32_t cp_loglinear_fit(cp_space space, cp_in_loglinear_options *options, cp_in_design *design, cp_in_targets *targets,
                         cp_loglinear_model *model, cp_loglinear_info *info /* ? */, int32_t workers,
                         cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* For each row s of scores->linear[n, d] writes ln Σ exp⟨s, ψ(y)⟩ over the outputs that agree with what was seen of the
 * row to log_seen[n]: ⟨s, ψ⟩ of a whole output, and sums over the members of a set, or over what agrees with an output
 * that targets.parts know in part (NULL: outputs are whole). Less ln Z, which cp_log_partition finds, that is the
 * logarithm of the probability of what was seen. Under conditions of one row or n (NULL: none) only outputs that
 * satisfy them count. Weights are not looked at. CP_ECAPABILITY: the structure has no exact sums of its size. NaN or
 * infinite scores, and outputs that are none or do not satisfy the conditions: CP_EVALUE with bad_row. control->step
 * counts rows known in part.
 * bad_row is a row of scores or targets. */
int32_t cp_log_seen(cp_space space, cp_in_scores *scores, cp_in_conditions *conditions /* ? */, cp_in_targets *targets,
                    double *log_seen /* [scores.n] */, int32_t workers, cp_control *control, int64_t *bad_row,
                    char *err, int64_t err_cap);

/* Opens a session that does the same where only the caller knows the distributions. It asks with CP_ASK_EXPECT, and now
 * and then with CP_ASK_PSI, for "lbfgs" and "sgd"; with CP_ASK_MEAN in the steps of "sgd" and "online"; and where
 * expectations are estimates with CP_ASK_PAIR in place of CP_ASK_EXPECT. With the distribution "meta", not for "lbfgs",
 * they are estimated by two chains for each row, as cp_loglinear_fit does it: CP_ASK_UNIFORM is then all that it asks.
 * So are they with "local", by CP_ASK_MOVES, whose results are ψ. No other distribution is looked at. "newton", which
 * would ask for nothing, is refused with CP_ECAPABILITY. Rows are numbered without those of weight 0. The model, and
 * info unless it is NULL, are written at the end, and must live until the session is closed, as all that the design and
 * targets point to. CP_ENOTCONVERGED comes with CP_ASK_DONE. CP_EVALUE: NaN was found where an answer should be.
 * control is that of cp_loglinear_fit. bad_row is a row of the design or targets, and so is that of cp_session_next. */
int32_t cp_loglinear_start(cp_space space, cp_in_loglinear_options *options, cp_in_design *design,
                           cp_in_targets *targets, cp_loglinear_model *model, cp_loglinear_info *info /* ? */,
                           cp_session *session /* [1] */, int32_t workers, cp_control *control, int64_t *bad_row,
                           char *err, int64_t err_cap);

/* Adds sums over rows, at weights[q, d], to sums; those over all rows are the sums of those over any parts. Begin with
 * zeros. kind and the length of sums are one of
 *   "moments": of the features, without weights, which may be NULL; the rows are checked. The third of the numbers is
 *              that of the rows of positive weight
 *   "loss":    Σ_i w_i [ln Z − ⟨f, ψ_i⟩], then zeros, and the gradient by the weights [q, d] as the last q·d numbers
 *   "spread":  of the distributions, by draws
 * by exact distributions, for "lbfgs". CP_ECAPABILITY: the structure is too large for these. NaN or infinite numbers:
 * CP_EVALUE with bad_row.
 * bad_row is a row of features or outputs. */
int32_t cp_loglinear_sums(cp_space space, cp_in_loglinear_options *options, cp_in_features *features,
                          cp_in_outputs *outputs, cp_in_char *kind,
                          cp_in_f64 *weights /* [features.p + options.intercept, outputs.d]? */,
                          double *sums,
                          int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Opens a session that does the same as that of cp_loglinear_start, by "lbfgs", for rows that only the caller can read:
 * it asks with CP_ASK_MOMENTS once, and then with CP_ASK_LOSS and CP_ASK_SPREAD, with the option seen also with
 * CP_ASK_BOUND. */
int32_t cp_loglinear_search_start(cp_space space, cp_in_loglinear_options *options, cp_loglinear_model *model,
                                  cp_loglinear_info *info /* ? */, cp_session *session /* [1] */, int32_t workers,
                                  cp_control *control, char *err, int64_t err_cap);

/* Turns a kernel matrix kernel[n, n] into features in which training with it is linear: q of them for each row, which
 * are the first n·q numbers of kernel afterwards, [n, q], and curvature[n] gets the q eigenvalues of Σ_i w_i x_i x_iᵀ =
 * diag(curvature). Their inner products are those of the matrix, to each entry of which shift is added (1 for a
 * constant feature). weights [n] are positive; NULL: all 1. Both triangles are read. CP_ENUMERICAL: it is too far from
 * positive semi-definite. bad_row is a row of kernel or weights. */
int32_t cp_loglinear_kernel(double *kernel /* [n, n] */, int64_t n, cp_in_f64 *weights /* [n]? */, double shift,
                            double *curvature /* [n] */, int64_t *q /* [1] */, int32_t workers, cp_control *control,
                            int64_t *bad_row, char *err, int64_t err_cap);

/* Weights of such features, and coefficients A[n, d] of the n rows. All arrays are as cp_loglinear_kernel left them. */
typedef struct cp_loglinear_features {
  int64_t struct_size;
  int64_t n, q;
  cp_in_f64 *rows;      /* [n, q]              */
  cp_in_f64 *curvature; /* [q]                 */
  cp_in_f64 *weights;   /* [n]? NULL: all 1    */
} cp_loglinear_features;
typedef const cp_loglinear_features cp_in_loglinear_features;
#define CP_LOGLINEAR_FEATURES {.struct_size = sizeof(cp_loglinear_features)}

/* Converts x of d columns into dst, by name of what is wanted:
 *   "dual":        from weights x[q, d], coefficients dst[n, d] for which the kernel matrix times dst are the scores of
 *                  x
 *   "from-dual":   from coefficients x[n, d], the weights dst[q, d] with those scores
 *   "from-scores": from scores x[n, d], the weights dst[q, d] whose scores are nearest to them
 * CP_EVALUE: another name, or arrays that are not those of cp_loglinear_kernel. */
int32_t cp_loglinear_kernel_weights(cp_in_loglinear_features *features, cp_in_char *wanted,
                                    cp_in_f64 *x /* [features.n + features.q, d] */, int64_t d,
                                    double *dst /* [features.n + features.q, d] */, char *err, int64_t err_cap);

/* ---- Structured support vector machine and perceptron ------------------------------------------------------------ */

/* A support vector machine minimises ½‖W‖² + Σ_i C_i H_i(Wᵀx_i) over the weights W [q, d] of the q features of a
 * design, with C_i = c times the weight of row i and the hinge loss
 *   H_i(f) = max_z [loss_i(z) − ⟨f, ψ_i − ψ(z)⟩]        rescaling "margin"
 *   H_i(f) = max_z [loss_i(z)(1 − ⟨f, ψ_i − ψ(z)⟩)]     rescaling "slack"
 * over all outputs z. The perceptron adds w_i x_i(ψ_i − ψ(z))ᵀ to W wherever an output z with another ψ scores no less
 * than ψ_i. A row of weight w is ⌈w⌉ visits of weight w/⌈w⌉, or of a larger unit where that makes more than ten visits
 * a row, on average; a weight of 0 leaves it out.
 *
 * cp_svm_fit and cp_perceptron_fit train where the library knows the structure. Where outputs, or losses, are the
 * caller's own, sessions of cp_svm_start and cp_perceptron_start ask which outputs to find. */

/* loss_i(z) = constant_i + ⟨gradient_i, ψ(z)⟩ + ⟨magnitude_i, ψ(z)²⟩ of n rows. */
typedef struct cp_affine_loss {
  int64_t struct_size;
  int64_t n, d;
  cp_in_f64 *constant;  /* [n]                           */
  cp_in_f64 *gradient;  /* [n, d]                        */
  cp_in_f64 *magnitude; /* [n, d]? zero                  */
} cp_affine_loss;
typedef const cp_affine_loss cp_in_affine_loss;
#define CP_AFFINE_LOSS {.struct_size = sizeof(cp_affine_loss)}

/* Makes the losses between outputs of embeddings psi[n, d] and any other: constant[n], gradient[n, d], and magnitude[n,
 * d], which may be NULL unless entries are "signs and zeros".
 * entries: what the entries of ψ are: "bits", 0 and 1; "signs", −1 and 1; "signs and zeros"; "signs and ties", a first
 *   half of signs and zeros and a second one that is 1 where the first is 0 ("weakorders")
 * cost: "hamming", the sum of |ψ_i − ψ(z)| over entries; "kendall", half of that over the entries with signs; "tree",
 *   the same as "hamming"; "zero-one", half of "hamming": 1 for different classes, whose ψ has a single 1; "h-loss",
 *   the nodes of a tree that only one of both outputs holds and whose ancestors are in both; "h-loss-sibling", where
 *   a node weighs as much as its parent divided by the number of the parent's children, the root 1. Outputs hold the
 *   root, and the parents of their nodes
 * counted[d], 0 or 1, or NULL, are the entries of "bits" that count.
 * parent[d], the parents of the nodes, −1 for the root, is for the two H-losses, and NULL for others.
 * Means of "bits" or "signs" over several outputs have the mean of their losses. CP_EVALUE where entries and cost do
 * not go together; what psi holds is not checked. */
int32_t cp_affine_losses(cp_in_char *entries, cp_in_char *cost, cp_in_f64 *psi /* [n, d] */, int64_t n, int64_t d,
                         cp_in_i8 *counted /* [d]? */, cp_in_i32 *parent /* [d]? */, double *constant /* [n] */,
                         double *gradient /* [n, d] */, double *magnitude /* [n, d]? */, char *err, int64_t err_cap);

/* Writes the numbers of the rows to order[n], in an order that depends on what they hold alone, but for ties. Training
 * in this order, or random ones that begin with it, gives the same for rows that come in another order. control->step
 * counts rows. bad_row is a row of targets. */
int32_t cp_rows_order(cp_in_design *design, cp_in_targets *targets, int64_t *order /* [design.n] */, int32_t workers,
                      cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

typedef struct cp_svm_options {
  int64_t struct_size;
  cp_in_char *solver;    /* "cutting-plane": one-slack cutting planes, which look at all rows between two steps
                            "frank-wolfe":   block-coordinate Frank–Wolfe, a step for each visit, in random order */
  cp_in_char *rescaling; /* "margin" or "slack"                                                                   */
  double c;              /* above 0                                                                               */
  double tol;            /* duality gap at which training ends, relative to the objective; at least 0             */
  int64_t max_iter;      /* passes over the rows, at least 1                                                      */
  int64_t average;       /* "frank-wolfe": 1 for the average of all iterates, each weighted by its number; 0 for the
                                           last                                                                   */
  int64_t zero_one;      /* 1: the loss is 1 where ψ(z) is not ψ_i, and the argument loss is NULL. cp_svm_fit then
                            lists all outputs, of which ψ may be 2^24 numbers                                     */
  cp_in_i64 *order;      /* [design.n]? an order of the rows, NULL: as they stand; "frank-wolfe" shuffles it      */
  uint64_t seed;         /* of that, of candidates, and of random decoders                                        */
  cp_in_char *method;    /* of decoding, as in cp_decode_options; for cp_svm_fit                                  */
  int64_t n_candidates;  /* above 0 (at most 2^20): not decoding, but the best of so many uniform outputs, drawn anew
                            for each row, is taken; for cp_svm_fit and "margin"                                   */
  int64_t most_rows;     /* in a request of cp_svm_start; 0: as many as are quick                                 */
} cp_svm_options;
typedef const cp_svm_options cp_in_svm_options;
#define CP_SVM_OPTIONS {.struct_size = sizeof(cp_svm_options), .c = 1, .tol = 1e-2, .max_iter = 1000, .average = 1}

/* Where the solution goes. */
typedef struct cp_svm_solution {
  int64_t struct_size;
  int64_t q, d;
  double *coef;    /* [q, d] W                                                                                  */
  int64_t n_curve;
  double *curve;   /* [n_curve, 3] passes, objective and dual objective wherever they were computed, and zeros
                      behind. Where there are more the last of them is in the last row                          */
} cp_svm_solution;
typedef const cp_svm_solution cp_in_svm_solution;
#define CP_SVM_SOLUTION {.struct_size = sizeof(cp_svm_solution)}

/* How training ended. */
typedef struct cp_svm_info {
  int64_t struct_size;
  double objective; /* at W                                                                                   */
  double gap;       /* objective less that of the dual: a bound on how far the minimum lies below it, if exact */
  int64_t n_iter;   /* passes                                                                                 */
  int64_t n_calls;  /* rows for which an output was looked for                                                */
  int64_t exact;    /* 1 where every hinge loss in objective is proven                                        */
  int64_t n_curve;  /* how many rows of a curve there are                                                     */
} cp_svm_info;
#define CP_SVM_INFO {.struct_size = sizeof(cp_svm_info)}

/* Trains on the rows of a design. targets hold one output for each row, and first is NULL. Slack rescaling looks at all
 * outputs where ψ of these is at most 2^14 numbers, and otherwise searches by several decodings, which may miss the
 * worst one. info may be NULL. control->step counts passes; control->value is the gap. CP_ENOTCONVERGED: max_iter came
 * first. CP_ECAPABILITY: the structure lacks the decoder, the sampler of candidates, or a list of its outputs.
 * CP_ENUMERICAL: the numbers overflow.
 * bad_row is a row of the design, or one with which decoding failed. */
int32_t cp_svm_fit(cp_space space, cp_in_svm_options *options, cp_in_design *design, cp_in_targets *targets,
                   cp_in_affine_loss *loss /* ? */, cp_in_svm_solution *solution, cp_svm_info *info /* ? */,
                   int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Opens a session that trains where outputs are the caller's own. It asks with CP_ASK_BEST, or, with a loss of NULL and
 * zero_one 0, which mean that losses are the caller's own, too, with CP_ASK_PLANES; psi of targets may then be NULL.
 * zero_one must be 0. At the end solution and info, unless it is NULL, are those of cp_svm_fit. CP_ENOTCONVERGED comes
 * with CP_ASK_DONE. control and errors are those of cp_svm_fit.
 * bad_row is a row of the design, targets or loss, also that of cp_session_next. */
int32_t cp_svm_start(cp_in_svm_options *options, cp_in_design *design, cp_in_targets *targets,
                     cp_in_affine_loss *loss /* ? */, cp_in_svm_solution *solution, cp_svm_info *info /* ? */,
                     cp_session *session /* [1] */, int32_t workers, cp_control *control, int64_t *bad_row, char *err,
                     int64_t err_cap);

typedef struct cp_perceptron_options {
  int64_t struct_size;
  int64_t max_iter;     /* passes over the rows, at least 1; training ends after one without mistakes */
  int64_t shuffle;      /* 1: passes are in random order                                              */
  cp_in_i64 *order;     /* [design.n]? an order of the rows, NULL: as they stand; to be shuffled, or not */
  uint64_t seed;        /* of that, of candidates, and of random decoders                             */
  cp_in_char *method;   /* of decoding, and                                                           */
  int64_t n_candidates; /* as for cp_svm_options. Where it is above 0, also for cp_perceptron_start, passes
                           without mistakes do not end training                                       */
  double squared;       /* above 0: asks for a bound on the mistakes, loss being "hamming" of cp_affine_losses: the
                           largest ‖ψ(y) − ψ(z)‖² for each unit of loss, 1 for "bits" and 2 for signs; 0: loss is
                           NULL                                                                       */
  double least;         /* and the least loss of two outputs, 2 for "signs", else 1                   */
  int64_t visits;       /* made before, in training that this continues                               */
  cp_in_f64 *start;     /* [design.p + design.intercept, targets.d]? the weights to which they have led; NULL: 0 */
} cp_perceptron_options;
typedef const cp_perceptron_options cp_in_perceptron_options;
#define CP_PERCEPTRON_OPTIONS {.struct_size = sizeof(cp_perceptron_options), .max_iter = 100, .shuffle = 1}

/* Where the weights go: pairs of which the first gets added all changes, and the second all changes times the visits
 * before each. The average of the weights after each visit is last − late/visits where both began with zero, or went on
 * from what was added before. */
typedef struct cp_perceptron_solution {
  int64_t struct_size;
  int64_t n, q, d;
  double *last;      /* [q, d]? W, and                                    */
  double *late;      /* [q, d]? or both NULL                              */
  double *dual_last; /* [n, d]? coefficients of the rows: W = Σ_i x_i a_iᵀ */
  double *dual_late; /* [n, d]? or both NULL                              */
} cp_perceptron_solution;
typedef const cp_perceptron_solution cp_in_perceptron_solution;
#define CP_PERCEPTRON_SOLUTION {.struct_size = sizeof(cp_perceptron_solution)}

/* How training ended. */
typedef struct cp_perceptron_info {
  int64_t struct_size;
  int64_t mistakes;  /* visits that changed the weights                                                        */
  int64_t n_iter;    /* passes                                                                                 */
  int64_t visits;    /* those before, too; where rows are separated also those that the passes left out would have
                        been                                                                                   */
  int64_t separated; /* 1 where the last pass was without mistakes                                             */
  double radius;     /* largest length of a change, without the row's weight                                   */
  double bound;      /* on the mistakes since weights of zero; NaN where it was not asked for, or is not known */
} cp_perceptron_info;
#define CP_PERCEPTRON_INFO {.struct_size = sizeof(cp_perceptron_info)}

/* Trains a perceptron, all visits one after the other. info may be NULL. control->step counts passes; control->value is
 * the number of mistakes in the last. Arguments and errors are those of cp_svm_fit.
 * bad_row is a row of the design, or one with which decoding failed. */
int32_t cp_perceptron_fit(cp_space space, cp_in_perceptron_options *options, cp_in_design *design,
                          cp_in_targets *targets, cp_in_affine_loss *loss /* ? */, cp_in_perceptron_solution *solution,
                          cp_perceptron_info *info /* ? */, int32_t workers, cp_control *control, int64_t *bad_row,
                          char *err, int64_t err_cap);

/* Opens a session that does the same where outputs are the caller's own, with CP_ASK_BEST. Errors and bad_row are those
 * of cp_svm_start, control is that of cp_perceptron_fit. */
int32_t cp_perceptron_start(cp_in_perceptron_options *options, cp_in_design *design, cp_in_targets *targets,
                            cp_in_affine_loss *loss /* ? */, cp_in_perceptron_solution *solution,
                            cp_perceptron_info *info /* ? */, cp_session *session /* [1] */, int32_t workers,
                            cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* ---- Label ranking ----------------------------------------------------------------------------------------------- */

/* Scorers f(x) = Wᵀx of k labels are trained from preferences about pairs of labels: the edges (winner, loser) of a
 * graph for each row. The edges of a row are divided into subgraphs, and its loss is the mean over these of
 *   max(0, max over the edges of a subgraph of margin − (f_winner − f_loser)). */
typedef struct cp_preferences {
  int64_t struct_size;
  int64_t n, k;          /* rows, and labels, from 2 to 16384                                                       */
  cp_in_i8 *signs;       /* [n, k * (k - 1) / 2] for each pair u < v, in lexicographic order: positive where label
                            u is to stand before v, negative where v is to stand before u, 0 where neither is known */
  cp_in_f64 *margins;    /* [n, k * (k - 1) / 2]? laid out as signs: what scores of an edge are to differ by; NULL: 1 */
  cp_in_f64 *weights;    /* [n]? finite and not negative; NULL: 1                                                   */
  cp_in_char *subgraphs; /* "edges": each edge on its own
                            "stars": the edges from each label that stands before others
                            "sinks": the edges to each label that stands behind others
                            "graph": all edges of the row together                                                  */
  cp_in_i64 *own_rows;   /* [n + 1]? subgraphs of the caller's own, in place of these: those of row i are own_rows[i],
                            ..., own_rows[i + 1] - 1; NULL: none                                                    */
  int64_t n_own, n_edges; /* how many subgraphs, and edges in them                                                  */
  cp_in_i64 *own_edges;  /* [n_own + 1]? the edges of subgraph s are own_edges[s], ..., own_edges[s + 1] - 1         */
  cp_in_i32 *own_ends;   /* [n_edges, 2]? winner and loser of each edge, a preference of the row. It may be in several
                            subgraphs, but not for cp_labelrank_svm                                                 */
} cp_preferences;
typedef const cp_preferences cp_in_preferences;
#define CP_PREFERENCES {.struct_size = sizeof(cp_preferences)}

typedef struct cp_labelrank_options {
  int64_t struct_size;
  double c;         /* above 0                                              */
  double tol;       /* not negative                                         */
  int64_t max_iter; /* passes, at least 1                                   */
  uint64_t seed;    /* of the order of rows, drawn anew in each pass        */
} cp_labelrank_options;
typedef const cp_labelrank_options cp_in_labelrank_options;
#define CP_LABELRANK_OPTIONS {.struct_size = sizeof(cp_labelrank_options), .c = 1, .tol = 1e-2, .max_iter = 1000}

/* How the training of a support vector machine ended. */
typedef struct cp_labelrank_info {
  int64_t struct_size;
  double objective;
  double gap;     /* a bound on the distance of the objective to its minimum */
  int64_t n_iter; /* passes over the rows                                    */
} cp_labelrank_info;
#define CP_LABELRANK_INFO {.struct_size = sizeof(cp_labelrank_info)}

/* Minimises ½‖W‖² + c Σ_i weight_i loss_i by block-coordinate ascent on the dual, a row a block. Inputs are a design
 * or a symmetric kernel matrix kernel[n, n], which is not checked (see cp_kernel_check); the other is NULL. coef gets
 * W[q, k], for the q features of the design, or A[n, k] with f(x) = Σ_i k(x, x_i) A_i, each row the sum of
 * alpha (e_winner − e_loser) over the row's edges; alpha, laid out as signs, the dual variables: those of a subgraph
 * are not negative and add up to at most c·weight_i over the number of the row's subgraphs. Ends when gap <=
 * tol·objective, or after max_iter passes with CP_ENOTCONVERGED. control->step counts passes; control->value is an
 * estimate of gap/objective. NaN or infinite weights or margins: CP_EVALUE. CP_ENUMERICAL: the numbers overflow.
 * bad_row is a row of the design, weights or margins. */
int32_t cp_labelrank_svm(cp_in_design *design /* ? */, cp_in_f64 *kernel /* [preferences.n, preferences.n]? */,
                         cp_in_preferences *preferences, cp_in_labelrank_options *options,
                         double *alpha /* [preferences.n, preferences.k * (preferences.k - 1) / 2] */,
                         double *coef /* [or(design.p + design.intercept, preferences.n), preferences.k] */,
                         cp_labelrank_info *info /* ? */, int32_t workers, cp_control *control, int64_t *bad_row,
                         char *err, int64_t err_cap);

typedef struct cp_online_options {
  int64_t struct_size;
  cp_in_char *update; /* "additive":       W += weight·D
                         "multiplicative": theta += weight·D; W = radius (exp(t) − exp(−t)) / Σ (exp(t) + exp(−t)), with
                                           t = rate·theta/(radius·scale)
                         "primal-dual":    W minimises ½‖W − W before‖² + c·weight·loss, to a thousandth of the rise of
                                           the dual                                                               */
  double rate;        /* above 0, below 2; not looked at where the update does not use it, and so for the next two */
  double radius;      /* positive; while t is well below 1, as for large radii, W is in proportion to theta       */
  double c;           /* positive                                                                                 */
  cp_in_i64 *order;   /* [design.n]? the numbers of the rows in the order of the steps; NULL: as they stand        */
} cp_online_options;
typedef const cp_online_options cp_in_online_options;
#define CP_ONLINE_OPTIONS {.struct_size = sizeof(cp_online_options), .rate = 1, .radius = 0.1, .c = 1}

/* What online steps change in place; all zero at the beginning. */
typedef struct cp_online_state {
  int64_t struct_size;
  int64_t q, k;
  double *coef;    /* [q, k] W                                                         */
  double *theta;   /* [q, k]? for "multiplicative", NULL otherwise                     */
  double *average; /* [q, k]? the weighted mean of W after each step; NULL: not wanted */
  double *tally;   /* [4] sums over the rows so far: their weights; weight times the share of subgraphs with a wrong
                      edge, before the step; weight·loss before the step; and the largest weight·‖x‖²
                      ("multiplicative": weight·max|x_j|²), which is scale             */
} cp_online_state;
typedef const cp_online_state cp_in_online_state;
#define CP_ONLINE_STATE {.struct_size = sizeof(cp_online_state)}

/* One step of online learning on each row, with margins of 1 (those of preferences must be NULL). D is Σ over the
 * subgraphs that have an edge with f_winner <= f_loser of their share in the loss times the mean over such edges of x ⊗
 * (e_winner − e_loser). Rows of weight 0 are passed over.
 * control->step counts rows; control->value is the mean of mistakes. CP_ENUMERICAL: the numbers overflow.
 * bad_row is a row of the design or weights. */
int32_t cp_labelrank_online(cp_in_design *design, cp_in_preferences *preferences, cp_in_online_options *options,
                            cp_in_online_state *state, int32_t workers, cp_control *control, int64_t *bad_row,
                            char *err, int64_t err_cap);

/* Writes to *bound what the first of the sums in tally cannot exceed after n_passes (at least 1) over all rows, in any
 * order, from zero weights on. It follows from the losses of any fixed weights coef[q, k], with margins of 1: the
 * better they are the lower. "multiplicative" takes weights whose absolute values add up to radius at most. order is
 * not looked at.
 * bad_row is a row of the design or weights. */
int32_t cp_labelrank_mistake_bound(cp_in_design *design, cp_in_preferences *preferences, cp_in_online_options *options,
                                   cp_in_f64 *coef /* [design.p + design.intercept, preferences.k] */, int64_t n_passes,
                                   double *bound /* [1] */, int32_t workers, cp_control *control, int64_t *bad_row,
                                   char *err, int64_t err_cap);

typedef struct cp_boost_options {
  int64_t struct_size;
  double alpha;     /* of the penalty 2 alpha Σ ln cosh(λ/2) on all weights λ; at least 0                        */
  double min_gain;  /* rounds end when the last ten have lowered the objective by at most that share of it; at least
                       0                                                                                         */
  int64_t max_iter; /* rounds, at least 1                                                                        */
  int64_t n_rankers;
  cp_in_f64 *scores; /* [preferences.n, preferences.k, n_rankers]? scores of rankers; NULL: features are boosted */
} cp_boost_options;
typedef const cp_boost_options cp_in_boost_options;
#define CP_BOOST_OPTIONS {.struct_size = sizeof(cp_boost_options), .alpha = 0.1, .min_gain = 1e-4, .max_iter = 2000}

/* The way of boosting: of what came after round n_curve, the last is in its place. */
typedef struct cp_boost_curve {
  int64_t struct_size;
  int64_t n_curve;
  double *losses; /* [n_curve + 1]? the objective, first that of zero weights, then after each round; or NULL */
  double *bounds; /* [n_curve]? how much each round was sure to lower it by; or NULL                         */
} cp_boost_curve;
typedef const cp_boost_curve cp_in_boost_curve;
#define CP_BOOST_CURVE {.struct_size = sizeof(cp_boost_curve)}

/* Boosts a log-linear label ranker: minimises the sum over the subgraphs of all rows of their share in the loss times
 * the row's weight times ln(1 + Σ exp(f_loser − f_winner)), a sum over the edges of the subgraph, plus the penalty, by
 * parallel boosting. Margins must be NULL.
 *
 * With scores of the options NULL f = Wᵀx, and W goes to weights[q, k]. Otherwise f is a combination of rankers, whose
 * weights go to weights[n_rankers], and of the design n alone is looked at.
 * curve may be NULL. *n_iter gets the number of rounds; CP_ENOTCONVERGED: max_iter came first. CP_ENUMERICAL: the
 * scores overflow. control->step counts rounds; control->value is the objective.
 * bad_row is a row of the design or weights. */
int32_t cp_labelrank_boost(cp_in_design *design, cp_in_preferences *preferences, cp_in_boost_options *options,
                           cp_in_boost_curve *curve /* ? */,
                           double *weights /* [or(options.n_rankers, (design.p + design.intercept) * preferences.k)] */,
                           int64_t *n_iter /* [1] */, int32_t workers, cp_control *control, int64_t *bad_row, char *err,
                           int64_t err_cap);

/* Rankings of k labels, one for each of n rows. */
typedef struct cp_rankings {
  int64_t struct_size;
  int64_t n, k;          /* k from 2 to 16384                                          */
  cp_in_i32 *positions;  /* [n, k] of the labels, from 1 on, each position once in a row */
  cp_in_f64 *weights;    /* [n]? finite and not negative; NULL: 1                      */
  int64_t top;           /* how many positions "ndcg" (0: all), "precision" and "by-hits" look at  */
  cp_in_f64 *losses;     /* of losses that the caller gives, finite; 0 between y_i and itself */
  int64_t n_listed;
  cp_in_i32 *listed;     /* [n_listed, k]? positions, as above, of the rankings that "listed" looks at */
} cp_rankings;
typedef const cp_rankings cp_in_rankings;
#define CP_RANKINGS {.struct_size = sizeof(cp_rankings)}

/* Minimises ½‖W‖² + c Σ_i weight_i max over rankings z of [loss(y_i, z) − Σ_l (w(y_il) − w(z_l)) f_l(x_i)] by cutting
 * planes, for f(x) = Wᵀx and the weights w = position_weights[k] of positions, which must not increase, the first above
 * the last. The best ranking then sorts the labels by f. coef[q, k] gets W. loss, from 0 to at most 1, is
 *   "spearman":  the sum of the squared differences of positions, over its largest value
 *   "footrule":  that of their absolute values
 *   "ndcg":      1 less the normalised discounted cumulative gain, where the label at position j of y has the gain
 *                k − j and position j <= top of z the discount 1/log₂(1 + j)
 *   "precision": the share of the first top labels of z that are not among those of y, top < k
 * or one that the caller gives by the rankings' losses:
 *   "by-position": Σ_l losses[y_il − 1, z_l − 1], of losses[k, k]
 *   "by-hits":     losses[h], of losses[top + 1], for h labels among the first top < k of both
 *   "listed":      losses[i, j], of losses[n, n_listed], for z = listed[j]; the maximum is over the rankings listed,
 *                  of which each y_i must be one.
 * Ends when gap <= tol·objective, or after max_iter iterations with CP_ENOTCONVERGED, each of which finds the maximum
 * of every row: an assignment problem of O(k³), O(k top + k log k) for "precision" and "by-hits", O(k n_listed) for
 * "listed". The seed of the options is not looked at; info may be NULL. control->step counts iterations; control->value
 * is the gap. CP_ENUMERICAL: the numbers overflow.
 * bad_row is a row of the design, positions or weights. */
int32_t cp_labelrank_direct(cp_in_design *design, cp_in_rankings *rankings, cp_in_char *loss,
                            cp_in_f64 *position_weights /* [rankings.k] */, cp_in_labelrank_options *options,
                            double *coef /* [design.p + design.intercept, rankings.k] */,
                            cp_labelrank_info *info /* ? */, int32_t workers, cp_control *control, int64_t *bad_row,
                            char *err, int64_t err_cap);

/* Reads positions[n, k] of 2 to 16384 labels, positive and finite numbers of which only the order counts, the smaller
 * before the larger and equal ones tied; -1 and NaN are unknown. ranks[n, k] gets their dense ranks, from 1 on, 0 where
 * unknown; signs[n, k(k-1)/2] what cp_preferences takes; and gaps, as large or NULL, by how much the positions of each
 * pair differ, 1 where one is unknown: margins that demand more of labels farther apart. control->step counts rows.
 * bad_row is a row of positions. */
int32_t cp_labelrank_read(cp_in_f64 *positions /* [n, k] */, int64_t n, int64_t k, int32_t *ranks /* [n, k] */,
                          int8_t *signs /* [n, k * (k - 1) / 2] */, double *gaps /* [n, k * (k - 1) / 2]? */,
                          int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* For each of n rows, m of the rows that preferences are of, such as those that cp_nearest finds. */
typedef struct cp_neighbors {
  int64_t struct_size;
  int64_t n, m;
  cp_in_i64 *numbers; /* [n, m] of rows of the preferences, from 0 on                           */
  cp_in_f64 *weights; /* [n, m] finite and not negative; those of the preferences multiply them */
  cp_in_i32 *counts;  /* [preferences.n, preferences.k]? scores that cp_labelrank_consensus gives where each row of the
                         preferences is its own neighbour: those of others take O(m k) then, not O(m k²). NULL: not
                         known                                                                  */
} cp_neighbors;
typedef const cp_neighbors cp_in_neighbors;
#define CP_NEIGHBORS {.struct_size = sizeof(cp_neighbors)}

/* Makes one ranking of k labels of the preferences of neighbours; margins and subgraphs are not looked at. Each output
 * may be NULL.
 *   scores[n, k]    the mean of how many labels each label is preferred to, less how many are preferred to it: Borda's
 *                   count, centred
 *   positions[n, k] from 1 on, which reverse the least weight of the neighbours' preferences: exactly where cp_decode
 *                   can for "permutations", otherwise by its search
 *   theta[n], probability[n]
 *                   of Mallows' model p(y) ~ exp(−theta D(y, positions)), D Kendall's distance, which takes positions:
 *                   the theta >= 0 at which as much stated preference is against the positions as the model expects
 *                   (for full rankings the most likely one; infinite where none is against them), and the probability
 *                   of the positions. Both or neither
 *   pairs[n, k, k]  shares of the neighbours' weight that prefer the label of the row to that of the column, where one
 *                   that prefers neither counts half; 1/2 on the diagonal
 * control->step counts rows.
 * bad_row is a row of neighbors. */
int32_t cp_labelrank_consensus(cp_in_preferences *preferences, cp_in_neighbors *neighbors,
                               double *scores /* [neighbors.n, preferences.k]? */,
                               int32_t *positions /* [neighbors.n, preferences.k]? */,
                               double *theta /* [neighbors.n]? */, double *probability /* [neighbors.n]? */,
                               double *pairs /* [neighbors.n, preferences.k, preferences.k]? */, int32_t workers,
                               cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* ---- Rank aggregation -------------------------------------------------------------------------------------------- */

/* Weighted rankings of k items. */
typedef struct cp_profile {
  int64_t struct_size;
  int64_t n, k;         /* at least 1 ranking and 2 items                                                    */
  cp_in_f64 *ranks;     /* [n, k] the smaller is before the larger, equal ones are tied; finite numbers from 0 on,
                           or -1 or NaN for unknown items, which are in no pair that counts                  */
  cp_in_f64 *weights;   /* [n]? at least 0 and not all 0, or NULL: 1 each                                    */
  int64_t n_extensions; /* rows for each partial order where rows come from cp_aggregate_extend, otherwise 0 */
} cp_profile;
typedef const cp_profile cp_in_profile;
#define CP_PROFILE {.struct_size = sizeof(cp_profile)}

/* What rankings prefer, pair by pair. */
typedef struct cp_pairs {
  int64_t struct_size;
  int64_t k;
  double *before; /* [k, k] the weight of the rankings with u before v, in row u and column v; 0 on the diagonal  */
  double *tied;   /* [k, k]? the weight of those with the two tied, or NULL: none, or not wanted                  */
} cp_pairs;
typedef const cp_pairs cp_in_pairs;
#define CP_PAIRS {.struct_size = sizeof(cp_pairs)}

/* Counts what rankings prefer: writes to before and tied of pairs. Sums are exact where weights are whole numbers, or
 * all the same. A rank that is infinite or below 0, but for -1, is CP_EVALUE with bad_row. control->step counts items.
 * bad_row is a row of the profile. */
int32_t cp_aggregate_pairs(cp_in_profile *profile, cp_in_pairs *pairs, int32_t workers, cp_control *control,
                           int64_t *bad_row, char *err, int64_t err_cap);

/* Writes the number of each item's group to group[k], and how many groups there are to *n_groups: these are the finest
 * groups that some best order places one after the other, in that order, given the weights of pairs, before[k, k], of
 * cp_pairs, or margins of cp_aggregate_margins. They are the strongly connected components of the majority's
 * preferences. CP_EVALUE: a weight is negative or not finite.
 * bad_row is a row of before. */
int32_t cp_aggregate_groups(cp_in_f64 *before /* [k, k] */, int64_t k, int32_t *group /* [k] */,
                            int64_t *n_groups /* [1] */, int64_t *bad_row, char *err, int64_t err_cap);

/* Writes the weights of the majority's preferences to dst[k, k]: where more than a share threshold, from 1/2 to below
 * 1, of the weight of the rankings that know u and v has u before v, that of these rankings less that of those with v
 * before u, otherwise 0. CP_EVALUE: threshold is not such a share, or a weight is negative or not finite.
 * bad_row is a row of pairs. */
int32_t cp_aggregate_margins(cp_in_pairs *pairs, double threshold, double *dst /* [k, k] */, int64_t k,
                             int64_t *bad_row, char *err, int64_t err_cap);

/* Finds the strongest chains of each of n matrices of probabilities, proba[n, k, k], that the item of the row is before
 * that of the column: chains[n, k, k] gets the largest least probability along a chain from the one to the other, 0 on
 * the diagonal, so that the pairs of which it is above q are the transitive closure of those whose probability is; and
 * least[n] the smallest q from 1/2 on for which that has no cycle. CP_EVALUE with bad_row: a probability, off the
 * diagonal, is not from 0 to 1, or two items are before each other with probabilities of a sum above 1 + 1e-6.
 * control->step counts rows. */
int32_t cp_aggregate_chains(cp_in_f64 *proba /* [n, k * k] */, int64_t n, int64_t k, double *chains /* [n, k, k] */,
                            double *least /* [n] */, int32_t workers, cp_control *control, int64_t *bad_row, char *err,
                            int64_t err_cap);

/* What the caller's solver has found of the program of a group. */
typedef enum cp_program {
  CP_PROGRAM_SOLVED = 0,     /* a best order: x is 0 or 1, up to the solver's tolerance */
  CP_PROGRAM_FRACTIONAL = 1, /* an optimum of the linear relaxation; for "lp" */
  CP_PROGRAM_OUT_OF_TIME = 2 /* no more than a bound: the group is searched */
} cp_program;

/* Solutions of programs, one for each group of more than one item: minimise Σ x_uv before_vu over its pairs u ≠ v,
 * subject to x_uv + x_vu = 1 and 0 <= x_uv + x_vw − x_uw <= 1 for u < v < w. The library has no solver of programs. */
typedef struct cp_programs {
  int64_t struct_size;
  int64_t k, n_groups;
  cp_in_f64 *x;           /* [k, k] x_uv, how far u is before v; only pairs within a group are read                 */
  cp_in_i32 *state;       /* [n_groups] CP_PROGRAM_…; that of a single item is not looked at otherwise              */
  cp_in_f64 *lower_bound; /* [n_groups] of the minimum; not read where the state is CP_PROGRAM_SOLVED               */
} cp_programs;
typedef const cp_programs cp_in_programs;
#define CP_PROGRAMS {.struct_size = sizeof(cp_programs)}

typedef struct cp_aggregate_options {
  int64_t struct_size;
  cp_in_char *method; /* for Kendall's distance:
                         "auto":         "exact" for groups that are small enough, "milp" for others where programs
                                         are given, "local-search" where not, and for partial orders
                         "exact":        by recursion over subsets for groups of up to 20 items; with ties up to 16,
                                         partial orders of groups of up to 7; CP_ECAPABILITY beyond that
                         "milp":         no partial orders: from solutions of integer programs
                         "lp":           orders only: rounds solutions of linear relaxations
                         "pivot":        orders only: puts what beats a pivot before it, and so on
                         "random-pivot": orders only: the same with random pivots
                         "local-search": moves single items while that helps, from several starts
                         "best-input":   the best of the rankings, its ties broken by others
                         by positions, for orders only:
                         "borda":        least sum of squared differences: the order of the mean positions
                         "footrule":     least sum of absolute differences
                         "median-rank":  an approximation of that: the order of the median positions                 */
  cp_in_char *output; /* "order", "weak": ties allowed, or "partial": a partial order                                */
  double penalty;     /* from 0 to 1: the Kendall distance of a pair that is tied, or unrelated, in one ranking only */
  uint64_t seed;      /* of "random-pivot"; each group has a random stream of its own                                */
} cp_aggregate_options;
typedef const cp_aggregate_options cp_in_aggregate_options;
#define CP_AGGREGATE_OPTIONS {.struct_size = sizeof(cp_aggregate_options), .penalty = 0.5}

/* What is known about a consensus. */
typedef struct cp_consensus_info {
  int64_t struct_size;
  double distance;       /* weighted sum of the distances to the rankings                                          */
  double lower_bound;    /* no consensus of this kind has a smaller distance                                       */
  double ratio;          /* distance is at most ratio times the least one; 0 where nothing is guaranteed           */
  double standard_error; /* of distance where rows are samples of linear extensions, otherwise 0                   */
  int64_t expected;      /* 1 where ratio bounds the mean over random choices only                                 */
  int64_t optimal;       /* 1 where no consensus has a smaller distance                                            */
  char method[16];       /* the one that was used                                                                  */
  char reason[256];      /* where ratio comes from, or why there is none                                           */
} cp_consensus_info;
#define CP_CONSENSUS_INFO {.struct_size = sizeof(cp_consensus_info)}

/* Finds one ranking, or partial order, in the place of many. dst[dst_len] gets the positions of the k items, 1 for the
 * first, tied items sharing one; for "partial" dst_len is k·k, and entry (u, v) is 1 where u is before v, otherwise 0.
 *
 * One of profile and pairs may be NULL. Pairs are counted where they are not given; if only they are given nothing is
 * made of the rankings themselves, which "best-input" and the methods by positions need. Positions are mean positions
 * over all orders that agree with a ranking. programs are for "milp" and "lp", and NULL for others; groups are those of
 * before. options may be NULL: those of CP_AGGREGATE_OPTIONS. info may be NULL.
 *
 * Guarantees for rankings of all items without ties: "lp" 4/3 of the least distance, "random-pivot" 11/7 on average,
 * "pivot" 8/5, "local-search" and "best-input" 2; ratio has the one that holds for the rankings at hand.
 * control->step counts groups, or rankings. CP_ECAPABILITY, too: the method gives orders only.
 * bad_row is a row of the profile, or of pairs where the message says so. */
int32_t cp_aggregate(cp_in_profile *profile /* ? */, cp_in_pairs *pairs /* ? */,
                     cp_in_aggregate_options *options /* ? */, cp_in_programs *programs /* ? */,
                     int32_t *dst /* [dst_len] */, int64_t dst_len, cp_consensus_info *info /* ? */, int32_t workers,
                     cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* What is known about an acyclic part of preferences. */
typedef struct cp_acyclic_info {
  int64_t struct_size;
  double weight;      /* of the preferences that are kept                                    */
  double upper_bound; /* no acyclic part has more                                            */
  double ratio;       /* weight is at least ratio times the largest possible one: 1 or 1/2   */
  int64_t optimal;    /* 1 where no acyclic part has more weight                             */
  char method[16];    /* the one that was used                                               */
} cp_acyclic_info;
#define CP_ACYCLIC_INFO {.struct_size = sizeof(cp_acyclic_info)}

/* Finds the acyclic part of largest weight of preferences margins[k, k], and the partial order that follows from it.
 * kept[k, k] gets 1 for the preferences that are kept, otherwise 0, relation[k, k] for those and all that follow from
 * chains of them; each may be NULL, and so may info. Methods are "auto", "exact", "milp" and "local-search", of which
 * the last keeps at least half of what can be kept. The other options are not looked at; options may be NULL, for
 * "auto". programs are about margins.
 * control->step counts groups. CP_EVALUE: a margin is negative or not finite.
 * CP_ECAPABILITY: "exact", and a group is too large.
 * bad_row is a row of margins. */
int32_t cp_aggregate_acyclic(cp_in_f64 *margins /* [k, k] */, int64_t k, cp_in_aggregate_options *options /* ? */,
                             cp_in_programs *programs /* ? */, int32_t *relation /* [k, k]? */,
                             int32_t *kept /* [k, k]? */, cp_acyclic_info *info /* ? */, int32_t workers,
                             cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Partial orders of k items. */
typedef struct cp_relations {
  int64_t struct_size;
  int64_t n, k;       /* k from 2 to 2048                                                                          */
  cp_in_i32 *before;  /* [n, k, k] entry (u, v) is not 0 where u is before v; transitive, without circles          */
  cp_in_f64 *weights; /* [n]? at least 0 and not all 0, or NULL: 1 each                                            */
} cp_relations;
typedef const cp_relations cp_in_relations;
#define CP_RELATIONS {.struct_size = sizeof(cp_relations)}

/* Puts n_extensions (2 to 2^24) uniform linear extensions in the place of each partial order, as a profile of
 * n·n_extensions rows has them: ranks[n, n_extensions, k] gets positions from 1 on, weights[n, n_extensions] the share
 * of each in the weight of its partial order. Each partial order has a random stream of its own. control->step counts
 * extensions. Relations that go round in a circle, or are not transitive: CP_EVALUE with bad_row.
 * bad_row is the number of a partial order. */
int32_t cp_aggregate_extend(cp_in_relations *relations, int64_t n_extensions, uint64_t seed,
                            double *ranks /* [relations.n, n_extensions, relations.k] */,
                            double *weights /* [relations.n, n_extensions] */, int32_t workers, cp_control *control,
                            int64_t *bad_row, char *err, int64_t err_cap);

/* n sets of m weighted rankings of k items each. */
typedef struct cp_ranked_sets {
  int64_t struct_size;
  int64_t n, m, k;
  cp_in_i32 *ranks;   /* [n, m, k] from 1 on, only the largest one shared: the items that are left when
                         the others are chosen; 0 for items that are not ranked                     */
  cp_in_f64 *weights; /* [n, m] finite and not negative                                     */
} cp_ranked_sets;
typedef const cp_ranked_sets cp_in_ranked_sets;
#define CP_RANKED_SETS {.struct_size = sizeof(cp_ranked_sets)}

/* Fits a Plackett–Luce model to each set: a ranking is drawn place by place, each time one of the items that are left,
 * with probability proportional to exp u. utilities[n, k] gets u, of mean 0 in each row, which minimises −Σ_j w_j ln
 * p(y_j) + penalty/2 ‖u‖², by Newton's method; the penalty is at least 0, and above 0 where no ranking has an item from
 * outside some group before one of the group. *n_unfitted gets how many sets are not fitted
 * after 100 steps: CP_ENOTCONVERGED if there are any. CP_ENUMERICAL: the penalty is lost beside the weights.
 * control->step counts sets. bad_row is the number of a set. */
int32_t cp_plackett_luce_fit(cp_in_ranked_sets *sets, double penalty, double *utilities /* [sets.n, sets.k] */,
                             int64_t *n_unfitted /* [1] */, int32_t workers, cp_control *control, int64_t *bad_row,
                             char *err, int64_t err_cap);

/* Fits such a model to the rankings of a profile: items that share the last position of one are left when the others
 * are chosen, and no other ties are legal. utilities[k] gets u, as above, and *log_likelihood Σ_j w_j ln p(y_j). names
 * is a JSON list of what items are called in messages; NULL: their numbers. Without a penalty, items that no others
 * are ever before are CP_EVALUE. CP_ENOTCONVERGED: 100 steps were not enough; utilities are what there is.
 * bad_row is a row of the profile. */
int32_t cp_plackett_luce(cp_in_profile *profile, double penalty, cp_in_char *names,
                         double *utilities /* [profile.k] */, double *log_likelihood /* [1] */, int32_t workers,
                         cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* Comparisons of two of k items each. */
typedef struct cp_comparisons {
  int64_t struct_size;
  int64_t k, p;
  cp_in_f64 *wins;       /* [k, k] weights of comparisons in which the item of the row beats that of the column,
                            0 on the diagonal, not all 0                                                       */
  cp_in_f64 *ties;       /* [k, k]? of ties, symmetric, 0 on the diagonal; NULL, or all 0: nu is 0             */
  cp_in_f64 *covariates; /* [k, p]? Z of theta = Z beta; NULL: theta itself is fitted, of mean 0, and p is not
                            read                                                                               */
  cp_in_char *names;     /* of the items, a JSON list of strings, for messages; NULL: their numbers            */
} cp_comparisons;
typedef const cp_comparisons cp_in_comparisons;
#define CP_COMPARISONS {.struct_size = sizeof(cp_comparisons)}

/* Fits a model of Bradley and Terry, or with ties one of Davidson: the item u beats v, v beats u, and the two are tied,
 * with probabilities proportional to exp(d/2), exp(−d/2) and nu, where d = theta_u − theta_v.
 * coef[q] gets beta, or theta, and if ties are given ln nu behind: what minimises the negative logarithm of the
 * likelihood plus penalty/2 ‖beta‖², or ‖theta‖², by Newton's method; the penalty is at least 0, with covariates above
 * 0. covariance[q, q] gets the inverse of the second derivatives there, of theta among those of sum 0; utilities[k]
 * and spread[k, k] theta, of mean 0, and its covariances; and *log_likelihood the logarithm of the likelihood.
 * control->step is not counted. CP_EVALUE: no finite parameters are best, which a penalty mends, or numbers are
 * illegal. CP_ENUMERICAL: the penalty is lost beside the weights. CP_ENOTCONVERGED: 100 steps were not enough; what is
 * written is what there is.
 * bad_row is a row of wins or covariates. */
int32_t cp_bradley_terry_fit(cp_in_comparisons *comparisons, double penalty, double *coef, double *covariance,
                             double *utilities /* [comparisons.k] */,
                             double *spread /* [comparisons.k, comparisons.k] */, double *log_likelihood /* [1] */,
                             int32_t workers, cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* ---- Metrics ----------------------------------------------------------------------------------------------------- */

/* Measures how predictions agree with truths: values[n] gets a number for each row. bad_row is a row of both; messages
 * say of which. control->step counts rows. metric is one of RANKING_METRICS of cp_catalogue:
 *   "kendall_tau"          pairs of labels in the same order less those in opposite orders, over the geometric mean of
 *                          how many each of the two does not tie
 *   "tau_x"                pairs in the same order, or tied by both, less those in opposite orders, over all
 *   "spearman_rho"         the correlation of the positions, tied labels sharing the mean of theirs
 *   "spearman_footrule"    the sum of the absolute differences of these
 *   "top_k_recall"         the share of the first k labels that are among the first k of y_pred
 *   "ndcg"                 the discounted cumulative gain of the first k labels, over the largest; the gain of a label
 *                          is how many labels are behind it
 *   "rank_biased_overlap"  of persistence p, extrapolated
 * parameter is k or p of those that have one. The smaller a position, from 0 on, the earlier; NaN is unknown, which
 * y_true may have, but for Spearman's measures: such labels are left out. A row with fewer than two known labels gets
 * NaN. Where ties leave places open, the last three are means over all ways to break them. */
int32_t cp_metric_rankings(cp_in_f64 *y_true /* [n, k] */, cp_in_f64 *y_pred /* [n, k] */, int64_t n, int64_t k,
                           cp_in_char *metric, double parameter, double *values /* [n] */, int32_t workers,
                           cp_control *control, int64_t *bad_row, char *err, int64_t err_cap);

/* The same for lists of places from 0 on, in visiting order, which -1 pads at the right. metric is of VISIT_METRICS:
 *   "route_f1"        F1 of the places, each as often as it is visited
 *   "route_pairs_f1"  F1 of the ordered pairs of visits, of y_true of first visits
 *   "policy_cosine"   the cosine of directed cycles: arcs in both less those in opposite directions, over the geometric
 *                     mean of the lengths
 *   "cycle_f1"        F1 of the edges of undirected cycles
 * Each row visits a place, two of y_true for "route_pairs_f1", and cycles three or more, each once. bad_row is a row of
 * both. control->step counts rows. */
int32_t cp_metric_visits(cp_in_i32 *y_true /* [n, k] */, int64_t n, int64_t k, cp_in_i32 *y_pred /* [n, m] */,
                         int64_t m, cp_in_char *metric, double *values /* [n] */, int32_t workers, cp_control *control,
                         int64_t *bad_row, char *err, int64_t err_cap);

/* How complete and how correct partial orders are, by the threshold above which pairs are stated, given probabilities
 * proba[n, k, k] that the item of the row is before that of the column: a row states the transitive closure of the
 * pairs that are more probable than the threshold, or than the least at which that has no cycle. y_true has signs and
 * weights, and rows without a sign do not count. thresholds are from 1/2 to below 1; NULL: all at which anything
 * changes, or m of these, evenly by rank. curve has rows of the thresholds; of the completeness, the share of the
 * pairs of known order that is stated, in the mean over rows; and of the correctness, of the pairs of known order that
 * are stated, the share in the right order less that in the wrong one, in the mean over the rows that state some, NaN
 * where none does. Its first n_cuts columns are set.
 * CP_EVALUE: no row of positive weight counts; with bad_row: for probabilities, as for cp_aggregate_chains.
 * control->step counts rows, and then thresholds. */
int32_t cp_metric_abstention(cp_in_preferences *y_true, cp_in_f64 *proba /* [y_true.n, y_true.k * y_true.k] */,
                             cp_in_f64 *thresholds /* [m]? */, int64_t m, double *curve /* [3, m] */,
                             int64_t *n_cuts /* [1] */, int32_t workers, cp_control *control, int64_t *bad_row,
                             char *err, int64_t err_cap);

/* A rooted tree of k nodes. */
typedef struct cp_tree {
  int64_t struct_size;
  int64_t k;
  cp_in_i32 *parent;       /* [k] of each node, -1 for the root                                       */
  cp_in_f64 *node_weight;  /* [k]? costs of wrong nodes, finite and not negative; NULL: by the next   */
  cp_in_char *rule;        /* one of NODE_COSTS: "unit"; "sibling", 1 for the root, which its children
                              share equally, and so on; or "subtree", the share of all nodes that are
                              below, the node included                                                */
} cp_tree;
typedef const cp_tree cp_in_tree;
#define CP_TREE {.struct_size = sizeof(cp_tree)}

/* The same for nodes of a tree, width 1, or sets of nodes, width k, an entry 0 or 1 for each: a node comes with its
 * parent. metric is one of NODE_METRICS:
 *   "path-length"    how many nodes are on the path to the root of one of the two nodes, but not of the other
 *   "path-distance"  the same, over how many are on either
 *   "h-loss"         the cost of the nodes on one path only that have no such node above them
 *   "set-h-loss"     the same of sets
 * bad_row is a row of both. control->step counts rows. */
int32_t cp_metric_nodes(cp_in_i32 *y_true /* [n, width] */, int64_t n, int64_t width,
                        cp_in_i32 *y_pred /* [n, width] */, cp_in_tree *tree, cp_in_char *metric,
                        double *values /* [n] */, int32_t workers, cp_control *control, int64_t *bad_row, char *err,
                        int64_t err_cap);

#ifdef __cplusplus
}
#endif
#endif
