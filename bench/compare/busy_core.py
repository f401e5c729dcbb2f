#!/usr/bin/env python3
"""Keeps a core busy half of the time, 5 ms on and 5 ms off, until standard input ends.

usage: busy_core.py CORE
"""
import os
import select
import sys
import time

TURN = 0.005  # seconds


def main():
    os.sched_setaffinity(0, {int(sys.argv[1])})
    while not select.select([sys.stdin], [], [], TURN)[0]:
        end = time.perf_counter() + TURN
        while time.perf_counter() < end:
            pass


if __name__ == '__main__':
    main()
