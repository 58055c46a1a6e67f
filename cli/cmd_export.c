/* sinew export: a result file as CSV, as VTK files for ParaView, as a MATLAB file, as a picture. */
#include "chromium.h"
#include "wishes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const cli_option options[] = {
    {"csv", 0, NULL, 0, offsetof(cli_job, csv), "comma separated values (the default): the sensors"},
    {"vtk", 0, NULL, 0, offsetof(cli_job, vtk),
     "for ParaView: the moving mechanism, FILE.pvd and a folder FILE with one .vtu file per frame"},
    {"mat", 0, NULL, 0, offsetof(cli_job, mat), "MATLAB file: a struct of times, sensors and states"},
    {"png", 0, NULL, 0, offsetof(cli_job, png), "a picture of the mechanism; needs Chromium"},
    {"gif", 0, NULL, 0, offsetof(cli_job, gif), "a moving picture of it; needs Chromium"},
    {"out", 'o', "FILE", 0, offsetof(cli_job, out),
     "output file (default: the result's name with .csv, .pvd, .mat, .png or .gif); -: CSV to standard "
     "output"},
    {"all", 0, NULL, 0, offsetof(cli_job, all), "CSV: states as well as sensors"},
    {"units", 0, NULL, 0, offsetof(cli_job, units), "CSV: a second line with the units, beginning with #"},
    {"size", 0, "WxH", 0, offsetof(cli_job, size), "pictures: pixels (default: 800x600, GIF 480x360)"},
    CLI_OPTIONS_SCENE("pictures: "),
    {"fps", 0, "N", 0, offsetof(cli_job, fps), "GIF: pictures per second (default: 20)"},
    {"speed", 0, "X", 0, offsetof(cli_job, speed),
     "GIF: speed relative to real time (default: a few seconds in all)"},
    {"from", 0, "T", 0, offsetof(cli_job, from), "GIF: begins at this time"},
    {"to", 0, "T", 0, offsetof(cli_job, to), "GIF: ends at this time"},
    {.name = NULL},
};

/* The formats; CSV comes first and takes plain files of any name. */
static const struct {
    size_t flag;
    const char *option, *ending, *what;
} formats[] = {
    {offsetof(cli_job, csv), "--csv", ".csv", ""},
    {offsetof(cli_job, vtk), "--vtk", ".pvd", " (ParaView)"},
    {offsetof(cli_job, mat), "--mat", ".mat", " (MATLAB)"},
    {offsetof(cli_job, png), "--png", ".png", ""},
    {offsetof(cli_job, gif), "--gif", ".gif", ""},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static int *flag_of(cli_job *job, int i) { return (int *)(void *)((char *)job + formats[i].flag); }

static int asked(cli_job *job)
{
    int n = 0;
    for (int i = 0; i < FORMATS; i++) n += *flag_of(job, i);
    return n;
}

static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    return dot && dot > base ? dot : "";
}

/* Without a format the ending of -o says it; a name without an ending, a pipe or a device is CSV. */
static int choose_format(cli_job *job)
{
    static const char *const plain[] = {"", ".csv", ".txt", ".dat"};
    struct stat st;
    if (asked(job)) return 0;
    const char *ending = job->out ? ending_of(job->out) : "";
    for (int i = 1; i < FORMATS; i++) *flag_of(job, i) = !strcmp(ending, formats[i].ending);
    job->csv = job->out && !stat(job->out, &st) && !S_ISREG(st.st_mode);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) job->csv |= !strcmp(ending, plain[i]);
    if (asked(job)) return 0;
    char *path = cli_out_path(job, ""); /* the input itself is the better thing to complain about */
    if (!path) return CLI_USAGE;
    free(path);
    char known[160] = "", flags[80] = "";
    for (int i = 0; i < FORMATS; i++) {
        const char *between = i + 1 == FORMATS ? "" : i + 2 == FORMATS ? " and " : ", ";
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s%s", formats[i].ending,
                 formats[i].what, between);
        snprintf(flags + strlen(flags), sizeof flags - strlen(flags), "%s%s", formats[i].option,
                 i + 2 == FORMATS ? " or " : between);
    }
    cli_error("export: unknown ending '%s': %s are known; %s say what is meant", ending, known, flags);
    return CLI_USAGE;
}

static int check_out(cli_job *job)
{
    if (!job->out) return 0;
    if (asked(job) > 1) {
        cli_error("export: -o names one output: ask for one format, or leave -o away");
        return CLI_USAGE;
    }
    if (job->csv) return 0;
    int i = 1;
    while (!*flag_of(job, i)) i++;
    if (!strcmp(job->out, "-")) {
        cli_error("export: %s cannot go to standard output: -o NAME%s", formats[i].option, formats[i].ending);
        return CLI_USAGE;
    }
    if (strcmp(ending_of(job->out), formats[i].ending)) {
        cli_error("export: '%s': the output of %s must end with %s", job->out, formats[i].option,
                  formats[i].ending);
        return CLI_USAGE;
    }
    return 0;
}

static sn_status write_csv(const cli_job *job, const char *path, sn_err *err)
{
    return sn_result_csv(job->operand[0], path, job->all, job->units, err);
}

static sn_status write_vtk(const cli_job *job, const char *path, sn_err *err)
{
    return sn_result_vtk(job->operand[0], path, err);
}

static sn_status write_mat(const cli_job *job, const char *path, sn_err *err)
{
    return sn_result_mat(job->operand[0], path, err);
}

static int write_one(const cli_job *job, const char *ending,
                     sn_status (*write)(const cli_job *, const char *, sn_err *))
{
    sn_err err;
    sn_err_clear(&err);
    char *path = cli_out_path(job, ending);
    if (!path) return CLI_USAGE;
    sn_status s = write(job, strcmp(path, "-") ? path : NULL, &err);
    if (!s) cli_written(job, path);
    free(path);
    return s ? cli_report(&err, s) : 0;
}

static int main_export(cli_job *job)
{
    int code = choose_format(job);
    if (!code) code = check_out(job);
    if (!code && job->csv) code = write_one(job, ".csv", write_csv);
    if (!code && job->vtk) code = write_one(job, ".pvd", write_vtk);
    if (!code && job->mat) code = write_one(job, ".mat", write_mat);
    for (int i = 0; !code && i < 2; i++) {
        cli_job one = *job; /* a PNG and a GIF may be asked for at once */
        one.png = job->png && !i, one.gif = job->gif && i;
        if (one.png || one.gif) code = cli_picture(&one, one.gif ? ".gif" : ".png");
    }
    return code;
}

const cli_command cli_cmd_export = {
    .name = "export",
    .line = "a result file as CSV, for ParaView or MATLAB, as a picture",
    .operands = "RESULT",
    .text =
        "Writes the sensors of a result as CSV, the moving mechanism as VTK files, or sensors and states as\n"
        "a MATLAB file, or a picture of the mechanism, still or moving. Works on partial results and while a "
        "run\ngoes on. The ending of -o is enough to say which.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_export,
};
