"""Which reviews are spam."""
import re

WORDS = ['offer', 'casino', 'prize', 'loan', 'watches', 'pills', 'crypto',
         'lottery', 'bonus']
PATTERNS = [r'\b%s-?%02d\b' % (word, number)
            for word in WORDS for number in range(100)]


def is_spam(review):
    for pattern in PATTERNS:
        if re.search(pattern, review):
            return True
    return False
