"""What was measured and verified, of which design, and whether that is still true."""
