/* sinew data: what is wrong with measured data, before anything is fitted to them. */
#include "cli.h"

#include <stdlib.h>

static const cli_option options[] = {
    {"study", 0, "STUDY", 0, offsetof(cli_job, study),
     "the study the data are for: compare them with its model at the start values"},
    {"time", 0, "NAME", 0, offsetof(cli_job, time),
     "column of times, without a study (default: t, time, or the first)"},
    CLI_OPTION_SET,
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object"},
    {.name = NULL},
};

static int main_data(cli_job *job)
{
    sn_data_options o = {.study = job->study, .time = job->time};
    sn_data_info info;
    sn_err err;
    if (!job->n_operand && !job->study) {
        cli_error("which data? write 'sinew data FILE.csv', or '--study STUDY' for those of a study");
        return CLI_USAGE;
    }
    if (job->set.n && !job->study) {
        cli_error("--set sets a number of a study's model: it needs --study");
        return CLI_USAGE;
    }
    char **set = cli_settings(job, &o.n_set);
    if (!set) return cli_report(NULL, SN_ERR_MEMORY);
    o.set = (const char *const *)set;
    sn_err_clear(&err);
    sn_status s = sn_data_look(job->n_operand ? job->operand[0] : NULL, &o, &info, &err);
    free(set);
    if (s) return cli_report(&err, s);
    if (job->json)
        printf("%s", info.json);
    else if (!job->quiet)
        cli_say(stdout, "%s", info.summary);
    sn_release(info.summary), sn_release(info.json);
    return info.bad ? 1 : 0;
}

const cli_command cli_cmd_data = {
    .name = "data",
    .line = "what is wrong with measured data?",
    .operands = "[FILE]",
    .text =
        "Shows every column of a CSV file (numbers, missing ones, range, noise, quantum) and what is odd: "
        "codes "
        "of missing values, saturated or stuck sensors, jumps, outliers, gaps and repetitions of the times. "
        "With --study also columns in a wrong unit, with the wrong sign, or exchanged; without FILE the "
        "study's own data.\n"
        "Exit code 1: something that spoils an identification was found. 'sinew identify' looks in the same "
        "way before it begins.",
    .min = 0,
    .max = 1,
    .options = options,
    .run = main_data,
};
