#include "common/runtime/bounded_queue.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "common/runtime/worker_loop.hpp"

namespace penstock::runtime {
namespace {

TEST(BoundedQueue, a_full_queue_refuses_and_leaves_the_item_alone) {
  BoundedQueue<std::unique_ptr<int>> queue(2);
  ASSERT_TRUE(queue.try_push(std::make_unique<int>(1)).ok());
  ASSERT_TRUE(queue.try_push(std::make_unique<int>(2)).ok());
  auto third = std::make_unique<int>(3);
  EXPECT_EQ(queue.try_push(std::move(third)).error().code, ErrorCode::overloaded);
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(**queue.try_pop(), 1);
  EXPECT_TRUE(queue.try_push(std::move(third)).ok());
  EXPECT_EQ(queue.size(), 2u);
}

TEST(BoundedQueue, a_closed_queue_takes_nothing_and_gives_what_it_has) {
  BoundedQueue<int> queue(4);
  ASSERT_TRUE(queue.try_push(1).ok());
  queue.close();
  EXPECT_EQ(queue.try_push(2).error().code, ErrorCode::draining);
  EXPECT_EQ(queue.wait_pop({}), 1);
  EXPECT_EQ(queue.wait_pop({}), std::nullopt);
}

TEST(BoundedQueue, a_stop_wakes_a_waiter) {
  BoundedQueue<int> queue(1);
  std::jthread waiter([&](const std::stop_token& stop) { EXPECT_EQ(queue.wait_pop(stop), std::nullopt); });
  waiter.request_stop();
}

TEST(BoundedQueue, loses_nothing_between_many_threads) {
  BoundedQueue<int> queue(16);
  std::atomic<long> sum{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        while (auto item = queue.wait_pop({})) sum += *item;
      });
    for (int i = 1; i <= 10000; ++i)
      while (!queue.try_push(int{i}).ok()) std::this_thread::yield();
    queue.close();
  }
  EXPECT_EQ(sum, 10000L * 10001 / 2);
}

TEST(WorkerLoop, handles_items_in_order_until_drained) {
  BoundedQueue<int> queue(100);
  std::vector<int> seen;
  WorkerLoop<int> loop(
      "worker", queue, [&](int item, const std::stop_token&) { seen.push_back(item); },
      [](const std::exception_ptr&) { FAIL(); });
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(queue.try_push(int{i}).ok());
  queue.close();
  loop.wait_drained();
  ASSERT_EQ(seen.size(), 50u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(WorkerLoop, a_defect_is_reported_and_the_loop_goes_on) {
  BoundedQueue<int> queue(10);
  int handled = 0, defects = 0;
  WorkerLoop<int> loop(
      "worker", queue,
      [&](int item, const std::stop_token&) {
        if (item == 1) throw std::runtime_error("defect");
        ++handled;
      },
      [&](const std::exception_ptr&) { ++defects; });
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.try_push(int{i}).ok());
  queue.close();
  loop.wait_drained();
  EXPECT_EQ(handled, 2);
  EXPECT_EQ(defects, 1);
}

TEST(WorkerLoop, its_end_asks_the_handler_to_stop) {
  BoundedQueue<int> queue(10);
  std::promise<void> started;
  {
    WorkerLoop<int> loop(
        "worker", queue,
        [&](int, const std::stop_token& stop) {
          started.set_value();
          while (!stop.stop_requested()) std::this_thread::yield();
        },
        [](const std::exception_ptr&) {});
    ASSERT_TRUE(queue.try_push(1).ok());
    ASSERT_TRUE(queue.try_push(2).ok());
    started.get_future().get();
  }
  EXPECT_EQ(queue.size(), 1u);
}

}  // namespace
}  // namespace penstock::runtime
