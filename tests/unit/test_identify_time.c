/* Times of data: ISO 8601, units, moments to count from; that no digit is lost, and what is refused. */
#include "identify_kit.h"

#include "io/iso_time.h"

static void moment(const char *text, long long want, double fraction)
{
    long long s = 0;
    double f = -1;
    if (!sn_iso_time(text, text + strlen(text), &s, &f)) fail_msg("'%s' is not read", text);
    if (s != want || fabs(f - fraction) > 1e-15)
        fail_msg("'%s' is %lld + %.17g, not %lld + %.17g", text, s, f, want, fraction);
}

static void test_iso(void **state)
{
    (void)state;
    moment("1970-01-01T00:00:00Z", 0, 0);
    moment("2024-05-01T12:00:00.250Z", 1714564800, 0.25);
    moment("2024-05-01 12:00", 1714564800, 0);
    moment("2024-05-01T14:00:00+02:00", 1714564800, 0);
    moment("2024-05-01T06:30:00-0530", 1714564800, 0);
    moment("2000-02-29", 951782400, 0);
    moment("1969-12-31T23:59:59.999999999Z", -1, 0.999999999);
    moment("2016-12-31T23:59:60Z", 1483228800, 0);
    static const char *const no[] = {"",
                                     "12",
                                     "2024-5-01",
                                     "2024-13-01",
                                     "2023-02-29",
                                     "2024-05-01T",
                                     "2024-05-01T12",
                                     "2024-05-01T12:60",
                                     "2024-05-01T12:00:00.",
                                     "2024-05-01T12:00:00Q",
                                     "2024-05-01T12:00:00Z ",
                                     "2024-05-01T12:00:00+1",
                                     "20240501"};
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        long long s;
        double f;
        if (sn_iso_time(no[i], no[i] + strlen(no[i]), &s, &f)) fail_msg("'%s' is read as a time", no[i]);
    }
}

static sn_study *study(const char *time, const char *data, sn_err *err)
{
    sn_study *s;
    char text[400];
    kit_put("times.csv", data);
    snprintf(text, sizeof text, "study: 1\nmodel: spring.yaml\ndata: times.csv\n%s\nunknowns: {k: 60}\n",
             time);
    kit_put("study.yaml", text);
    sn_err_clear(err);
    sn_status status = sn_study_read(kit_path("study.yaml"), NULL, 0, &s, err);
    assert_true((status == SN_OK) == (s != NULL));
    return s;
}

/* Three rows, 0.25 s apart, the first at `first`. */
static void times(const char *time, const char *data, double first)
{
    sn_err err;
    sn_study *s = study(time, data, &err);
    if (!s) fail_msg("%s: %s", time, err.report[0].text);
    assert_int_equal(s->experiment[0].n, 3);
    for (int i = 0; i < 3; i++)
        kit_is(time, s->experiment[0].t[i], first + 0.25 * i, 2e-7); /* eps of 1.7e9 s */
    sn_study_free(s);
}

static void refused(const char *time, const char *data, const char *words)
{
    sn_err err;
    sn_study *s = study(time, data, &err);
    if (s) fail_msg("%s is read", time);
    if (!strstr(err.report[0].text, words))
        fail_msg("%s: '%s' does not say '%s'", time, err.report[0].text, words);
}

#define ROWS(a, b, c) "stamp,at.x\n" a ",1\n" b ",1.1\n" c ",1.2\n"

static void test_columns(void **state)
{
    (void)state;
    static const char iso[] =
        ROWS("2024-05-01T12:00:00.25Z", "2024-05-01T12:00:00.5Z", "2024-05-01T12:00:00.75Z");
    static const char epoch[] = ROWS("1714564800.25", "1714564800.5", "1714564800.75");
    static const char epoch_ms[] = ROWS("1714564800250", "1714564800500", "1714564800750");
    times("time: stamp", ROWS("0.5", "0.75", "1"), 0.5);
    times("time: {column: stamp, unit: ms}", ROWS("500", "750", "1000"), 0.5);
    times("time: {column: stamp, unit: min}", ROWS("0.05", "0.0541666666666667", "0.0583333333333333"), 3);
    times("time: stamp", iso, 0);
    times("time: {column: stamp, zero: '2024-05-01T12:00:00Z'}", iso, 0.25);
    times("time: {column: stamp, absolute: yes}", epoch, 0);
    times("time: {column: stamp, zero: 1714564800}", epoch, 0.25);
    times("time: {column: stamp, zero: '2024-05-01T14:00:00+02:00'}", epoch, 0.25);
    times("time: {column: stamp, unit: ms, absolute: yes}", epoch_ms, 0);
    times("time: {column: stamp, unit: ms, zero: '2024-05-01T12:00:00Z'}", epoch_ms, 0.25);
    times("time: {column: stamp, unit: ms, zero: 100 ms}", ROWS("500", "750", "1000"), 0.4);
    times("time: {column: stamp}\nbegin: 0.5 s", ROWS("0.5", "0.75", "1"), 0.5);
    /* days since year 0: 1e-10 days are 10 us */
    sn_err err;
    sn_study *s = study("time: {column: stamp, unit: datenum, zero: '2024-05-01T12:00:00Z'}",
                        ROWS("739373.5000028935", "739373.5000057870", "739373.5000086806"), &err);
    assert_non_null(s);
    for (int i = 0; i < 3; i++) kit_is("datenum", s->experiment[0].t[i], 0.25 * (i + 1), 2e-5);
    sn_study_free(s);
    refused("time: {column: stamp, unit: mm}", ROWS("0", "1", "2"), "no unit of time");
    refused("time: {column: stamp, unit: ms}", iso, "these have no unit");
    refused("time: {column: stamp, zero: 5}", iso, "no date and time");
    refused("time: {column: stamp, absolute: maybe}", ROWS("0", "1", "2"), "absolute is 'yes' or 'no'");
    refused("time: {colum: stamp}", ROWS("0", "1", "2"), "did you mean 'column'?");
    refused("time: stamp", ROWS("2024-05-01T12:00:00Z", "3", "4"), "a number in a column of dates");
    refused("time: stamp", ROWS("2", "2024-05-01T12:00:00Z", "4"), "a time in a column of numbers");
    refused("time: stamp", ROWS("2024-05-01T12:00:01Z", "2024-05-01T12:00:00Z", "2024-05-01T12:00:02Z"),
            "the times must ascend");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_iso), cmocka_unit_test(test_columns)};
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
