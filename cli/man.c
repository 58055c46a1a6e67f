/* Manual pages, from the tables of the commands: sinew help --man [COMMAND]. In man(7), for groff and mandoc.
 */
#include "cli.h"

#include <ctype.h>
#include <string.h>

/* A text as roff takes it: its marks are shown, not obeyed; a line that ends a sentence ends a paragraph. */
static void put(const char *text)
{
    int first = 1;
    for (const char *s = text; *s; s++) {
        if (first && (*s == '.' || *s == '\'')) printf("\\&");
        first = *s == '\n';
        if (first && s > text && s[-1] == '.') printf("\n.PP");
        if (*s == '\\')
            printf("\\e");
        else if (*s == '-')
            printf("\\-");
        else if (*s == '\'')
            printf("\\(aq");
        else
            putchar(*s);
    }
}

static void line(const char *before, const char *text)
{
    printf("%s", before);
    put(text);
    putchar('\n');
}

static void head(const char *name, const char *doc)
{
    printf(".TH \"");
    for (const char *s = name; *s; s++) putchar(toupper((unsigned char)*s));
    printf("\" 1 \"\" \"sinew %s\" \"User Commands\"\n.SH NAME\n", sn_version());
    put(name);
    line(" \\- ", doc);
}

static void option(const cli_option *o)
{
    printf(".TP\n");
    if (o->letter) printf("\\fB\\-%c\\fR, ", o->letter);
    printf("\\fB\\-\\-");
    put(o->name);
    printf("\\fR");
    if (o->arg) printf(" \\fI"), put(o->arg), printf("\\fR");
    line("\n", o->doc);
}

static void exit_codes(void)
{
    static const char *const codes[][2] = {
        {"0", "good"},
        {"1", "the numerics failed, or a verdict is bad; what was written up to there is kept"},
        {"2", "the command line or a file is wrong: the message says where, and what was meant"},
        {"3", "a bug of sinew"},
        {"130, 143", "stopped by Ctrl-C or SIGTERM"}};
    printf(".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        line(".TP\n.B ", codes[i][0]);
        line("", codes[i][1]);
    }
}

static void main_page(void)
{
    static const char *const environment[][2] = {
        {"NO_COLOR", "set to anything: messages without colours"},
        {"BROWSER", "the program that view --open starts"},
        {"OPENBLAS_NUM_THREADS", "threads of OpenBLAS (default: 1)"}};
    head("sinew", "flexible multibody dynamics");
    printf(".SH SYNOPSIS\n.B sinew\n.I COMMAND\n[options]\n.SH DESCRIPTION\n");
    line("", "Simulates mechanisms of rigid and flexible bodies that a text file describes, shows them, "
             "differentiates "
             "the simulation by every number of the file, and finds those numbers, or forces, from measured "
             "signals.");
    printf(".SH COMMANDS\n");
    for (const cli_command *const *c = cli_commands(); *c; c++) {
        printf(".TP\n.BR sinew\\-");
        put((*c)->name);
        line(" (1)\n", (*c)->line);
    }
    printf(".SH OPTIONS\nOf every command:\n");
    for (const cli_option *o = cli_common_options(); o->name; o++) option(o);
    line(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\n", "what sinew, or the command before it, does and takes");
    line(".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\n", "the version");
    exit_codes();
    printf(".SH ENVIRONMENT\n");
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++) {
        line(".TP\n.B ", environment[i][0]);
        line("", environment[i][1]);
    }
    printf(".SH EXAMPLES\n.nf\n");
    line("", "sinew check model.yaml\nsinew run model.yaml\nsinew view model.h5 --open\nsinew identify "
             "study.yaml");
    printf(".fi\n.SH SEE ALSO\n");
    line("", "'sinew help WORD' explains any word of a model file or a study.");
}

static void command_page(const cli_command *c)
{
    char name[64];
    snprintf(name, sizeof name, "sinew-%s", c->name);
    head(name, c->line);
    printf(".SH SYNOPSIS\n.B sinew ");
    put(c->name);
    if (c->operands[0])
        line("\n.I ", c->operands), printf("[options]\n");
    else
        printf("\n[options]\n");
    line(".SH DESCRIPTION\n", c->text);
    printf(".SH OPTIONS\n");
    for (const cli_option *o = c->options; o->name; o++) option(o);
    for (const cli_option *o = cli_common_options(); o->name; o++) option(o);
    exit_codes();
    printf(".SH SEE ALSO\n.BR sinew (1)\n");
}

void cli_man(const cli_command *c)
{
    if (c)
        command_page(c);
    else
        main_page();
}
