"""What the messages of a program cost, by the LogGP model (Alexandrov et al., 1995).

A round in which a rank sends one message of b bytes and gets one takes L + 2·o + b·G.  Collective
operations are rounds of such messages, in the number that the algorithms of slow.c have:

  gather, collect   ⌈log₂ p⌉ rounds, in which everything but a rank's own arrives (Bruck)
  agree             ⌈log₂ p⌉ rounds of 8 bytes
  reduce            few elements as a collect; else each rank gets its part of them, in p − 1 rounds or by
                    halves, and a gather of the combined parts (runtime/ranks/reduce.cpp)
  turn              p − 1 rounds
  windows, add_rows one round, of all that goes to the neighbours
"""
import dataclasses
import math

# That take as long as a message without content, as runtime/ranks/reduce.h has it.
BYTES_OF_A_MESSAGE = 24000


@dataclasses.dataclass(frozen=True)
class Network:
    latency: float   # L + 2·o of a message, in microseconds
    byte: float      # G, in nanoseconds

    def round(self, size):
        return self.latency + size * self.byte / 1000


# An InfiniBand HDR fat tree, as published: L = 1.3 µs, o = 0.3 µs, 12.5 GB/s.
CLUSTER = Network(latency=1.9, byte=0.08)


def gathered(network, ranks, own):
    """Microseconds until everybody has the `own` bytes of each."""
    time, have = 0.0, 1
    while have < ranks:
        more = min(have, ranks - have)
        time += network.round(more * own)
        have *= 2
    return time


def all_to_all(network, ranks, sent):
    """`sent` bytes of each rank, in equal messages."""
    return (ranks - 1) * network.round(sent / (ranks - 1)) if ranks > 1 else 0


def by_halves(network, ranks, size):
    """Until each has its part; of 2^m + e ranks, e send everything to a neighbour first."""
    digits = int(math.log2(ranks))
    time = network.round(size) if ranks != 2 ** digits else 0.0
    return time + sum(network.round(size / 2 ** (k + 1)) for k in range(digits))


def reduced(network, ranks, size):
    """The way that the runtime takes, whatever the network."""
    def ways(one):
        part = size / ranks
        parts = gathered(one, ranks, part)
        return [gathered(one, ranks, size),
                parts + all_to_all(one, ranks, part * (ranks - 1)),
                parts + by_halves(one, ranks, size)]
    assumed = ways(Network(latency=1, byte=1000 / BYTES_OF_A_MESSAGE))
    return ways(network)[assumed.index(min(assumed))]


def cost(network, ranks, kind, calls, size):
    """Microseconds of `calls` operations in which each rank hands over `size` bytes altogether."""
    if ranks == 1 or calls == 0:
        return 0.0
    each = size / calls
    one = {
        'agree': lambda: math.ceil(math.log2(ranks)) * network.round(8),
        'gather': lambda: gathered(network, ranks, each),
        'collect': lambda: gathered(network, ranks, each),
        'reduce': lambda: reduced(network, ranks, each),
        'turn': lambda: all_to_all(network, ranks, each),
        'windows': lambda: network.round(each),
        'add_rows': lambda: network.round(each),
    }[kind]()
    return calls * one


def scaled(kind, size, counted, ranks):
    """The bytes that each of `ranks` hands over of what `counted` ranks hand over `size` each, for a
    problem of the same size."""
    if kind == 'gather':
        return size * counted / ranks
    if kind == 'turn':
        whole = size * counted * counted / (counted - 1)
        return whole * (ranks - 1) / ranks / ranks
    return size
