/* sinew help: a command, a section of the model file, a kind, or a key; a word may be several of them. */
#include "wishes.h"

#include <limits.h>
#include <string.h>

static const cli_option options[] = {
    {"man", 0, NULL, 0, offsetof(cli_job, man),
     "the manual page of a command, or of sinew itself: sinew help --man run | man -l -"},
    {"open", 0, NULL, 0, offsetof(cli_job, open),
     "open the documentation in the browser (BROWSER, or the desktop's)"},
    {.name = NULL},
};

static void separate(int *found)
{
    if ((*found)++) printf("\n");
}

/* ---- sections of the model file ---- */

static void run_tables(void)
{
    cli_kind k;
    printf("\n  numbers\n");
    for (const sn_slot *s = sn_run_table(); s->name; s++) cli_slot_line(s, 0);
    for (int f = CLI_SCHEMES; f <= CLI_SOLVERS; f++) {
        printf("\n  %s\n", cli_family_name(f));
        for (int i = 0; cli_kind_get(f, i, &k); i++) printf("    %-18s %s\n", k.name, k.doc ? k.doc : "");
        for (int i = 0; cli_kind_get(f, i, &k); i++) {
            if (!k.slots || !k.slots[0].name) continue;
            printf("\n  numbers of %s %s\n", cli_family_singular(f), k.name);
            for (const sn_slot *s = k.slots; s->name; s++) cli_slot_line(s, 0);
        }
    }
}

static void study_key_line(const sn_study_key *k)
{
    printf("    ");
    cli_columns(k->name, 18);
    cli_columns(k->shape, 34);
    printf("%s\n", k->doc);
}

/* Files other than models, by the topic that explains them. */
static const struct file_keys {
    const char *topic;
    const sn_study_map *(*maps)(void);
} files[] = {{"study", sn_study_maps}, {"cases", sn_cases_maps}};
enum { FILES = sizeof files / sizeof *files };

static void file_tables(const sn_study_map *m)
{
    for (; m->where; m++) {
        printf("\n  %s: %s\n", m->where, m->doc);
        for (const sn_study_key *k = m->key; k->name; k++) study_key_line(k);
    }
}

static void colour_names(void)
{
    printf("\n  names\n");
    for (const sn_named_colour *c = sn_colours(); c->name; c++) {
        printf("    ");
        cli_columns(c->name, 12);
        printf("#%06x\n", (unsigned)c->rgb);
    }
}

static void topic_help(const cli_topic *t)
{
    cli_kind k;
    printf("%s\n\n%s", t->name, t->text);
    if (!strcmp(t->name, "run")) run_tables();
    for (int f = 0; f < FILES; f++)
        if (!strcmp(t->name, files[f].topic)) file_tables(files[f].maps());
    if (!strcmp(t->name, "colour")) colour_names();
    if (t->family < 0) return;
    printf("\n  kinds ('sinew help KIND' tells more)\n");
    for (int i = 0; cli_kind_get(t->family, i, &k); i++) printf("    %-18s %s\n", k.name, k.doc ? k.doc : "");
}

static void topics(const char *word, int *found)
{
    char spaced[80];
    snprintf(spaced, sizeof spaced, " %s ", word);
    for (const cli_topic *t = cli_topics(); t->name; t++)
        if (!strcmp(t->name, word) || strstr(t->words, spaced)) {
            separate(found);
            topic_help(t);
        }
}

/* ---- kinds and keys ---- */

static void kinds(const char *word, int *found)
{
    cli_kind k;
    for (int f = 0; f < CLI_FAMILIES; f++)
        for (int i = 0; cli_kind_get(f, i, &k); i++)
            if (!strcmp(k.name, word)) {
                separate(found);
                cli_kind_help(f, &k);
            }
}

static void key_head(const char *word, int *heads, int *found)
{
    if ((*heads)++) return;
    separate(found);
    printf("%s (key)\n", word);
}

static void keys(const char *word, int *found)
{
    cli_kind k;
    int heads = 0;
    for (int f = 0; f < CLI_FAMILIES; f++)
        for (int i = 0; cli_kind_get(f, i, &k); i++) {
            for (const sn_slot *s = k.slots; s && s->name; s++)
                if (!strcmp(s->name, word)) {
                    key_head(word, &heads, found);
                    printf("  %s %s\n", cli_family_singular(f), k.name);
                    cli_slot_line(s, f >= CLI_MATERIALS && f < CLI_KIND_FAMILIES);
                }
            for (const sn_option *o = k.options; o && o->name; o++)
                if (!strcmp(o->name, word)) {
                    key_head(word, &heads, found);
                    printf("  %s %s\n    %s: %s\n", cli_family_singular(f), k.name,
                           o->choices[0] == '#'            ? "a whole number"
                           : !strcmp(o->choices, "@place") ? "the name of a place"
                           : o->choices[0] == '@'          ? "coordinates of the node"
                                                           : o->choices,
                           o->doc);
                }
        }
    for (const sn_slot *s = sn_run_table(); s->name; s++)
        if (!strcmp(s->name, word)) {
            key_head(word, &heads, found);
            printf("  section run\n");
            cli_slot_line(s, 0);
        }
}

static void file_keys(const struct file_keys *f, const char *word, int *found)
{
    int heads = 0;
    for (const sn_study_map *m = f->maps(); m->where; m++)
        for (const sn_study_key *k = m->key; k->name; k++)
            if (!strcmp(k->name, word)) {
                if (!heads++) {
                    separate(found);
                    printf("%s (%s)\n", word, f->topic);
                }
                printf("  %s: %s\n", m->where, m->doc);
                study_key_line(k);
            }
}

static int unknown(const char *word)
{
    char hint[128];
    cli_kind k;
    cli_near n = {word, NULL, 0};
    for (const cli_command *const *c = cli_commands(); *c; c++) cli_near_try(&n, (*c)->name);
    for (const cli_topic *t = cli_topics(); t->name; t++) cli_near_try(&n, t->name);
    for (int f = 0; f < CLI_FAMILIES; f++)
        for (int i = 0; cli_kind_get(f, i, &k); i++) {
            cli_near_try(&n, k.name);
            for (const sn_slot *s = k.slots; s && s->name; s++) cli_near_try(&n, s->name);
            for (const sn_option *o = k.options; o && o->name; o++) cli_near_try(&n, o->name);
        }
    for (const sn_slot *s = sn_run_table(); s->name; s++) cli_near_try(&n, s->name);
    for (int f = 0; f < FILES; f++)
        for (const sn_study_map *m = files[f].maps(); m->where; m++)
            for (const sn_study_key *key = m->key; key->name; key++) cli_near_try(&n, key->name);
    cli_near_text(&n, "", hint, sizeof hint);
    cli_error("help: there is no command, section, kind or key '%s'%s", word,
              hint[0] ? hint : ": 'sinew list' shows all kinds");
    return CLI_USAGE;
}

static int open_manual(void)
{
    char path[PATH_MAX];
    if (cli_manual(path)) return cli_browser_open(path, "help");
    cli_error(
        "help: --open: the documentation is not installed as pages; 'sinew help WORD' has the reference");
    return CLI_USAGE;
}

static int main_help(cli_job *job)
{
    if (job->open) return open_manual();
    const char *word = job->operand[0];
    const cli_command *c = job->n_operand ? cli_command_find(word) : NULL;
    int found = 0;
    if (job->man && job->n_operand && !c) {
        cli_error("help: there is no command '%s': commands have manual pages", word);
        return CLI_USAGE;
    }
    if (job->man) {
        cli_man(c);
        return 0;
    }
    if (c) {
        separate(&found);
        cli_command_help(c, stdout);
    }
    topics(word, &found);
    kinds(word, &found);
    keys(word, &found);
    for (int f = 0; f < FILES; f++) file_keys(&files[f], word, &found);
    return found ? 0 : unknown(word);
}

const cli_command cli_cmd_help = {
    .name = "help",
    .line = "explains a command, a section of the model file, a kind, or a key",
    .operands = "[WORD]",
    .text = "Explains a command (run), a section (nodes, units, expressions ...), a kind (beam2d_cr) or a "
            "key (rho).",
    .min = 0,
    .max = 1,
    .options = options,
    .run = main_help,
};
