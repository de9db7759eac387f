#include "ridgerunner/service/http/quota.h"

#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace ridgerunner::service::quota_test {
namespace {

TEST(Quota, IsRefusedBeyondItsLimitAndComesBackWithItsLease) {
  Quota quota(10);
  std::optional<Quota::Lease> seven = quota.acquire(7);
  EXPECT_TRUE(*seven);
  EXPECT_FALSE(quota.acquire(4));
  EXPECT_EQ(quota.used(), 7u);
  {
    const Quota::Lease three = quota.acquire(3);
    EXPECT_TRUE(three);
    EXPECT_FALSE(quota.acquire());
  }
  seven.reset();
  EXPECT_EQ(quota.used(), 0u);
  EXPECT_FALSE(quota.acquire(11));
  EXPECT_FALSE(quota.acquire(~std::size_t{0})) << "no overflow";
  EXPECT_TRUE(quota.acquire(10));
}

TEST(Quota, ALeaseThatMovesIsGivenBackOnce) {
  Quota quota(2);
  Quota::Lease first = quota.acquire(), second = quota.acquire();
  first = std::move(second);
  EXPECT_TRUE(first);
  {
    const Quota::Lease last = std::move(first);
    EXPECT_FALSE(first);
    EXPECT_TRUE(last);
  }
  second = {};
  EXPECT_EQ(quota.used(), 0u);
}

TEST(Quota, AnExceptionGivesItBack) {
  Quota quota(1);
  EXPECT_THROW(
      {
        const Quota::Lease lease = quota.acquire();
        throw std::bad_alloc();
      },
      std::bad_alloc);
  EXPECT_EQ(quota.used(), 0u);
}

TEST(Quota, IsNeverExceededByManyThreads) {
  Quota quota(3);
  std::atomic<int> held = 0, most = 0, taken = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        const Quota::Lease lease = quota.acquire();
        if (!lease) continue;
        ++taken;
        const int now = ++held;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        --held;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 3);
  EXPECT_GT(taken, 0);
  EXPECT_EQ(quota.used(), 0u);
}

}  // namespace
}  // namespace ridgerunner::service::quota_test
