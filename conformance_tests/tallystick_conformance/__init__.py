"""The conformance kit for adapter authors."""
