/* A comparison: problems, each solved by several variants (formulations, constraint methods, integrators),
   each with several meshes and steps. A case is one run or equilibrium: a variant of a problem with one
   value of each number that is refined. */
#ifndef SN_COMPARE_CASES_H
#define SN_COMPARE_CASES_H

#include "base/mem.h"
#include "model/item.h"
#include "sinew/sinew.h"

enum { SN_CASE_QUANTITIES = 12, SN_CASE_REFINED = 4, SN_CASE_VALUES = 12, SN_CASE_REASON = SN_ERR_TEXT };

/* A number that is refined while the others stand at their last value. */
typedef struct sn_refined {
    const char *name; /* as of --set */
    int n;
    const char *text[SN_CASE_VALUES]; /* coarse to fine */
    double size[SN_CASE_VALUES];      /* their numbers */
} sn_refined;

/* What a model is solved with: "name=value" of its numbers, words of the run. */
typedef struct sn_case_setting {
    const char *set; /* "name=value" */
    const sn_item *item;
} sn_case_setting;

typedef struct sn_variant {
    const char *name, *model; /* model: path of the file */
    const sn_item *model_item;
    int n_set, n_word, n_refined;
    sn_case_setting *set;
    const sn_item **word; /* of the section run: scheme, constraints ... */
    sn_refined refined[SN_CASE_REFINED];
} sn_variant;

typedef enum sn_reference_sort {
    SN_REFERENCE_NUMBERS,
    SN_REFERENCE_LIMIT,  /* each variant's own, extrapolated */
    SN_REFERENCE_FINEST, /* each variant's own last case */
    SN_REFERENCE_VARIANT /* of one variant, for all: its limit, or a run of its own */
} sn_reference_sort;

typedef struct sn_problem {
    const char *name, *title, *note;
    int is_static, n_quantity, n_variant, first, n; /* first, n: its cases */
    const sn_item *quantity[SN_CASE_QUANTITIES];    /* "tip.x@1" */
    double scale;                                   /* errors are relative to it */
    sn_reference_sort reference;
    double number[SN_CASE_QUANTITIES];
    int of;            /* SN_REFERENCE_VARIANT: which */
    sn_variant *finer; /* a run of its own, or NULL */
    sn_variant *variant;
} sn_problem;

enum { SN_CASE_WAITS, SN_CASE_DONE, SN_CASE_FAILED };

/* Numbers only, so that a journal can keep it. */
typedef struct sn_case_numbers {
    double y[SN_CASE_QUANTITIES];
    double cpu; /* s, the smallest of those measured */
    double unknowns, steps, iterations, factorisations, reductions, factor_nonzeros;
    double conserved, energy,
        momentum;     /* conserved: bits 1 energy, 2 momenta; their largest relative drifts */
    double violation; /* m, of equations; 0 where not measured */
} sn_case_numbers;

typedef struct sn_case {
    const sn_problem *problem;
    const sn_variant *variant;
    int value[SN_CASE_REFINED]; /* which of each number's */
    int is_reference;           /* a run for comparison only */
    int state, kept;            /* kept: from an earlier comparison */
    double weight;              /* work to be expected */
    sn_case_numbers r;
    double error, order; /* NAN: not known */
    char reason[SN_CASE_REASON];
} sn_case;

typedef struct sn_cases {
    sn_arena arena;
    const char *file, *folder, *title;
    int repeat, n_problem, n_case;
    sn_problem *problem;
    sn_case *item;
} sn_cases;

/* ---- read.c: the file, and which cases it has ---- */
sn_status sn_cases_read(const char *file, const sn_cases_options *o, sn_cases **out, sn_err *err);
void sn_cases_free(sn_cases *c);
/* "beam.elements 8, run.step 1 ms" */
void sn_case_words(const sn_case *c, char *text, size_t size);

/* ---- solve.c: models are read and solved ---- */
/* All models are read once: what is wrong with them is told before anything is solved. */
sn_status sn_cases_check(sn_cases *c, sn_err *err);
sn_status sn_cases_solve(sn_cases *c, const sn_cases_options *o, sn_err *err);

/* ---- errors.c: references, errors, orders ---- */
void sn_cases_judge(sn_cases *c);

/* ---- write.c, page.c ---- */
sn_status sn_cases_write(const sn_cases *c, const sn_cases_options *o, int stopped, sn_cases_info *info,
                         sn_err *err);
sn_status sn_cases_page(const char *path, const char *title, const char *json, size_t n, sn_err *err);

#endif
