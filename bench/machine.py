"""What a table of measurements says of where and when it was made."""
import os
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
