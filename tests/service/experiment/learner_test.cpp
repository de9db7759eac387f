// Choices that wait for their rewards, as the fold sees them: models in levels, and batches.
#include "ridgerunner/service/experiment/learner.h"

#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/archive/policy_archive.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/random/stream.h"
#include "ridgerunner/regression/levelled.h"

namespace ridgerunner::service::learner_test {
namespace {

// An experiment with three fixed arms, event by event.
class Story {
 public:
  explicit Story(const char* preset_name)
      : spec_([&] {
          Spec spec = preset(preset_name);
          spec.arms = Matrix{{0.1, 0.5, 0.9}};
          return spec;
        }()),
        learner_(Created{"arms", "", spec_to_json(spec_).dump(), {}}) {}

  const Learner& learner() const { return learner_; }
  const Policy& policy() const { return learner_.policy(); }

  Subject decide(bool deferred = false) {
    Workspace workspace;
    Decided decided;
    decided.decision = policy().choose_arm(Stream(spec_.seed, Purpose::choice, decisions_++), workspace);
    decided.state = spec_.arms->col(decided.decision.index);
    decided.offered.deferred = deferred;
    fold(decided);
    return {seq_, "", decided.state, decided.decision.upper, decided.decision.level};
  }
  void reward(const Subject& subject, double reward) { fold(Rewarded{subject, reward, false}); }
  void expire(const Subject& subject, bool shown = true) { fold(Expired{subject, shown, std::nullopt}); }

 private:
  template <class Body>
  void fold(Body body) {
    learner_.fold(Event{++seq_, 1, static_cast<std::int64_t>(seq_), std::move(body)});
  }

  Spec spec_;
  Learner learner_;
  std::uint64_t seq_ = 1, decisions_ = 0;
};

TEST(Learner, ARewardGoesToTheLevelOfItsDecisionWhateverExpired) {
  Story story("supk-ucb");
  std::map<int, Index> rewarded;
  std::vector<Subject> waiting;
  for (int round = 0; round < 60; ++round) {
    waiting.push_back(story.decide());
    if (waiting.size() < 5) continue;
    const auto at = static_cast<std::size_t>(round % 5);  // in no order
    if (round % 3 == 0) {
      story.expire(waiting[at]);
    } else {
      ++rewarded[waiting[at].level];
      story.reward(waiting[at], 0.1 * round);
    }
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(at));
  }
  const auto& models = dynamic_cast<const LevelledRegression&>(story.policy().regression());
  for (int level = 1; level <= models.levels(); ++level)
    EXPECT_EQ(models.level(level).evidence().rounds, rewarded[level]) << level;
  EXPECT_FALSE(story.learner().totals().degraded);
  EXPECT_EQ(story.policy().statistics().open, 0) << "the ledger keeps them";
}

TEST(Learner, AnExpiredChoiceOfABatchCountsNoMore) {
  Story story("bbkb");
  const Subject first = story.decide();
  story.reward(first, 1);
  const Vector before = story.policy().predict(*story.policy().spec().arms).sd;
  const Subject lost = story.decide();
  EXPECT_NE(story.policy().predict(*story.policy().spec().arms).sd, before);
  story.expire(lost);
  EXPECT_LT((story.policy().predict(*story.policy().spec().arms).sd - before).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_FALSE(story.learner().totals().degraded);
}

TEST(Learner, ADecisionThatExpiredUnshownWasNeverAChoice) {
  for (const char* name : {"bbkb", "supk-ucb", "k-ucb"}) {
    Story story(name);
    const Subject shown = story.decide(), deferred = story.decide(true);
    const std::string before = save_policy(story.policy());
    story.expire(deferred, false);
    EXPECT_TRUE(save_policy(story.policy()) == before) << name;
    story.reward(shown, 1);
    EXPECT_FALSE(story.learner().totals().degraded) << name;
    EXPECT_EQ(story.policy().statistics().evidence.rounds, 1) << name;
  }
}

}  // namespace
}  // namespace ridgerunner::service::learner_test
