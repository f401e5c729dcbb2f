"""All cases, theme by theme; a theme has its program in ../programs."""
from importlib import import_module

THEMES = ('elementwise', 'reductions', 'scans', 'segmented', 'histograms', 'moves', 'sorting',
          'products', 'convolutions', 'networks', 'sequences', 'simulations', 'edges', 'transforms',
          'finance', 'data')
CASES = [case for theme in THEMES for case in import_module(f'cases.{theme}').CASES]
