"""A Markdown or Obsidian vault as a spoke."""
