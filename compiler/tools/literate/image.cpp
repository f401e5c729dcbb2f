#include "tools/literate/image.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "abi.h"

namespace dagaz::tools::literate {

namespace {

template <typename T>
T element(const char* bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof value, sizeof value);
  return value;
}

std::uint32_t grey(std::uint32_t level) { return level << 16 | level << 8 | level; }

std::uint32_t grey(double level) {
  constexpr double most = 255;
  const double scaled = std::nearbyint(std::clamp(std::isnan(level) ? 0 : level, 0.0, 1.0) * most);
  return grey(static_cast<std::uint32_t>(scaled));
}

bool has_pixels(int32_t type) {
  return type == DZ_U32 || type == DZ_I32 || type == DZ_U8 || type == DZ_BOOL || type == DZ_F32 ||
         type == DZ_F64;
}

std::uint32_t pixel(int32_t type, const char* bytes, std::size_t i) {
  if (type == DZ_U8) return grey(std::uint32_t{element<std::uint8_t>(bytes, i)});
  if (type == DZ_BOOL) return bytes[i] != 0 ? 0xffffffU : 0U;
  if (type == DZ_F32) return grey(static_cast<double>(element<float>(bytes, i)));
  if (type == DZ_F64) return grey(element<double>(bytes, i));
  return element<std::uint32_t>(bytes, i);
}

Image image_from(int32_t type, std::size_t height, std::size_t width, const char* bytes) {
  Image image{height, width, {}};
  image.pixels.reserve(height * width);
  for (std::size_t i = 0; i < height * width; ++i) image.pixels.push_back(pixel(type, bytes, i));
  return image;
}

}  // namespace

std::optional<Image> image_of(const data::Array& array) {
  if (array.shape.size() != 2 || !has_pixels(array.element)) return std::nullopt;
  return image_from(array.element, static_cast<std::size_t>(array.shape[0]),
                    static_cast<std::size_t>(array.shape[1]), array.bytes.data());
}

std::optional<std::vector<Image>> images_of(const data::Array& array) {
  if (array.shape.size() != 3 || !has_pixels(array.element)) return std::nullopt;
  std::vector<Image> images;
  const auto count = static_cast<std::size_t>(array.shape[0]);
  for (std::size_t i = 0; i < count; ++i) {
    images.push_back(image_from(array.element, static_cast<std::size_t>(array.shape[1]),
                                static_cast<std::size_t>(array.shape[2]),
                                array.bytes.data() + i * (array.bytes.size() / count)));
  }
  return images;
}

std::string write_png(const Image& image) {
  std::vector<png_byte> colours;
  for (const std::uint32_t pixel : image.pixels) {
    for (const int shift : {16, 8, 0}) colours.push_back(static_cast<png_byte>(pixel >> shift));
  }
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  std::string bytes;
  if (png_image_write_to_memory(&png, nullptr, &size, 0, colours.data(), 0, nullptr) == 0) {
    return bytes;
  }
  bytes.resize(size);
  if (png_image_write_to_memory(&png, bytes.data(), &size, 0, colours.data(), 0, nullptr) == 0) {
    return {};
  }
  bytes.resize(size);
  return bytes;
}

std::optional<data::Array> read_png(std::string_view bytes, std::string& problem) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) {
    problem = png.message;
    return std::nullopt;
  }
  png.format = PNG_FORMAT_BGRA;  // as bytes, what 0xAARRGGBB is as a number
  data::Array array{DZ_U32, {png.height, png.width}, std::string(PNG_IMAGE_SIZE(png), '\0')};
  if (png_image_finish_read(&png, nullptr, array.bytes.data(), 0, nullptr) == 0) {
    problem = png.message;
    return std::nullopt;
  }
  return array;
}

}  // namespace dagaz::tools::literate
