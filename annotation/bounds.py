"""Bounds on what comes in from outside: imports, forms and uploads beyond them are refused with a sentence.

Figures of Flickr30k Entities are the largest of 500 test images, or of the captions of 28,098 training images.
"""

LONGEST_CAPTION = 3_000
"""Characters of one caption. Flickr30k's longest has about 400."""
LONGEST_PHRASE = 500
"""Characters of one phrase: the width of its column."""
LONGEST_CATEGORY = 100
"""Characters of a category's name: the width of its column."""
LONGEST_DOUBT = 200
"""Characters of the reason why a chain is in doubt: the width of its column. Longer ones of imports are cut."""
MOST_CAPTIONS = 200
"""Captions of an image that comes with its chains. RefCOCO has some 50, Visual Genome at most about 200 regions."""
MOST_PHRASES = 200
"""Phrases of an image: five narrations of 150 words have as many, Flickr30k's most is 27. All may be of one type, and
the record in JSON Lines has a row for every two of them."""
MOST_CAPTIONS_TO_ANNOTATE = 60
"""Captions of an image that is still to be annotated: one for each of its phrases. Flickr30k has 5, COCO at most 7."""
MOST_PHRASES_OF_CAPTION = 40
"""Phrases of one caption: a narration of 150 words has some 40. Flickr30k's most is 13."""
LONGEST_ID = 200
"""Characters of an id in a file, which messages repeat for all that refers to it."""
MOST_BOXES = 1_000
"""Boxes of one image. COCO has at most 93; data sets of dense scenes have some hundreds."""

TEXT_BYTES = 1 << 20
"""Bytes of a file about one image (.txt, .xml) and of a line of captions.jsonl: 60 captions of 2,900 characters fit,
even with every character escaped. Flickr30k's largest has 3 kB."""
ROW_BYTES = 1 << 16
"""Bytes of a row of captions.csv: a caption of 3,000 characters fits in any script."""
JSON_BYTES = 500_000_000
"""Bytes of a COCO file, which is read into memory at six times its size. COCO's largest has 449 MB."""
TABLE_BYTES = 2 << 30
"""Bytes of captions.csv or captions.jsonl: these are streamed, with an index of about 1 kB an image in memory."""
MOST_BAD_LINES = 10_000
"""Unreadable lines or rows of a file after which it is not what it claims to be."""

ENTRY_CHARACTERS = 1 << 22
"""Characters of an entry of a list that is streamed: 200 regions of Visual Genome have about 30,000."""
PICKLE_BYTES = 200_000_000
"""Bytes of a file of refs as a pickle (RefCOCO), which is read into memory."""
PICKLE_VALUES = 10_000_000
"""Values of such a pickle: RefCOCOg has about 3 million. An empty list takes a byte of the file and 64 in memory."""
PICKLE_GROWTH = 10
"""Values and characters that a pickle may have for each of its bytes, if what is shared counts wherever it is used:
RefCOCO's have about 2."""
PARQUET_GROWTH = 40
"""Bytes that the columns of a Parquet file may take for each of its bytes, each text counted wherever it is used: files
with texts alone have about 4."""
PARQUET_ROW = 400
"""Bytes that a row counts by itself: about what an image takes in memory before it is written."""
PARQUET_SMALL = 1 << 18
"""Bytes that the columns of any Parquet file may take: most of a small file describes its columns."""

MAX_PIXELS = 80_000_000
"""Pixels of a picture: a little below the number at which Pillow itself warns. Decoded it takes 240 MB."""
WEBP_PIXELS = 20_000_000
"""Pixels of a picture in WebP, whose decoder keeps it four times: 300 MB."""
MOST_SCANS = 50
"""Scans of a JPEG, which may be a few bytes each and go through all of its pixels: cameras and editors write at most a
dozen."""
PICTURE_BYTES = 250_000_000
"""Bytes of a picture file: as many as its most pixels take without compression."""
MAX_BYTES = 64 << 30
"""Bytes of a source's texts, or of a zip file's members together. Flickr30k with its pictures has 4.4 GB."""
FREE_BYTES = 1 << 30
"""Bytes that uploads, and files that are unpacked, leave free on the disk for everything else."""
MAX_MEMBERS = 2_000_000
"""Files of a zip file or of a bucket's prefix. COCO has 330,000 pictures."""
