"""The versioned canonical contract: records, lifecycle, gates, fingerprints, errors and the adapter port."""
