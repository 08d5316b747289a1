// Names of generated code are names in every compiler that may read it.

#include "backend/cfamily/c_names.h"

#include <gtest/gtest.h>

namespace tl {
namespace {

TEST(CNames, AreNoWordsOfTheLanguage) {
  CNames names;
  for (const char* word : {"nullptr", "static_cast", "char16_t", "thread_local", "co_await", "typeof"})
    EXPECT_EQ(names.fresh(word), std::string(word) + "_1");
}

TEST(CNames, AreNoMacros) {
  CNames names;
  for (const char* macro : {"NULL", "EOF", "INT_MAX", "CHAR_BIT", "M_PI", "cudaStreamLegacy", "CUDART_VERSION"})
    EXPECT_EQ(names.fresh(macro), "v_" + std::string(macro));
  EXPECT_EQ(names.fresh("NULL"), "v_NULL_1");
}

TEST(CNames, StayAsTheyAreWhereTheyMayBe) {
  CNames names;
  for (const char* name : {"A", "MAX", "Output", "LSE", "x_max"}) EXPECT_EQ(names.fresh(name), name);
}

}  // namespace
}  // namespace tl
