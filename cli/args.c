/* Options: --name value, --name=value, -o value, -ovalue; options and operands in any order; "--" ends the
 * options. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Options that every command has, also before its name. */
static const cli_option common[] = {
    {"quiet", 'q', NULL, 0, offsetof(cli_job, quiet), "print only what was asked for by name, and errors"},
    {"digits", 0, "N", 0, offsetof(cli_job, digits), "significant digits in tables (default: 6)"},
    {"plugin", 0, "FILE", 1, offsetof(cli_job, plugin), "take kinds from a shared library (again for more)"},
    {.name = NULL},
};

static void option_name(const cli_option *o, char *out, size_t size)
{
    char letter[8] = "    ";
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(out, size, "%s--%s%s%s", letter, o->name, o->arg ? " " : "", o->arg ? o->arg : "");
}

void cli_command_help(const cli_command *c, FILE *to)
{
    char name[64];
    fprintf(to, "usage: sinew %s%s%s%s\n\n%s\n", c->name, c->operands[0] ? " " : "", c->operands,
            " [options]", c->text);
    fprintf(to, "\n");
    for (const cli_option *o = c->options; o; o = o == c->options ? common : NULL)
        for (const cli_option *k = o; k->name; k++) {
            option_name(k, name, sizeof name);
            fprintf(to, "  %-24s %s\n", name, k->doc);
        }
}

/* A letter or word that is safe for a shell without quotes. */
static int plain(const char *s)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,@+%";
    return *s && s[strspn(s, safe)] == 0;
}

/* The command line as a shell would take it again. */
static char *join(int argc, char **argv)
{
    size_t size = 1;
    for (int i = 0; i < argc; i++) size += 4 * strlen(argv[i]) + 3;
    char *text = malloc(size), *p = text;
    if (!text) return NULL;
    for (int i = 0; i < argc; i++) {
        const char *s = i ? argv[i] : "sinew";
        int quote = !plain(s);
        if (i) *p++ = ' ';
        if (quote) *p++ = '\'';
        for (; *s; s++) {
            if (*s == '\'') {
                memcpy(p, "'\\''", 4);
                p += 4;
            } else {
                *p++ = *s;
            }
        }
        if (quote) *p++ = '\'';
    }
    *p = 0;
    return text;
}

static const cli_option *find(const cli_option *options, const char *word, size_t length)
{
    for (const cli_option *o = options; o->name; o++) {
        if (length > 2 && !strncmp(word, "--", 2) && strlen(o->name) == length - 2 &&
            !strncmp(o->name, word + 2, length - 2))
            return o;
        if (word[1] != '-' && o->letter && word[1] == o->letter) return o;
    }
    return NULL;
}

const cli_option *cli_common_options(void) { return common; }

const cli_option *cli_option_find(const cli_command *c, const char *word, size_t length)
{
    const cli_option *o = find(c->options, word, length);
    return o ? o : find(common, word, length);
}

int cli_command_at(int n, char **word)
{
    static const char plugin[] = "--plugin";
    size_t length = strlen(plugin);
    int at = 0;
    while (at < n && !strncmp(word[at], plugin, length) && (!word[at][length] || word[at][length] == '='))
        at += word[at][length] ? 1 : 2;
    return at;
}

static int unknown(const cli_command *c, const char *word, size_t length)
{
    char bare[64], hint[128];
    size_t n = length < sizeof bare ? length : sizeof bare - 1;
    memcpy(bare, word, n);
    bare[n] = 0;
    cli_near near = {bare + strspn(bare, "-"), NULL, 0};
    for (const cli_option *o = c->options; o->name; o++) cli_near_try(&near, o->name);
    for (const cli_option *o = common; o->name; o++) cli_near_try(&near, o->name);
    cli_near_try(&near, "help");
    cli_near_text(&near, "--", hint, sizeof hint);
    cli_error("%s: unknown option '%s'%s", c->name, bare,
              hint[0] ? hint : ": 'sinew COMMAND --help' shows all");
    return CLI_USAGE;
}

static void store(cli_job *job, const cli_option *o, const char *value)
{
    char *at = (char *)job + o->at;
    if (!o->arg)
        *(int *)(void *)at = 1;
    else if (o->list) {
        cli_list *l = (cli_list *)(void *)at;
        l->item[l->n++] = value;
    } else
        *(const char **)(void *)at = value;
}

/* The value of an option that may stand without one: no other option, and no file of ours. */
static int is_word(const char *text)
{
    size_t n = strlen(text);
    return text[0] != '-' && !(n > 5 && !strcmp(text + n - 5, ".yaml")) &&
           !(n > 4 && !strcmp(text + n - 4, ".yml"));
}

/* The option at argv[*i]; moves on over its value. */
static int option(const cli_command *c, int argc, char **argv, int *i, cli_job *job)
{
    const char *word = argv[*i];
    int is_long = word[1] == '-';
    size_t length = is_long ? strcspn(word, "=") : 2;
    const char *value = word[length] ? word + length + is_long : NULL;
    if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
        cli_command_help(c, stdout);
        return CLI_HELP;
    }
    const cli_option *o = cli_option_find(c, word, length);
    if (!o) return unknown(c, word, length);
    if (!o->arg && value) {
        cli_error("%s: option '--%s' takes no value", c->name, o->name);
        return CLI_USAGE;
    }
    if (o->arg && !value && *i + 1 < argc && (o->arg[0] != '[' || is_word(argv[*i + 1]))) value = argv[++*i];
    if (o->arg && !value && o->arg[0] == '[') value = "";
    if (o->arg && !value) {
        cli_error("%s: option '--%s' needs a value: --%s %s", c->name, o->name, o->name, o->arg);
        return CLI_USAGE;
    }
    store(job, o, value);
    return 0;
}

int cli_parse(const cli_command *c, int at, int argc, char **argv, cli_job *job)
{
    int options = 1;
    *job = (cli_job){.command = join(argc, argv)};
    cli_list *const lists[] = {&job->set,      &job->print,    &job->of,     &job->wrt,    &job->start,
                               &job->trace,    &job->measured, &job->arrows, &job->plugin, &job->input,
                               &job->channels, &job->place,    &job->only};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        lists[i]->item = malloc(sizeof *lists[i]->item * (size_t)argc);
        if (!lists[i]->item) return cli_report(NULL, SN_ERR_MEMORY);
    }
    if (!job->command) return cli_report(NULL, SN_ERR_MEMORY);
    for (int i = 1; i < argc; i++) {
        if (i == at) continue;
        if (options && !strcmp(argv[i], "--")) {
            options = 0;
        } else if (options && argv[i][0] == '-' && argv[i][1]) {
            int code = option(c, argc, argv, &i, job);
            if (code) return code;
        } else if (job->n_operand == c->max) {
            cli_error("%s: '%s' is one too many: sinew %s %s", c->name, argv[i], c->name, c->operands);
            return CLI_USAGE;
        } else {
            job->operand[job->n_operand++] = argv[i];
        }
    }
    if (job->n_operand < c->min) {
        cli_error("%s: which file? sinew %s %s", c->name, c->name, c->operands);
        return CLI_USAGE;
    }
    return 0;
}

void cli_job_free(cli_job *job)
{
    free(job->command);
    free(job->set.item);
    free(job->print.item), free(job->of.item), free(job->wrt.item), free(job->start.item);
    free(job->trace.item), free(job->measured.item), free(job->arrows.item), free(job->plugin.item);
    free(job->input.item), free(job->channels.item), free(job->place.item), free(job->only.item);
}
