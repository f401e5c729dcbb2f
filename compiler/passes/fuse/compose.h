// Which pairs of operations compose, and the composed operation.
#pragma once

#include <optional>

#include "ir/alias.h"
#include "ir/program.h"

namespace dagaz::passes {

/// What composing needs to know around the two statements.
struct ComposeContext {
  ir::Names& names;
  const ir::AliasInfo& aliases;
  /// Whether only the consumer uses the producer's results.
  bool only_user = false;
  /// Most operations that a consumer repeats where others use the producer's results, too.
  std::int64_t repeated_operations = 0;
};

/// What became of the producer.
enum class Producer { merged, kept };

struct Composed {
  ir::Statement statement;
  Producer producer = Producer::merged;
};

/// The consumer with the producer's work inside; nothing if they do not compose.  A producer that
/// is merged gives its results through the composed statement.  The statements may be moved from
/// only on success.
std::optional<Composed> compose_vertically(ir::Statement& producer, ir::Statement& consumer,
                                           const ComposeContext& context);

/// Both as one operation over the same elements; neither depends on the other.
std::optional<ir::Statement> compose_horizontally(ir::Statement& first, ir::Statement& second,
                                                  const ComposeContext& context);

}  // namespace dagaz::passes
