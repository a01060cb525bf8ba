"""What `Formula` says of each quantity: TeX, plain signs, words, unit and span, by module."""
