// The main of every suite: a binary that runs zero tests fails.
#include <gmock/gmock.h>

#include <cstdio>

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  const int status = RUN_ALL_TESTS();
  if (!testing::GTEST_FLAG(list_tests) && testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::fputs("no test was run: the filter matches nothing or the suite is empty\n", stderr);
    return 1;
  }
  return status;
}

// What the thread sanitizer must not look into: libzmq comes from Debian, without its instrumentation, and
// orders its threads by atomics that it cannot see. Our own side of each hand-over is annotated
// (common/wire/handover.hpp).
#if defined(__SANITIZE_THREAD__)
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libzmq.so\n"
         "race:libzmq.so\n";
}
#endif
