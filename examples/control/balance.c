/* Holds the rod of balance.yaml upright: a controller of angle and place, with their rates, in the loop.
     cc -std=c17 balance.c -o balance $(pkg-config --static --cflags --libs sinew) && ./balance balance.yaml
   It prints time, place of the cart, tilt of the rod and force, each tenth of a second. */
#include <sinew/sinew.h>
#include <stdio.h>

enum { X, V, ANGLE, RATE, READ };
static const char *const names[READ] = {"cart.x", "cart_velocity.x", "rod.theta", "rod_velocity.theta"};

static sn_status control(const sn_model *model, const sn_values *values, sn_sim *sim, sn_err *err)
{
    int channel[READ], push;
    double tilt, h = 5e-3; /* s: the controller looks, and acts, 200 times a second */
    sn_frame f;
    for (int i = 0; i < READ; i++)
        if (sn_channel_find(model, names[i], &channel[i], err)) return err->status;
    if (sn_input_find(model, "push", &push, err)) return err->status;
    if (sn_values_get(values, "tilt", &tilt, err)) return err->status;
    if (sn_sim_start(sim, err)) return err->status;
    for (int k = 0; k <= 1000; k++) {
        if (sn_sim_read(sim, &f, err)) return err->status;
        double x = f.y[channel[X]], v = f.y[channel[V]];
        double lean = tilt - f.y[channel[ANGLE]], rate = -f.y[channel[RATE]]; /* to the right */
        double u = 60 * lean + 14 * rate + 4 * x + 6 * v;
        if (k % 20 == 0) printf("%.1f %.6f %.6f %.6f\n", f.t, x, lean, u);
        if (sn_sim_input(sim, push, 0, &u, err)) return err->status;
        if (sn_sim_step(sim, (k + 1) * h, err)) return err->status;
    }
    return SN_OK;
}

int main(int argc, char **argv)
{
    static sn_err err;
    sn_model *model = NULL;
    sn_values *values = NULL;
    sn_sim *sim = NULL;
    sn_status s = sn_model_read(argc > 1 ? argv[1] : "balance.yaml", &model, &err);
    if (!s) s = sn_values_new(model, &values, &err);
    if (!s) {
        sn_run_options o = sn_run_options_default(model, values);
        s = sn_sim_open(model, values, &o, &sim, &err);
    }
    if (!s) s = control(model, values, sim, &err);
    if (s) fprintf(stderr, "%s\n", err.report[0].text);
    sn_sim_close(sim), sn_values_free(values), sn_model_free(model);
    return s != SN_OK;
}
