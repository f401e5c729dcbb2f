#include "memory/report.h"

#include "ir/fields.h"
#include "ir/print.h"
#include "memory/memory.h"
#include "support/match.h"
#include "support/text_writer.h"

namespace dagaz::memory {

using ir::NameId;
using ir::Operand;

namespace {

/// Writes the arrays of a function.
class Reporter {
 public:
  Reporter(const ir::Function& function, const Context& context)
      : names_(context.names), memory_(place_host(function, context)) {
    out_ << "-- " << function.name << "\n";
    for (const ir::Binder& parameter : function.parameters) {
      if (is_array(parameter.name)) line(parameter.name, "an argument");
    }
    host(function.body);
  }

  std::string take() { return out_.take(); }

 private:
  bool is_array(NameId name) const { return names_.type(name).is_array(); }
  std::string text(NameId name) const { return names_.text(name); }

  void line(NameId name, const std::string& what) {
    out_ << std::string(2 * depth_, ' ') << text(name) << ": "
         << ir::print(names_.type(name), names_) << ", " << what << "\n";
  }

  // ---- host code

  void host(const ir::Body& body) {
    const ir::Body* const outer = std::exchange(body_, &body);
    for (const ir::Statement& one : body.statements) {
      const auto* loop = as<ir::Loop>(one.operation);
      if (loop != nullptr) carried(*loop);
      inside(one);
      for (const ir::Binder& result : one.results) {
        if (is_array(result.name)) line(result.name, where(result.name) + life(result.name));
      }
    }
    body_ = outer;
  }

  void inside(const ir::Statement& one) {
    const bool is_control = as<ir::Loop>(one.operation) || as<ir::Branch>(one.operation) ||
                            as<ir::WithAccumulator>(one.operation);
    ++depth_;
    ir::for_each_scope(one.operation, [&](const ir::Body& inner) {
      if (is_control) {
        host(inner);
      } else {
        thread(inner);
      }
    });
    --depth_;
  }

  std::string where(NameId name) const {
    if (memory_.owner(name) != name && !memory_.homes.contains(name)) {
      return "in " + text(memory_.owner(name));
    }
    return match(
        memory_.home(name),
        [&](const Own& own) { return "block of " + bytes(names_.type(name)) + order(own.order); },
        [&](const Nowhere&) { return std::string("nowhere"); },
        [&](const Over& over) { return "over " + text(over.array); },
        [&](const OverPart& over) { return "over " + text(over.view); },
        [&](const Within& within) { return "where it is put in " + text(within.array); },
        [&](const PieceOf& piece) { return "piece of " + text(piece.whole); },
        [&](const Checkpoint& checkpoint) { return "next row of " + text(checkpoint.rows); },
        [&](const SameAs& same) { return "the same as " + text(same.array); },
        [&](const OfBranch& branch) { return "where " + text(branch.result) + " lies"; });
  }

  std::string bytes(const ir::Type& type) const {
    std::string size = std::to_string(ir::byte_size(type.element));
    for (const Operand& one : type.shape) size += "*" + ir::print(one, names_);
    return size + " bytes";
  }

  static std::string order(const std::vector<int>& order) {
    if (order.empty()) return "";
    std::string text = ", dimensions in order";
    for (const int k : order) text += " " + std::to_string(k);
    return text;
  }

  // The statement with which an array's block dies.
  std::string life(NameId name) const {
    const auto found = memory_.lives.find(name);
    if (found == memory_.lives.end()) return "";
    if (found->second >= body_->statements.size()) return ", given on";
    const ir::Statement& last = body_->statements[found->second];
    return last.results.empty() ? "" : ", until " + text(last.results[0].name);
  }

  void carried(const ir::Loop& loop) {
    for (const ir::LoopValue& value : loop.values) {
      const NameId parameter = value.parameter.name;
      const auto found = memory_.carries.find(parameter);
      if (found == memory_.carries.end()) continue;
      const std::string initial = ir::print(value.initial, names_);
      line(parameter, "loop " + how(found->second) + ", first " + initial +
                          (memory_.given.contains(parameter) ? ", which it is given" : ""));
    }
  }

  static std::string how(Carry carry) {
    switch (carry) {
      case Carry::in_place: return "in place";
      case Carry::renewed: return "renewed";
      case Carry::copied: return "copied back";
      case Carry::alternating: return "by turns";
      case Carry::following: return "where it is made";
    }
    DZ_UNREACHABLE("a way to carry an array");
  }

  // ---- threads

  void thread(const ir::Body& body) {
    for (const ir::Statement& one : body.statements) {
      if (const auto* loop = as<ir::Loop>(one.operation)) carried(*loop);
      ++depth_;
      ir::for_each_scope(one.operation, [&](const ir::Body& inner) { thread(inner); });
      --depth_;
      for (const ir::Binder& result : one.results) {
        const auto to = memory_.destinations.find(result.name);
        if (to == memory_.destinations.end()) continue;
        line(result.name, "result " + std::to_string(to->second.result) + " of the thread" +
                              order(to->second.permutation));
      }
    }
  }

  const ir::Names& names_;
  Memory memory_;
  const ir::Body* body_ = nullptr;
  std::size_t depth_ = 1;
  TextWriter out_;
};

}  // namespace

std::string report(const ir::PlannedProgram& planned) {
  const ir::Program& program = planned.program;
  std::string text;
  for (const ir::EntryPoint& entry : program.entries) {
    for (const ir::Function& function : program.functions) {
      if (function.name != entry.function) continue;
      text += Reporter(function, {program.names, program.functions, planned.settings}).take();
    }
  }
  return text;
}

}  // namespace dagaz::memory
