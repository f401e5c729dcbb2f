// Where the axes are labelled follows Heckbert, "Nice numbers for graph labels" (Graphics Gems,
// 1990).
#include "tools/literate/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "support/markup.h"

namespace dagaz::tools::literate {

namespace {

constexpr int left = 56;  // of the axes
constexpr int bottom = 28;
constexpr int margin = 14;
constexpr int line_height = 16;

// Colours that people with colour blindness tell apart (Okabe and Ito, 2008).
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000", "#f0e442"};

double nice_step(double range, int count) {
  const double rough = range / count;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double share = rough / power;
  return power * (share < 1.5 ? 1 : share < 3 ? 2 : share < 7 ? 5 : 10);
}

struct Axis {
  double low = 0;
  double high = 1;
  double step = 0.2;

  double share(double value) const { return (value - low) / (high - low); }
};

Axis axis_of(const std::vector<Curve>& curves, std::vector<double> Curve::*values, int count) {
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  for (const Curve& curve : curves) {
    for (const double value : curve.*values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (low > high) return {};
  if (low == high) {
    const double room = low == 0 ? 1 : std::fabs(low) / 2;
    low -= room;
    high += room;
  }
  const double step = nice_step(high - low, count);
  return {std::floor(low / step) * step, std::ceil(high / step) * step, step};
}

std::string number(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string place(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

class Plot {
 public:
  Plot(const std::vector<Curve>& curves, int width, int height)
      : curves_(curves), width_(width), height_(height),
        x_(axis_of(curves, &Curve::xs, std::max(2, width / 90))),
        y_(axis_of(curves, &Curve::ys, std::max(2, height / 60))) {}

  std::string draw() {
    const std::string size = std::to_string(width_) + " " + std::to_string(height_);
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + "\" width=\"" +
           std::to_string(width_) + "\" height=\"" + std::to_string(height_) +
           "\" font-family=\"sans-serif\" font-size=\"11\">\n"
           "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
    draw_axes();
    for (std::size_t i = 0; i < curves_.size(); ++i) draw_curve(i);
    draw_names();
    return out_ + "</svg>\n";
  }

 private:
  double x_place(double value) const { return left + x_.share(value) * (width_ - left - margin); }
  double y_place(double value) const {
    return height_ - bottom - y_.share(value) * (height_ - bottom - margin);
  }
  static const char* colour(std::size_t i) { return colours[i % std::size(colours)]; }

  void line(double x1, double y1, double x2, double y2, const char* stroke) {
    out_ += "<line x1=\"" + place(x1) + "\" y1=\"" + place(y1) + "\" x2=\"" + place(x2) +
            "\" y2=\"" + place(y2) + "\" stroke=\"" + stroke + "\"/>\n";
  }
  void text(double x, double y, const char* anchor, const std::string& words) {
    out_ += "<text x=\"" + place(x) + "\" y=\"" + place(y) + "\" text-anchor=\"" + anchor +
            "\" fill=\"#333\">" + words + "</text>\n";
  }

  static std::string label(const Axis& axis, double value) {
    constexpr int digits = 6;
    return number(std::fabs(value) < axis.step / 2 ? 0 : value, digits);
  }

  void draw_axes() {
    constexpr double slack = 0.5;  // of a step, for rounding
    const int columns = static_cast<int>((x_.high - x_.low) / x_.step + slack);
    for (int i = 0; i <= columns; ++i) {
      const double value = x_.low + i * x_.step;
      line(x_place(value), margin, x_place(value), height_ - bottom, "#e5e5e5");
      text(x_place(value), height_ - bottom + line_height, "middle", label(x_, value));
    }
    const int rows = static_cast<int>((y_.high - y_.low) / y_.step + slack);
    for (int i = 0; i <= rows; ++i) {
      const double value = y_.low + i * y_.step;
      line(left, y_place(value), width_ - margin, y_place(value), "#e5e5e5");
      text(left - 6, y_place(value) + 4, "end", label(y_, value));
    }
    line(left, margin, left, height_ - bottom, "#555");
    line(left, height_ - bottom, width_ - margin, height_ - bottom, "#555");
  }

  void draw_curve(std::size_t index) {
    const Curve& curve = curves_[index];
    std::string path;
    bool is_drawing = false;
    for (std::size_t i = 0; i < std::min(curve.xs.size(), curve.ys.size()); ++i) {
      const bool is_finite = std::isfinite(curve.xs[i]) && std::isfinite(curve.ys[i]);
      if (is_finite) {
        path += (is_drawing ? "L" : "M") + place(x_place(curve.xs[i])) + " " +
                place(y_place(curve.ys[i]));
      }
      is_drawing = is_finite;
    }
    out_ += std::string("<path fill=\"none\" stroke-width=\"1.5\" stroke=\"") + colour(index) +
            "\" d=\"" + path + "\"/>\n";
  }

  void draw_names() {
    double y = margin + line_height;
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      if (curves_[i].name.empty()) continue;
      line(width_ - margin - 30, y - 4, width_ - margin - 8, y - 4, colour(i));
      text(width_ - margin - 36, y, "end", escape_markup(curves_[i].name));
      y += line_height;
    }
  }

  const std::vector<Curve>& curves_;
  int width_;
  int height_;
  Axis x_;
  Axis y_;
  std::string out_;
};

}  // namespace

std::string plot_svg(const std::vector<Curve>& curves, int width, int height) {
  return Plot(curves, width, height).draw();
}

}  // namespace dagaz::tools::literate
