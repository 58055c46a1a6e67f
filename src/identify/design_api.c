/* sn_design: read, design, write. */
#include "identify/design.h"
#include "identify/folder.h"
#include "identify/page.h"
#include "io/file.h"

#include <stdio.h>

static sn_status check_outputs(const sn_study *s, const char *study, const char *folder, sn_err *err)
{
    static const char *const name[] = {"design.json", "design.yaml", "design.html"};
    char path[SN_PATH];
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        SN_TRY(sn_output_check(path, 1, &study, err));
        SN_TRY(sn_output_check(path, s->model->n_read, s->model->read, err));
        for (int k = 0; k < s->design->experiment; k++)
            SN_TRY(sn_output_check(path, 1, &s->experiment[k].file, err));
    }
    return SN_OK;
}

/* What design.json has, as a page. */
static sn_status write_page(const sn_plan *p, const sn_text *json, const char *folder, sn_err *err)
{
    char path[SN_PATH];
    sn_text t = {0};
    snprintf(path, sizeof path, "%s/design.html", folder);
    sn_text_add(&t, "{\"page\": \"design\", %s", json->text + 1);
    sn_status status = t.failed ? SN_OUT_OF_MEM(err)
                                : sn_page_write(path, p->s->title[0] ? p->s->title : p->s->file, t.text, t.n,
                                                NULL, NULL, err);
    sn_free(t.text);
    return status;
}

static sn_status write_all(const sn_plan *p, const char *folder, sn_err *err)
{
    char path[SN_PATH];
    sn_text t = {0}, yaml = {0};
    sn_status status = sn_plan_json(p, &t.text, &t.n, err);
    if (!status) status = write_page(p, &t, folder, err);
    snprintf(path, sizeof path, "%s/design.json", folder);
    if (!status) status = sn_text_save(&t, path, err);
    snprintf(path, sizeof path, "%s/design.yaml", folder);
    if (!status) status = sn_plan_study(p, folder, &yaml, err);
    if (!status) status = sn_text_save(&yaml, path, err);
    sn_free(t.text), sn_free(yaml.text);
    return status;
}

sn_status sn_design(const char *study, const sn_design_options *o, sn_design_info *info, sn_err *err)
{
    const sn_identify_options given = {.start = o->start,
                                       .n_start = o->n_start,
                                       .set = o->set,
                                       .n_set = o->n_set,
                                       .scheme = o->scheme,
                                       .solver = o->solver};
    sn_study *s = NULL;
    sn_plan *p = NULL;
    *info = (sn_design_info){0};
    sn_status status = sn_study_read_design(study, &given, &s, err);
    if (!status && o->folder) status = check_outputs(s, study, o->folder, err);
    if (!status && o->folder) status = sn_folder_make(o->folder, err);
    if (!status) status = sn_plan_make(s, o, &p, err);
    if (!status && o->folder) status = write_all(p, o->folder, err);
    if (!status) status = sn_plan_summary(p, &info->summary, err);
    if (!status && o->json) status = sn_plan_json(p, &info->json, NULL, err);
    if (status) {
        sn_release(info->summary), sn_release(info->json);
        info->summary = info->json = NULL;
    } else {
        info->reached = p->reached, info->stopped = p->stopped, info->simulations = p->simulations;
    }
    sn_plan_free(p);
    sn_study_free(s);
    return status;
}
