# Prints a schema of 1,000 messages, or of -v messages=N, the same every time: 1 to 40 fields a message, of all shapes. A linear
# congruential generator stands for chance, small enough for the exact integers of every awk. With
# -v code_size=1 the messages are optimized for code size.

function random(below) {
  state = (state * 1103 + 12345) % 1048576
  return int(state / 16) % below
}

function type(  roll) {
  roll = random(100)
  if (roll < 12) return "int32"
  if (roll < 22) return "int64"
  if (roll < 28) return "uint32"
  if (roll < 32) return "uint64"
  if (roll < 34) return "sint32"
  if (roll < 36) return "fixed64"
  if (roll < 44) return "bool"
  if (roll < 46) return "float"
  if (roll < 52) return "double"
  if (roll < 74) return "string"
  if (roll < 78) return "bytes"
  if (roll < 85) return "E" random(50)
  # Messages refer to each other in groups of ten: a chain through all of them is what neither library compiles.
  return "M" int(i / 10) * 10 + random(10)
}

BEGIN {
  state = 1
  print "syntax = \"proto3\";\n\npackage thousand;"
  if (code_size) print "\noption optimize_for = CODE_SIZE;"
  for (i = 0; i < 50; i++) {
    print "\nenum E" i " {"
    values = 2 + random(12)
    for (value = 0; value < values; value++) print "  E" i "_VALUE_" value " = " value ";"
    print "}"
  }
  for (i = 0; i < (messages ? messages : 1000); i++) {
    print "\nmessage M" i " {"
    fields = 1 + random(40)
    for (number = 1; number <= fields; number++) {
      roll = random(100)
      if (roll < 15) print "  repeated " type() " field_" number " = " number ";"
      else if (roll < 25) print "  optional " type() " field_" number " = " number ";"
      else if (roll < 29) print "  map<string, " type() "> field_" number " = " number ";"
      else if (roll < 33 && number + 3 < fields) {
        print "  oneof choice_" number " {"
        last = number + 1 + random(3)
        for (; number < last; number++) print "    " type() " field_" number " = " number ";"
        print "    " type() " field_" number " = " number ";\n  }"
      } else print "  " type() " field_" number " = " number ";"
    }
    print "}"
  }
}
