#include <nlohmann/json.hpp>

#include "fuzz/promise.h"
#include "fuzz/targets.h"
#include "ridgerunner/archive/policy_archive.h"
#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/service/experiment/snapshot.h"

namespace ridgerunner::fuzz {
namespace {

using service::Created;
using service::Learner;
using service::Ledger;

Spec spec_of(unsigned char choice) {
  constexpr const char* kPolicies[] = {"ek-ucb",   "gp-ucb",       "bbkb",
                                       "supk-ucb", "adaptive-ucb", "streaming-amm-ucb"};
  Json json = {{"policy", kPolicies[choice % 6]}};
  if (choice % 6 == 1 || choice % 6 == 2) json["arms"] = {{"points", {{0.1}, {0.5}, {0.9}}}};
  return spec_from_json(json);
}

// A saved policy with contents of the fuzzer's.
std::string sealed_policy(const Spec& spec, std::string_view contents) {
  ByteWriter head;
  head.text(spec_to_json(spec).dump());
  return seal_archive("policy", 2, head.take() + std::string(contents));
}

void policy(const Spec& spec, std::string_view contents) {
  const std::string saved = save_policy(load_policy(sealed_policy(spec, contents), spec));
  promise(save_policy(load_policy(saved, spec)) == saved, "a saved policy loads and saves as it was");
}

void learner(const Spec& spec, std::string_view contents) {
  const std::size_t head = std::min<std::size_t>(contents.size(), 120);
  ByteWriter rest;
  rest.text(sealed_policy(spec, contents.substr(head)));
  const std::string bytes = std::string(contents.substr(0, head)) + rest.take();
  ByteReader in(bytes);
  Learner::read(in, Created{"fuzz", "", spec_to_json(spec).dump(), {}});
}

void ledger(std::string_view contents) {
  ByteReader in(contents);
  const Ledger ledger = Ledger::read(in);
  in.finish();
  ByteWriter out;
  ledger.write(out);
  const std::string written = out.take();
  ByteReader again(written);
  ByteWriter twice;
  Ledger::read(again).write(twice);
  const std::string rewritten = twice.take();
  promise(std::string_view(rewritten) == std::string_view(written), "a ledger is written as it was");
}

}  // namespace

bool snapshots(std::string_view input) {
  if (input.size() < 2) return false;
  const std::string_view contents = input.substr(2);
  try {
    const Spec spec = spec_of(static_cast<unsigned char>(input[1]));
    switch (input[0] % 4) {
      case 0:
        policy(spec, contents);
        break;
      case 1:
        learner(spec, contents);
        break;
      case 2:
        ledger(contents);
        break;
      default:
        service::read_snapshot(contents);
        break;
    }
    return true;
  } catch (const InvalidArgument&) {
  } catch (const NumericalError&) {
  }
  return false;
}

}  // namespace ridgerunner::fuzz
