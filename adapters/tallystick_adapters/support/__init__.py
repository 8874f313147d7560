"""What several spokes need to do I/O safely."""
