// Makes calls of collective operations, and the functions that they call.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "ir/ranks.h"

namespace dagaz::passes::distributing {

class Collectives {
 public:
  explicit Collectives(ir::Program& program) : program_(program) {}

  ir::NameId index(ir::Builder& b);
  ir::NameId size(ir::Builder& b);
  ir::NameId first(ir::Builder& b, const ir::Operand& rows);
  ir::NameId count(ir::Builder& b, const ir::Operand& rows);
  void agree(ir::Builder& b);
  /// Binds `whole` to all rows of what `part` has some of.
  void gather(ir::Builder& b, ir::NameId part, ir::NameId whole);
  /// What each rank has, along a new outermost dimension of extent `ranks`.
  std::vector<ir::NameId> collect(ir::Builder& b, ir::NameId ranks,
                                  const std::vector<ir::NameId>& values);
  /// Binds each of `whole` to what all ranks have in `own`, combined element by element.
  void reduce(ir::Builder& b, const std::vector<ir::ScalarOp>& ops,
              const std::vector<ir::NameId>& own, const std::vector<ir::NameId>& whole);

 private:
  std::string function(const ir::RankCall& call);
  ir::NameId number(ir::Builder& b, ir::RankKind kind, std::vector<ir::Operand> arguments,
                    std::string_view base);

  ir::Program& program_;
};

}  // namespace dagaz::passes::distributing
