// Where in the source what is emitted stands.
#pragma once

#include <utility>

#include "emit/context/context.h"

namespace dagaz::emit {

/// What is emitted while this lives stands at `location`; around it, where it stood before.
class LocationScope {
 public:
  LocationScope(Context& c, ir::LocationId location)
      : c_(c), outer_(std::exchange(c.location, location)) {}
  ~LocationScope() { c_.location = outer_; }
  LocationScope(const LocationScope&) = delete;
  LocationScope& operator=(const LocationScope&) = delete;

 private:
  Context& c_;
  ir::LocationId outer_;
};

}  // namespace dagaz::emit
