// SHA-256 against the standard's own examples, and around the ends of blocks.
#include <doctest/doctest.h>

#include "driver/digest.h"

using dagaz::driver::Digest;
using dagaz::driver::digest_of;

TEST_CASE("digests are those of the standard") {
  CHECK(digest_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(digest_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(digest_of(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("it does not matter in which pieces bytes come") {
  const std::string text(200, 'x');
  for (std::size_t size = 0; size <= 130; ++size) {
    for (const std::size_t cut : {std::size_t{0}, size / 3, size}) {
      Digest digest;
      digest.add(std::string_view(text).substr(0, cut));
      digest.add(std::string_view(text).substr(cut, size - cut));
      CHECK(digest.text() == digest_of(std::string_view(text).substr(0, size)));
    }
  }
}

TEST_CASE("it does matter which fields bytes come in") {
  Digest one;
  one.add_field("ab");
  one.add_field("c");
  Digest other;
  other.add_field("a");
  other.add_field("bc");
  CHECK(one.text() != other.text());
}
