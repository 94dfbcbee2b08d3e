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
