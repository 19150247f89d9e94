"""Characters that are not shown as they are, by what Unicode says of them."""
import re
import unicodedata

# The property Bidi_Control, which unicodedata does not have.
TURNS = '\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069'
_ACTS = '%s%s' % (TURNS, ''.join(
    re.escape(c) for c in map(chr, range(0x110000))
    if unicodedata.category(c) in ('Cc', 'Zl', 'Zp')))
# Default_Ignorable_Code_Point without variation selectors, and U+FFF9 to
# U+FFFB.
_HIDDEN = ('\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d'
           '\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb'
           '\U0001bca0-\U0001bca3\U0001d173-\U0001d17a'
           '\U000e0000-\U000e00ff\U000e01f0-\U000e0fff')
ACTS = re.compile('[%s]' % _ACTS)
NOT_SHOWN = re.compile('[%s%s]' % (_ACTS, _HIDDEN))


def percent(text, also=''):
    """As folded, phpspy and callgrind have it: what acts as %HH."""
    return ''.join(''.join('%%%02X' % b for b in c.encode())
                   if c in also or ACTS.match(c) else c for c in text)


# One of each range, and those at its ends.
ODD = [c for c in map(chr, range(0x110000))
       if NOT_SHOWN.match(c) and (ord(c) < 0x3000 or not NOT_SHOWN.match(
           chr(ord(c) - 1)) or not NOT_SHOWN.match(chr(ord(c) + 1)))]
