// Nothing: the precompiled headers of the tests are made for this file, since doctest is
// implemented in main.cpp without them.
