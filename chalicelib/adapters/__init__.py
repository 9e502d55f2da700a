"""The outside world, one module each."""
