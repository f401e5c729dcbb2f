// The parts of the ZIP format that NumPy uses: members that are stored or deflated, sizes in the
// central directory, with the 64-bit fields of large archives.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#include "data/npz.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "values.h"

namespace dagaz::data {

namespace {

constexpr std::string_view end_magic = "PK\5\6";
constexpr std::string_view end64_locator_magic = "PK\6\7";
constexpr std::string_view end64_magic = "PK\6\6";
constexpr std::string_view central_magic = "PK\1\2";
constexpr std::size_t end_bytes = 22;
constexpr std::size_t central_bytes = 46;
constexpr std::size_t local_bytes = 30;
constexpr std::uint64_t in_extra_field = 0xffffffff;  // a size that has more than 32 bits
constexpr int stored = 0;
constexpr int deflated = 8;

// The unsigned number of `count` bytes at `at`; 0 where the archive ends before.
std::uint64_t number(std::string_view text, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  if (at > text.size() || text.size() - at < count) return 0;
  for (std::size_t i = count; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(text[at + i]);
  }
  return value;
}

void append(std::string& out, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

struct Entry {
  std::string name;
  int method = stored;
  std::uint64_t packed = 0;    // bytes in the archive
  std::uint64_t unpacked = 0;  // bytes of the member
  std::uint64_t at = 0;        // of the local header
};

// Where the central directory begins, and how many members it has.
struct Directory {
  std::uint64_t at;
  std::uint64_t count;
};

std::optional<Directory> find_directory(std::string_view archive) {
  const std::size_t end = archive.rfind(end_magic);
  if (end == std::string_view::npos || archive.size() - end < end_bytes) return std::nullopt;
  Directory directory{number(archive, end + 16, 4), number(archive, end + 10, 2)};
  const std::size_t locator = archive.rfind(end64_locator_magic, end);
  if (directory.at != in_extra_field || locator == std::string_view::npos) return directory;
  const std::uint64_t at = number(archive, locator + 8, 8);
  if (at > archive.size() || !archive.substr(at).starts_with(end64_magic)) return std::nullopt;
  return Directory{number(archive, at + 48, 8), number(archive, at + 32, 8)};
}

// Sizes that do not fit are listed, in this order, in the extra field with the tag 1.
void read_large_sizes(std::string_view extra, Entry& entry) {
  while (extra.size() >= 4) {
    const std::size_t length = std::min<std::size_t>(number(extra, 2, 2), extra.size() - 4);
    if (number(extra, 0, 2) == 1) {
      std::string_view fields = extra.substr(4, length);
      for (std::uint64_t* size : {&entry.unpacked, &entry.packed, &entry.at}) {
        if (*size != in_extra_field || fields.size() < 8) continue;
        *size = number(fields, 0, 8);
        fields.remove_prefix(8);
      }
    }
    extra.remove_prefix(4 + length);
  }
}

std::optional<std::vector<Entry>> read_directory(std::string_view archive) {
  const auto directory = find_directory(archive);
  if (!directory || directory->at > archive.size()) return std::nullopt;
  std::string_view rest = archive.substr(directory->at);
  std::vector<Entry> entries;
  for (std::uint64_t i = 0; i < directory->count; ++i) {
    if (rest.size() < central_bytes || !rest.starts_with(central_magic)) return std::nullopt;
    const std::size_t name = number(rest, 28, 2);
    const std::size_t extra = number(rest, 30, 2);
    const std::size_t bytes = central_bytes + name + extra + number(rest, 32, 2);
    if (rest.size() < bytes) return std::nullopt;
    Entry entry{std::string(rest.substr(central_bytes, name)),
                static_cast<int>(number(rest, 10, 2)), number(rest, 20, 4), number(rest, 24, 4),
                number(rest, 42, 4)};
    read_large_sizes(rest.substr(central_bytes + name, extra), entry);
    entries.push_back(std::move(entry));
    rest.remove_prefix(bytes);
  }
  return entries;
}

// What deflate (RFC 1951) made of `unpacked` bytes.
std::optional<std::string> inflated(std::string_view packed, std::uint64_t unpacked) {
  constexpr std::uint64_t most_ratio = 1100;  // deflate cannot do better: a wrong size is seen here
  if (unpacked > most_ratio * (packed.size() + 1)) return std::nullopt;
  std::string out(unpacked, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  constexpr std::uint64_t most = std::numeric_limits<uInt>::max();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  std::uint64_t in_left = packed.size();
  std::uint64_t out_left = unpacked;
  int status = Z_OK;
  while (status == Z_OK) {
    const auto in = static_cast<uInt>(std::min(in_left, most));
    const auto room = static_cast<uInt>(std::min(out_left, most));
    stream.avail_in = in;
    stream.avail_out = room;
    status = inflate(&stream, Z_NO_FLUSH);
    in_left -= in - stream.avail_in;
    out_left -= room - stream.avail_out;
    if (in == stream.avail_in && room == stream.avail_out) break;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || out_left != 0) return std::nullopt;
  return out;
}

std::optional<std::string> unpack(std::string_view archive, const Entry& entry) {
  if (entry.at > archive.size()) return std::nullopt;
  std::string_view rest = archive.substr(entry.at);
  if (rest.size() < local_bytes || !rest.starts_with(runtime::npz_magic)) return std::nullopt;
  const std::size_t header = local_bytes + number(rest, 26, 2) + number(rest, 28, 2);
  if (rest.size() < header || rest.size() - header < entry.packed) return std::nullopt;
  const std::string_view packed = rest.substr(header, entry.packed);
  if (entry.method == deflated) return inflated(packed, entry.unpacked);
  if (entry.method != stored) return std::nullopt;
  return std::string(packed);
}

// What the local header of a member and its line in the directory have in common.
struct Description {
  std::string name;
  std::uint64_t sum;
  std::uint64_t bytes;
  std::uint64_t at;
};

constexpr std::uint64_t version = 45;  // of the format: with sizes of 64 bits

void append_description(std::string& out, const Description& member) {
  append(out, version, 2);
  append(out, 0, 2);  // flags
  append(out, stored, 2);
  append(out, 0, 2);     // time
  append(out, 0x21, 2);  // the first of January 1980
  append(out, member.sum, 4);
  append(out, in_extra_field, 4);
  append(out, in_extra_field, 4);
  append(out, member.name.size(), 2);
}

void append_local(std::string& out, const Description& member) {
  out += runtime::npz_magic;
  append_description(out, member);
  append(out, 20, 2);  // bytes of the extra field
  out += member.name;
  append(out, 1, 2);
  append(out, 16, 2);
  append(out, member.bytes, 8);
  append(out, member.bytes, 8);
}

void append_line(std::string& directory, const Description& member) {
  directory += central_magic;
  append(directory, version, 2);
  append_description(directory, member);
  append(directory, 28, 2);  // bytes of the extra field
  append(directory, 0, 2);   // no comment
  append(directory, 0, 8);   // one disk, no attributes
  append(directory, in_extra_field, 4);
  directory += member.name;
  append(directory, 1, 2);
  append(directory, 24, 2);
  append(directory, member.bytes, 8);
  append(directory, member.bytes, 8);
  append(directory, member.at, 8);
}

void append_end(std::string& out, const std::string& directory, std::size_t members) {
  const std::uint64_t begin = out.size();
  out += directory;
  const std::uint64_t end = out.size();
  out += end64_magic;
  append(out, 44, 8);  // bytes of what follows
  append(out, version, 2);
  append(out, version, 2);
  append(out, 0, 8);  // one disk
  append(out, members, 8);
  append(out, members, 8);
  append(out, directory.size(), 8);
  append(out, begin, 8);
  out += end64_locator_magic;
  append(out, 0, 4);
  append(out, end, 8);
  append(out, 1, 4);
  out += end_magic;
  append(out, 0, 4);
  append(out, 0xffff, 2);
  append(out, 0xffff, 2);
  append(out, in_extra_field, 4);
  append(out, in_extra_field, 4);
  append(out, 0, 2);  // no comment
}

}  // namespace

std::optional<std::vector<Member>> read_npz(std::string_view archive, std::string& problem) {
  const auto entries = read_directory(archive);
  if (!entries) {
    problem = "the archive is damaged: it has no directory";
    return std::nullopt;
  }
  std::vector<Member> members;
  for (const Entry& entry : *entries) {
    const std::string place = "member `" + entry.name + "`: ";
    if (entry.method != stored && entry.method != deflated) {
      problem = place + "compressed by a method that NumPy does not use";
      return std::nullopt;
    }
    const auto bytes = unpack(archive, entry);
    if (!bytes || !bytes->starts_with(runtime::npy_magic)) {
      problem = place + (bytes ? "no .npy array" : "damaged");
      return std::nullopt;
    }
    runtime::Value value;
    std::size_t used = 0;
    problem = runtime::read_npy(*bytes, value, used);
    if (!problem.empty()) {
      problem = place + problem;
      return std::nullopt;
    }
    std::string name = entry.name;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    members.push_back({name, Array{value.element, value.shape, std::string(value.bytes)}});
  }
  return members;
}

bool is_npz(std::string_view text) { return text.starts_with(runtime::npz_magic); }

std::optional<std::string> unpacked_npz(std::string_view archive, std::string& problem) {
  const auto members = read_npz(archive, problem);
  if (!members) return std::nullopt;
  std::string out;
  for (const Member& member : *members) out += binary_of(member.array);
  return out;
}

std::string write_npz(const std::vector<Member>& members) {
  std::string out;
  std::string directory;
  for (const Member& member : members) {
    std::string bytes;
    runtime::write_npy(bytes, member.array.element, member.array.shape,
                       member.array.bytes.data());
    const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    const Description description{member.name + ".npy", sum, bytes.size(), out.size()};
    append_local(out, description);
    out += bytes;
    append_line(directory, description);
  }
  append_end(out, directory, members.size());
  return out;
}

}  // namespace dagaz::data
