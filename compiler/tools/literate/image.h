// Pictures from arrays and arrays from pictures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/arrays.h"

namespace dagaz::tools::literate {

/// Row by row; each pixel is 0xAARRGGBB.
struct Image {
  std::size_t height = 0;
  std::size_t width = 0;
  std::vector<std::uint32_t> pixels;
};

/// Matrices of colours (i32, u32), of grey values (u8; f32 and f64 from 0 to 1) or of booleans;
/// nothing for others.
std::optional<Image> image_of(const data::Array& array);
/// The matrices of an array with three dimensions.
std::optional<std::vector<Image>> images_of(const data::Array& array);

/// As a PNG file without transparency.
std::string write_png(const Image& image);
/// A matrix of colours; nothing, with `problem` set, if the bytes are no PNG file.
std::optional<data::Array> read_png(std::string_view bytes, std::string& problem);

}  // namespace dagaz::tools::literate
