#include "OptionSet.h"

using namespace mlir::titan;

std::string Declared::getName() const {
  if (!option->get_lnames().empty())
    return "--" + option->get_lnames().front();
  return "-" + option->get_snames().front();
}

bool Declared::takesValue() const {
  return option->get_items_expected_max() > 0;
}

OptionSet::OptionSet()
    : app("Reads a training graph, applies checkpointing passes and splits it "
          "into a forward\nand a backward function.",
          "titan-opt") {
  app.set_help_flag();
  app.allow_config_extras(false);
  declareInput();
  declarePasses();
  declarePartition();
  declareOutput();
  declareInformation();
  declareLater();
}

const Declared *OptionSet::find(const std::string &name) const {
  for (const Declared &entry : declared) {
    for (const std::string &known : entry.option->get_lnames())
      if (known == name)
        return &entry;
    for (const std::string &known : entry.option->get_snames())
      if (known == name)
        return &entry;
  }
  return nullptr;
}

Declared &OptionSet::add(CLI::Option *option, const std::string &group,
                         const std::string &value, std::string details) {
  option->group(group)->take_last();
  if (!value.empty())
    option->type_name(value);
  Declared entry;
  entry.option = option;
  entry.details = std::move(details);
  return declared.emplace_back(std::move(entry));
}

Declared &OptionSet::addFlag(const std::string &names, bool &field,
                             const std::string &group, const std::string &help,
                             std::string details) {
  return add(app.add_flag(names, field, help), group, "", std::move(details));
}

Declared &OptionSet::addText(const std::string &names, std::string &field,
                             const std::string &group, const std::string &value,
                             const std::string &help, std::string details) {
  return add(app.add_option(names, field, help), group, value,
             std::move(details));
}

Declared &OptionSet::addList(const std::string &names, std::string &field,
                             const std::string &group, const std::string &value,
                             const std::string &help, std::string details) {
  Declared &entry =
      addText(names, field, group, value, help, std::move(details));
  entry.option->multi_option_policy(CLI::MultiOptionPolicy::Join)
      ->delimiter(',')
      ->allow_extra_args(false);
  return entry;
}

Declared &OptionSet::addListing(const std::string &names, Listing listing,
                                const std::string &help, std::string details) {
  CLI::Option *option = app.add_flag_callback(
      names, [this, listing] { options.listing = listing; }, help);
  return add(option, "Information", "", std::move(details));
}

Declared &OptionSet::addLater(const std::string &names,
                              const std::string &value, const std::string &help,
                              std::string comesWith) {
  Declared &entry =
      value.empty() ? add(app.add_flag(names, help), "Not there yet", "", "")
                    : addText(names, ignored, "Not there yet", value, help, "");
  entry.comesWith = std::move(comesWith);
  return entry;
}
