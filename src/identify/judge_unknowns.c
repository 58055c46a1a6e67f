/* What the data can see of the unknowns, and what they cannot, in words. */
#include "identify/judge.h"
#include "identify/text.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

/* A change of an unknown by 100 %, in its z: of its value, or of its scale where zero is as good as others.
 */
static double change(const sn_study *s, const sn_estimate *e, int k)
{
    return s->unknown[k].log || s->unknown[k].about_zero || e->z[k] == 0 ? 1 : fabs(e->z[k]);
}

/* A over the common unknowns with those of single experiments eliminated, in relative changes. */
static sn_status common_part(const sn_fit *f, const sn_estimate *e, double *C, sn_err *err)
{
    int n = f->s->n_common, m = f->n - n;
    size_t all = (size_t)f->n;
    double *L = NULL, *B = NULL;
    if (!SN_NEW(L, (size_t)m * (size_t)m + 1) || !SN_NEW(B, (size_t)m * (size_t)n + 1)) {
        sn_free(L);
        return SN_OUT_OF_MEM(err);
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) L[i * m + j] = f->A[(size_t)(n + i) * all + (size_t)(n + j)];
        for (int j = 0; j < n; j++) B[i * n + j] = f->A[(size_t)(n + i) * all + (size_t)j];
        L[i * m + i] = L[i * m + i] > 0 ? L[i * m + i] * (1 + 1e-12) : 1;
    }
    int bad = m > 0 && LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', m, n, L, m, B, n) != 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = f->A[(size_t)i * all + (size_t)j];
            for (int k = 0; k < m && !bad; k++) sum -= f->A[(size_t)i * all + (size_t)(n + k)] * B[k * n + j];
            C[j * n + i] = sum * change(f->s, e, i) * change(f->s, e, j);
        }
    sn_free(L), sn_free(B);
    return SN_OK;
}

/* "m1, m2, I1 can only be scaled together", or what may change at once without a trace. */
static sn_status put_in_words(sn_estimate *e, sn_direction *d, int unseen, sn_err *err)
{
    const sn_study *s = e->s;
    double top = 0;
    int n = 0, alike = 1, largest = 0;
    sn_text t = {0};
    for (int k = 0; k < s->n_common; k++)
        if (fabs(d->weight[k]) > fabs(top)) top = d->weight[k], largest = k;
    for (int k = 0; k < s->n_common; k++) {
        double w = d->weight[k] / top;
        if (fabs(w) < 0.05) continue;
        n++;
        alike &= fabs(w - 1) < 0.05;
    }
    for (int k = 0, i = 0; k < s->n_common; k++) {
        double w = d->weight[k] / top;
        if (fabs(w) < 0.05) continue;
        sn_text_add(&t, "%s%s", i++ ? ", " : "", s->unknown[k].name);
        if (!alike && n > 1) sn_text_add(&t, " %+.2g %%", w);
    }
    if (!unseen)
        sn_text_add(&t, n > 1 ? " at once: seen to %.2g %%" : ": seen to %.2g %%", 100 / d->singular);
    else if (n == 1 && d->singular < 0.1)
        sn_text_add(&t, " has no visible influence on what was measured; fix it or give it a prior");
    else if (n == 1)
        sn_text_add(&t, " is not determined: it is seen to %.2g %% only; fix it or give it a prior",
                    100 / d->singular);
    else
        sn_text_add(&t, "%s; fix one of them (%s, say) or give it a prior",
                    alike ? " can only be scaled together: the data do not see it"
                          : " at once: the data do not see such a change",
                    s->unknown[largest].name);
    d->words = t.failed ? NULL : sn_arena_strndup(&e->arena, t.text, t.n);
    sn_free(t.text);
    return d->words ? SN_OK : SN_OUT_OF_MEM(err);
}

/* A change by 100 % within the noise, or lost in rounding. best: the largest singular value. */
static int is_unseen(const sn_direction *d, double best)
{
    return d->singular < 1 || d->singular * d->singular < 1e-10 * best * best;
}

/* Whether unknown k is part of a direction that is not seen: then that has been said, and what to do. */
static int is_told(const sn_estimate *e, int k)
{
    for (int i = 0; i < e->s->n_common && e->direction[i].weight; i++) {
        const sn_direction *d = &e->direction[i];
        double top = 0;
        if (!is_unseen(d, e->direction[0].singular)) continue;
        for (int u = 0; u < e->s->n_common; u++) top = fmax(top, fabs(d->weight[u]));
        if (fabs(d->weight[k]) >= 0.05 * top) return 1;
    }
    return 0;
}

sn_status sn_judge_directions(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    int n = s->n_common;
    double *C = NULL, *w = NULL;
    sn_status status = SN_NEW(C, (size_t)n * (size_t)n + 1) && SN_NEW(w, n + 1) ? SN_OK : SN_OUT_OF_MEM(err);
    if (!status) status = common_part(f, e, C, err);
    if (!status) status = sn_eigen(n, C, w, err);
    for (int i = 0; i < n && !status; i++) {
        sn_direction *d = &e->direction[n - 1 - i];
        d->singular = sqrt(fmax(w[i], 0));
        d->weight = sn_arena_alloc(&e->arena, (size_t)n, sizeof *d->weight);
        if (!d->weight) status = SN_OUT_OF_MEM(err);
        for (int k = 0; !status && k < n; k++) d->weight[k] = C[i * n + k];
        int unseen = is_unseen(d, sqrt(fmax(w[n - 1], 0)));
        if (!status) status = put_in_words(e, d, unseen, err);
        if (!status && unseen) sn_estimate_verdict(e, 2, "identifiability", "%s", d->words);
    }
    sn_free(C), sn_free(w);
    return status;
}

/* The residuals were found not to be noise. */
static int is_unexplained(const sn_estimate *e)
{
    for (int i = 0; i < e->n_verdict; i++)
        if (e->verdict[i].level > 1 && !strcmp(e->verdict[i].about, "residuals")) return 1;
    return 0;
}

sn_status sn_judge_unknowns(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    size_t n = (size_t)f->n;
    for (int k = 0; k < s->n_common; k++) {
        const sn_unknown *u = &s->unknown[k];
        double relative = fabs(e->std_error[k] / (u->about_zero ? u->scale : e->value[k]));
        if (e->at_bound[k])
            sn_estimate_verdict(
                e, 1, "identifiability", "%s is at its %s bound, %g%s%s: the data want it beyond%s", u->name,
                e->at_bound[k] < 0 ? "lower" : "upper", e->value[k] / u->shown_factor, u->shown[0] ? " " : "",
                u->shown, is_unexplained(e) ? ", and without the bound they may be explained" : "");
        else if (isfinite(relative) && relative > 0.5 && !is_told(e, k))
            sn_estimate_verdict(e, 1, "identifiability",
                                "%s is hardly determined: %.3g%s%s with a standard error of %.2g", u->name,
                                e->value[k] / u->shown_factor, u->shown[0] ? " " : "", u->shown,
                                e->std_error[k] / u->shown_factor);
        for (int j = 0; j < k; j++) {
            double r = e->correlation[(size_t)k * n + (size_t)j];
            if (fabs(r) > 0.99 && !is_told(e, k) && !is_told(e, j))
                sn_estimate_verdict(e, 1, "identifiability",
                                    "%s and %s can hardly be told apart (correlation %.4f)",
                                    s->unknown[j].name, u->name, r);
        }
    }
    (void)err;
    return SN_OK;
}
