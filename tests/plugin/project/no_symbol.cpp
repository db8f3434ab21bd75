// A shared library that is no backend.
extern "C" int answer() { return 42; }
