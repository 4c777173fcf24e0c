"""RefCOCO, RefCOCO+ and RefCOCOg: referring expressions and the objects of COCO."""
