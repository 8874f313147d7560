"""The Markdown spoke, tested: codec and edits as properties, then vaults on disk."""
