/* Short texts on the sections of a model file and on what can be written in it. Kinds and numbers come from
 * tables. */
#include "cli.h"

static const char file_text[] =
    "  A model file is YAML. It begins with 'sinew: 1'; sections follow in any order:\n"
    "    title       a line of text                  elements    bodies, beams, springs, forces\n"
    "    gravity     [gx, gy]                        joints      equations between coordinates\n"
    "    parameters  named numbers                   signals     functions of time\n"
    "    materials   E, rho, ...                     sensors     what is measured\n"
    "    sections    A, I, ...                       run         end, step, scheme, ...\n"
    "    nodes       points and frames               include     other model files\n"
    "  'note' is free text, at the top and in any entry. An entry is {kind: what it connects, key: value, "
    "...};\n"
    "  the kind comes first. Each section has names of its own: letters, digits, _ and -.\n";

static const char parameters_text[] =
    "  Named numbers, with a unit where they have one, and expressions of other parameters, in any order:\n"
    "    parameters: {k: 700 N/m, L: 1 m, tilt: 30 deg, x: L*sin(tilt)}\n"
    "  Any number of the file may be an expression of them, and 'sinew run --set k=650' changes them.\n"
    "  't' and 'pi' are no names for parameters.\n";

static const char names_text[] =
    "  Every number has a dotted name: k1 (a parameter), bar1.EA, n3.at.x, gravity.y, run.end; with its "
    "section in\n"
    "  front it is always clear: elements.bar1.EA, parameters.k1. --set takes these names.\n"
    "  Sensors are read as sensor.component: tip.x, and at a time as tip.x@0.69 (--print).\n"
    "  Components of vectors are x, y; of lists 1, 2, ... Nodes inside a meshed element 'bar' are bar.n1, "
    "bar.n2, ...\n";

static const char objectives_text[] =
    "  'sinew gradient --of' takes an expression of\n"
    "    tip.x@2.0, tip.x               a sensor at a time, at the end (with --static: at the equilibrium)\n"
    "    integral(g), mean(g), rms(g)   over the run; g is an expression of sensors and t\n"
    "    peak(g, k), valley(g, k)       smooth extremes of sharpness k, some 50 over the range of g\n"
    "    misfit(), misfit(tip.x)        sum of squares against --data\n"
    "  or frequency(n), a natural frequency in Hz; of any motion omega(n), growth(n), damping(n), counted "
    "without zeros. --wrt takes the dotted names of any constant numbers.\n";

static const char nodes_text[] =
    "  Points that elements and joints connect:\n"
    "    nodes: {a: [0, 0], b: [L, 0], c: {at: [2*L, 0], velocity: [0, 1 m/s]}, d: {frame2d: [1, 1], angle: "
    "10 deg}}\n"
    "  A plain position becomes a frame2d where something attached to it needs a rotation, else a point2d.\n"
    "  'ground' is always there: fixed, at the origin. The reference position is where nothing is strained "
    "(unless an\n"
    "  element says otherwise); 'displacement', 'angle', 'velocity', 'spin' say how the motion starts.\n";

static const char elements_text[] =
    "  What has mass, stiffness, damping or is a load:\n"
    "    elements: {bar: {beam2d_cr: [a, b], material: steel, section: strip, elements: 4}}\n"
    "  'elements: n' divides a line into n, 'elements: [n, m]' a quadrilateral. A load on an element names "
    "it instead of a node.\n"
    "  Tapered beams: 'xi', from 0 at the first node to 1 at the last, in numbers of beams, materials, "
    "sections and\n"
    "  loads along beams; each of the n elements has the value at its middle:\n"
    "    sections: {blade: {rectangle: , width: 2 cm, height: h0 + (h1 - h0)*xi}}\n"
    "  'sinew run --set blade.height=...' then replaces the expression along the whole beam.\n";

static const char joints_text[] =
    "  Equations between coordinates; their forces are found with the motion:\n"
    "    joints: {wall: {fixed: a}, pin: {revolute2d: [a, b]}, motor: {drive: b.theta, value: 2 rad/s*t}}\n"
    "  Where joints say the same thing twice, the redundant equations are left out with a warning\n"
    "  (run: {redundant: error} refuses them, {redundant: share} spreads the reactions over all of them).\n";

static const char signals_text[] =
    "  Functions of time. Their names can be used in every number that may vary in time:\n"
    "    signals:  {push: {sine: 5, frequency: 2 Hz}, pull: {table: pull.csv, columns: [t, F], "
    "interpolation: cubic}}\n"
    "    elements: {load: {force2d: tip, force: [push*1 N, 0]}}\n"
    "  A number that may vary can also be an expression of t itself.\n";

static const char sensors_text[] =
    "  What is measured; only sensors are printed and exported:\n"
    "    sensors: {tip: {position: b}, hinge: {reaction: pin}, root: {force: bar, end: 1, axes: element}}\n"
    "  They are read as tip.x, tip.y, hinge.fx, ...\n";

static const char materials_text[] = "  Named sets of numbers that elements refer to by 'material':\n"
                                     "    materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7800 kg/m^3}}\n"
                                     "  An element may give the same numbers in its own entry instead.\n";

static const char sections_text[] =
    "  Cross sections that elements refer to by 'section', by numbers or by shape:\n"
    "    sections: {strip: {A: 25 mm^2, I: 52.1 mm^4}, rod: {circle: , radius: 5 mm}}\n"
    "  An element may give the same numbers (A, I) in its own entry instead, or a map in place of the name:\n"
    "    elements: {bar: {beam2d_cr: [a, b], material: steel, section: {rectangle: , width: 20 mm, height: 2 "
    "mm}}}\n"
    "  Its numbers are then bar.section.width, or short bar.width.\n";

static const char shapes_text[] =
    "  Solids that bodies (mass2d, mass3d) refer to by 'shape'. They are drawn, and give mass (by their "
    "density), "
    "inertia\n  and centre of mass where these are not written:\n"
    "    elements: {body: {mass3d: b, shape: {box: , size: [0.3, 0.1, 0.02], density: 7800 kg/m^3}}}\n"
    "    shapes: {part: {stl: part.stl, scale: 1 mm, density: 2700 kg/m^3}}\n"
    "  In the plane the size along z is the thickness. Numbers: body.shape.size.x, body.shape.volume.\n";

static const char gravity_text[] =
    "  The acceleration field, a vector in m/s^2 (default zero); it may vary in time:\n"
    "    gravity: [0, -9.81]\n"
    "  It acts on everything that has mass. Its numbers are gravity.x and gravity.y.\n";

static const char colour_text[] =
    "  The colour in which pages and pictures draw an element, by name or as '#rrggbb' (in quotes: '#' "
    "begins a "
    "comment):\n"
    "    elements: {wing: {beam3d_cr: [root, tip], ..., colour: steelblue}, hull: {mass3d: cg, ..., colour: "
    "'#8fa3b8'}}\n"
    "  Without it, what hangs together without a joint has one colour. It changes no number of the result.\n";

static const char meshes_text[] =
    "  Surfaces that are divided, and meshes of files; elements take them in place of their corners:\n"
    "    meshes: {drum: {cylinder: , radius: 0.5, length: 1, elements: [24, 8]}, wing: {gmsh: wing.msh, "
    "scale: 1 mm}}\n"
    "    elements: {skin: {shell4_mitc: drum, material: steel, thickness: 2 mm}}\n"
    "    joints: {floor: {fixed: drum.edge1}}      one joint at each node of the edge\n"
    "  Nodes are drum.n3_2, in a file wing.n123. Edges (edge1 to edge4) and groups of a file are sets of "
    "nodes; with\n"
    "  'spread: force' a number is shared out over a set. 'shares: {edge1: drum.edge3}' joins two meshes.\n";

static const char include_text[] =
    "  Another model file as a part of this one, its names with a prefix, moved and turned, parameters "
    "overridden:\n"
    "    include: [{file: leg.yaml, prefix: left_, at: [0.3, 0], angle: 20 deg, set: {k: 2*k0}}]\n"
    "    in space: at: [x, y, z], angles: [ax, ay, az] turn about x, then y, then z\n"
    "  'file' is relative to the including file. Its title, gravity and run are not used.\n";

static const char units_text[] =
    "  A unit stands behind its number: 700 N/m, 30 deg, 7800 kg/m^3, 5mm. Without one a number is in SI "
    "units, angles\n"
    "  in radians. Products, quotients and whole powers: N*m/rad, mm^4, 1/s. Units that do not fit are "
    "errors.\n"
    "    length m mm cm um km in ft      mass kg g mg t            time s ms us min h\n"
    "    angle rad deg rev               force N kN MN mN lbf      pressure Pa kPa MPa GPa psi\n"
    "    energy J kJ mJ                  power W kW                frequency Hz kHz rpm\n"
    "    acceleration g0                 pure numbers %\n"
    "  Hz counts cycles; rpm is an angular velocity in rad/s.\n";

static const char study_text[] =
    "  What 'sinew identify', 'design' and 'data' read: a YAML file that begins with 'study: 1' and names a "
    "model, data\n"
    "  and unknowns (docs/identification.md explains them):\n"
    "    study: 1\n"
    "    model: car.yaml\n"
    "    data: measured.csv                       columns t, wheel.y, body.y\n"
    "    unknowns: {k: {start: 20 kN/m, bounds: [1 kN/m, 1 MN/m]}, c: 1.2 kN*s/m}\n"
    "  Shapes of values: N a whole number; NUMBER, TIME, ANGLE, FREQUENCY a number, with a unit where it has "
    "one;\n"
    "  CHANNEL sensor.component (tip.x) or a sensor; NAME the dotted name of a number; words as they stand; "
    "| between\n"
    "  alternatives. The keys of each map:\n";

static const char cases_text[] =
    "  What 'sinew compare' reads: a YAML file that begins with 'compare: 1' and says which problems are "
    "solved by which\n"
    "  models (docs/formulations.md explains it, examples/formulations/compare has one):\n"
    "    compare: 1\n"
    "    problems:\n"
    "      tip:\n"
    "        quantities: [tip.x@1, tip.y@1]\n"
    "        reference: [0.4450, 0.8106]\n"
    "        refine: {beam.elements: [4, 8, 16], run.step: [4 ms, 2 ms, 1 ms]}\n"
    "        variants: {cable: {model: cable.yaml}, beam: {model: beam.yaml, run: {scheme: hht}}}\n"
    "        across: {constraints: [multipliers, penalty]}\n"
    "  Each number is refined with the others at their last value. Names are those of --set. The keys of "
    "each "
    "map:\n";

static const char expressions_text[] =
    "  + - * / ^ (also **), parentheses, numbers with units, names, and functions:\n"
    "    sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 sqrt abs sign min max hypot pow\n"
    "    step(x): 0 below 0, 1 from 0 on;  smoothstep(x, x0, x1): from 0 at x0 to 1 at x1\n"
    "  pi and e are constants, t is the time in s where a number may vary: sin(5*t). Units are checked:\n"
    "  5 mm is no stiffness, and 2 m + 3 s no sum.\n";

static const char run_text[] =
    "  How the motion is computed:\n"
    "    run: {end: 3 s, step: 1 ms, output: 10 ms, scheme: hht, alpha: -0.05}\n"
    "  start      given (default) or static: begin at the equilibrium\n"
    "  redundant  drop (default), share or error: what to do with redundant equations\n"
    "  constraints  multipliers (default), penalty or augmented: how equations of joints are met\n"
    "  fields     yes (default) or no: section forces, energies, reactions, loads in the result, for "
    "pictures\n"
    "  error      chooses the size of each step; without it all steps are 'step'\n"
    "  scheme, solver: by name, see below. The command line can override: --end, "
    "--step, --output, --scheme.\n";

static const cli_topic topics[] = {
    {"file", " model sinew title note yaml ", file_text, -1},
    {"parameters", " parameter ", parameters_text, -1},
    {"names", " name ", names_text, -1},
    {"objectives", " objective misfit integral peak valley ", objectives_text, -1},
    {"nodes", " node ground ", nodes_text, CLI_NODES},
    {"elements", " element ", elements_text, CLI_ELEMENTS},
    {"joints", " joint ", joints_text, CLI_JOINTS},
    {"signals", " signal columns ", signals_text, CLI_SIGNALS},
    {"sensors", " sensor ", sensors_text, CLI_SENSORS},
    {"materials", " material ", materials_text, CLI_MATERIALS},
    {"sections", " section ", sections_text, CLI_SECTIONS},
    {"shapes", " shape ", shapes_text, CLI_SHAPES},
    {"meshes", " mesh sets spread shares ", meshes_text, CLI_MESHES},
    {"gravity", "  ", gravity_text, -1},
    {"colour", " color colours ", colour_text, -1},
    {"include", " includes prefix set ", include_text, -1},
    {"units", " unit ", units_text, -1},
    {"expressions", " expressions functions t ", expressions_text, -1},
    {"study", " studies unknowns experiments ", study_text, -1},
    {"cases", " problems variants ", cases_text, -1},
    {"run", " scheme schemes solver solvers start redundant constraints ", run_text, -1},
    {NULL, NULL, NULL, -1},
};

const cli_topic *cli_topics(void) { return topics; }
