#include "identify/progress.h"
#include "identify/text.h"
#include "identify/window.h"
#include "integrator/integrator.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct sn_progress {
    const sn_study *s;
    char *path, *temp;  /* temp: beside it, renamed when it is whole */
    double begin, last; /* of the clock: the beginning, when the file was written */
    pthread_mutex_t lock;
    sn_step step; /* the last one that counts */
    double *z;    /* the best one */
    double cost;  /* of it, where there are starts */
    int starts, done;
};

sn_status sn_progress_new(const sn_study *s, const char *path, sn_progress **out, sn_err *err)
{
    sn_progress *p;
    *out = NULL;
    if (!SN_NEW(p, 1)) return SN_OUT_OF_MEM(err);
    pthread_mutex_init(&p->lock, NULL);
    p->s = s, p->begin = p->last = sn_clock();
    if (!(p->path = sn_strdup(path)) || !SN_NEW(p->temp, strlen(path) + 5) ||
        !SN_NEW(p->z, s->n_unknown + 1)) {
        sn_progress_free(p);
        return SN_OUT_OF_MEM(err);
    }
    sprintf(p->temp, "%s.tmp", path);
    *out = p;
    return SN_OK;
}

void sn_progress_remove(sn_progress *p) { (void)remove(p->path), (void)remove(p->temp); }

void sn_progress_free(sn_progress *p)
{
    if (!p) return;
    pthread_mutex_destroy(&p->lock);
    sn_free(p->path), sn_free(p->temp), sn_free(p->z), sn_free(p);
}

static void number(sn_text *t, const char *key, double x)
{
    sn_text_add(t, ", \"%s\": ", key);
    if (isfinite(x))
        sn_text_add(t, "%.17g", x);
    else
        sn_text_add(t, "null");
}

static void write_file(sn_progress *p)
{
    const sn_study *s = p->s;
    sn_text t = {0};
    sn_text_add(&t, "{\"finished\": false, \"title\": ");
    sn_text_string(&t, s->title);
    sn_text_add(&t, ", \"study\": ");
    sn_text_string(&t, s->file);
    number(&t, "seconds", sn_clock() - p->begin);
    sn_text_add(&t, ", \"stage\": %d, \"iteration\": %d", p->step.stage, p->step.iteration);
    number(&t, "horizon", p->step.horizon);
    number(&t, "length", sn_longest(s));
    number(&t, "rms", p->step.rms);
    sn_text_add(&t, ", \"simulations\": %ld", p->step.simulations);
    double gone = sn_clock() - p->begin, done = p->step.done;
    number(&t, "seconds_left", done > 0.02 && done < 1 ? gone * (1 - done) / done : NAN);
    if (p->starts) sn_text_add(&t, ", \"starts\": %d, \"starts_done\": %d", p->starts, p->done);
    sn_text_add(&t, ", \"parameters\": {");
    for (int k = 0; k < s->n_unknown; k++) {
        const sn_unknown *u = &s->unknown[k];
        sn_text_add(&t, k ? ", " : "");
        sn_text_string(&t, u->name);
        sn_text_add(&t, ": {\"unit\": ");
        sn_text_string(&t, u->unit ? u->unit : "");
        number(&t, "start", u->start);
        number(&t, "estimate", sn_fit_value(s, k, p->z[k]));
        sn_text_add(&t, "}");
    }
    sn_text_add(&t, "}}\n");
    /* nobody waits for the disk here, and the next one takes what a killed one has left: no sn_atomic */
    FILE *f = t.failed ? NULL : fopen(p->temp, "wb");
    size_t written = f ? fwrite(t.text, 1, t.n, f) : 0;
    if (f && !fclose(f) && written == t.n) (void)rename(p->temp, p->path);
    sn_free(t.text);
}

static void now_and_then(sn_progress *p)
{
    double now = sn_clock();
    if (now - p->last < 1) return;
    write_file(p);
    p->last = sn_clock();
}

void sn_progress_tell(sn_progress *p, const sn_step *step)
{
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->step = *step, p->step.z = NULL;
    memcpy(p->z, step->z, sizeof(double) * (size_t)p->s->n_unknown);
    now_and_then(p);
    pthread_mutex_unlock(&p->lock);
}

void sn_progress_starts(sn_progress *p, int n, double cost, const double *z)
{
    if (!p) return;
    memcpy(p->z, z, sizeof(double) * (size_t)p->s->n_unknown);
    p->starts = n, p->done = 0, p->cost = cost;
}

void sn_progress_start(sn_progress *p, double cost, const double *z)
{
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->done++;
    if (cost < p->cost) {
        p->cost = cost;
        memcpy(p->z, z, sizeof(double) * (size_t)p->s->n_unknown);
    }
    now_and_then(p);
    pthread_mutex_unlock(&p->lock);
}
