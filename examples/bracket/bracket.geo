// A steel bracket, metres: a foot of 80 x 40 x 8 mm with a bore, an upright of 60 mm with another.
SetFactory("OpenCASCADE");
Box(1) = {0, -0.02, 0, 0.08, 0.04, 0.008};
Box(2) = {0, -0.02, 0.008, 0.008, 0.04, 0.06};
Cylinder(3) = {0.055, 0, -0.001, 0, 0, 0.01, 0.008};
Cylinder(4) = {-0.001, 0, 0.048, 0.01, 0, 0, 0.006};
BooleanUnion(5) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
BooleanDifference(6) = { Volume{5}; Delete; }{ Volume{3, 4}; Delete; };

eps = 1e-4;
foot() = Surface In BoundingBox {0.047 - eps, -0.008 - eps, -eps, 0.063 + eps, 0.008 + eps, 0.008 + eps};
head() = Surface In BoundingBox {-eps, -0.006 - eps, 0.042 - eps, 0.008 + eps, 0.006 + eps, 0.054 + eps};
Physical Surface("foot") = {foot()};
Physical Surface("head") = {head()};
Physical Volume("bracket") = {6};

Mesh.MeshSizeMax = 0.010;
Mesh.MeshSizeFromCurvature = 8;
Mesh.ElementOrder = 2;
Mesh.SaveGroupsOfNodes = 1;
