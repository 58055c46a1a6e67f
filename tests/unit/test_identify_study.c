/* Reading a study: every mistake is told at its place and in words, before anything is computed (the reader
   never runs the model). Each case is a study's text, with the data it needs, and the report as the user sees
   it. */
#include "identify_kit.h"

/* A study that is right, but for a line. */
#define HEAD    "study: 1\nmodel: spring.yaml\n"
#define DATA    "data: good.csv\n"
#define UNKNOWN "unknowns: {k: 60}\n"

typedef struct wrong {
    const char *text, *place, *report; /* place: "study.yaml:3:9" or "study.yaml" or "" */
} wrong;

static int failures; /* all of them are shown, then the test ends */

static void read_it(const char *text, const char *data, int n_start, const char *const *start, sn_err *err)
{
    sn_study *s;
    sn_err_clear(err);
    kit_put("study.yaml", text);
    sn_status status =
        sn_study_read(kit_path("study.yaml"),
                      &(sn_identify_options){.data = data, .n_start = n_start, .start = start}, 1, &s, err);
    sn_study_free(s);
    if (status == SN_OK) print_error("no error in:\n%s\n", text), failures++;
    assert_int_equal(status, err->status);
}

/* Whether the text is as expected; what ends with ... goes on as it likes. */
static int same(const char *text, const char *expected)
{
    size_t n = strlen(expected);
    return n > 3 && !strcmp(expected + n - 3, "...") ? !strncmp(text, expected, n - 3)
                                                     : !strcmp(text, expected);
}

/* The first report, without the tests' folder. */
static void compare(const char *text, const sn_err *err, const char *place, const char *report)
{
    char at[400] = "", plain[SN_ERR_TEXT + 1] = "", mark[80];
    const sn_report *r = &err->report[0];
    size_t n = strlen(kit_folder) + 1;
    snprintf(mark, sizeof mark, "%s/", kit_folder);
    const char *file = !strncmp(r->file, mark, n) ? r->file + n : r->file;
    if (r->line > 0)
        snprintf(at, sizeof at, "%s:%d:%d", file, r->line, r->col);
    else
        snprintf(at, sizeof at, "%s", file);
    const char *from = r->text, *hit;
    while ((hit = strstr(from, mark))) {
        strncat(plain, from, (size_t)(hit - from));
        from = hit + n;
    }
    strcat(plain, from);
    if (strcmp(at, place) != 0 || !same(plain, report))
        print_error("%s\nis told as\n  %s: %s\nand not\n  %s: %s\n\n", text, at, plain, place, report),
            failures++;
}

static void try_all(size_t n, const wrong *list)
{
    static sn_err err;
    for (size_t i = 0; i < n; i++) {
        read_it(list[i].text, NULL, 0, NULL, &err);
        compare(list[i].text, &err, list[i].place, list[i].report);
    }
    assert_int_equal(failures, 0);
}

#define TRY(list) try_all(sizeof list / sizeof *list, list)

static int set_up(void **state)
{
    if (kit_begin(state)) return -1;
    kit_put("good.csv", "t,at.x\n0,1\n0.1,1.1\n0.2,1.3\n");
    kit_put("empty.csv", "");
    kit_put("names.csv", "t,at.x\n");
    kit_put("bare.csv", "0,1\n0.1,1.1\n");
    kit_put("time.csv", "t\n0\n0.1\n");
    kit_put("notime.csv", "s,at.x\n0,1\n0.1,2\n");
    kit_put("other.csv", "t,at.xx\n0,1\n0.1,2\n");
    kit_put("mixed.csv", "t,at.x\n0,1\n0.2,1.1\n0.1,1.3\n");
    kit_put("hole.csv", "t,at.x\n0,1\n,1.1\n0.1,1.3\n");
    kit_put("flat.csv", "t,at.x,fast.x\n0,1,3\n0.1,2,3\n0.2,4,3\n");
    kit_put("nan.csv", "t,at.x,fast.x\n0,1,nan\n0.1,2,\n0.2,4,NaN\n");
    kit_put("inf.csv", "t,at.x\n0,1\n0.1,inf\n0.2,4\n");
    kit_put("word.csv", "t,at.x\n0,1\n0.1,two\n");
    kit_put("torn.csv", "t,at.x\n0,1\n0.1\n");
    kit_put("two.csv", "t,a,b\n0,1,1\n0.1,2,3\n");
    kit_put("single.csv", "t,at.x\n0.1,2\n");
    return 0;
}

static void test_whole(void **state)
{
    (void)state;
    failures = 0;
    static const wrong list[] = {
        {"", "study.yaml", "the file is empty; a study begins with 'study: 1'"},
        {"title: no\n", "study.yaml:1:1", "this is no study file: it must begin with 'study: 1'"},
        {"[1, 2]\n", "study.yaml:1:1",
         "a study is a map of sections, beginning with 'study: 1'; this is a list"},
        {"study: 1\n" DATA UNKNOWN, "study.yaml:1:1", "a study needs 'model: FILE'"},
        {"study: 1\nmodel: spring.yml\n" DATA UNKNOWN, "spring.yml",
         "cannot open the file: No such file or directory"},
        {HEAD DATA UNKNOWN "horizn: 1\n", "study.yaml:5:1",
         "a study has no key 'horizn' (did you mean 'horizon'?)"},
        {HEAD DATA UNKNOWN "set: {kk: 3}\n", "study.yaml:5:7",
         "the model has no number 'kk' (did you mean 'k'?)"},
        {HEAD DATA UNKNOWN "run: {scheme: hhd}\n", "study.yaml:5:15",
         "unknown scheme 'hhd': it is one of generalized_alpha, hht, newmark..."},
        {HEAD DATA UNKNOWN "run: {start: now}\n", "study.yaml:5:14",
         "unknown start 'now': it is one of given, static"},
        {HEAD DATA UNKNOWN "refine: 3\n", "study.yaml:5:9", "'3' is none of: no, yes, correct"},
        {HEAD DATA UNKNOWN "optimiser: newton\n", "study.yaml:5:12",
         "'newton' is none of: levenberg_marquardt, lbfgs, cma_es"},
        {HEAD DATA UNKNOWN "loss: cubes\n", "study.yaml:5:7", "'cubes' is none of: squares, huber"},
        {HEAD DATA UNKNOWN "intervals: wide\n", "study.yaml:5:12",
         "'wide' is none of: standard, profile, bootstrap"},
        {HEAD DATA UNKNOWN "intervals: {bootstrap: 3}\n", "study.yaml:5:24",
         "'bootstrap' must be within 40 and 100000"},
        {HEAD DATA UNKNOWN "intervals: {seed: 3}\n", "study.yaml:5:12",
         "'bootstrap: 200', a number of refits, is missing"},
        {HEAD DATA UNKNOWN "horizon: {from: 0.1, groth: 2}\n", "study.yaml:5:22",
         "horizon has no key 'groth' (did you mean 'growth'?)"},
        {HEAD DATA UNKNOWN "horizon: {from: 0.1, growth: 1}\n", "study.yaml:5:10",
         "the horizon's growth must be above 1"},
        {HEAD DATA UNKNOWN "starts: {n: -3}\n", "study.yaml:5:9",
         "starts need a number from 0 and a spread above 1"},
        {HEAD DATA UNKNOWN "starts: {n: 3, spread: 1}\n", "study.yaml:5:9",
         "starts need a number from 0 and a spread above 1"},
        {HEAD DATA UNKNOWN "efforts: [pull.fx, pul.fy]\n", "study.yaml:5:20",
         "there is no sensor 'pul.fy' (did you mean 'pull.fy'?)"},
    };
    TRY(list);
}

static void test_data(void **state)
{
    (void)state;
    failures = 0;
    static const wrong list[] = {
        {HEAD UNKNOWN, "study.yaml:1:1", "experiment 'data' needs 'data: FILE.csv'"},
        {HEAD "data: none.csv\n" UNKNOWN, "study.yaml:3:7",
         "none.csv: cannot open the file: No such file or directory"},
        {HEAD "data: empty.csv\n" UNKNOWN, "study.yaml:3:7", "empty.csv: the table has no rows of numbers"},
        {HEAD "data: names.csv\n" UNKNOWN, "study.yaml:3:7",
         "names.csv: the table has no rows of numbers, only names"},
        {HEAD "data: bare.csv\n" UNKNOWN, "study.yaml:3:7",
         "'bare.csv' needs a first line with the names of its columns"},
        {HEAD "data: time.csv\n" UNKNOWN, "study.yaml:3:7",
         "the data measure nothing: no column but the time"},
        {HEAD "data: notime.csv\n" UNKNOWN, "study.yaml:3:7", "'notime.csv' has no column 't' of times"},
        {HEAD DATA "time: tt\n" UNKNOWN, "study.yaml:4:7", "'good.csv' has no column 'tt' of times"},
        {HEAD "data: other.csv\n" UNKNOWN, "study.yaml:3:7", "sensor 'at' gives at.x, at.y"},
        {HEAD "data: mixed.csv\n" UNKNOWN, "study.yaml:3:7",
         "'mixed.csv': the times must ascend, but row 3 has 0.1 after 0.2"},
        {HEAD "data: hole.csv\n" UNKNOWN, "study.yaml:3:7", "'hole.csv': row 2 has no time"},
        {HEAD "data: flat.csv\n" UNKNOWN, "study.yaml:3:7",
         "'flat.csv': column 'fast.x' is constant (3): is it connected?"},
        {HEAD "data: nan.csv\n" UNKNOWN, "study.yaml:3:7", "'nan.csv': column 'fast.x' has no numbers"},
        {HEAD "data: inf.csv\n" UNKNOWN, "study.yaml:3:7", "'inf.csv': column 'at.x' has infinite numbers"},
        {HEAD "data: word.csv\n" UNKNOWN, "word.csv:3:5", "'two' is not a number"},
        {HEAD "data: torn.csv\n" UNKNOWN, "torn.csv:3:1", "1 cell where the lines above have 2"},
        {HEAD DATA "begin: 3 s\n" UNKNOWN, "study.yaml:3:7",
         "'good.csv' has no samples between 3 s and 0.2 s"},
        {HEAD DATA "offset: -1 s\n" UNKNOWN, "study.yaml:3:7",
         "'good.csv' has no samples between 0 s and -0.8 s"},
        {HEAD DATA "offset: soon\n" UNKNOWN, "study.yaml:4:9", "'soon': a plain number is expected here"},
        {HEAD "data: two.csv\ncolumns: {at.x: c}\n" UNKNOWN, "study.yaml:4:17",
         "the data have no column 'c'"},
        {HEAD "data: two.csv\ncolumns: {at.x: a, att.y: b}\n" UNKNOWN, "study.yaml:4:20",
         "there is no sensor 'att.y' (did you mean 'at.y'?)"},
        {HEAD "data: two.csv\ncolumns: {at.x: {column: a, unit: kg}}\n" UNKNOWN, "study.yaml:4:35",
         "the column is in kg, but the sensor in m"},
        {HEAD "data: two.csv\ncolumns: {at.x: {column: a, unit: mmm}}\n" UNKNOWN, "study.yaml:4:35",
         "'mmm' is no unit"},
        {HEAD "data: two.csv\ncolumns: {at.x: {colum: a}}\n" UNKNOWN, "study.yaml:4:18",
         "a column has no key 'colum' (did you mean 'column'?)"},
        {HEAD "data: two.csv\ncolumns: {at.x: a, at.x: b}\n" UNKNOWN, "study.yaml:4:20",
         "duplicate key 'at.x' (first given at line 4)"},
        {HEAD DATA "noise: {fast.x: 1}\n" UNKNOWN, "study.yaml:4:9",
         "'fast.x' is not measured in experiment 'data'"},
        {HEAD DATA "noise: {at.x: 0}\n" UNKNOWN, "study.yaml:4:15", "the noise of 'at.x' must be positive"},
        {HEAD DATA "noise: {att.x: 1}\n" UNKNOWN, "study.yaml:4:9",
         "there is no sensor 'att.x' (did you mean 'at.x'?)"},
        {HEAD DATA "noise: {at.x: 1 kg}\n" UNKNOWN, "study.yaml:4:15",
         "'1 kg' is in kg, where m is expected"},
        {HEAD DATA "noise: 1 mm\n" UNKNOWN, "study.yaml:4:8",
         "noise is 'estimated' or {sensor.component: standard deviation, ...}"},
        {HEAD DATA "experiments: {}\n" UNKNOWN, "study.yaml:4:14", "there is no experiment"},
        {HEAD "experiments: good.csv\n" UNKNOWN, "study.yaml:3:14",
         "experiments are {name: {data: FILE.csv, ...}, ...}"},
        {HEAD "experiments: {a: {hold_out: yes}}\n" UNKNOWN, "study.yaml:3:18",
         "experiment 'a' needs 'data: FILE.csv'"},
        {HEAD "experiments: {a: {data: good.csv, holdout: yes}}\n" UNKNOWN, "study.yaml:3:35",
         "an experiment has no key 'holdout' (did you mean 'hold_out'?)"},
        {HEAD "experiments: {a: {data: good.csv, hold_out: maybe}}\n" UNKNOWN, "study.yaml:3:45",
         "hold_out is 'yes' or 'no', not 'maybe'"},
        {HEAD "experiments: {a: {data: good.csv, weight: 0}}\n" UNKNOWN, "study.yaml:3:43",
         "a weight must be positive"},
        {HEAD "experiments: {a: {data: good.csv, set: {kk: 3}}}\n" UNKNOWN, "study.yaml:3:41",
         "the model has no number 'kk' (did you mean 'k'?)"},
        {HEAD "experiments: {a: {data: good.csv, hold_out: yes}}\n" UNKNOWN, "study.yaml:4:12",
         "all experiments are held out: none is left to find 'k' from"},
    };
    TRY(list);
}

static void test_unknowns(void **state)
{
    (void)state;
    failures = 0;
    static const wrong list[] = {
        {HEAD DATA, "study.yaml:1:1", "a study needs 'unknowns: {k1: {start: 350}, ...}'"},
        {HEAD DATA "unknowns: {}\n", "study.yaml:4:11", "a study needs 'unknowns: {k1: {start: 350}, ...}'"},
        {HEAD DATA "unknowns: {kk: 3}\n", "study.yaml:4:12",
         "the model has no number 'kk' (did you mean 'k'?)"},
        /* an offset is sought as it is: it has no entry, and no bounds */
        {HEAD DATA "offset: unknown\nunknowns: {k: 3, 'offset[data]': {bounds: [0, 1]}}\n", "study.yaml:5:18",
         "the model has no number 'offset[data]'"},
        {HEAD DATA "offset: unknown\nunknowns: {k: 3, offset: {prior: [0, 1]}}\n", "study.yaml:5:18",
         "the model has no number 'offset'"},
        {HEAD DATA "unknowns: {k: [1, 2]}\n", "study.yaml:4:15",
         "an unknown is {start: ..., bounds: [...], ...} or its start"},
        {HEAD DATA "unknowns: {k: {strt: 3}}\n", "study.yaml:4:16",
         "an unknown has no key 'strt' (did you mean 'start'?)"},
        {HEAD DATA "unknowns: {k: {start: 3, bounds: 5}}\n", "study.yaml:4:34",
         "bounds are two numbers: [lower, upper]"},
        {HEAD DATA "unknowns: {k: {start: 3, bounds: [5, 5]}}\n", "study.yaml:4:34",
         "the lower bound, 5, is not below the upper one, 5"},
        {HEAD DATA "unknowns: {k: {start: 3, bounds: [5, 9]}}\n", "study.yaml:4:12",
         "the start of 'k', 3, is outside of its bounds 5 and 9"},
        {HEAD DATA "unknowns: {bob.mass: {start: -3}}\n", "study.yaml:4:12",
         "the start of 'bob.mass', -3, is outside of its bounds 0 and inf"},
        {HEAD DATA "unknowns: {f: {start: -3, scale: log}}\n", "study.yaml:4:12",
         "'f' is sought by its logarithm: its start, -3, must be positive"},
        {HEAD DATA "unknowns: {f: {start: 0, scale: log}}\n", "study.yaml:4:12",
         "'f' is sought by its logarithm: its start, 0, must be positive"},
        {HEAD DATA "unknowns: {k: {scale: cubic}}\n", "study.yaml:4:23",
         "scale is 'log' or 'linear', not 'cubic'"},
        {HEAD DATA "unknowns: {k: 3 kg}\n", "study.yaml:4:15", "'3 kg' is in kg, where N/m is expected"},
        {HEAD DATA "unknowns: {k: {start: 3, bounds: [1 mm, 9]}}\n", "study.yaml:4:35",
         "'1 mm' is in m, where N/m is expected"},
        {HEAD DATA "unknowns: {k: {prior: 3}}\n", "study.yaml:4:23", "a prior is [mean, standard deviation]"},
        {HEAD DATA "unknowns: {k: {prior: [3, 0], scale: log}}\n", "study.yaml:4:23",
         "a prior needs a positive standard deviation, and a positive mean on a log scale"},
        {HEAD DATA "unknowns: {f: {prior: [3, -1], scale: linear}}\n", "study.yaml:4:23",
         "a prior needs a positive standard deviation"},
        {HEAD DATA "unknowns: {k: {prior: [-3, 1], scale: log}}\n", "study.yaml:4:23",
         "a prior needs a positive standard deviation, and a positive mean on a log scale"},
        {HEAD DATA "unknowns: {k: 3, c: {tie: 2*kk}}\n", "study.yaml:4:29",
         "'kk' is no unknown of all experiments"},
        {HEAD DATA "unknowns: {k: {tie: 2*c}, c: {tie: k/2}}\n", "study.yaml:4:23",
         "'c' is no unknown of all experiments"},
        {HEAD DATA "unknowns: {k: {tie: 2}}\n", "study.yaml:4:11",
         "nothing is sought: all unknowns are tied"},
        {HEAD DATA "unknowns: {k: 3, x0: {each: sample}}\n", "study.yaml:4:29",
         "'each' can be 'experiment', not 'sample'"},
        {HEAD DATA "unknowns: {k: 3, x0: {each: experiment, start: at.y}}\n", "study.yaml:4:48",
         "experiment 'data' has no value to start 'x0[data]' from"},
        {HEAD DATA "unknowns: {k: 3, x0: {each: experiment, start: fast.x}}\n", "study.yaml:4:48",
         "'fast.x' is in m/s, where m is expected"},
        {HEAD DATA "unknowns: {k: 3, c: {tie: 2*k}}\n", "study.yaml:4:27",
         "'2*k' is in N/m, where N*s/m is expected"},
        {HEAD DATA "unknowns: {k: 3, x0: {each: experiment, start: fats.x}}\n", "study.yaml:4:48",
         "there is no sensor 'fats.x' (did you mean 'fast.x'?)"},
        {HEAD DATA "unknowns: {k: 3, x0: {start: at.x}}\n", "study.yaml:4:30",
         "'at.x': measured values can start unknowns of 'each: experiment' only"},
        {HEAD DATA "unknowns: {k: 3, c: 1, f: 1, m: 1}\n", "",
         "4 unknowns cannot be found from 3 measured numbers"},
        {HEAD "data: single.csv\nunknowns: {k: 3, c: 1}\n", "",
         "2 unknowns cannot be found from 1 measured numbers"},
        {HEAD DATA "windows: 9\nunknowns: {k: 3, x0: {each: experiment}}\n", "study.yaml:1:1",
         "experiment 'data' has too few samples for 9 windows"},
        {HEAD DATA "windows: 2\n" UNKNOWN, "study.yaml:4:10",
         "windows need initial states of their own: unknowns of 'each: experiment'"},
    };
    TRY(list);
}

static void test_instruments(void **state)
{
    (void)state;
    failures = 0;
    kit_put("long.csv", "t,at.x,pull.torque\n0,1,0\n0.1,1.1,1\n0.2,1.3,2\n0.3,1,0\n");
#define LONG HEAD "data: long.csv\n" UNKNOWN
    static const wrong list[] = {
        {LONG "instruments: [at.x]\n", "study.yaml:5:14", "'instruments' needs a map {name: value, ...}"},
        {LONG "instruments: {at.x: 3}\n", "study.yaml:5:21",
         "an instrument is {gain: ..., offset: ..., delay: ..., drift: ..., angle: ...}"},
        {LONG "instruments: {at.z: {gain: unknown}}\n", "study.yaml:5:15", "sensor 'at' gives at.x, at.y"},
        {LONG "instruments: {att: {gain: unknown}}\n", "study.yaml:5:15", "there is no sensor 'att'"},
        {LONG "instruments: {at.y: {gain: unknown}}\n", "study.yaml:5:15",
         "'at.y' is not measured in any experiment"},
        {HEAD UNKNOWN "experiments: {a: {data: long.csv, instruments: {fast: {gain: 1}}}}\n",
         "study.yaml:4:49", "'fast' is not measured in experiment 'a'"},
        {LONG "instruments: {at.x: {gian: unknown}}\n", "study.yaml:5:22",
         "an instrument has no key 'gian' (did you mean 'gain'?)"},
        {LONG "instruments: {at.x: {gain: 0}}\n", "study.yaml:5:28",
         "the gain of 'at.x' is 0: such an instrument shows nothing"},
        {LONG "instruments: {at.x: {gain: {start: 0, bounds: [-1, 1]}}}\n", "study.yaml:5:28",
         "the gain of 'at.x' is 0: such an instrument shows nothing"},
        {LONG "instruments: {at.x: {gain: {start: -1}}}\n", "study.yaml:5:22",
         "the start of 'at.x.gain', -1, is outside of its bounds 0 and inf"},
        {LONG "instruments: {at.x: {gain: 1 mm}}\n", "study.yaml:5:28",
         "'1 mm' is in m, where a pure number is expected"},
        {LONG "instruments: {at.x: {offset: 1 kg}}\n", "study.yaml:5:30",
         "'1 kg' is in kg, where m is expected"},
        {LONG "instruments: {at.x: {drift: {prior: [0, 1 mm]}}}\n", "study.yaml:5:41",
         "'1 mm' is in m, where m/s is expected"},
        {LONG "instruments: {at.x: {delay: {bounds: [0, 1 mm]}}}\n", "study.yaml:5:42",
         "'1 mm' is in m, where s is expected"},
        {LONG "instruments: {at.x: {delay: 0.3 s}}\n", "study.yaml:5:29",
         "a delay of 0.3 s is longer than the data, which last 0.3 s"},
        {LONG "instruments: {at: {delay: {start: 0.5 s, bounds: [0, 1]}}}\n", "study.yaml:5:27",
         "a delay of 0.5 s is longer than the data, which last 0.3 s"},
        {LONG "instruments: {at: {delay: {bounds: [-1 s, 0.1 s]}}}\n", "study.yaml:5:27",
         "a delay of -1 s is longer than the data, which last 0.3 s"},
        {LONG "instruments: {at.x: {angle: unknown}}\n", "study.yaml:5:22",
         "an angle belongs to the whole sensor, which shows a vector: write it under 'at'"},
        {LONG "instruments: {at: {angle: 1 m}}\n", "study.yaml:5:27",
         "'1 m' is in m, where a pure number is expected"},
        {LONG "instruments: {at: {angle: {x: 1}}}\n", "study.yaml:5:28", "an unknown has no key 'x'"},
        {LONG "instruments: {at.x: {gain: {tie: 2*kk}}}\n", "study.yaml:5:36",
         "'kk' is no unknown of all experiments"},
        {LONG "instruments: {at.x: {gain: {tie: 2*k}}}\n", "study.yaml:5:34",
         "'2*k' is in N/m, where a pure number is expected"},
        {LONG "instruments: {at.x: {gain: {tie: 1, start: 2}}}\n", "study.yaml:5:34",
         "what is tied has no other keys"},
        {LONG "instruments: {at.x: {offset: [1, 2]}}\n", "study.yaml:5:30", "'offset' cannot be a list"},
        {LONG "instruments: {at.x: {offset: {each: day}}}\n", "study.yaml:5:37",
         "'each' can be 'experiment', not 'day'"},
        {LONG "instruments: {at.x: {offset: unknwon}}\n", "study.yaml:5:30",
         "'unknwon': a plain number is expected here"},
        {HEAD "data: long.csv\ninstruments: {at.x: {offset: 1 mm}}\n", "study.yaml:1:1", "nothing is sought"},
    };
    TRY(list);
    static sn_err err;
    kit_put("angle.yaml",
            "sinew: 1\nparameters: {k: 1}\nnodes: {a: [0, 0, 0], b: [1, 0, 0]}\n"
            "elements: {m: {mass3d: b, mass: k}, n: {mass3d: a, mass: k}}\n"
            "sensors: {gap: {distance: [a, b]}, at: {position: b}}\nrun: {end: 1, step: 1 ms}\n");
    kit_put("angles.csv", "t,gap,at.x\n0,1,2\n0.1,2,3\n");
#define SPACE "study: 1\nmodel: angle.yaml\ndata: angles.csv\nunknowns: {k: 1}\n"
    read_it(SPACE "instruments: {gap: {angle: unknown}}\n", NULL, 0, NULL, &err);
    compare("angle of a scalar", &err, "study.yaml:5:21",
            "'gap' has no angle: it does not measure a vector with components x, y and z");
    read_it(SPACE "instruments: {at: {angle: 3 deg}}\n", NULL, 0, NULL, &err);
    compare("one angle in space", &err, "study.yaml:5:27",
            "in space an angle is 'unknown' or a rotation vector {x: ..., y: ..., z: ...}");
    read_it(SPACE "instruments: {at: {angle: {x: 3 deg, w: 1}}}\n", NULL, 0, NULL, &err);
    compare("a fourth axis", &err, "study.yaml:5:38", "a rotation vector has no key 'w'");
    assert_int_equal(failures, 0);
}

static void test_inputs(void **state)
{
    (void)state;
    failures = 0;
    kit_put("driven.yaml", "sinew: 1\nparameters: {k: 1 kg}\nnodes: {b: [0, 0]}\n"
                           "elements: {m: {mass2d: b, mass: k}, f: {force2d: b, force: [road, 0]}}\n"
                           "signals: {road: {input: 0}, rise: {step: 1, start: 0, end: 1}}\n"
                           "sensors: {at: {position: b}}\nrun: {end: 1, step: 1 ms}\n");
    kit_put("road.csv", "t,z\n0,1\n0.1,2\n0.15,3\n");
    kit_put("twice.csv", "t,z\n0,1\n0.1,2\n0.1,3\n1,2\n");
    kit_put("huge.csv", "t,z\n0,1\n0.1,inf\n1,3\n");
#define DRIVEN "study: 1\nmodel: driven.yaml\ndata: good.csv\nunknowns: {k: 1}\n"
    static const wrong list[] = {
        {DRIVEN "inputs: [road]\n", "study.yaml:5:9", "'inputs' needs a map {name: value, ...}"},
        {DRIVEN "inputs: {raod: road.csv:z}\n", "study.yaml:5:10",
         "the model has no signal 'raod' (did you mean 'road'?)"},
        {DRIVEN "inputs: {road: [1]}\n", "study.yaml:5:16",
         "an input is FILE.csv:column, a number, or {data: FILE.csv, column: name, unit: N, time: t}"},
        {DRIVEN "inputs: {road: none.csv:z}\n", "study.yaml:5:16",
         "none.csv: cannot open the file: No such file or directory"},
        {DRIVEN "inputs: {road: road.csv:y}\n", "study.yaml:5:16", "'road.csv' has no column 'y'"},
        {DRIVEN "inputs: {road: {data: road.csv, column: z, time: s}}\n", "study.yaml:5:50",
         "'road.csv' has no column 's' of times"},
        {DRIVEN "inputs: {road: {data: road.csv, column: z, unit: mmm}}\n", "study.yaml:5:50",
         "'mmm' is no unit"},
        {DRIVEN "inputs: {road: {data: road.csv, colum: z}}\n", "study.yaml:5:33",
         "an input has no key 'colum' (did you mean 'column'?)"},
        {DRIVEN "inputs: {road: {column: y}}\n", "study.yaml:5:25", "'good.csv' has no column 'y'"},
        {DRIVEN "inputs: {road: {data: road.csv, column: z, interpolation: round}}\n", "study.yaml:5:16",
         "input 'road' from 'road.csv': interpolation 'round' is none of linear|cubic"},
        {DRIVEN "inputs: {road: road.csv:z}\n", "study.yaml:5:10",
         "input 'road' of experiment 'data' lasts from 0 s to 0.15 s, but the run from 0 s to 0.2 s"},
        {DRIVEN "inputs: {road: twice.csv:z}\n", "study.yaml:5:16",
         "input 'road' from 'twice.csv': times must increase: number 3 is 0.1 s, after 0.1 s"},
        {DRIVEN "inputs: {road: huge.csv:z}\n", "study.yaml:5:16", "'huge.csv': row 2 of 'z' is not finite"},
        {"study: 1\nmodel: driven.yaml\nunknowns: {k: 1}\n"
         "experiments: {a: {data: good.csv, inputs: {road: 3}}, b: good.csv}\n",
         "study.yaml:4:58",
         "experiment 'b' has no input 'road', but 'a' has: write 'inputs: {road: 0}' where it is constant"},
        {"study: 1\nmodel: driven.yaml\ndata: good.csv\nunknowns: {road.value: 1}\ninputs: {road: 3}\n",
         "study.yaml:4:12", "'road.value' cannot be sought: in experiment 'data' the signal is an input"},
        {HEAD UNKNOWN "experiments: {a: {data: good.csv, set: {x0: at.y}}}\n", "study.yaml:4:45",
         "experiment 'a' has no value to start 'x0' from"},
        {HEAD UNKNOWN "experiments: {a: {data: good.csv, set: {v0: at.x}}}\n", "study.yaml:4:45",
         "'at.x' is in m, where m/s is expected"},
    };
    TRY(list);
}

/* Options of the command line have no place. */
static void test_options(void **state)
{
    (void)state;
    failures = 0;
    static sn_err err;
    static const char *const none[] = {"kk=3"}, *const bare[] = {"k"}, *const low[] = {"k=-3"},
                             *const word[] = {"k=x"}, *const unit[] = {"k=1 kg"};
    read_it(HEAD DATA UNKNOWN, NULL, 1, none, &err);
    compare("--start", &err, "", "--start 'kk=3': the study has no such unknown (did you mean 'k'?)");
    read_it(HEAD DATA UNKNOWN, NULL, 1, bare, &err);
    compare("--start", &err, "", "--start 'k': write --start name=value");
    read_it(HEAD DATA "unknowns: {k: {start: 3, bounds: [1, 9]}}\n", NULL, 1, low, &err);
    compare("--start", &err, "", "'k' is sought by its logarithm: its start, -3, must be positive");
    read_it(HEAD DATA UNKNOWN, NULL, 1, word, &err);
    compare("--start", &err, "command line:1:1", "'x': a plain number is expected here");
    read_it(HEAD DATA UNKNOWN, NULL, 1, unit, &err);
    compare("--start", &err, "command line:1:1", "'1 kg' is in kg, where N/m is expected");
    read_it(HEAD DATA UNKNOWN, kit_path("none.csv"), 0, NULL, &err);
    compare("--data", &err, "none.csv", "cannot open the file: No such file or directory");
    read_it(HEAD "experiments: {a: good.csv, b: good.csv}\n" UNKNOWN, kit_path("good.csv"), 0, NULL, &err);
    compare("--data", &err, "", "--data replaces the data of one experiment, but the study has 2");
    assert_int_equal(failures, 0);
}

/* Two columns for one channel: a sensor of one component has two names. */
static void test_twice(void **state)
{
    (void)state;
    failures = 0;
    static sn_err err;
    kit_put("angle.yaml", "sinew: 1\nparameters: {k: 1}\nnodes: {a: [0, 0], b: [1, 0]}\n"
                          "elements: {m: {mass2d: b, mass: k}, n: {mass2d: a, mass: k}}\n"
                          "sensors: {gap: {distance: [a, b]}}\nrun: {end: 1, step: 1 ms}\n");
    kit_put("angles.csv", "t,gap,gap.value\n0,1,2\n0.1,2,3\n");
    read_it("study: 1\nmodel: angle.yaml\ndata: angles.csv\nunknowns: {k: 1}\n", NULL, 0, NULL, &err);
    compare("two columns", &err, "study.yaml:3:7", "two columns measure 'gap.value'");
    assert_int_equal(failures, 0);
}

/* Items of a kind that does not fit must not be passed over, nor crash the reader. */
static void test_kinds(void **state)
{
    (void)state;
    failures = 0;
    static sn_err err;
    static const char *const list[] = {
        HEAD DATA UNKNOWN "title: [a, b]\n",
        HEAD DATA UNKNOWN "set: 3\n",
        HEAD DATA UNKNOWN "set: {k: [1, 2]}\n",
        HEAD DATA UNKNOWN "run: 3\n",
        HEAD DATA UNKNOWN "columns: [at.x]\n",
        HEAD DATA UNKNOWN "columns: at.x\n",
        HEAD DATA UNKNOWN "columns: {at.x: [1]}\n",
        HEAD DATA UNKNOWN "time: [t]\n",
        HEAD DATA UNKNOWN "noise: [1]\n",
        HEAD DATA UNKNOWN "noise: {at.x: [1]}\n",
        HEAD DATA UNKNOWN "noise: {at.x: {a: 1}}\n",
        HEAD DATA UNKNOWN "offset: [1]\n",
        HEAD DATA UNKNOWN "begin: {a: 1}\n",
        HEAD DATA UNKNOWN "horizon: [1]\n",
        HEAD DATA UNKNOWN "horizon: -1\n",
        HEAD DATA UNKNOWN "windows: [1]\n",
        HEAD DATA UNKNOWN "windows: 0\n",
        HEAD DATA UNKNOWN "windows: 1e9\n",
        HEAD DATA UNKNOWN "starts: [1]\n",
        HEAD DATA UNKNOWN "loss: [1]\n",
        HEAD DATA UNKNOWN "efforts: pull.fx\n",
        HEAD DATA UNKNOWN "efforts: [[a]]\n",
        HEAD DATA UNKNOWN "instants: 3\n",
        HEAD DATA UNKNOWN "initial_window: -1\n",
        HEAD UNKNOWN "data: [a]\n",
        HEAD UNKNOWN "experiments: [good.csv]\n",
        HEAD UNKNOWN "experiments: {a: [good.csv]}\n",
        HEAD UNKNOWN "experiments: {a: {data: good.csv, set: 3}}\n",
        HEAD UNKNOWN "experiments: {a: {data: good.csv, set: {k: [3]}}}\n",
        HEAD UNKNOWN "experiments: {a: {data: good.csv, hold_out: [yes]}}\n",
        HEAD DATA "unknowns: [k]\n",
        HEAD DATA "unknowns: k\n",
        HEAD DATA "unknowns: {k: {start: [3]}}\n",
        HEAD DATA "unknowns: {k: {scale: [log]}}\n",
        HEAD DATA "unknowns: {k: {bounds: [1, [2]]}}\n",
        HEAD DATA "unknowns: {k: 3, x0: {each: [experiment]}}\n",
        HEAD DATA "unknowns: {k: 3, x0: {each: experiment, tie: 2*k}}\n",
        HEAD DATA "unknowns: {k: 3, c: {tie: [k]}}\n",
        "study: 1\nmodel: [a]\n" DATA UNKNOWN,
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        read_it(list[i], NULL, 0, NULL, &err);
        if (!err.count) continue;
        assert_int_equal(err.report[0].status, SN_ERR_INPUT);
        if (!err.report[0].line) print_error("no place: %s\n%s\n", err.report[0].text, list[i]), failures++;
    }
    assert_int_equal(failures, 0);
}

/* And what is right is read as it is meant. */
static void test_right(void **state)
{
    (void)state;
    failures = 0;
    sn_study *s;
    static sn_err err;
    sn_err_clear(&err);
    kit_put("more.csv", "clock,x5,at.y\n0,1000,\n0.1,1100,1\n0.2,1300,nan\n0.3,1200,5\n");
    kit_put(
        "study.yaml",
        "study: 1\nmodel: spring.yaml\nset: {m: 3 kg}\n"
        "columns: {at.x: {column: x5, unit: mm}, at.y: at.y}\ntime: clock\noffset: 50 ms\n"
        "noise: {at.x: 2 mm}\n"
        "experiments:\n  a: {data: more.csv, end: 0.3 s}\n"
        "  b: {data: good.csv, columns: {at.x: at.x}, time: t, offset: 0, hold_out: yes, set: {k: 70}}\n"
        "unknowns:\n  k: {start: 50 N/m, prior: [80, 8], bounds: [1, 1e3]}\n  f: {start: -2, scale: linear}\n"
        "  c: {tie: k*0.02 s}\n  x0: {start: at.x + 0.1, each: experiment}\n");
    kit_tell(&err, sn_study_read(kit_path("study.yaml"), NULL, 1, &s, &err));
    assert_int_equal(s->n_experiment, 2);
    assert_int_equal(s->n_fit, 1);
    const sn_experiment *a = &s->experiment[0], *b = &s->experiment[1];
    assert_int_equal(a->n, 3);
    kit_is("time", a->t[0], 0.05, 1e-15);
    kit_is("last time", a->t[2], 0.25, 1e-15);
    kit_is("in metres", a->y[2], 1.1, 1e-15);
    assert_true(isnan(a->y[1]) && isnan(a->y[5]));
    kit_is("sigma", a->sigma[0], 2e-3, 1e-18);
    assert_true(a->known[0] && !a->known[1]);
    assert_true(b->hold_out && b->n == 3);
    assert_int_equal(s->n_common, 2);
    assert_int_equal(s->n_unknown, 4);
    assert_string_equal(s->unknown[2].name, "x0[a]");
    kit_is("start", s->unknown[2].start, 1.1, 1e-15);
    kit_is("other start", s->unknown[3].start, 1.1, 1e-15);
    assert_true(s->unknown[0].log && !s->unknown[1].log);
    kit_is("prior", s->unknown[0].prior, log(80), 1e-15);
    kit_is("its deviation", s->unknown[0].prior_sd, 0.1, 1e-15);
    assert_int_equal(s->n_tie, 1);
    sn_study_free(s);
}

/* Windows are experiments of their own: none changes the noise of another. */
static void test_windows(void **state)
{
    (void)state;
    static sn_err err;
    sn_study *s;
    sn_err_clear(&err);
    kit_measure("long.csv",
                &(kit_data){.model = "spring.yaml", .channels = "at.x fast.x", .end = 0.4, .dt = 0.02});
    kit_put("study.yaml", "study: 1\nmodel: spring.yaml\ndata: long.csv\nwindows: 2\n"
                          "unknowns: {k: 3, x0: {start: at.x, each: experiment}}\n");
    kit_tell(&err, sn_study_read(kit_path("study.yaml"), NULL, 1, &s, &err));
    assert_int_equal(s->n_experiment, 2);
    sn_experiment *a = &s->experiment[0], *b = &s->experiment[1];
    for (int c = 0; c < 2; c++) assert_true(a->sigma[c] == b->sigma[c] && a->known[c] == b->known[c]);
    a->sigma[1] *= 2, a->known[1] = 1;
    assert_true(b->sigma[1] == 0.5 * a->sigma[1] && !b->known[1]);
    sn_study_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),       cmocka_unit_test(test_data),   cmocka_unit_test(test_unknowns),
        cmocka_unit_test(test_instruments), cmocka_unit_test(test_inputs), cmocka_unit_test(test_options),
        cmocka_unit_test(test_twice),       cmocka_unit_test(test_kinds),  cmocka_unit_test(test_right),
        cmocka_unit_test(test_windows),
    };
    return cmocka_run_group_tests(tests, set_up, kit_end);
}
