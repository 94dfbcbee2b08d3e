// The loop without sockets: posted work, stop, timers.
#include "common/wire/message_loop.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "common/wire/timer_list.hpp"

namespace penstock::wire {
namespace {

using std::chrono::milliseconds;

TEST(MessageLoop, runs_posted_work_in_order_and_on_its_thread) {
  MessageLoop loop(MessageLoop::make_context());
  std::vector<int> ran;
  std::thread::id thread;
  for (int i = 0; i < 100; ++i) loop.post([&ran, i] { ran.push_back(i); });
  loop.post([&] {
    thread = std::this_thread::get_id();
    loop.stop();
  });
  loop.run();
  ASSERT_EQ(ran.size(), 100u);
  EXPECT_TRUE(std::is_sorted(ran.begin(), ran.end()));
  EXPECT_EQ(thread, std::this_thread::get_id());
}

TEST(MessageLoop, takes_work_from_many_threads) {
  MessageLoop loop(MessageLoop::make_context());
  int ran = 0;  // written on the loop's thread only
  std::vector<std::jthread> posters;
  for (int t = 0; t < 4; ++t)
    posters.emplace_back([&] {
      for (int i = 0; i < 500; ++i)
        loop.post([&] {
          if (++ran == 2000) loop.stop();
        });
    });
  loop.run();
  EXPECT_EQ(ran, 2000);
}

TEST(MessageLoop, a_stop_before_the_run_is_not_lost_and_the_loop_can_run_again) {
  MessageLoop loop(MessageLoop::make_context());
  bool ran = false;
  loop.post([&] { ran = true; });
  loop.stop();
  loop.run();
  EXPECT_TRUE(ran);
  int again = 0;
  loop.post([&] {
    ++again;
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(again, 1);
}

TEST(MessageLoop, timers_run_once_or_for_ever_until_cancelled) {
  MessageLoop loop(MessageLoop::make_context());
  int once = 0, repeated = 0;
  MessageLoop::TimerId repeating = 0;
  loop.after(milliseconds(1), [&] { ++once; });
  loop.cancel(loop.after(milliseconds(1), [&] { once += 100; }));
  repeating = loop.every(milliseconds(1), [&] {
    if (++repeated == 5) {
      loop.cancel(repeating);
      loop.after(milliseconds(3), [&] { loop.stop(); });
    }
  });
  loop.run();
  EXPECT_EQ(once, 1);
  EXPECT_EQ(repeated, 5);
}

TEST(MessageLoop, an_exception_of_a_handler_ends_the_run) {
  MessageLoop loop(MessageLoop::make_context());
  loop.post([] { throw std::runtime_error("defect"); });
  EXPECT_THROW(loop.run(), std::runtime_error);
}

TEST(MessageLoop, a_socket_closed_before_the_run_is_forgotten) {
  MessageLoop loop(MessageLoop::make_context());
  auto dealer = loop.connect_dealer("tcp://127.0.0.1:1", "id", [](const Message&) {});
  ASSERT_TRUE(dealer.ok());
  loop.close(dealer.value());
  loop.after(milliseconds(1), [&] { loop.stop(); });
  loop.run();
}

TEST(TimerList, runs_in_order_of_due_time_and_tells_the_next) {
  TimerList timers;
  const SteadyTime start{};
  std::vector<int> ran;
  timers.add(start + milliseconds(20), std::nullopt, [&] { ran.push_back(20); });
  timers.add(start + milliseconds(10), std::nullopt, [&] { ran.push_back(10); });
  EXPECT_EQ(timers.next_due(), start + milliseconds(10));
  timers.run_due(start + milliseconds(9));
  EXPECT_TRUE(ran.empty());
  timers.run_due(start + milliseconds(30));
  EXPECT_THAT(ran, testing::ElementsAre(10, 20));
  EXPECT_EQ(timers.next_due(), std::nullopt);
}

TEST(TimerList, skips_the_repetitions_that_it_missed) {
  TimerList timers;
  const SteadyTime start{};
  int ran = 0;
  timers.add(start + milliseconds(10), milliseconds(10), [&] { ++ran; });
  timers.run_due(start + milliseconds(1000));
  EXPECT_EQ(ran, 1);
  EXPECT_GT(timers.next_due(), start + milliseconds(1000));
}

TEST(TimerList, a_handler_may_cancel_others_itself_and_add_more) {
  TimerList timers;
  const SteadyTime start{};
  int ran = 0;
  TimerList::Id self = 0, other = 0;
  self = timers.add(start, milliseconds(1), [&] {
    ++ran;
    timers.cancel(self);
    timers.cancel(other);
    timers.add(start, std::nullopt, [&] { ran += 10; });  // due at once, but in the next turn
  });
  other = timers.add(start, std::nullopt, [&] { ran += 100; });
  timers.run_due(start);
  EXPECT_EQ(ran, 1);
  timers.run_due(start);
  EXPECT_EQ(ran, 11);
  timers.run_due(start + milliseconds(100));
  EXPECT_EQ(ran, 11);
}

}  // namespace
}  // namespace penstock::wire
