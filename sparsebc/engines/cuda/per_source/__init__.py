"""One source to a block of threads: graphs of thin levels, and lengths."""
