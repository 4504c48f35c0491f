"""What the examples are made of."""
