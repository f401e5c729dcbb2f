// A piece is a run of consecutive instructions of one code.  Its parameters are the variables that
// it may read before it sets them, its results those it sets, as far as other code mentions them.
// Codes inside are divided before the code around them, so a piece is never much longer than asked.
//
// Blocks: parameters are borrowed, results carry a reference.  So a run may
//   use any block
//   set a block that nothing else sets, which is a result if it is used later
//   release a block that it has not set: that is done after the call instead
//   do anything with blocks that no other code mentions
// Other instructions stay where they are, between pieces.
#include "codegen/long_functions.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "tree/walk.h"

namespace dagaz::codegen {

namespace {

using tree::Code;
using tree::Instruction;
using tree::NameId;
using tree::Operand;

using Counts = std::unordered_map<NameId, std::size_t>;

/// Whether the code inside becomes a function of its own anyway.
bool is_apart(const Instruction& instruction) {
  return std::holds_alternative<tree::ParallelFor>(instruction.node) ||
         std::holds_alternative<tree::Launch>(instruction.node);
}

/// The instructions of `code` that LLVM compiles as part of the function around.
std::size_t length_of(const Code& code) {
  std::size_t length = code.size();
  for (const Instruction& one : code) {
    if (is_apart(one)) continue;
    tree::for_each_code(one, [&](const Code& inner) { length += length_of(inner); });
  }
  return length;
}

enum class Mention { use, set, release };

/// Calls `function` with each variable that the instruction mentions, inside too, and how.
template <typename Function>
void for_each_mention(const Instruction& instruction, const Function& function) {
  tree::InstructionVisitor visitor;
  const bool releases = std::holds_alternative<tree::Release>(instruction.node);
  visitor.use = [&](const Operand& operand) {
    if (operand.is_name()) function(operand.name(), releases ? Mention::release : Mention::use);
  };
  visitor.set = [&](NameId name) { function(name, Mention::set); };
  visitor.nested = [&](const Code& inner) {
    for (const Instruction& one : inner) for_each_mention(one, function);
  };
  tree::visit(instruction, visitor);
}

/// The variables that the instruction itself sets, and sets always.
std::vector<NameId> set_by(const Instruction& instruction) {
  std::vector<NameId> names;
  bool has_code = false;
  tree::InstructionVisitor visitor;
  visitor.use = [](const Operand&) {};
  visitor.set = [&](NameId name) { names.push_back(name); };
  visitor.nested = [&](const Code&) { has_code = true; };
  tree::visit(instruction, visitor);
  return has_code ? std::vector<NameId>() : names;
}

bool contains(const std::vector<NameId>& names, NameId name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Divides one function.
class Divider {
 public:
  Divider(DividedFunctions& out, tree::Function& function, const Tunables& tunables)
      : piece_length_(static_cast<std::size_t>(tunables.piece_of_function)),
        shortest_piece_(static_cast<std::size_t>(tunables.short_piece)),
        out_(out), names_(out.program.names), function_(function) {
    count(function.body);
    for (const NameId parameter : function.parameters) mention(parameter, Mention::set);
    for (const Operand& result : function.results) {
      if (result.is_name()) mention(result.name(), Mention::use);
    }
  }

  std::vector<tree::Function> run() {
    divide(function_.body);
    return std::move(pieces_);
  }

 private:
  /// A run that is being collected.
  struct Run {
    Code code;
    std::size_t length = 0;
    std::unordered_set<NameId> blocks;  // that it sets
    Code releases;                      // of others, for after it
  };

  bool is_block(NameId name) const { return names_.type(name).kind == ir::TypeKind::block; }

  void mention(NameId name, Mention how) {
    ++mentions_[name];
    sets_[name] += how == Mention::set ? 1 : 0;
  }
  void count(const Code& code) {
    for (const Instruction& one : code) {
      for_each_mention(one, [this](NameId name, Mention how) { mention(name, how); });
    }
  }

  /// Divides `code` if it is long; how long it is then.
  std::size_t divide(Code& code) {
    std::vector<std::size_t> lengths;
    std::size_t total = 0;
    for (Instruction& one : code) {
      lengths.push_back(1);
      if (!is_apart(one)) {
        tree::for_each_code(one, [&](Code& inner) { lengths.back() += divide(inner); });
      }
      total += lengths.back();
    }
    if (total <= piece_length_) return total;
    Code divided;
    Run run;
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (stays(code[i], run)) {
        end(run, divided);
        divided.push_back(std::move(code[i]));
        continue;
      }
      if (run.length + lengths[i] > piece_length_) end(run, divided);
      add(std::move(code[i]), lengths[i], run);
    }
    end(run, divided);
    code = std::move(divided);
    return length_of(code);
  }

  bool stays(const Instruction& instruction, const Run& run) const {
    if (const auto* release = std::get_if<tree::Release>(&instruction.node)) {
      return sets_.at(release->block) > 1 && !run.blocks.contains(release->block);
    }
    const std::vector<NameId> always = set_by(instruction);
    Counts inside;
    bool stays = false;
    for_each_mention(instruction, [&](NameId name, Mention) { ++inside[name]; });
    for_each_mention(instruction, [&](NameId name, Mention how) {
      if (how == Mention::use || !is_block(name)) return;
      const bool once = sets_.at(name) == 1 && contains(always, name);
      stays = stays || (!once && inside.at(name) < mentions_.at(name));
    });
    return stays;
  }

  void add(Instruction instruction, std::size_t length, Run& run) const {
    if (const auto* release = std::get_if<tree::Release>(&instruction.node)) {
      if (!run.blocks.contains(release->block)) {
        run.releases.push_back(std::move(instruction));
        return;
      }
    }
    for (const NameId name : set_by(instruction)) {
      if (is_block(name)) run.blocks.insert(name);
    }
    run.code.push_back(std::move(instruction));
    run.length += length;
  }

  /// Adds the run to `out`, as a call if it is long enough.
  void end(Run& run, Code& out) {
    if (run.length < shortest_piece_) {
      std::move(run.code.begin(), run.code.end(), std::back_inserter(out));
    } else {
      tree::Call call = make_piece(std::move(run.code));
      count({call});
      out.push_back(std::move(call));
    }
    std::move(run.releases.begin(), run.releases.end(), std::back_inserter(out));
    run = Run();
  }

  /// What a run has to do with the variables that it mentions.
  struct Interface {
    std::vector<NameId> order;  // all of them
    Counts mentions;
    std::unordered_set<NameId> read;      // perhaps before they are set
    std::unordered_set<NameId> set;
    std::unordered_set<NameId> released;
  };

  static Interface interface_of(const Code& code) {
    Interface all;
    std::unordered_set<NameId> known;  // set in any case before what comes next
    for (const Instruction& one : code) {
      const std::vector<NameId> always = set_by(one);
      for_each_mention(one, [&](NameId name, Mention how) {
        if (++all.mentions[name] == 1) all.order.push_back(name);
        if (how == Mention::set) all.set.insert(name);
        if (how == Mention::release) all.released.insert(name);
        const bool sets = how == Mention::set && contains(always, name);
        if (!sets && !known.contains(name)) all.read.insert(name);
      });
      known.insert(always.begin(), always.end());
    }
    return all;
  }

  tree::Call make_piece(Code code) {
    const Interface all = interface_of(code);
    tree::Function piece;
    tree::Call call;
    for (const NameId name : all.order) {
      if (all.mentions.at(name) == mentions_.at(name)) continue;
      if (all.read.contains(name)) {
        piece.parameters.push_back(name);
        call.arguments.emplace_back(name);
      }
      if (all.set.contains(name) && !all.released.contains(name)) {
        piece.results.emplace_back(name);
        call.results.emplace_back(name);
      }
    }
    for (const auto& [name, times] : all.mentions) mentions_.at(name) -= times;
    // These counts are of use for blocks only: those that are set here are set by the call now.
    for (const Operand& result : piece.results) sets_.at(result.name()) = 0;
    piece.name = function_.name + ".piece" + std::to_string(pieces_.size());
    piece.body = std::move(code);
    call.function = piece.name;
    out_.pieces.insert(piece.name);
    pieces_.push_back(std::move(piece));
    return call;
  }

  std::size_t piece_length_;
  std::size_t shortest_piece_;
  DividedFunctions& out_;
  const ir::Names& names_;
  tree::Function& function_;
  std::vector<tree::Function> pieces_;
  Counts mentions_;  // of each variable in the function as it is now
  Counts sets_;
};

}  // namespace

std::optional<DividedFunctions> divide_long_functions(const tree::Program& program,
                                                      const Tunables& tunables) {
  const auto longest = static_cast<std::size_t>(tunables.long_function);
  const auto is_long = [&](const tree::Function& function) {
    return !function.device && length_of(function.body) > longest;
  };
  if (std::none_of(program.functions.begin(), program.functions.end(), is_long)) {
    return std::nullopt;
  }
  DividedFunctions out{program, {}};
  std::vector<tree::Function> all;
  for (tree::Function& function : out.program.functions) {
    std::vector<tree::Function> pieces;
    if (is_long(function)) pieces = Divider(out, function, tunables).run();
    all.push_back(std::move(function));
    std::move(pieces.begin(), pieces.end(), std::back_inserter(all));
  }
  out.program.functions = std::move(all);
  return out;
}

}  // namespace dagaz::codegen
