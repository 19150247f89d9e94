/* Names of opcodes, by version of PHP. */
#ifndef CAPTURE_PHP_LAYOUT_OPCODES_H
#define CAPTURE_PHP_LAYOUT_OPCODES_H

#include <stdint.h>

/* Returns a name as "ZEND_ADD"; "" for a number that the version (82 for 8.2)
 * does not have. */
const char *php_opcode_name(unsigned version, unsigned opcode);

#endif
