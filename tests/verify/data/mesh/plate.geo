// gmsh plate.geo -2 -format msh41 -o plate41.msh; with -bin: plate41b.msh; with -format msh22: plate22.msh (Gmsh 4.8)
SetFactory("Built-in");
lc = 0.5;
Point(1) = {0, 0, 0, lc}; Point(2) = {2000, 0, 0, lc}; Point(3) = {2000, 1000, 0, lc}; Point(4) = {0, 1000, 0, lc};
Point(5) = {2000, 0, 1000, lc}; Point(6) = {2000, 1000, 1000, lc};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Line(5) = {2, 5}; Line(6) = {5, 6}; Line(7) = {6, 3};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Curve Loop(2) = {5, 6, 7, -2}; Plane Surface(2) = {2};
Transfinite Curve {1, 3} = 5; Transfinite Curve {2, 4, 6} = 3; Transfinite Curve{5, 7} = 3;
Transfinite Surface {1}; Recombine Surface {1};
Transfinite Surface {2};
Physical Surface("deck") = {1};
Physical Surface("fin") = {2};
Physical Curve("root") = {4};
Physical Point("tip") = {6};
