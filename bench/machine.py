"""What a table of measurements says of where and when it was made."""
import os
import subprocess
import tempfile
import time


def processor():
    """The processor's name, as the kernel tells it."""
    with open('/proc/cpuinfo', encoding='utf-8') as info:
        for line in info:
            if line.startswith('model name'):
                return line.split(':', 1)[1].strip()
    return 'unknown processor'


def headline():
    """`2026-11-21, NAME OF THE PROCESSOR, 2 cores`"""
    return f'{time.strftime("%Y-%m-%d")}, {processor()}, {os.cpu_count()} cores'


PEAK = r'''
#include <stdio.h>
#include <time.h>
typedef T vector __attribute__((vector_size(REGISTER)));
int main(void) {
  vector a[12], x, y;
  for (int k = 0; k < 12; k++) a[k] = (vector){} + (T)k;
  x = (vector){} + (T)0.999; y = (vector){} + (T)0.001;
  double best = 0;
  for (int round = 0; round < 20; round++) {
    struct timespec from, to;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (long i = 0; i < 2000000; i++)
      for (int k = 0; k < 12; k++) a[k] = a[k] * x + y;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    double seconds = (to.tv_sec - from.tv_sec) + 1e-9 * (to.tv_nsec - from.tv_nsec);
    double rate = 2.0 * 12 * 2000000 * (REGISTER / sizeof(T)) / seconds * 1e-9;
    if (rate > best) best = rate;
  }
  T sum = 0;
  for (int k = 0; k < 12; k++) sum += a[k][0];
  printf("%.1f\n", best + 0 * (double)sum);
}
'''


def _built(folder, source, *flags):
    """A C program for this processor, which prints numbers."""
    path = os.path.join(folder, 'measure.c')
    program = os.path.join(folder, 'measure')
    with open(path, 'w', encoding='utf-8') as out:
        out.write(source)
    subprocess.run(['cc', '-O3', '-march=native', '-pthread', *flags, path, '-o', program],
                   check=True)
    return program


def _told_by(program):
    told = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return [float(number) for number in told.split()]


def fma_peak(kind):
    """The most GFLOP/s that one core gives in multiplying and adding numbers in registers; `kind`
    is float or double."""
    with open('/proc/cpuinfo', encoding='utf-8') as info:
        register = 64 if 'avx512f' in info.read() else 32
    with tempfile.TemporaryDirectory() as folder:
        flags = ('-ffp-contract=fast', f'-DT={kind}', f'-DREGISTER={register}')
        return _told_by(_built(folder, PEAK, *flags))[0]


# For each line that it reads threads copy, read and write a slice each, and it tells how fast.  What each
# does begins where they meet and goes on to the last that ends; of a single thread it takes as long as
# the processor has worked on it: other programs should not count.  Stores go past the caches where the processor has
# such; arrays lie in large pages, as Dagaz's do. No line is written that is zero: some processors
# write these twice as fast.
BANDWIDTH = r'''
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#ifdef __AVX__
#include <immintrin.h>
#endif
typedef unsigned long vector __attribute__((vector_size(64)));
enum { COPY = 0, STREAM = 1, READ = 2, WRITE = 3, KINDS = 4, LARGE_PAGE = 1 << 21 };
static const size_t part = (size_t)BYTES / THREADS / 4096 * 4096;
static char *from, *to;
static pthread_barrier_t meeting;
static double began[KINDS][THREADS], ended[KINDS][THREADS];
static int over;
static volatile unsigned long sink;

static void stream(char *to, const char *from, size_t count) {
#if defined(__AVX512F__)
  for (size_t i = 0; i < count; i += 64)
    _mm512_stream_si512((void *)(to + i), _mm512_load_si512((const void *)(from + i)));
#elif defined(__AVX__)
  for (size_t i = 0; i < count; i += 32)
    _mm256_stream_si256((void *)(to + i), _mm256_load_si256((const void *)(from + i)));
#else
  memcpy(to, from, count);
#endif
}

static void write_all(char *to, size_t count) {
#if defined(__AVX512F__)
  for (size_t i = 0; i < count; i += 64) _mm512_stream_si512((void *)(to + i), _mm512_set1_epi8(2));
#elif defined(__AVX__)
  for (size_t i = 0; i < count; i += 32) _mm256_stream_si256((void *)(to + i), _mm256_set1_epi8(2));
#else
  memset(to, 2, count);
#endif
}

static void read_all(const char *from, size_t count) {
  vector a[8] = {{0}};
  for (size_t i = 0; i < count; i += sizeof a)
    for (int k = 0; k < 8; k++) a[k] += ((const vector *)(from + i))[k];
  for (int k = 1; k < 8; k++) a[0] += a[k];
  sink += a[0][0];
}

static double now(void) {
  struct timespec time;
  clock_gettime(THREADS == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

static void measure(size_t thread) {
  const size_t first = thread * part;
  for (int kind = 0; kind < KINDS; kind++) {
    pthread_barrier_wait(&meeting);
    began[kind][thread] = now();
    if (kind == COPY) memcpy(to + first, from + first, part);
    if (kind == STREAM) stream(to + first, from + first, part);
    if (kind == READ) read_all(from + first, part);
    if (kind == WRITE) write_all(to + first, part);
    ended[kind][thread] = now();
  }
  pthread_barrier_wait(&meeting);
}

static void touch(size_t thread) {
  memset(from + thread * part, 1, part);
  memset(to + thread * part, 2, part);
}

static void *work(void *argument) {
  touch((size_t)argument);
  for (;;) {
    pthread_barrier_wait(&meeting);
    if (over) return NULL;
    measure((size_t)argument);
  }
}

static double rate(int kind, double traversals) {
  double first = 1e18, last = 0;
  for (int thread = 0; thread < THREADS; thread++) {
    if (began[kind][thread] < first) first = began[kind][thread];
    if (ended[kind][thread] > last) last = ended[kind][thread];
  }
  return 1e-9 * traversals * part * THREADS / (last - first);
}

int main(void) {
  pthread_t threads[THREADS];
  char line[16];
  from = aligned_alloc(LARGE_PAGE, (part * THREADS + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);
  to = aligned_alloc(LARGE_PAGE, (part * THREADS + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);
  madvise(from, part * THREADS, MADV_HUGEPAGE);
  madvise(to, part * THREADS, MADV_HUGEPAGE);
  pthread_barrier_init(&meeting, NULL, THREADS);
  for (size_t i = 1; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
  touch(0);
  while (fgets(line, sizeof line, stdin)) {
    pthread_barrier_wait(&meeting);
    measure(0);
    const double copied = rate(COPY, 2), streamed = rate(STREAM, 2);
    printf("%.2f %.2f %.2f\n", copied > streamed ? copied : streamed, rate(READ, 1), rate(WRITE, 1));
    fflush(stdout);
  }
  over = 1;
  pthread_barrier_wait(&meeting);
  for (size_t i = 1; i < THREADS; i++) pthread_join(threads[i], NULL);
}
'''


class Memory:
    """Memory as so many threads see it, of which each has a part of an array of `size` bytes."""

    def __init__(self, threads, size=2**27):
        with tempfile.TemporaryDirectory() as folder:
            program = _built(folder, BANDWIDTH, f'-DTHREADS={threads}', f'-DBYTES={size}')
            self.process = subprocess.Popen([program], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, text=True)
            self.sample()  # the program has started before its folder goes

    def sample(self):
        """GB/s now: to copy (bytes read and bytes written), to read, and to write."""
        self.process.stdin.write('\n')
        self.process.stdin.flush()
        rates = (float(number) for number in self.process.stdout.readline().split())
        return dict(zip(('copy', 'read', 'write'), rates))

    def bandwidth(self, rounds=30):
        """The best of several samples."""
        return best([self.sample() for _ in range(rounds)])

    def close(self):
        self.process.communicate()


def best(samples):
    """Of samples of memory, the highest rate of each kind."""
    return {way: max(each[way] for each in samples) for way in samples[0]}
