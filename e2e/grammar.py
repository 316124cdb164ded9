"""Says which texts a regular expression matches whole. In and out: JSON."""

import json
import re
import sys

question = json.load(sys.stdin)
whole = re.compile(question["regexp"])
json.dump([bool(whole.fullmatch(text)) for text in question["texts"]], sys.stdout)
