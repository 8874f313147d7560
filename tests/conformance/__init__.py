"""The conformance kit, and every adapter of this repository in it."""
