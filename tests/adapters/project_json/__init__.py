"""Tests of the project-json spoke."""
