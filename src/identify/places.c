/* Where a load is: the study is fitted with the load at each of the nodes that are possible, and the evidence
   of the data (evidence.c) says how probable each of them is, all being as good beforehand:

       P(place) = p(data | place) / sum of all

   The searches are those of the study itself, each from its start values, with noise and smoothness found
   anew for each place in the same way; only the best one is judged afterwards. The residuals of all are told
   in units of the noise that the best one leaves. */
#include "identify/places.h"
#include "identify/history.h"
#include "identify/text.h"

#include <math.h>
#include <string.h>

static const double sure = 0.95, possible = 0.01;

void sn_ranking_free(sn_ranking *r)
{
    for (int i = 0; i < r->n; i++) sn_free(r->place[i].square);
    sn_free(r->place);
    *r = (sn_ranking){.n = 0};
}

static int n_channels(const sn_study *s)
{
    int n = 0;
    for (int e = 0; e < s->n_experiment; e++) n += s->experiment[e].n_channel;
    return n;
}

/* Mean square of what each channel leaves, in its own units; what counts for the noise of the best. */
static sn_status keep_squares(const sn_study *s, const sn_estimate *e, sn_place_fit *p, sn_err *err)
{
    int at = 0;
    if (!SN_NEW(p->square, n_channels(s) + 1)) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        for (int c = 0; c < x->n_channel; c++, at++) {
            double sum = 0;
            int n = 0;
            for (int i = 0; !x->hold_out && i < x->n; i++) {
                double y = x->y[i * x->n_channel + c], d = e->model[k][i * x->n_channel + c] - y;
                if (!isnan(y) && !isnan(d)) sum += d * d, n++;
            }
            p->square[at] = n ? sum / n : NAN;
        }
    }
    return SN_OK;
}

static void set_rms(const sn_study *best, sn_ranking *r)
{
    for (int i = 0; i < r->tried; i++) {
        double sum = 0;
        int n = 0, at = 0;
        for (int k = 0; k < best->n_experiment; k++)
            for (int c = 0; c < best->experiment[k].n_channel; c++, at++) {
                double sigma = best->experiment[k].sigma[c];
                double q = r->place[i].square ? r->place[i].square[at] / (sigma * sigma) : NAN;
                if (!isnan(q)) sum += q, n++;
            }
        r->place[i].rms = n ? sqrt(sum / n) : NAN;
    }
}

static void set_probabilities(sn_ranking *r)
{
    double top = r->place[r->best].evidence, sum = 0;
    for (int i = 0; i < r->tried; i++) {
        double d = r->place[i].evidence - top;
        sum += r->place[i].probability = isnan(d) ? 0 : exp(d);
    }
    for (int i = 0; sum > 0 && i < r->tried; i++) r->place[i].probability /= sum;
}

/* One place. SN_ERR_NUMERIC of it is no error: no sensor feels the load there, or it cannot be simulated. */
static sn_status try_place(const sn_study *s, const sn_solve_options *o, sn_estimate **e, sn_place_fit *p,
                           sn_err *err)
{
    int before = sn_err_count(err);
    p->evidence = p->rms = NAN;
    sn_status status = sn_study_solve(s, o, e, err);
    if (status == SN_ERR_NUMERIC) {
        sn_err_forget(err, before);
        *e = NULL;
        return SN_OK;
    }
    SN_TRY(status);
    p->evidence = (*e)->stopped ? NAN : (*e)->evidence;
    return keep_squares(s, *e, p, err);
}

/* The best so far begins where its search has ended. */
static void take(sn_study **s, sn_study **better, const sn_estimate *e)
{
    for (int k = 0; k < e->s->n_unknown; k++) (*better)->unknown[k].start = e->value[k];
    if (*s != *better) sn_study_free(*s);
    *s = *better, *better = NULL;
}

static sn_status read_place(const sn_study *first, int place, sn_study **out, sn_err *err)
{
    sn_refinement at = first->finer;
    at.place = place;
    return sn_study_read_refined(first->file, &first->given, first->divided, &at, out, err);
}

sn_status sn_places_rank(sn_study **s, const sn_solve_options *o, sn_ranking *r, sn_err *err)
{
    const sn_places *q = (*s)->places;
    sn_status status = SN_OK;
    int stopped = 0;
    *r = (sn_ranking){.n = q ? q->n : 0};
    if (!q) return SN_OK;
    if ((*s)->method != SN_INDIRECT || (*s)->sequential) {
        r->n = 0;
        return sn_fail(err, SN_ERR_INPUT, &q->mark,
                       "the place of a load is sought by 'method: indirect' only");
    }
    if (!SN_NEW(r->place, r->n + 1)) {
        r->n = 0;
        return SN_OUT_OF_MEM(err);
    }
    sn_solve_options only = *o;
    only.ranking = r->n, only.memo = NULL, only.file = NULL, only.message = NULL;
    r->best = -1;
    for (int i = 0; !status && !stopped && r->n > 1 && i < r->n; i++) {
        sn_study *at = NULL;
        sn_estimate *e = NULL;
        sn_place_fit *p = &r->place[i];
        status = i ? read_place(*s, i, &at, err) : SN_OK;
        if (!i) at = *s;
        only.ranked = i;
        if (!status) status = try_place(at, &only, &e, p, err);
        if (!status) r->tried++;
        if (e) r->simulations += e->simulations, r->seconds += e->seconds, stopped = e->stopped != 0;
        int better = !status && e && (r->best < 0 || !(p->evidence <= r->place[r->best].evidence));
        if (better && r->best >= 0 && isnan(p->evidence)) better = 0; /* stopped on the way */
        if (better) r->best = i, take(s, &at, e);
        sn_estimate_free(e);
        if (i && at != *s) sn_study_free(at);
    }
    if (!status && r->n > 1 && r->best < 0)
        status = sn_fail(err, SN_ERR_NUMERIC, &(*s)->places->mark,
                         "the load '%s' could be fitted at none of its %d places: no sensor feels it there, "
                         "or the model cannot be simulated",
                         (*s)->places->load, r->n);
    if (status || r->n < 2) return status;
    set_rms(*s, r), set_probabilities(r);
    return SN_OK;
}

/* "beam.n2 (31 %), beam.n3 (4 %)": those that are possible besides the best. */
static int others(const sn_ranking *r, const sn_places *q, char *out, size_t size)
{
    int n = 0;
    out[0] = 0;
    for (int i = 0; i < r->tried; i++) {
        size_t used = strlen(out);
        if (i == r->best || r->place[i].probability < possible) continue;
        if (n++ < 6)
            snprintf(out + used, size - used, "%s%s (%.2g %%)", n > 1 ? ", " : "", q->node[i],
                     100 * r->place[i].probability);
    }
    return n;
}

static void say(const sn_ranking *r, sn_estimate *e)
{
    const sn_places *q = e->s->places;
    const sn_place_fit *best = &r->place[r->best];
    char list[400], unfelt[300] = "";
    int n = others(r, q, list, sizeof list), lost = 0;
    if (r->tried < r->n)
        sn_estimate_verdict(e, 2, "places", "stopped on request: %d of %d places of %s were tried", r->tried,
                            r->n, q->load);
    if (isnan(best->evidence)) return; /* stopped before there was any */
    if (best->probability >= sure)
        sn_estimate_verdict(e, 0, "places", "%s is at %s with a probability of %.4g %% among %d nodes%s%s",
                            q->load, q->node[r->best], 100 * best->probability, r->tried,
                            n ? "; possible are also " : "", list);
    else
        sn_estimate_verdict(
            e, 1, "places",
            "the data do not tell where %s is: %s (%.2g %%) or %s; measure near these nodes, or "
            "longer; what is told of it is for %s",
            q->load, q->node[r->best], 100 * best->probability, list, q->node[r->best]);
    for (int i = 0; i < r->tried; i++) {
        size_t used = strlen(unfelt);
        if (!isnan(r->place[i].evidence)) continue;
        if (lost++ < 6)
            snprintf(unfelt + used, sizeof unfelt - used, "%s%s", lost > 1 ? ", " : "", q->node[i]);
    }
    if (lost && r->tried == r->n)
        sn_estimate_verdict(e, 1, "places",
                            "nothing is known of %s at %s: no sensor feels it there, or the model cannot be "
                            "simulated with it",
                            q->load, unfelt);
}

sn_status sn_places_judge(const sn_ranking *r, sn_estimate *e, sn_err *err)
{
    if (!e || r->n < 2) return SN_OK;
    e->place = sn_arena_alloc(&e->arena, (size_t)r->tried + 1, sizeof *e->place);
    if (!e->place) return SN_OUT_OF_MEM(err);
    e->n_place = r->tried;
    for (int i = 0; i < r->tried; i++) {
        e->place[i] = r->place[i];
        e->place[i].node = e->s->places->node[i], e->place[i].square = NULL;
    }
    e->simulations += r->simulations, e->seconds += r->seconds;
    say(r, e);
    return SN_OK;
}

void sn_places_json(sn_text *t, const sn_estimate *e)
{
    if (!e->n_place) return;
    sn_text_add(t, ", \"places\": [");
    for (int i = 0; i < e->n_place; i++) {
        const sn_place_fit *p = &e->place[i];
        sn_text_add(t, "%s{\"node\": ", i ? ", " : "");
        sn_text_string(t, p->node);
        sn_text_pair(t, "evidence", p->evidence);
        sn_text_pair(t, "probability", p->probability);
        sn_text_pair(t, "rms", p->rms);
        sn_text_add(t, "}");
    }
    sn_text_add(t, "]");
}

/* The most probable first. */
void sn_places_table(sn_text *t, const sn_estimate *e)
{
    enum { LINES = 12 };
    int shown = 0;
    double last = INFINITY, top = -INFINITY;
    if (!e->n_place) return;
    sn_text_add(t, "\nwhere %s is%*s   evidence  residual\n", e->s->places->load,
                (int)fmax(0, 14 - (double)strlen(e->s->places->load)), "");
    for (int i = 0; i < e->n_place; i++)
        if (e->place[i].evidence > top) top = e->place[i].evidence;
    while (shown < e->n_place && shown < LINES) {
        double next = -INFINITY;
        for (int i = 0; i < e->n_place; i++)
            if (e->place[i].evidence < last) next = fmax(next, e->place[i].evidence);
        if (isinf(next)) break;
        for (int i = 0; i < e->n_place; i++)
            if (e->place[i].evidence == next)
                sn_text_add(t, "  %-20s %9.1f  %8.3g  %.3g %%\n", e->place[i].node, next - top,
                            e->place[i].rms, 100 * e->place[i].probability),
                    shown++;
        last = next;
    }
    if (shown < e->n_place) sn_text_add(t, "  and %d more: study.json has them all\n", e->n_place - shown);
}
