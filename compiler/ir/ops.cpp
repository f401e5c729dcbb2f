#include "ir/ops.h"

#include <initializer_list>
#include <type_traits>
#include <utility>

namespace dagaz::ir {

template <Alternative<Operations> T>
Operation::Operation(T&& node)
    : Operations(std::in_place_type<std::remove_cvref_t<T>>, std::forward<T>(node)) {}

// Every operation once; one that is missing here is an undefined reference of the linker.
#define DZ_CONSTRUCTORS(Node)                   \
  template Operation::Operation(Node&& node);   \
  template Operation::Operation(Node& node);    \
  template Operation::Operation(const Node& node);
DZ_CONSTRUCTORS(Identity)
DZ_CONSTRUCTORS(Scalar)
DZ_CONSTRUCTORS(ArrayLiteral)
DZ_CONSTRUCTORS(Index)
DZ_CONSTRUCTORS(Slice)
DZ_CONSTRUCTORS(Update)
DZ_CONSTRUCTORS(Iota)
DZ_CONSTRUCTORS(Replicate)
DZ_CONSTRUCTORS(Concat)
DZ_CONSTRUCTORS(Reshape)
DZ_CONSTRUCTORS(Permute)
DZ_CONSTRUCTORS(Copy)
DZ_CONSTRUCTORS(Scratch)
DZ_CONSTRUCTORS(Branch)
DZ_CONSTRUCTORS(Loop)
DZ_CONSTRUCTORS(Call)
DZ_CONSTRUCTORS(Assert)
DZ_CONSTRUCTORS(MapScanReduce)
DZ_CONSTRUCTORS(Histogram)
DZ_CONSTRUCTORS(Scatter)
DZ_CONSTRUCTORS(WithAccumulator)
DZ_CONSTRUCTORS(Accumulate)
DZ_CONSTRUCTORS(FlatMap)
DZ_CONSTRUCTORS(Differentiate)
DZ_CONSTRUCTORS(CustomDerivative)
DZ_CONSTRUCTORS(SegmentedMap)
DZ_CONSTRUCTORS(SegmentedReduce)
DZ_CONSTRUCTORS(SegmentedScan)
DZ_CONSTRUCTORS(SegmentedHistogram)
DZ_CONSTRUCTORS(SegmentedScatter)
#undef DZ_CONSTRUCTORS

Operation::Operation() = default;
Operation::Operation(const Operation& other) = default;
Operation::Operation(Operation&& other) noexcept = default;
Operation& Operation::operator=(const Operation& other) = default;
Operation& Operation::operator=(Operation&& other) noexcept = default;
Operation::~Operation() = default;

Statements::Statements() noexcept = default;
Statements::Statements(std::initializer_list<Statement> statements) : List(statements) {}
Statements::Statements(List&& list) noexcept : List(std::move(list)) {}
Statements::Statements(const List& list) : List(list) {}
Statements::Statements(const Statements& other) = default;
Statements::Statements(Statements&& other) noexcept = default;
Statements& Statements::operator=(const Statements& other) = default;
Statements& Statements::operator=(Statements&& other) noexcept = default;
Statements::~Statements() = default;

}  // namespace dagaz::ir
