/* Fuzzing: any bytes are a study of one model and one table. It is read, for a fit and for a design, not
 * solved. */
#include "robust/fuzz.h"

#include "identify/study.h"

static void make_files(void)
{
    static const char model[] = "sinew: 1\n"
                                "parameters: {k: 80 N/m, m: 2 kg, x0: 0.2 m}\n"
                                "nodes: {b: {point2d: [1, 0], displacement: [x0, 0]}}\n"
                                "elements: {bob: {mass2d: b, mass: m}, s: {spring2d: [ground, b], k: k}}\n"
                                "joints: {rail: {fixed: b, only: y}}\n"
                                "sensors: {at: {position: b}, pull: {force: s}}\n"
                                "run: {end: 1 s, step: 10 ms}\n";
    static const char data[] = "t,at.x,pull.fx\n0,1.2,-16\n0.1,1.1,-8\n0.2,1,0\n0.3,0.9,8\n0.4,,12\n";
    as_file("model.yaml", model, sizeof model - 1);
    as_file("data.csv", data, sizeof data - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int made;
    sn_study *study;
    sn_err err;
    if (!made) make_files();
    made = 1;
    const char *path = as_file("study.yaml", data, size);
    for (int windows = 0; windows < 2; windows++) {
        sn_err_clear(&err);
        sn_status s = sn_study_read(path, NULL, windows, &study, &err);
        if ((s == SN_OK) != (study != NULL)) abort();
        check_reports(s, &err);
        sn_study_free(study);
    }
    sn_err_clear(&err);
    sn_status s = sn_study_read_design(path, NULL, &study, &err);
    if ((s == SN_OK) != (study != NULL)) abort();
    check_reports(s, &err);
    sn_study_free(study);
    return 0;
}
