# The workloads of the binary `formats` as Cap'n Proto has them. `generate.sh` writes the code in `generated`.

@0xc7d1a3d0d5f8b9e2;

enum Fruit {
  apples @0;
  pears @1;
  bananas @2;
}

struct Foo {
  id @0 :UInt64;
  count @1 :Int16;
  prefix @2 :Int8;
  length @3 :UInt32;
}

struct Bar {
  parent @0 :Foo;
  time @1 :Int32;
  ratio @2 :Float32;
  size @3 :UInt16;
}

struct FooBar {
  sibling @0 :Bar;
  name @1 :Text;
  rating @2 :Float64;
  postfix @3 :UInt8;
}

struct FooBarContainer {
  list @0 :List(FooBar);
  initialized @1 :Bool;
  fruit @2 :Fruit;
  location @3 :Text;
}

struct Address {
  x0 @0 :UInt8;
  x1 @1 :UInt8;
  x2 @2 :UInt8;
  x3 @3 :UInt8;
}

struct LogEntry {
  address @0 :Address;
  identity @1 :Text;
  userid @2 :Text;
  date @3 :Text;
  request @4 :Text;
  code @5 :UInt16;
  size @6 :UInt64;
}

struct Log {
  entries @0 :List(LogEntry);
}

struct Vector {
  x @0 :Float32;
  y @1 :Float32;
  z @2 :Float32;
}

struct Triangle {
  a @0 :Vector;
  b @1 :Vector;
  c @2 :Vector;
  normal @3 :Vector;
}

struct Mesh {
  triangles @0 :List(Triangle);
}

enum Color {
  black @0;
  white @1;
  red @2;
  green @3;
  blue @4;
  cyan @5;
  magenta @6;
  yellow @7;
  silver @8;
}

struct Wheel {
  diameter @0 :UInt16;
  airPressure @1 :Float32;
  snowTires @2 :Bool;
}

struct Engine {
  horsepower @0 :UInt16;
  cylinders @1 :UInt8;
  cubicCentimetres @2 :UInt32;
  usesGas @3 :Bool;
  usesElectric @4 :Bool;
}

struct Car {
  make @0 :Text;
  model @1 :Text;
  color @2 :Color;
  seats @3 :UInt8;
  doors @4 :UInt8;
  wheels @5 :List(Wheel);
  length @6 :UInt16;
  width @7 :UInt16;
  height @8 :UInt16;
  weight @9 :UInt32;
  engine @10 :Engine;
  fuelCapacity @11 :Float32;
  fuelLevel @12 :Float32;
  hasPowerWindows @13 :Bool;
  hasPowerSteering @14 :Bool;
  hasCruiseControl @15 :Bool;
  cupHolders @16 :UInt8;
  hasNavigation @17 :Bool;
}

struct ParkingLot {
  cars @0 :List(Car);
}
