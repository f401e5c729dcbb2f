// What a scan computes and nobody reads is not stored.
//
//   (as, bs) = scan ⊕ 0 (map f xs),  where nobody reads the as
//     =  bs = scan ⊕ 0 (map f xs) post \a b -> b
//
// An operator over several values needs all of them while it runs, a flag beside a sum, say; dead
// code elimination must leave them.
#include <algorithm>

#include "ir/builder.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/value_count.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

class ScanDropper {
 public:
  explicit ScanDropper(Names& names) : names_(names) {}

  bool changed() const { return changed_; }

  void body(Body& body) {
    NameSet read;
    for (const Operand& result : body.results) {
      if (result.is_name()) read.insert(result.name());
    }
    for (std::size_t k = body.statements.size(); k-- > 0;) {
      Statement& one = body.statements[k];
      if (auto* scan = as<SegmentedScan>(one.operation)) {
        drop(*scan, 0, scan->result_types, one.results, read);
      } else if (auto* map = as<MapScanReduce>(one.operation)) {
        if (!map->scans.empty()) {
          drop(*map, value_count(map->reductions), scanned_types(*map), one.results, read);
        }
      }
      for (const NameId name : free_names(one, names_)) read.insert(name);
      for_each_scope(one.operation, [&](Body& inner) { this->body(inner); });
    }
  }

 private:
  /// Of the scans' values, and of what is mapped.
  static std::vector<Type> scanned_types(const MapScanReduce& map) {
    std::vector<Type> types;
    for (const ScanOperator& one : map.scans) {
      types.insert(types.end(), one.op.result_types.begin(), one.op.result_types.end());
    }
    const std::size_t first = types.size() + value_count(map.reductions);
    types.insert(types.end(), map.map.result_types.begin() + static_cast<std::ptrdiff_t>(first),
                 map.map.result_types.end());
    return types;
  }

  /// `types` are those of the scan's results from number `first` on.
  template <typename Scan>
  void drop(Scan& scan, std::size_t first, const std::vector<Type>& types,
            std::vector<Binder>& results, const NameSet& read) {
    const auto is_unread = [&](const Binder& one) { return !read.contains(one.name); };
    const auto begin = results.begin() + static_cast<std::ptrdiff_t>(first);
    const auto unread = std::count_if(begin, results.end(), is_unread);
    if (scan.post || unread == 0 || unread == results.end() - begin) return;
    Lambda post = identity_lambda(types, names_);
    for (std::size_t k = results.size(); k-- > first;) {
      if (!is_unread(results[k])) continue;
      const auto at = static_cast<std::ptrdiff_t>(k - first);
      post.body.results.erase(post.body.results.begin() + at);
      post.result_types.erase(post.result_types.begin() + at);
      results.erase(results.begin() + static_cast<std::ptrdiff_t>(k));
    }
    scan.post = std::move(post);
    changed_ = true;
  }

  Names& names_;
  bool changed_ = false;
};

}  // namespace

bool drop_scanned(FlatProgram& program) {
  ScanDropper dropper(program.program.names);
  for (Function& function : program.program.functions) dropper.body(function.body);
  return dropper.changed();
}

}  // namespace dagaz::passes
