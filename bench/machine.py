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
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (long i = 0; i < 2000000; i++)
      for (int k = 0; k < 12; k++) a[k] = a[k] * x + y;
    clock_gettime(CLOCK_MONOTONIC, &to);
    double seconds = (to.tv_sec - from.tv_sec) + 1e-9 * (to.tv_nsec - from.tv_nsec);
    double rate = 2.0 * 12 * 2000000 * (REGISTER / sizeof(T)) / seconds * 1e-9;
    if (rate > best) best = rate;
  }
  T sum = 0;
  for (int k = 0; k < 12; k++) sum += a[k][0];
  printf("%.1f\n", best + 0 * (double)sum);
}
'''


def fma_peak(kind):
    """The most GFLOP/s that one core gives in multiplying and adding numbers in registers; `kind` is
    float or double."""
    with open('/proc/cpuinfo', encoding='utf-8') as info:
        register = 64 if 'avx512f' in info.read() else 32
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'peak.c')
        program = os.path.join(folder, 'peak')
        with open(source, 'w', encoding='utf-8') as out:
            out.write(PEAK)
        subprocess.run(['cc', '-O3', '-march=native', '-ffp-contract=fast', f'-DT={kind}',
                        f'-DREGISTER={register}', source, '-o', program], check=True)
        return float(subprocess.run([program], check=True, capture_output=True, text=True).stdout)
