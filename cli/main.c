/* The command line program: the table of commands, and who is called. */
#include "cli.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const cli_command *const commands[] = {
    &cli_cmd_run,    &cli_cmd_static,    &cli_cmd_path,    &cli_cmd_buckling, &cli_cmd_modes,
    &cli_cmd_sweep,  &cli_cmd_linearise, &cli_cmd_reduce,  &cli_cmd_gradient, &cli_cmd_identify,
    &cli_cmd_data,   &cli_cmd_design,    &cli_cmd_compare, &cli_cmd_check,    &cli_cmd_names,
    &cli_cmd_export, &cli_cmd_view,      &cli_cmd_help,    &cli_cmd_list,     NULL};

const cli_command *const *cli_commands(void) { return commands; }

const cli_command *cli_command_find(const char *name)
{
    const cli_command *const *c = commands;
    while (*c && strcmp((*c)->name, name) != 0) c++;
    return *c;
}

static void list_commands(FILE *to)
{
    for (const cli_command *const *c = commands; *c; c++) fprintf(to, "  %-10s %s\n", (*c)->name, (*c)->line);
}

static void usage(FILE *to)
{
    fprintf(to, "sinew %s: flexible multibody dynamics\n\nusage: sinew COMMAND [options]\n\n", sn_version());
    list_commands(to);
    fputs("\n'sinew COMMAND --help' shows a command's options, 'sinew help WORD' anything a model file can "
          "say.\n'--plugin FILE', before or behind the command, takes kinds from a shared library.\n",
          to);
    cli_manual_line(to);
}

static int unknown(const char *name)
{
    char hint[128];
    cli_near n = {name, NULL, 0};
    for (const cli_command *const *c = commands; *c; c++) cli_near_try(&n, (*c)->name);
    if (name[0] == '-')
        cli_error("unknown option '%s' (usage: sinew COMMAND [options]; try 'sinew --help')", name);
    else
        cli_error("unknown command '%s'%s", name, cli_near_text(&n, "", hint, sizeof hint));
    fputs("the commands are:\n", stderr);
    list_commands(stderr);
    return CLI_USAGE;
}

/* Is memory limited in a way that lets allocations fail? */
static int is_limited(void)
{
    struct rlimit all, data;
    return getrlimit(RLIMIT_AS, &all) || all.rlim_cur != RLIM_INFINITY || getrlimit(RLIMIT_DATA, &data) ||
           data.rlim_cur != RLIM_INFINITY;
}

/* The dense problems here are small: threads of OpenBLAS would only wait for each other. Unless the user
   wants a number of them, there is one. OpenBLAS starts its threads before main, and where one does not get
   its memory it spins for ever, also at the end of the program: there the command begins again without. */
static void settle_blas(char **argv)
{
    if (getenv("OPENBLAS_NUM_THREADS")) return;
    void *program = dlopen(NULL, RTLD_LAZY),
         *address = program ? dlsym(program, "openblas_set_num_threads") : NULL;
    void (*set_threads)(int);
    memcpy(&set_threads, &address, sizeof address);
    if (set_threads) set_threads(1);
    if (set_threads && is_limited() && !setenv("OPENBLAS_NUM_THREADS", "1", 1)) execv("/proc/self/exe", argv);
}

static int load_plugins(const cli_job *job)
{
    sn_err err;
    sn_err_clear(&err);
    for (int i = 0; i < job->plugin.n; i++) {
        sn_status s = sn_plugin_load(job->plugin.item[i], &err);
        if (s) return cli_report(&err, s);
    }
    return 0;
}

int main(int argc, char **argv)
{
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is a failed write like any other */
#endif
    settle_blas(argv);
    int at = 1 + cli_command_at(argc - 1, argv + 1);
    if (at >= argc) {
        if (at > 1) cli_error("--plugin FILE is followed by a command");
        usage(stderr);
        return CLI_USAGE;
    }
    if (!strcmp(argv[at], "--help") || !strcmp(argv[at], "-h")) {
        usage(stdout);
        return cli_stdout_done(0);
    }
    if (!strcmp(argv[at], "--version") || !strcmp(argv[at], "-V")) {
        printf("sinew %s\n", sn_version());
        return cli_stdout_done(0);
    }
    if (at == 1 && !strcmp(argv[at], "--complete")) {
        cli_complete(argc - 2, argv + 2);
        return cli_stdout_done(0);
    }
    const cli_command *c = cli_command_find(argv[at]);
    if (!c) return unknown(argv[at]);
    cli_job job;
    int code = cli_parse(c, at, argc, argv, &job);
    if (code == 0) code = cli_digits(job.digits);
    if (code == 0) code = load_plugins(&job);
    if (code == 0 && c == &cli_cmd_help && job.n_operand == 0 && !job.open && !job.man) {
        usage(stdout);
        code = CLI_HELP;
    }
    if (code == 0) code = c->run(&job);
    cli_job_free(&job);
    return cli_stdout_done(code == CLI_HELP ? 0 : code);
}
