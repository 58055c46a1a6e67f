/* All keys of study files with what they hold. */
#include "identify/keys.h"

#define NOTE                                                                                                 \
    {                                                                                                        \
        "note", 'a', "TEXT", "free text, not read"                                                           \
    }
#define END                                                                                                  \
    {                                                                                                        \
        NULL, 0, NULL, NULL                                                                                  \
    }

const sn_study_key sn_keys_study[] = {
    {"study", 's', "1", "version of the format: a study begins with it"},
    {"title", 's', "TEXT", "of the report"},
    {"model", 's', "FILE", "the model file"},
    {"set", 'm', "{NAME: NUMBER}", "numbers of the model, for all experiments"},
    {"run", 'm', "{step: TIME, scheme: NAME}", "numbers and words of the model's run"},
    {"data", 'e', "FILE|{frf: FILE, ...}", "CSV, .c3d or .trc file of the only experiment"},
    {"experiments", 'a', "{NAME: {data: FILE}}", "several of them; a file alone stands for {data: FILE}"},
    {"columns", 'm', "{CHANNEL: COLUMN}", "which column measures what (default: columns named as channels)"},
    {"time", 'e', "COLUMN|{column: NAME}", "column of the times (default: t)"},
    {"noise", 'e', "{CHANNEL: NUMBER}", "standard deviations (default: estimated from the residuals)"},
    {"noise_model", 'e', "white|ar|{ar: N}", "noise that is correlated in time (default: white)"},
    {"discrepancy", 'e', "yes|{CHANNEL: yes}", "what the model lacks as a random process of its own"},
    {"instruments", 'm', "{CHANNEL: {gain: unknown}}", "gain, offset, delay, drift, angle of what measures"},
    {"inputs", 'm', "{SIGNAL: FILE:COLUMN}", "signals of the model that follow measured values"},
    {"offset", 's', "TIME|unknown", "added to the times of the data"},
    {"begin", 's', "TIME", "where the part that is used begins"},
    {"end", 's', "TIME", "where it ends"},
    {"modes", 'e', "FILE|{frequency: [..]}", "measured modes as data"},
    {"frf", 's', "FILE", "measured frequency responses as data"},
    {"input", 's', "CHANNEL|NAME", "what frequency responses are to"},
    {"about", 's', "static|start|steady", "the state that modes and responses are about"},
    {"from", 's', "FREQUENCY", "lowest frequency of responses that is used"},
    {"to", 's', "FREQUENCY", "highest one"},
    {"unknowns", 'a', "{NAME: {start: NUMBER}}",
     "what is sought: constant numbers and histories of the model"},
    {"method", 's', "indirect|direct|adapted_direct|kalman", "how it is found (default: indirect)"},
    {"optimiser", 's', "levenberg_marquardt|lbfgs|cma_es", "of the indirect method (default: the first)"},
    {"horizon", 'e', "TIME|no|{from: TIME}", "fit up to this time first, then longer and longer"},
    {"windows", 'e', "N|{n: N}", "divide each experiment before it is fitted as a whole"},
    {"starts", 'e', "N|{n: N}", "random starts beside the given one"},
    {"loss", 's', "squares|huber", "huber: against outliers (default: squares)"},
    {"intervals", 'e', "standard|profile|bootstrap|{bootstrap: N}",
     "confidence intervals (default: standard)"},
    {"initial_window", 's', "TIME", "of held-out experiments: what their own unknowns are fitted on"},
    {"refine", 's', "no|yes|correct", "time step and mesh, as far as the estimates need it (default: no)"},
    {"try", 's', "yes|no|WORDS", "other numbers of the model tried beside the unknowns"},
    {"efforts", 'l', "[CHANNEL, ...]", "forces with confidence bands in the report"},
    {"tangent_only", 's', "no|yes", "derivatives without the geometric part of beams, for comparison"},
    {"instants", 'l', "[TIME, ...]", "direct methods: when the equations of motion are written"},
    {"derivatives", 's', "splines|differences",
     "direct methods: how velocities are found (default: splines)"},
    {"kalman", 'm', "{iterations: N}", "settings of 'method: kalman'"},
    {"design", 'a', "{sensors: {..}}", "of 'sinew design': the experiment that is to be planned"},
    NOTE,
    END,
};

const sn_study_key sn_keys_experiment[] = {
    {"data", 'e', "FILE", "CSV, .c3d or .trc file"},
    {"columns", 'm', "{CHANNEL: COLUMN}", "in place of the study's, like all keys below"},
    {"time", 'e', "COLUMN|{column: NAME}", "column of the times"},
    {"offset", 's', "TIME|unknown", "added to the times"},
    {"set", 'm', "{NAME: NUMBER|CHANNEL}", "numbers of the model; of a channel its first measured value"},
    {"noise", 'e', "{CHANNEL: NUMBER}", "standard deviations"},
    {"noise_model", 'e', "white|ar|{ar: N}", "noise that is correlated in time"},
    {"discrepancy", 'e', "yes|{CHANNEL: yes}", "what the model lacks as a random process of its own"},
    {"hold_out", 's', "yes|no", "not fitted, but predicted (default: no)"},
    {"begin", 's', "TIME", "where the part that is used begins"},
    {"end", 's', "TIME", "where it ends"},
    {"weight", 's', "NUMBER", "of this experiment in the sum of squares (default: 1)"},
    {"instruments", 'm', "{CHANNEL: {gain: unknown}}", "of this experiment"},
    {"inputs", 'm', "{SIGNAL: FILE:COLUMN}", "of this experiment"},
    NOTE,
    END,
};

const sn_study_key sn_keys_modal[] = {
    {"modes", 'e', "FILE|{frequency: [..]}", "one row per mode: frequency, damping, shape at sensors"},
    {"frf", 's', "FILE", "one row per frequency: f, CHANNEL.re, CHANNEL.im, or .abs and .deg"},
    {"input", 's', "CHANNEL|NAME", "what responses are to: a channel, a number or a signal of the model"},
    {"about", 's', "static|start|steady", "the state (default: the equilibrium, if it can be found)"},
    {"columns", 'm', "{CHANNEL.re: COLUMN}", "which column measures what"},
    {"noise", 'e', "NUMBER|{frequency: 0.1 %}", "standard deviations; with % relative"},
    {"set", 'm', "{NAME: NUMBER}", "numbers of the model"},
    {"from", 's', "FREQUENCY", "lowest frequency of responses that is used"},
    {"to", 's', "FREQUENCY", "highest one"},
    {"hold_out", 's', "yes|no", "not fitted, but predicted (default: no)"},
    {"weight", 's', "NUMBER", "of this experiment in the sum of squares (default: 1)"},
    NOTE,
    END,
};

const sn_study_key sn_keys_column[] = {
    {"column", 's', "NAME", "column of the file"},
    {"unit", 's', "UNIT", "in which it is (default: SI)"},
    END,
};

const sn_study_key sn_keys_time[] = {
    {"column", 's', "NAME", "column of the file (default: t)"},
    {"unit", 's', "UNIT|datenum", "in which it is (default: s)"},
    {"absolute", 's', "yes|no", "times count from the first row (default: no)"},
    {"zero", 's', "MOMENT|NUMBER", "when t is 0: 2024-05-01T12:00:00Z, or a number as in the column"},
    END,
};

const sn_study_key sn_keys_noise_model[] = {
    {"ar", 's', "N", "order of the autoregression (default: by the data)"},
    END,
};

const sn_study_key sn_keys_unknown[] = {
    {"start", 's', "NUMBER", "where the search begins (default: the model's value)"},
    {"bounds", 'a', "[LOWER, UPPER]", "(default: the range that the number may have in the model)"},
    {"scale", 's', "log|linear", "(default: log for what cannot be negative)"},
    {"prior", 'a', "[MEAN, DEVIATION]", "what is known beforehand"},
    {"tie", 's', "EXPRESSION", "not sought, but follows from other unknowns: 2*c1"},
    {"each", 's', "experiment", "one for each experiment: initial states"},
    {"goal", 's', "NUMBER", "of 'sinew design': the standard error that is wanted, 1 % or 200 N/m"},
    NOTE,
    END,
};

const sn_study_key sn_keys_history_entry[] = {
    {"history", 'a', "linear|cubic|series|{form: cubic}", "a signal or a load's number over time"},
    {"at", 'a', "ELEMENT|[NODE, ...]", "where the load is sought"},
    {"load", 's', "NAME", "the load that moves, where several depend on the signal"},
    {"truth", 's', "FILE:COLUMN", "what it was, for comparison; never used to find it"},
    NOTE,
    END,
};

const sn_study_key sn_keys_history[] = {
    {"form", 's', "cubic|linear|series", "cubic spline, straight lines, Fourier series (default: cubic)"},
    {"values", 's', "N", "how many numbers it has (default: one for every fourth sample, 200 at most)"},
    {"spacing", 's', "TIME", "how far they are apart, in place of values"},
    {"smoothing", 's', "tikhonov|total_variation|none", "(default: tikhonov)"},
    {"order", 's', "1|2|3|4", "of the differences that are small (default: by the data)"},
    {"weight", 's', "likelihood|gcv|l_curve|discrepancy|NUMBER", "how it is chosen (default: likelihood)"},
    {"start", 's', "NUMBER", "of all values (default: 0)"},
    {"unit", 's', "UNIT", "a label"},
    NOTE,
    END,
};

const sn_study_key sn_keys_series[] = {
    {"form", 's', "series", "a Fourier series whose frequencies are sought too"},
    {"terms", 's', "auto|N", "how many (default: as many as the data ask for)"},
    {"frequencies", 's', "shared|separate", "of the sine and cosine of a pair (default: shared)"},
    {"band", 'l', "[LOWEST, HIGHEST]", "of the frequencies (default: 0 to half the sampling rate)"},
    {"start", 'e', "fft|{frequency: [..]}", "(default: fft)"},
    {"time_origin", 's', "TIME", "(default: where the data begin)"},
    {"unit", 's', "UNIT", "a label"},
    NOTE,
    END,
};

const sn_study_key sn_keys_series_start[] = {
    {"offset", 's', "NUMBER", "the constant (default: 0)"},
    {"amplitude", 's', "NUMBER", "of all sines and cosines (default: 1)"},
    {"sine", 'l', "[NUMBER, ...]", "amplitudes of the sines"},
    {"cosine", 'l', "[NUMBER, ...]", "amplitudes of the cosines"},
    {"frequency", 'l', "[FREQUENCY, ...]", "one for each term"},
    {"cosine_frequency", 'l', "[FREQUENCY, ...]", "with 'frequencies: separate'"},
    END,
};

const sn_study_key sn_keys_instrument[] = {
    {"gain", 'e', "NUMBER|unknown|{start: NUMBER}", "factor (default: 1)"},
    {"offset", 'e', "NUMBER|unknown|{start: NUMBER}", "added (default: 0)"},
    {"delay", 'e', "TIME|unknown|{start: TIME}", "it shows what was so much earlier (default: 0)"},
    {"drift", 'e', "NUMBER|unknown|{start: NUMBER}", "added for each second (default: 0)"},
    {"angle", 'e', "ANGLE|unknown|{x: unknown}", "how far its axes are turned (default: 0)"},
    NOTE,
    END,
};

const sn_study_key sn_keys_rotation[] = {
    {"x", 'e', "ANGLE|unknown|{start: ANGLE}", "component of the rotation vector (default: 0)"},
    {"y", 'e', "ANGLE|unknown|{start: ANGLE}", "the same about y"},
    {"z", 'e', "ANGLE|unknown|{start: ANGLE}", "the same about z"},
    END,
};

const sn_study_key sn_keys_input[] = {
    {"data", 's', "FILE", "(default: the experiment's own data)"},
    {"column", 's', "NAME", "column of the file"},
    {"unit", 's', "UNIT", "in which it is; it becomes SI"},
    {"time", 's', "COLUMN", "of its times (default: t)"},
    {"interpolation", 's', "linear|cubic", "(default: linear)"},
    NOTE,
    END,
};

const sn_study_key sn_keys_horizon[] = {
    {"from", 's', "TIME", "the first time up to which is fitted"},
    {"growth", 's', "NUMBER", "of that time from fit to fit (default: 1.6)"},
    END,
};

const sn_study_key sn_keys_windows[] = {
    {"n", 's', "N", "how many"},
    {"hand_over", 's', "yes|no",
     "histories: each from the state that the one before has led to (default: yes)"},
    END,
};

const sn_study_key sn_keys_starts[] = {
    {"n", 's', "N", "how many"},
    {"spread", 's', "NUMBER", "factor by which they differ from the given one (default: 10)"},
    {"seed", 's', "N", "of the random numbers (default: 1)"},
    END,
};

const sn_study_key sn_keys_intervals[] = {
    {"bootstrap", 's', "N", "refits to resampled residuals"},
    {"seed", 's', "N", "of the random numbers (default: 1)"},
    END,
};

const sn_study_key sn_keys_kalman[] = {
    {"iterations", 's', "N", "linearisations after the first pass"},
    {"lag", 's', "TIME", "on-line: also what is known by now of the time so long ago"},
    {"show", 'l', "[CHANNEL, ...]", "on-line: channels told beside the estimates"},
    NOTE,
    END,
};

const sn_study_key sn_keys_design[] = {
    {"sensors", 'm', "{candidates: [..]}", "what could be measured, and how well"},
    {"excitation", 'm', "{NAME: [LOWER, UPPER]}", "numbers of the model that the experimenter sets"},
    {"duration", 'a', "TIME|[SHORTEST, LONGEST]", "(default: that of the model's run)"},
    {"rate", 'a', "FREQUENCY|[..]", "of sampling; of several the lowest that reaches the goals"},
    {"criterion", 'e', "D|A|{c: EXPRESSION}",
     "what is made small (default: D, the confidence region's volume)"},
    {"robust", 'e', "N|{n: N}", "the criterion in the mean over so many draws of the unknowns"},
    {"evaluations", 's', "N", "excitations that are looked at"},
    NOTE,
    END,
};

const sn_study_key sn_keys_sensors[] = {
    {"candidates", 'l', "[CHANNEL, ...]", "(default: all channels whose noise is stated)"},
    {"noise", 'm', "{CHANNEL|KIND: NUMBER}", "standard deviation of a channel, a sensor, a kind of sensor"},
    {"choose", 's', "N|all", "how many (default: as few as the goals need)"},
    NOTE,
    END,
};

const sn_study_key sn_keys_design_noise[] = {
    {"sd", 's', "NUMBER", "standard deviation"},
    {"correlation", 's', "TIME", "in which its correlation falls by e (default: 0)"},
    END,
};

const sn_study_key sn_keys_excitation[] = {
    {"range", 'l', "[LOWER, UPPER]", "between which it may be set"},
    {"values", 'l', "[NUMBER, ...]", "one of these, in place of a range"},
    {"scale", 's', "log|linear", "of the survey"},
    END,
};

const sn_study_key sn_keys_criterion[] = {
    {"c", 's', "NAME|EXPRESSION",
     "an unknown, or a function of unknowns, whose standard error is made small"},
    END,
};

const sn_study_key sn_keys_robust[] = {
    {"n", 's', "N", "how many draws"},
    {"seed", 's', "N", "of the random numbers (default: 1)"},
    END,
};

static const sn_study_map maps[] = {
    {"study", "a study file", sn_keys_study},
    {"experiments.NAME", "an experiment: time series", sn_keys_experiment},
    {"experiments.NAME", "an experiment: modes or frequency responses, in 'data' of a study too",
     sn_keys_modal},
    {"columns.CHANNEL", "a column, where its name is not enough", sn_keys_column},
    {"time", "the column of the times, where its name is not enough", sn_keys_time},
    {"noise_model", "noise that is correlated in time, of all channels or of one", sn_keys_noise_model},
    {"unknowns.NAME", "a number that is sought", sn_keys_unknown},
    {"unknowns.NAME", "a history that is sought", sn_keys_history_entry},
    {"unknowns.NAME.history", "a free history", sn_keys_history},
    {"unknowns.NAME.history", "a Fourier series", sn_keys_series},
    {"unknowns.NAME.history.start", "start of a Fourier series", sn_keys_series_start},
    {"instruments.CHANNEL", "an instrument; of a whole sensor too", sn_keys_instrument},
    {"instruments.CHANNEL.angle", "in space: a rotation vector", sn_keys_rotation},
    {"inputs.SIGNAL", "a measured input", sn_keys_input},
    {"horizon", "growing windows", sn_keys_horizon},
    {"windows", "windows", sn_keys_windows},
    {"starts", "random starts", sn_keys_starts},
    {"intervals", "bootstrap intervals", sn_keys_intervals},
    {"kalman", "filter and smoother", sn_keys_kalman},
    {"design", "the experiment before it is made ('sinew design')", sn_keys_design},
    {"design.sensors", "what could be measured", sn_keys_sensors},
    {"design.sensors.noise.CHANNEL", "noise that is correlated", sn_keys_design_noise},
    {"design.excitation.NAME", "a number that the experimenter sets", sn_keys_excitation},
    {"design.criterion", "one number", sn_keys_criterion},
    {"design.robust", "draws of the unknowns", sn_keys_robust},
    {NULL, NULL, NULL},
};

const sn_study_map *sn_study_maps(void) { return maps; }
