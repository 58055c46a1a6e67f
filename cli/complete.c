/* sinew --complete WORD...: what the last word can be, for the completion of shells (share/completions). The
   words are those behind `sinew`, the last one is what has been typed of it, perhaps nothing. Each answer is
   a line: the word, and behind a tab what it is; or ":files", with the endings that count: files are the
   shell's business. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* What the value of an option is, by the member of the job that it sets. */
enum { NUMBER, SETTING, SENSOR, FAMILY };
static const struct {
    size_t at;
    int what, family;
} values[] = {
    {offsetof(cli_job, set), SETTING, 0},
    {offsetof(cli_job, start), SETTING, 0},
    {offsetof(cli_job, wrt), NUMBER, 0},
    {offsetof(cli_job, parameter), NUMBER, 0},
    {offsetof(cli_job, spin), NUMBER, 0},
    {offsetof(cli_job, input), NUMBER, 0},
    {offsetof(cli_job, print), SENSOR, 0},
    {offsetof(cli_job, of), SENSOR, 0},
    {offsetof(cli_job, channels), SENSOR, 0},
    {offsetof(cli_job, scheme), FAMILY, CLI_SCHEMES},
    {offsetof(cli_job, solver), FAMILY, CLI_SOLVERS},
};

/* Words that an option's line of help names. */
static const struct {
    const char *command, *option, *words;
} choices[] = {
    {"modes", "method", "auto dense arpack"},
    {"gradient", "method", "forward adjoint differences adjoint_continuous"},
    {"modes", "at", "start static steady periodic"},
    {"linearise", "at", "start static steady"},
    {"sweep", "at", "start static steady"},
    {"reduce", "at", "static"},
    {"linearise", "mass", "cholesky"},
};

/* Files that are no models, by the option's or the operand's word. */
static const struct {
    const char *word, *endings;
} files[] = {{"MODEL", "yaml yml"}, {"STUDY", "yaml yml"}, {"OTHER", "yaml yml"}, {"CASES", "yaml yml"},
             {"RESULT", "h5"},      {"CSV", "csv"},        {"FILE", ""},          {"FOLDER", ""}};

typedef struct state {
    const char *typed; /* of the last word, behind "--option=" */
    char before[64];   /* "--option=", or "" */
    const char *model; /* the first operand, or NULL */
} state;

static void offer(const state *s, const char *word, const char *more, const char *doc)
{
    if (!strncmp(word, s->typed, strlen(s->typed)))
        cli_say(stdout, "%s%s%s%s%s\n", s->before, word, more, doc[0] ? "\t" : "", doc);
}

static void offer_words(const state *s, const char *words)
{
    char word[64];
    for (size_t n; *words; words += n + (words[n] != 0)) {
        n = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        offer(s, word, "", "");
    }
}

static void offer_family(const state *s, int family)
{
    cli_kind k;
    for (int i = 0; cli_kind_get(family, i, &k); i++) offer(s, k.name, "", k.doc ? k.doc : "");
}

static int offer_files(const char *word)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(word, files[i].word))
            return printf(":files%s%s\n", *files[i].endings ? " " : "", files[i].endings);
    return 0;
}

/* ---- names of the model ---- */

/* Beside a study lies the model that its line "model: FILE" names. */
static int model_of_study(const char *study, char *out, size_t size)
{
    FILE *f = fopen(study, "r");
    char line[512], name[400] = "";
    while (f && !name[0] && fgets(line, sizeof line, f)) sscanf(line, "model: %399[^ #\n]", name);
    if (f) fclose(f);
    const char *slash = name[0] == '/' ? NULL : strrchr(study, '/');
    int n = snprintf(out, size, "%.*s%s", slash ? (int)(slash - study + 1) : 0, study, name);
    return name[0] && n > 0 && (size_t)n < size;
}

static void offer_names(const state *s, int what)
{
    sn_model *model = NULL;
    sn_number_info k;
    char text[800];
    sn_err err;
    sn_err_clear(&err);
    if (!s->model) return;
    if (sn_model_read(s->model, &model, &err)) {
        sn_err_clear(&err);
        if (!model_of_study(s->model, text, sizeof text) || sn_model_read(text, &model, &err)) return;
    }
    for (int at = 0; what != SENSOR && sn_number_next(model, &at, &k);) {
        snprintf(text, sizeof text, "%s%s%s%s", k.doc, k.doc[0] && k.unit[0] ? ", " : "", k.unit, "");
        offer(s, k.name, what == SETTING ? "=" : "", text);
    }
    for (int i = 0; what == SENSOR && i < sn_channel_count(model); i++) {
        sn_channel c = sn_channel_get(model, i);
        snprintf(text, sizeof text, "%s.%s", c.sensor, c.component);
        offer(s, text, "", c.unit);
    }
    sn_model_free(model);
}

/* ---- options, their values, operands ---- */

static void offer_value(const state *s, const cli_command *c, const cli_option *o)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (!strcmp(choices[i].command, c->name) && !strcmp(choices[i].option, o->name)) {
            offer_words(s, choices[i].words);
            return;
        }
    if (offer_files(o->arg)) return;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (values[i].at != o->at) continue;
        if (values[i].what == FAMILY)
            offer_family(s, values[i].family);
        else
            offer_names(s, values[i].what);
        return;
    }
}

static void offer_options(const state *s, const cli_command *c)
{
    char name[64];
    for (int common = 0; common < 2; common++)
        for (const cli_option *o = common ? cli_common_options() : c->options; o->name; o++) {
            snprintf(name, sizeof name, "--%s", o->name);
            offer(s, name, "", o->doc);
        }
    offer(s, "--help", "", "what the command does, and its options");
}

static void offer_commands(const state *s)
{
    for (const cli_command *const *c = cli_commands(); *c; c++) offer(s, (*c)->name, "", (*c)->line);
}

static void offer_operand(const state *s, const cli_command *c, int number)
{
    char word[64] = "";
    const char *at = c->operands;
    for (int i = 0; *at && i <= number; i++) { /* "MODEL [numbers|sensors]", "RESULT ..." */
        size_t n = strcspn(at, " ");
        if (strncmp(at, "...", 3) != 0)
            snprintf(word, sizeof word, "%.*s", (int)strcspn(at + (*at == '['), " ]"), at + (*at == '['));
        at += n + strspn(at + n, " ");
    }
    for (char *p = word; (p = strchr(p, '|'));) *p = ' ';
    if (number >= c->max || offer_files(word)) return;
    if (!strcmp(word, "FAMILY"))
        for (int f = 0; f < CLI_FAMILIES; f++) offer(s, cli_family_name(f), "", "");
    else if (!strcmp(word, "WORD")) {
        offer_commands(s);
        for (const cli_topic *t = cli_topics(); t->name; t++) offer(s, t->name, "", "");
        for (int f = 0; f < CLI_FAMILIES; f++) offer_family(s, f);
    } else
        offer_words(s, word);
}

static void offer_first(const state *s)
{
    static const char *const own[] = {"--help", "--version", "--plugin"};
    if (s->typed[0] != '-') offer_commands(s);
    for (size_t i = 0; s->typed[0] == '-' && i < sizeof own / sizeof *own; i++) offer(s, own[i], "", "");
}

int cli_complete(int n, char **word)
{
    int at = cli_command_at(n, word), operand = 0;
    state s = {.typed = n ? word[n - 1] : ""};
    const cli_option *o = NULL; /* the one whose value comes next */
    if (at >= n - 1) {
        if (n && at > n - 1)
            offer_files("FILE"); /* --plugin FILE */
        else
            offer_first(&s);
        return 0;
    }
    const cli_command *c = cli_command_find(word[at]);
    for (int i = at + 1; c && i < n - 1; i++) {
        size_t length = word[i][0] == '-' && word[i][1] == '-' ? strcspn(word[i], "=") : 2;
        int is_value = o != NULL;
        o = NULL;
        if (is_value) continue;
        if (word[i][0] != '-' || !word[i][1]) {
            if (!operand++) s.model = word[i];
        } else if ((o = cli_option_find(c, word[i], length)) &&
                   (!o->arg || o->arg[0] == '[' || word[i][length]))
            o = NULL;
    }
    const char *equal = strchr(s.typed, '=');
    if (c && !o && equal && s.typed[0] == '-' &&
        (o = cli_option_find(c, s.typed, (size_t)(equal - s.typed)))) {
        snprintf(s.before, sizeof s.before, "--%s=", o->name);
        s.typed = equal + 1;
    }
    if (o && o->arg)
        offer_value(&s, c, o);
    else if (c && s.typed[0] == '-')
        offer_options(&s, c);
    else if (c)
        offer_operand(&s, c, operand);
    return 0;
}
