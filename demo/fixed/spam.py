"""Which reviews are spam."""
import re

WORDS = ['offer', 'casino', 'prize', 'loan', 'watches', 'pills', 'crypto',
         'lottery', 'bonus']
SPAM = re.compile(r'\b(?:%s)-?\d\d\b' % '|'.join(WORDS))


def is_spam(review):
    return SPAM.search(review) is not None
