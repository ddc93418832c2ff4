package header

import (
	"slices"
	"testing"
)

const text = `
/* A struct. */
typedef struct cp_scores {
  int64_t struct_size;
  int64_t n, d;
  /* Words; [more]. */
  cp_in_f64 *linear;  /* [n, d + 1] with words;
                         and [brackets] */
  double *free;       /* words */
  cp_in_char *method; /* "auto" */
  char name[16];      /* of * it */
  cp_in_f64 *bound;   /* [n]? or NULL */
  /* Since version 5. */
  int64_t more; /* words */
} cp_scores;

int32_t cp_version(void);
int32_t cp_do(cp_in_scores *scores, int64_t n, double *dst /* [scores.n, n * (n - 1) / 2] */, uint8_t *more /* ? */, char *err,
              int64_t err_cap);
`

func TestDeclarationsHaveSizes(t *testing.T) {
	h, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(h.FunctionNames, []string{"cp_do"}) || !slices.Equal(h.StructNames, []string{"cp_scores"}) {
		t.Errorf("functions %v, structs %v", h.FunctionNames, h.StructNames)
	}
	for _, c := range []struct {
		of       string
		at       int
		ctype    string
		name     string
		sizes    int
		optional bool
		length   int
	}{
		{"cp_scores", 0, "int64_t", "struct_size", 0, false, 0}, {"cp_scores", 1, "int64_t", "n", 0, false, 0},
		{"cp_scores", 2, "int64_t", "d", 0, false, 0}, {"cp_scores", 3, "cp_in_f64 *", "linear", 2, false, 0},
		{"cp_scores", 4, "double *", "free", 0, false, 0}, {"cp_scores", 5, "cp_in_char *", "method", 0, false, 0},
		{"cp_scores", 6, "char", "name", 0, false, 16}, {"cp_scores", 7, "cp_in_f64 *", "bound", 1, true, 0},
		{"cp_do", 0, "cp_in_scores *", "scores", 0, false, 0}, {"cp_do", 2, "double *", "dst", 2, false, 0},
		{"cp_do", 3, "uint8_t *", "more", 0, true, 0}, {"cp_do", 5, "int64_t", "err_cap", 0, false, 0},
	} {
		d := slices.Concat(h.Structs[c.of], h.Functions[c.of])[c.at]
		if d.CType != c.ctype || d.Name != c.name || len(d.Sizes) != c.sizes || d.Optional != c.optional || d.Length != c.length {
			t.Errorf("%s has %+v at %d, want %+v", c.of, d, c.at, c)
		}
	}
	for i, d := range h.Structs["cp_scores"] {
		if d.Appended != (i == 8) {
			t.Errorf("%s is said to be appended: %v", d.Name, d.Appended)
		}
	}
	if d := h.Functions["cp_do"][0]; h.Record(d) != "cp_scores" || !d.Constant() || !d.Pointer() {
		t.Errorf("%+v leads to %q", d, h.Record(d))
	}
}

func TestWhatIsNoHeaderIsRefused(t *testing.T) {
	for _, text := range []string{"int32_t cp_a(int);", "int32_t cp_a(double *x /* [n,, 2] */);", "typedef struct cp_a {\n  what\n} cp_a;",
		"typedef struct cp_a {\n  char a[x];\n} cp_a;"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

func TestTheHeaderIsRead(t *testing.T) {
	h, err := Read("../../combpred.h")
	if err != nil || len(h.Functions) < 80 || len(h.Structs) < 60 {
		t.Errorf("%d functions, %d structs, error %v", len(h.Functions), len(h.Structs), err)
	}
}
