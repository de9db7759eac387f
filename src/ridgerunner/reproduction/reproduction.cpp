#include "ridgerunner/reproduction/reproduction.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

using Maker = std::unique_ptr<Reproduction> (*)(const Json& spec);

const std::vector<std::pair<Maker, const char*>> kKinds = {
    {regret_reproduction, "regret"},
    {growth_reproduction, "growth"},
    {map_reproduction, "map"},
    {function_reproduction, "function"},
    {starvation_reproduction, "starvation"},
    {bands_reproduction, "bands"},
    {noise_reproduction, "noise"},
    {pace_reproduction, "pace"},
    {program_reproduction, "program"},
    {accuracy_reproduction, "accuracy"},
};

Section beside_section(Size size, const std::vector<Verdict>& verdicts) {
  Section section{"Ours beside the paper's", {}};
  if (size == Size::quick)
    section.blocks.push_back(
        Paragraph{"A quick run, with fewer rounds and runs: a look at the shape. Nothing is checked."});
  section.blocks.push_back(verdict_table(verdicts, size == Size::full));
  KeyValues claims;
  for (const Verdict& verdict : verdicts) {
    if (!verdict.check.says.empty()) claims.entries.emplace_back(verdict.check.quantity, verdict.check.says);
  }
  if (!claims.entries.empty()) {
    section.blocks.push_back(Paragraph{"What the paper says:"});
    section.blocks.push_back(std::move(claims));
  }
  return section;
}

}  // namespace

std::unique_ptr<Reproduction> make_reproduction(const Definition& definition, Size size) {
  try {
    Json spec = definition.spec;
    if (size == Size::quick && spec.contains("quick")) {
      const Json quick = spec["quick"];
      spec.update(quick);
    }
    spec.erase("quick");
    Json kind = {{"kind", spec.value("kind", Json())}};
    spec.erase("kind");
    Fields fields(kind, "");
    Maker maker = kKinds.front().first;
    fields.choice("kind", maker, kKinds);
    return maker(spec);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}/spec.json: {}", definition.key, error.what()));
  }
}

Page reproduction_page(const Definition& definition, Size size, const Outcome& outcome,
                       const std::vector<Verdict>& verdicts, const Provenance& provenance) {
  Page page;
  page.title = fmt::format("{}, {}", definition.paper, definition.title);
  page.subtitle = definition.shows;
  page.sections.push_back(beside_section(size, verdicts));
  for (const Section& section : outcome.sections) page.sections.push_back(section);
  KeyValues found;
  for (const auto& [name, value] : outcome.values.entries())
    found.entries.emplace_back(name, number(value, 4));
  page.sections.push_back({"All values", {std::move(found)}});
  page.sections.push_back({"Notes", {Preformatted{definition.readme}}});
  page.sections.push_back({"Provenance",
                           {KeyValues{{{"reproduction", definition.key},
                                       {"ridgerunner", provenance.version},
                                       {"time", provenance.time},
                                       {"machine", provenance.machine},
                                       {"compiler", provenance.compiler}}},
                            Preformatted{definition.spec.dump(2)}}});
  return page;
}

}  // namespace ridgerunner
