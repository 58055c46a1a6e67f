/* All keys of a file of cases with what they hold. */
#include "compare/keys.h"

#include <stddef.h>

#define END                                                                                                  \
    {                                                                                                        \
        NULL, 0, NULL, NULL                                                                                  \
    }
#define NOTE                                                                                                 \
    {                                                                                                        \
        "note", 'a', "TEXT", "free text, shown in the page"                                                  \
    }

const sn_study_key sn_keys_cases[] = {
    {"compare", 's', "1", "version of the format: the file begins with it"},
    {"title", 's', "TEXT", "of the page"},
    {"repeat", 's', "N", "so often is each case timed, unless a second is over (default: 3)"},
    {"problems", 'm', "{NAME: {..}}", "what is solved"},
    NOTE,
    END,
};

const sn_study_key sn_keys_problem[] = {
    {"title", 's', "TEXT", "of its part of the page"},
    {"analysis", 's', "run|static", "motion in time, or an equilibrium (default: run)"},
    {"quantities", 'l', "[CHANNEL@TIME, ...]", "what is compared; of an equilibrium without a time"},
    {"scale", 's', "NUMBER", "what errors are relative to (default: 1 in the quantities' unit)"},
    {"reference", 'a', "[NUMBER, ...]|limit|finest|VARIANT|{variant: NAME}",
     "the true values: known numbers; each variant's own limit, extrapolated (default), or its last case; "
     "the limit of one variant"},
    {"model", 's', "FILE", "for variants without their own"},
    {"set", 'm', "{NAME: NUMBER}", "numbers of all models"},
    {"run", 'm', "{scheme: NAME, step: TIME}", "of the section run of all models"},
    {"refine", 'm', "{NAME: [NUMBER, ...]}",
     "from coarse to fine, each number with the others at their last value"},
    {"variants", 'm', "{NAME: {model: FILE}}", "what is compared"},
    {"across", 'm', "{scheme: [NAME, ...]}", "words of the section run: all variants with each of them"},
    NOTE,
    END,
};

const sn_study_key sn_keys_variant[] = {
    {"model", 's', "FILE", "the model file"},
    {"set", 'm', "{NAME: NUMBER}", "beside the problem's"},
    {"run", 'm', "{scheme: NAME, constraints: NAME}", "beside the problem's"},
    {"refine", 'm', "{NAME: [NUMBER, ...]}", "in place of the problem's"},
    NOTE,
    END,
};

const sn_study_key sn_keys_case_reference[] = {
    {"variant", 's', "NAME", "which variant is the reference"},
    {"set", 'm', "{NAME: NUMBER}", "a run of its own, finer than the cases: numbers of its model"},
    {"run", 'm', "{step: TIME}", "likewise, of the section run"},
    END,
};

static const sn_study_map maps[] = {
    {"cases", "the whole file", sn_keys_cases},
    {"problems.NAME", "one problem", sn_keys_problem},
    {"problems.NAME.variants.NAME", "one way to solve it", sn_keys_variant},
    {"problems.NAME.reference", "a run that is the reference", sn_keys_case_reference},
    {NULL, NULL, NULL},
};

const sn_study_map *sn_cases_maps(void) { return maps; }
