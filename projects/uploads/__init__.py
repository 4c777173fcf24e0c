"""Files that requesters upload: taken in pieces, kept in a folder or in the bucket, until they are imported."""
