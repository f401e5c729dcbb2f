#include "driver/literate_video.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "abi.h"
#include "driver/process.h"
#include "tools/literate/image.h"

namespace dagaz::driver {

namespace {

using script::Value;
using Kind = Value::Kind;
namespace lit = tools::literate;

// Frames as files of a folder, in the order in which ffmpeg takes them.
class Frames {
 public:
  bool add(const lit::Image& image, std::string& problem) {
    char name[32];
    std::snprintf(name, sizeof name, "/frame%010d.png", count_++);
    std::ofstream out(folder_.path() + name, std::ios::binary);
    out << lit::write_png(image);
    if (!out.flush()) problem = "cannot write a frame of the film";
    return problem.empty();
  }
  std::string pattern() const { return folder_.path() + "/frame%010d.png"; }
  std::string result(const std::string& format) const {
    return folder_.path() + "/video." + format;
  }

 private:
  TemporaryFolder folder_;
  int count_ = 0;
};

std::optional<int64_t> count_of(const Value& value) {
  if (value.kind != Kind::array || !value.array.shape.empty()) return std::nullopt;
  int64_t count = 0;
  if (value.array.element == DZ_I32) {
    int32_t small = 0;
    std::memcpy(&small, value.array.bytes.data(), sizeof small);
    count = small;
  } else if (value.array.element == DZ_I64) {
    std::memcpy(&count, value.array.bytes.data(), sizeof count);
  } else {
    return std::nullopt;
  }
  return count;
}

// `(step, state, count)`: step gives a picture and the next state.
bool step_frames(const Value& value, const script::Machine& machine, Frames& frames,
                 std::string& problem) {
  const auto count = count_of(value.fields[2].second);
  Value state = value.fields[1].second;
  for (int64_t i = 0; i < count.value_or(0); ++i) {
    auto result = script::apply(value.fields[0].second, {state}, machine, problem);
    if (!result) return false;
    const bool is_pair = script::is_tuple(*result) && result->fields.size() == 2 &&
                         result->fields[0].second.kind == Kind::array;
    const auto image =
        is_pair ? lit::image_of(result->fields[0].second.array) : std::nullopt;
    if (!image) {
      problem = "Cannot handle step function return type: " + script::type_of(*result);
      return false;
    }
    if (!frames.add(*image, problem)) return false;
    state = std::move(result->fields[1].second);
  }
  return true;
}

bool add_frames(const Value& value, const script::Machine& machine, Frames& frames,
                std::string& problem) {
  const bool steps = script::is_tuple(value) && value.fields.size() == 3 &&
                     value.fields[0].second.kind == Kind::function &&
                     count_of(value.fields[2].second).value_or(0) > 0;
  if (steps) return step_frames(value, machine, frames, problem);
  const auto images = value.kind == Kind::array ? lit::images_of(value.array) : std::nullopt;
  if (!images || images->empty()) {
    problem = "Cannot produce video from value of type " + script::type_of(value);
    return false;
  }
  for (const lit::Image& image : *images) {
    if (!frames.add(image, problem)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> make_video(const tools::literate::Directive& directive,
                                      const Value& value, const script::Machine& machine,
                                      const std::string& format, std::string& problem) {
  const std::string rate = lit::parameter(directive, "fps").value_or("30");
  int frames_per_second = 0;
  std::from_chars(rate.data(), rate.data() + rate.size(), frames_per_second);
  if (frames_per_second <= 0) {
    problem = "`" + rate + "` is no number of frames in a second";
    return std::nullopt;
  }
  Frames frames;
  if (!add_frames(value, machine, frames, problem)) return std::nullopt;
  const std::string result = frames.result(format);
  std::vector<std::string> command{"ffmpeg", "-v", "error", "-y", "-framerate",
                                   std::to_string(frames_per_second), "-i", frames.pattern()};
  if (format == "webm") {
    command.insert(command.end(), {"-c:v", "libvpx-vp9", "-pix_fmt", "yuv420p", "-b:v", "2M"});
  }
  command.push_back(result);
  std::string output;
  if (!run_tool(command, "", "`:video`", output, problem)) return std::nullopt;
  std::ifstream in(result, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
}

}  // namespace dagaz::driver
