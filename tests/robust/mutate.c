/* A fuzzer without libFuzzer, for the tests: the files of its corpus, then seeded changes of them, always the
   same.

     PROGRAM CORPUS COUNT [CASE]

   The cases run in a child process; one that crashes, or takes longer than PATIENCE, is named. With CASE only
   that one is run, in the process itself (for a debugger), and its bytes are left in the file "case". */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "robust/fuzz.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

enum { FILES = 256, LARGEST = 1 << 20, PATIENCE = 30 /* s */ };

typedef struct sample {
    unsigned char *bytes;
    size_t n;
} sample;

typedef struct corpus {
    sample file[FILES];
    int n;
} corpus;

static uint64_t state;

/* xorshift64*, from 0 up to below n. */
static size_t pick(size_t n)
{
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return n ? (size_t)((state * 2685821657736338717u) >> 16) % n : 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void load(const char *folder, corpus *c)
{
    char *name[FILES], path[1024];
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) && n < FILES;)
        if (e->d_name[0] != '.') name[n++] = strdup(e->d_name);
    if (d) closedir(d);
    qsort(name, (size_t)n, sizeof *name, by_name);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        FILE *f = fopen(path, "rb");
        sample *s = &c->file[c->n++];
        s->bytes = malloc(LARGEST);
        if (!f || !s->bytes) abort();
        s->n = fread(s->bytes, 1, LARGEST, f);
        fclose(f);
        free(name[i]);
    }
}

/* One change: bits, bytes, a lost block, a lost end, a piece taken out, repeated, or taken from another. */
static void change(const corpus *c, sample *s)
{
    static const size_t block[] = {16, 64, 512, 4096};
    const sample *other = &c->file[pick((size_t)c->n)];
    size_t at = pick(s->n), left = s->n - at, n = 1 + pick(block[pick(4)]), from = pick(other->n);
    if (n > left) n = left;
    switch (pick(7)) {
    case 0:
        if (s->n) s->bytes[at] ^= (unsigned char)(1 << pick(8));
        break;
    case 1:
        if (s->n) s->bytes[at] = (unsigned char)pick(256);
        break;
    case 2:
        memset(s->bytes + at, pick(2) ? 0 : 0xff, n);
        break;
    case 3:
        if (pick(4) == 0) s->n = at;
        break;
    case 4:
        memmove(s->bytes + at, s->bytes + at + n, left - n);
        s->n -= n;
        break;
    case 5:
        if (s->n + n > LARGEST) break;
        memmove(s->bytes + at + n, s->bytes + at, left);
        s->n += n;
        break;
    default:
        if (n > other->n - from) n = other->n - from;
        memcpy(s->bytes + at, other->bytes + from, n);
    }
}

/* The files themselves come first. */
static void make(const corpus *c, int number, sample *s)
{
    const sample *seed;
    state = 88172645463325252u + 977u * (uint64_t)number;
    for (int i = 0; i < 8; i++) pick(1);
    seed = &c->file[number < c->n ? (size_t)number : pick((size_t)c->n)];
    memcpy(s->bytes, seed->bytes, seed->n);
    s->n = seed->n;
    for (size_t k = number < c->n ? 0 : (size_t)1 << pick(5); k > 0; k--) change(c, s);
}

static int run(const corpus *c, int count, sample *s, volatile int *at)
{
    for (int i = 0; i < c->n + count; i++) {
        *at = i;
        make(c, i, s);
        LLVMFuzzerTestOneInput(s->bytes, s->n);
    }
    return 0;
}

/* 0, or how the child has failed. */
static const char *watch(pid_t child, const volatile int *at)
{
    int status, last = -1;
    time_t since = time(NULL);
    while (waitpid(child, &status, WNOHANG) == 0) {
        nanosleep(&(struct timespec){0, 10000000}, NULL);
        if (*at != last) last = *at, since = time(NULL);
        if (time(NULL) - since <= PATIENCE) continue;
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        return "hangs";
    }
    return status ? "crashes" : NULL;
}

int main(int argc, char **argv)
{
    static corpus c;
    static unsigned char room[LARGEST];
    sample s = {room, 0};
    volatile int *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (argc < 3 || at == MAP_FAILED) return 2;
    load(argv[1], &c);
    if (c.n == 0) {
        fprintf(stderr, "%s: nothing there\n", argv[1]);
        return 2;
    }
    if (argc > 3) {
        make(&c, atoi(argv[3]), &s);
        FILE *f = fopen("case", "wb");
        if (!f || fwrite(s.bytes, 1, s.n, f) != s.n || fclose(f)) return 2;
        return LLVMFuzzerTestOneInput(s.bytes, s.n);
    }
    char folder[512]; /* not the child's: it may crash */
    make_folder(folder);
    setenv("FUZZ_FOLDER", folder, 1);
    pid_t child = fork();
    if (child == 0) exit(run(&c, atoi(argv[2]), &s, at)); /* exit: leaks are looked for */
    const char *failure = child < 0 ? "cannot be run" : watch(child, at);
    remove_folder(folder);
    if (failure)
        fprintf(stderr, "case %d %s: %s %s %s %d\n", *at, failure, argv[0], argv[1], argv[2], *at);
    else
        printf("%d cases\n", c.n + atoi(argv[2]));
    return failure != NULL;
}
