// Lines through points, as SVG.
#pragma once

#include <string>
#include <vector>

namespace dagaz::tools::literate {

struct Curve {
  std::string name;  // empty: not named
  std::vector<double> xs;
  std::vector<double> ys;  // as many
};

/// Axes with round numbers around all curves; points that are not finite interrupt a line.
std::string plot_svg(const std::vector<Curve>& curves, int width, int height);

}  // namespace dagaz::tools::literate
