/* Writes rod.h5, the rod of mechanism.yaml: lateral shapes sin(k pi x/L), k = 1, 2, between its ends, stiff
   along its axis. A reduced body by formulas (docs/reduced-bodies.md), not from a mesh.

     cc make-rod.c $(pkg-config --cflags --libs hdf5-serial) -lm -o make-rod && ./make-rod */
#include <hdf5.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MODES = 2, POINTS = 3, MESH = 17 };
static const double pi = 3.14159265358979323846, L = 0.3, m = 0.151104,
                    EI = 2e9 * 0.008 * 0.008 * 0.008 * 0.008 / 12;

static void put(hid_t file, const char *name, hid_t type, int rank, const hsize_t *n, const void *data)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t space = rank ? H5Screate_simple(rank, n, NULL) : H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    if (set < 0 || (data && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)) perror(name);
    H5Dclose(set), H5Sclose(space), H5Pclose(links);
}

#define NUMBERS(name, x, ...)                                                                                \
    put(f, name, H5T_NATIVE_DOUBLE, sizeof((hsize_t[]){__VA_ARGS__}) / sizeof(hsize_t),                      \
        (const hsize_t[]){__VA_ARGS__}, x)

static void texts(hid_t f, const char *name, hsize_t n, size_t size, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    put(f, name, type, 1, &n, text);
    H5Tclose(type);
}

static void attribute(hid_t f, const char *name, hid_t type, const void *x)
{
    hid_t space = H5Screate(H5S_SCALAR), a = H5Acreate2(f, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (H5Awrite(a, type, x) < 0) perror(name);
    H5Aclose(a), H5Sclose(space);
}

int main(void)
{
    const double a = sqrt(2 / m); /* modal masses are 1 */
    double w2[MODES], first[MODES][3] = {{0}}, second[MODES][3][3] = {{{0}}},
                      mass[MODES][MODES][3][3] = {{{{0}}}}, centre[3] = {m * L / 2},
                      inertia[3][3] = {{m * L * L / 3}};
    double place[POINTS][3] = {{0}, {L}, {L / 2}}, moved[POINTS][3][MODES] = {{{0}}},
           turned[POINTS][3][MODES] = {{{0}}}, X[MESH][3] = {{0}}, shape[MESH][3][MODES] = {{{0}}};
    int32_t one = 1, two = 2, line[MESH - 1][2];
    for (int k = 0; k < MODES; k++) {
        const double b = (k + 1) * pi / L, cos_L = k % 2 ? 1 : -1;
        w2[k] = EI * b * b * b * b / (m / L);
        first[k][1] = m / L * a * (1 - cos_L) / b;
        second[k][0][1] = -m * a * cos_L / b; /* of x times y */
        mass[k][k][1][1] = 1;
        for (int i = 0; i < POINTS; i++) {
            moved[i][1][k] = i < 2 ? 0 : a * sin(b * place[i][0]);
            turned[i][2][k] = a * b * cos(b * place[i][0]);
        }
        for (int i = 0; i < MESH; i++) X[i][0] = L * i / (MESH - 1), shape[i][1][k] = a * sin(b * X[i][0]);
    }
    for (int i = 0; i + 1 < MESH; i++) line[i][0] = i, line[i][1] = i + 1;

    hid_t access = H5Pcreate(H5P_FILE_ACCESS), word = H5Tcopy(H5T_C_S1);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    hid_t f = H5Fcreate("rod.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Tset_size(word, strlen("sinew-reduced-body"));
    attribute(f, "format", word, "sinew-reduced-body"),
        attribute(f, "format_version", H5T_NATIVE_INT32, &one);
    texts(f, "/recipe", 1, 52, "lateral sines of a rod between its ends, two of them");
    put(f, "/mass/mass", H5T_NATIVE_DOUBLE, 0, NULL, &m);
    NUMBERS("/mass/first", centre, 3), NUMBERS("/mass/second", inertia, 3, 3);
    NUMBERS("/modes/stiffness", w2, MODES), NUMBERS("/modes/first", first, MODES, 3);
    NUMBERS("/modes/second", second, MODES, 3, 3), NUMBERS("/modes/mass", mass, MODES, MODES, 3, 3);
    put(f, "/points/interfaces", H5T_NATIVE_INT32, 0, NULL, &two);
    texts(f, "/points/name", POINTS, 7, "left\0\0\0right\0\0middle");
    NUMBERS("/points/place", place, POINTS, 3), NUMBERS("/points/displacement", moved, POINTS, 3, MODES);
    NUMBERS("/points/rotation", turned, POINTS, 3, MODES);
    NUMBERS("/mesh/place", X, MESH, 3), NUMBERS("/mesh/displacement", shape, MESH, 3, MODES);
    put(f, "/mesh/lines", H5T_NATIVE_INT32, 2, (const hsize_t[]){MESH - 1, 2}, line);
    H5Tclose(word), H5Fclose(f), H5Pclose(access);
    return 0;
}
