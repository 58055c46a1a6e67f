/* What people who come from elsewhere write, and what is meant by it. A list of what is known decides which
   of the meanings it can be; edit distance (item.c) knows nothing of such words. */
#include "model/item.h"

#include <string.h>

/* "word: what it may mean", the likeliest first */
static const char *const synonyms[] = {
    /* kinds */
    "beam: beam2d_cr beam3d_cr",
    "beam2d: beam2d_cr beam2d_ge",
    "beam3d: beam3d_cr beam3d_ge",
    "cable: cable_ancf",
    "rope: cable_ancf",
    "shell: shell4_mitc shell3_mitc",
    "plate: shell4_mitc plate_ancf",
    "membrane: shell4_mitc",
    "quad: shell4_mitc",
    "triangle: shell3_mitc",
    "rigid_body: mass3d mass2d rigid_link",
    "rigid: rigid_link mass3d mass2d",
    "body: mass3d mass2d body_ffr",
    "point_mass: mass3d mass2d",
    "flexible_body: body_ffr body_fncf",
    "spring: spring2d spring3d",
    "spring_damper: spring2d spring3d",
    "damper: spring2d spring3d",
    "rotational_spring: torsion_spring",
    "force: force2d force3d",
    "torque: force3d force2d rotation_drive",
    "moment: force3d force2d",
    "load: force2d force3d",
    "pressure: surface_load",
    "contact: stop2d stop3d pulley2d",
    "hinge: revolute2d revolute",
    "pin: revolute2d revolute spherical",
    "pin_joint: revolute2d revolute",
    "ball: spherical",
    "ball_joint: spherical",
    "weld: fixed",
    "rigid_joint: fixed",
    "clamp: fixed",
    "clamped: fixed",
    "slider: prismatic2d prismatic",
    "translational: prismatic prismatic2d",
    "cardan: universal",
    "motor: rotation_drive drive translation_drive",
    "actuator: translation_drive rotation_drive drive",
    "rod: distance beam2d_cr beam3d_cr",
    "link: rigid_link distance",
    "accelerometer: acceleration",
    "disp: displacement",
    "pos: position",
    "joint_torque: drive",
    "motor_torque: drive",
    "joint_rotation: joint_angle",
    "joint_position: joint_angle",
    /* numbers of entries */
    "stiffness: k kt EA",
    "spring_constant: k kt",
    "damping: c ct damping",
    "damping_coefficient: c ct",
    "viscosity: c ct",
    "d: c damping",
    "length: l0",
    "rest_length: l0",
    "free_length: l0",
    "length0: l0",
    "mass: m rhoA rho mass2d mass3d",
    "m: mass",
    "inertia: J I",
    "Izz: J I_z",
    "moment_of_inertia: J I",
    "density: rho",
    "young: E",
    "youngs_modulus: E",
    "modulus: E",
    "poisson: nu",
    "shear_modulus: G",
    "area: A",
    "t: thickness",
    "friction: mu",
    "xyz: at",
    "position: at",
    "location: at",
    "angle: theta turn axes",
    "orientation: turn angle axes",
    "rotation: turn angle",
    "direction: axis along",
    "n_elements: elements",
    "divisions: elements",
    "mesh: elements meshes",
    "n: elements",
    "name: title note",
    "description: title note",
    "comment: note",
    "color: colour",
    /* sections of a model */
    "bodies: elements",
    "members: elements",
    "points: nodes",
    "constraints: joints",
    "loads: elements",
    "forces: elements",
    "outputs: sensors",
    "measurements: sensors data",
    "functions: signals",
    "variables: parameters",
    "simulation: run",
    "solver: run",
    "settings: run",
    /* the run */
    "duration: end",
    "time: end t",
    "t_end: end",
    "tend: end",
    "stop: end",
    "dt: step",
    "time_step: step",
    "timestep: step",
    "h: step",
    "integrator: scheme",
    "method: scheme",
    "tol: tolerance",
    "max_iterations: iterations",
    /* studies */
    "min: bounds",
    "max: bounds",
    "lower: bounds",
    "upper: bounds",
    "range: bounds",
    "limits: bounds",
    "guess: start",
    "initial: start",
    "value: start",
    "x0: start",
    "std: noise prior",
    "sigma: noise prior",
    "experiment: experiments",
    "parameters: unknowns",
    "measured: data",
    "file: data",
    "signals: columns",
    "channels: columns",
};

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c + 32 : (unsigned char)c; }

/* Is the word the one before the ':', but for case, and for _ - and blanks? */
static int said(const char *word, const char *entry)
{
    for (;; word++, entry++) {
        while (*word == '_' || *word == '-' || *word == ' ') word++;
        while (*entry == '_') entry++;
        if (*entry == ':') return !*word;
        if (lower(*word) != lower(*entry)) return 0;
    }
}

static const char *find(const char *name, size_t length, int n, const char *(*get)(int i, const void *ctx),
                        const void *ctx)
{
    for (int i = 0; i < n; i++) {
        const char *c = get(i, ctx);
        if (c && strlen(c) == length && !strncmp(c, name, length)) return c;
    }
    return NULL;
}

const char *sn_synonym(const char *word, int n, const char *(*get)(int i, const void *ctx), const void *ctx)
{
    for (size_t s = 0; s < sizeof synonyms / sizeof *synonyms; s++) {
        const char *meant = strchr(synonyms[s], ':') + 1, *found = NULL;
        if (!said(word, synonyms[s])) continue;
        while (*meant && !found) {
            meant += strspn(meant, " ");
            size_t length = strcspn(meant, " ");
            found = find(meant, length, n, get, ctx);
            meant += length;
        }
        if (found) return found;
    }
    return NULL;
}
