/* A team of threads: every member does each job once, meetings separate what is written from what is read. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/team.h"

enum { MEMBERS = 4, JOBS = 200 };

typedef struct count {
    sn_team *team;
    int size, done[MEMBERS], seen[MEMBERS];
} count;

static void once(void *ctx, int member) { ((count *)ctx)->done[member]++; }

static void test_jobs(void **state)
{
    (void)state;
    for (int n = 1; n <= MEMBERS; n++) {
        count c = {.size = n};
        sn_err err;
        sn_err_clear(&err);
        assert_int_equal(sn_team_new(n, &c.team, &err), SN_OK);
        assert_int_equal(sn_team_size(c.team), n);
        for (int k = 0; k < JOBS; k++) sn_team_run(c.team, once, &c);
        for (int i = 0; i < MEMBERS; i++) assert_int_equal(c.done[i], i < n ? JOBS : 0);
        sn_team_free(c.team);
    }
    sn_team_free(NULL);
}

/* Each writes its own number, and after the meeting reads its neighbour's. */
static void pass(void *ctx, int member)
{
    count *c = ctx;
    c->done[member]++;
    sn_team_meet(c->team);
    c->seen[member] += c->done[(member + 1) % c->size];
    sn_team_meet(c->team);
}

static void test_meetings(void **state)
{
    (void)state;
    count c = {.size = MEMBERS};
    sn_err err;
    sn_err_clear(&err);
    assert_int_equal(sn_team_new(MEMBERS, &c.team, &err), SN_OK);
    for (int k = 0; k < JOBS; k++) sn_team_run(c.team, pass, &c);
    for (int i = 0; i < MEMBERS; i++) assert_int_equal(c.seen[i], JOBS * (JOBS + 1) / 2);
    sn_team_free(c.team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_jobs), cmocka_unit_test(test_meetings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
