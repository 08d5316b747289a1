// The clocks and the shadow memory by themselves.
#include "simulate/shadow.h"

#include <gtest/gtest.h>

namespace tl::simulate {
namespace {

class ShadowOfAgents : public testing::Test {
 protected:
  ShadowOfAgents() : timeline(agents) { shadow.reset(4, true, false, true); }
  Stamp by(Agent agent) { return {timeline.event(1, {agent, false}), 0}; }
  bool reads(Agent agent) { return shadow.read(timeline, 0, by(agent)).other.event == 0; }
  bool writes(Agent agent) { return shadow.write(timeline, 0, by(agent)).other.event == 0; }

  Agents agents;
  Timeline timeline;
  Shadow shadow;
};

TEST_F(ShadowOfAgents, AReleaseOrdersWhatCameBefore) {
  const Agent a = agents.add(), b = agents.add();
  EXPECT_TRUE(writes(a));
  const Clock clock = agents.release(a);
  EXPECT_TRUE(writes(a));
  agents.acquire(b, clock);
  EXPECT_FALSE(reads(b));  // the second write came after the release
  agents.acquire(b, agents.release(a));
  EXPECT_TRUE(writes(b));
  EXPECT_FALSE(reads(a));
}

TEST_F(ShadowOfAgents, ABarrierOrdersAll) {
  const Agent first = agents.add(3);
  const std::vector<Agent> all = {first, first + 1, first + 2};
  EXPECT_TRUE(writes(first));
  agents.meet(all);
  EXPECT_TRUE(reads(first + 1));
  EXPECT_TRUE(reads(first + 2));
  EXPECT_FALSE(writes(first));
  agents.meet(all);
  EXPECT_TRUE(writes(first + 2));
}

TEST_F(ShadowOfAgents, EdgesAreTransitive) {
  const Agent a = agents.add(), b = agents.add(), c = agents.add();
  EXPECT_TRUE(writes(a));
  agents.acquire(b, agents.release(a));
  agents.acquire(c, agents.release(b));
  EXPECT_TRUE(writes(c));
}

TEST_F(ShadowOfAgents, NoneOfManyReadersIsForgotten) {
  const Agent writer = agents.add(), first = agents.add(6);
  for (uint32_t i = 0; i < 6; ++i) EXPECT_TRUE(reads(first + i));
  for (uint32_t i = 0; i < 5; ++i) agents.acquire(writer, agents.release(first + i));
  EXPECT_FALSE(writes(writer));  // the last reader has not been waited for
}

TEST_F(ShadowOfAgents, ANewLifeSeesTheOldOneAsOthersDo) {
  const Agent parent = agents.add(), child = agents.add();
  agents.fork(parent, child);
  EXPECT_TRUE(writes(child));
  const Clock end = agents.release(child);
  EXPECT_FALSE(agents.may_fork(parent, child));
  EXPECT_FALSE(reads(parent));
  agents.acquire(parent, end);
  EXPECT_TRUE(agents.may_fork(parent, child));
  agents.fork(parent, child);
  EXPECT_TRUE(writes(child));
}

TEST_F(ShadowOfAgents, MembersOfATeamRaceUntilItsEnd) {
  const Agent parent = agents.add(), team = agents.add();
  agents.fork(parent, team);
  const auto member = [&](uint32_t m) { return Stamp{timeline.event(1, {team, false}), m}; };
  EXPECT_EQ(shadow.write(timeline, 0, member(3)).other.event, 0u);
  EXPECT_EQ(shadow.write(timeline, 0, member(3)).other.event, 0u);
  EXPECT_EQ(shadow.read(timeline, 0, member(4)).other.member, 3u);
  agents.join(parent, team);
  agents.fork(parent, team);
  EXPECT_EQ(shadow.write(timeline, 0, member(5)).other.event, 0u);
}

TEST_F(ShadowOfAgents, ProgramsOfOneLaunchAreConcurrent) {
  const Agent a = agents.add();
  timeline.start_launch();
  timeline.start_program();
  EXPECT_TRUE(writes(a));
  EXPECT_TRUE(writes(a));
  timeline.start_program();
  EXPECT_FALSE(writes(a));
  timeline.end_launch();
  EXPECT_TRUE(writes(a));
}

TEST_F(ShadowOfAgents, Definedness) {
  EXPECT_FALSE(shadow.defined(2));
  shadow.define(1, 2);
  EXPECT_TRUE(shadow.defined(2));
  EXPECT_FALSE(shadow.defined(3));
  shadow.reset(4, false, true, false);
  EXPECT_TRUE(shadow.defined(3));
}

}  // namespace
}  // namespace tl::simulate
