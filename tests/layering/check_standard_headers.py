#!/usr/bin/env python3
"""Each file includes the standard headers whose names it uses, itself or through our own headers.

What one compiler's library happens to include by itself, another's does not: code that builds with
GCC 12 can fail with GCC 14.  Only names whose header is often forgotten are looked for.

usage: check_standard_headers.py REPOSITORY
Prints each missing header with the first use; exit status 1 if there is one.
"""
import pathlib
import re
import sys

NAMES = {
    'algorithm': r'std::(?:ranges::)?(?:all_of|any_of|none_of|find|find_if|count|count_if|sort|'
                 r'stable_sort|reverse|max_element|min_element|transform|copy|copy_if|fill|fill_n|'
                 r'remove_if|unique|lower_bound|upper_bound|equal|mismatch|search|rotate|replace|'
                 r'partition|max|min|clamp|is_sorted|for_each|generate)\(',
    'array': r'std::array<',
    'atomic': r'std::atomic',
    'bit': r'std::(?:bit_cast|countl_zero|countr_zero|popcount|bit_width|has_single_bit)',
    'cctype': r'std::(?:isdigit|isalpha|isspace|isalnum|toupper|tolower)\(',
    'charconv': r'std::(?:from_chars|to_chars)\(',
    'chrono': r'std::chrono',
    'cmath': r'std::(?:isnan|isinf|isfinite|fabs|floor|ceil|sqrt|pow|signbit|ldexp|trunc|fmod|'
             r'copysign|round)\(',
    'cstdlib': r'std::(?:abort|exit|getenv|strtod|strtoll|malloc|free)\(',
    'cstring': r'std::(?:memcpy|memcmp|memset|memmove|strlen|strcmp|strncmp)\(',
    'fstream': r'std::[io]fstream',
    'functional': r'std::function<',
    'iomanip': r'std::set(?:w|precision|fill)\(',
    'iostream': r'std::(?:cout|cerr|cin)\b',
    'limits': r'std::numeric_limits',
    'map': r'std::map<',
    'memory': r'std::(?:unique_ptr|shared_ptr|make_unique|make_shared)\b',
    'mutex': r'std::(?:mutex|lock_guard|unique_lock|once_flag)\b',
    'numeric': r'std::(?:accumulate|iota|partial_sum|gcd)\(',
    'set': r'std::set<',
    'sstream': r'std::[io]?stringstream',
    'thread': r'std::(?:thread|this_thread)\b',
    'unordered_map': r'std::unordered_map<',
    'unordered_set': r'std::unordered_set<',
}
NAMES = {header: re.compile(pattern) for header, pattern in NAMES.items()}
STANDARD = re.compile(r'^#include <([a-z_]+)>', re.MULTILINE)
OWN = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


class Headers:
    """The standard headers that a file includes, through our own headers too."""

    def __init__(self, root):
        self.folders = [root / 'compiler', root / 'runtime', root / 'tests', root / 'tests/unit']
        self.texts = {}

    def text(self, path):
        if path not in self.texts:
            self.texts[path] = path.read_text(encoding='utf-8')
        return self.texts[path]

    def reached(self, path, seen):
        if path in seen:
            return set()
        seen.add(path)
        found = set(STANDARD.findall(self.text(path)))
        for name in OWN.findall(self.text(path)):
            places = [folder / name for folder in [path.parent, *self.folders]]
            own = next((place for place in places if place.is_file()), None)
            if own is not None:  # otherwise made by the build
                found |= self.reached(own.resolve(), seen)
        return found


def main(root):
    headers = Headers(root)
    wrong = 0
    for folder in ('compiler', 'runtime', 'tests'):
        for path in sorted((root / folder).rglob('*')):
            if path.suffix not in ('.cpp', '.h'):
                continue
            text = headers.text(path.resolve())
            reached = headers.reached(path.resolve(), set())
            for header, names in NAMES.items():
                use = names.search(text)
                if use and header not in reached:
                    line = text.count('\n', 0, use.start()) + 1
                    print(f'{path.relative_to(root)}:{line}: {use.group(0)} without <{header}>')
                    wrong += 1
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
