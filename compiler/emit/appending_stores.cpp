// A loop that sends elements to lists keeps in a table where each list ends:
//
//   place := ends[k];  out[place] := element;  ends[k] := place + 1
//
// The processor sees no pattern in such places, and stores leave it in order: each that begins a
// line waits for memory.  But a list goes on where it ended (Satish et al., "Fast sort on CPUs and
// GPUs", SIGMOD 2010, keep the line in a buffer instead).  Such stores are marked.
#include "emit/appending_stores.h"

#include <unordered_map>
#include <unordered_set>

#include "support/match.h"
#include "tree/walk.h"

namespace dagaz::emit {

namespace {

/// One iteration of a loop.
class Iteration {
 public:
  explicit Iteration(const Code& body) {
    for (const Instruction& one : body) {
      if (const auto* load = as<Load>(one.node)) {
        ends_.insert_or_assign(load->target, Element{load->block, load->index});
      } else if (const auto* assign = as<Assign>(one.node)) {
        if (assign->op == ScalarOp::add) sums_.insert_or_assign(assign->target, assign);
      } else if (const auto* store = as<Store>(one.node)) {
        find_list(*store);
      }
    }
  }

  void mark(Code& code) const {
    for (Instruction& one : code) {
      if (auto* store = as<Store>(one.node)) {
        store->appends = store->space == Space::global && is_place(store->index);
      } else if (auto* branch = as<If>(one.node)) {
        mark(branch->then_code);
        mark(branch->else_code);
      }
    }
  }

  bool has_lists() const { return !places_.empty(); }

 private:
  struct Element {
    NameId block;
    Operand index;
    bool operator==(const Element&) const = default;
  };

  // Whether a store sets an end to its element and one.
  void find_list(const Store& store) {
    const Assign* next = sum(store.value);
    if (next == nullptr || !tree::is_constant(next->arguments[1], 1)) return;
    const Operand& place = next->arguments[0];
    if (!place.is_name() || store.index.is_constant()) return;
    const auto end = ends_.find(place.name());
    if (end != ends_.end() && end->second == Element{store.block, store.index}) {
      places_.insert(place.name());
    }
  }

  // Where an array has an offset it was added.
  bool is_place(const Operand& index) const {
    if (!index.is_name()) return false;
    if (places_.contains(index.name())) return true;
    const Assign* offset = sum(index);
    return offset != nullptr && offset->arguments[1].is_name() &&
           places_.contains(offset->arguments[1].name());
  }

  const Assign* sum(const Operand& value) const {
    const auto found = value.is_name() ? sums_.find(value.name()) : sums_.end();
    return found == sums_.end() ? nullptr : found->second;
  }

  std::unordered_map<NameId, Element> ends_;
  std::unordered_map<NameId, const Assign*> sums_;
  std::unordered_set<NameId> places_;
};

void mark_loops(Code& code) {
  for (Instruction& one : code) {
    if (auto* loop = as<For>(one.node)) {
      const Iteration iteration(loop->body);
      if (iteration.has_lists()) iteration.mark(loop->body);
    }
    tree::for_each_code(one, [](Code& code) { mark_loops(code); });
  }
}

}  // namespace

void mark_appending_stores(Program& program) {
  for (Function& function : program.functions) mark_loops(function.body);
}

}  // namespace dagaz::emit
